"""A kept answer is given again only when nothing is to be seen otherwise in the registry: also no folder, no link, and nothing hidden that a record speaks of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.answers import Answers
from kvdocs.cli.check import _work_out
from kvdocs.kinds import all_kinds
from kvdocs.load import load_registry
from kvdocs.named_files import named_outside
from kvdocs.problems import unpack
from kvdocs.project import Project
from tests.conftest import MakeProject, Ran

SCRIPT = "id: s1\ntitle: It runs\npurpose: reproduction\nfile: NAME\n"


def answered(project: Project) -> list[str]:
    """What `kvdocs check` tells: code and message of each problem."""
    answers = Answers(project)
    return [f"{problem.code.name}: {problem.message}" for problem in unpack(answers.get("check", lambda: _work_out(answers)))]


def make_folders(above: Path, *names: str) -> list[Path]:
    for name in names:
        (above / name).mkdir()
    return [above / name for name in names]


def make_link(path: Path, target: str) -> Path:
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    return path


EDITS: dict[str, tuple[str, Callable[[Path], object], Callable[[Path], object], list[str]]] = {
    "an empty folder that no kind has": (
        "run.py",
        lambda scripts: (scripts / "run.py").write_text("1"),
        lambda scripts: (scripts.parent / "roadmaps").mkdir(),
        ["unknown-folder: no kind has the folder 'roadmaps'"],
    ),
    "a link that led to another folder": (
        "now/run.py",
        lambda scripts: [*make_folders(scripts, "a", "b"), (scripts / "a" / "run.py").write_text("1"), make_link(scripts / "now", "a")],
        lambda scripts: make_link(scripts / "now", "b"),
        ["missing-file: there is no file 'now/run.py' beside the record"],
    ),
    "a file that became a link out of the project with the same content": (
        "run.py",
        lambda scripts: [(scripts / "run.py").write_text("1"), (scripts.parent.parent.parent / "outside.py").write_text("1")],
        lambda scripts: make_link(scripts / "run.py", "../../../outside.py"),
        ["outside-project: 'run.py' lies outside the project"],
    ),
    "a hidden file that a record names": (
        ".run.py",
        lambda scripts: (scripts / ".run.py").write_text("1"),
        lambda scripts: (scripts / ".run.py").unlink(),
        ["missing-file: there is no file '.run.py' beside the record"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_what_was_changed_beside_the_files_that_are_read_was_not_seen(make_project: MakeProject, tmp_path: Path, edit: str) -> None:
    name, prepare, change, expected = EDITS[edit]
    project = make_project({"p/mkdocs.yml": "site_name: test\n", "p/registry/project.yaml": "title: Test\n", "p/registry/scripts/s1.yaml": SCRIPT.replace("NAME", name)})
    project = Project(tmp_path / "p")
    prepare(project.registry / "scripts")
    before = answered(project)
    assert before == answered(project)
    change(project.registry / "scripts")
    assert [problem for problem in answered(project) if problem not in before] == expected


def test_a_hidden_file_in_the_place_of_one_that_is_missing_is_not_proposed(make_project: MakeProject) -> None:
    project = make_project({"registry/scripts/s1.yaml": SCRIPT.replace("NAME", "run.py"), "registry/scripts/.run.py": "1"})
    answers = Answers(project)
    (missing,) = [problem for problem in unpack(_work_out(answers)[0]) if problem.code.name == "missing-file"]
    assert missing.hint == "looked for registry/scripts/run.py"


def test_the_order_was_kept_where_it_rests_on_a_file_outside_of_the_registry(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """Whether gates have passed depends on whether their scripts have changed since they ran."""
    kept = {}
    for name, text in {"run.py": SCRIPT.replace("NAME", "run.py"), "tools/run.py": SCRIPT.replace("NAME", "../../tools/run.py")}.items():
        project = make_project({"registry/scripts/run.py": "1", "tools/run.py": "1", "registry/scripts/s1.yaml": text})
        kvdocs("order", at=project.root)
        kept[name] = (project.root / ".kvdocs" / "cache" / "answer-order.json").exists()
        (project.root / ".kvdocs" / "cache" / "answer-order.json").unlink(missing_ok=True)
    assert kept == {"run.py": True, "tools/run.py": False}


def test_an_answer_was_kept_that_rests_on_a_file_outside_which_no_record_names_any_more(make_project: MakeProject) -> None:
    """An execution is held against the files that its script had then."""
    project = make_project({"registry/scripts/s1.yaml": SCRIPT.replace("NAME", "run.py"), "registry/scripts/run.py": "1", "tools/run.py": "1"})
    registry, _ = load_registry(project, all_kinds())
    told = []
    for path in ("registry/scripts/run.py", "tools/run.py"):
        registry.content(path)
        told.append(named_outside(registry, project))
    assert told == [False, True]
