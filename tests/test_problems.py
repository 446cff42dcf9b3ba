"""Each problem code has the smallest registry that earns it, and the exact text that it earns.

The folders under `tests/problems/` are also the examples of the user's page of problems.
`KVDOCS_UPDATE=1 pytest tests/test_problems.py` writes the texts anew; read the difference before committing it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.kinds import all_codes
from kvdocs.pipeline import Inspection, inspect
from kvdocs.problems import Place, Problem
from kvdocs.project import find_project
from tests.conftest import MakeProject, Ran, write_files

FOLDER = Path(__file__).parent / "problems"
UNTESTABLE = {"unreadable": "it needs a file without permission, which the superuser reads all the same"}


def _codes() -> list[str]:
    return [code.name for code in all_codes()]


def test_every_code_has_its_example_and_every_example_its_code() -> None:
    assert sorted(p.name for p in FOLDER.iterdir()) == sorted(set(_codes()) - set(UNTESTABLE))


def test_codes_are_unique_and_say_what_they_mean() -> None:
    assert len(set(_codes())) == len(_codes())
    assert [code.name for code in all_codes() if not code.meaning.endswith(".")] == []


@pytest.mark.parametrize("code", [c for c in _codes() if c not in UNTESTABLE])
def test_the_example_earns_exactly_this(code: str, tmp_path: Path) -> None:
    root = tmp_path / "outer" / "project"
    shutil.copytree(FOLDER / code / "registry", root / "registry")
    for name, text in (("mkdocs.yml", "site_name: test\n"), ("registry/project.yaml", "title: Test\nrepository: us/ours\n")):
        if not (root / name).exists():
            (root / name).write_text(text, encoding="utf-8")
    problems = inspect(find_project(root)).problems
    text = "".join(f"{problem}\n" for problem in problems)
    expected = FOLDER / code / "expected.txt"
    if os.environ.get("KVDOCS_UPDATE"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
    assert code in {problem.code.name for problem in problems}


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    from kvdocs.source import read_records

    (tmp_path / "folder.yaml").mkdir()
    records, problems = read_records(tmp_path, "folder.yaml")
    assert (records, [str(p) for p in problems]) == ([], ["folder.yaml:1:1: error[unreadable]: cannot be read: Is a directory"])


def test_problems_print_their_place_code_message_and_hint() -> None:
    from kvdocs.problems import UNKNOWN_REF

    problem = Problem(UNKNOWN_REF, "it names 'R11'", Place("registry/a.yaml", 3, 7), "R1", hint="did you mean 'R1'?", related=((Place("b.yaml", 1, 1), "here"),))
    assert str(problem) == "registry/a.yaml:3:7: error[unknown-ref]: it names 'R11'\n    b.yaml:1:1: here\n    hint: did you mean 'R1'?"


def _linked(root: Path) -> None:
    (root / "registry/defects/D1.yaml").symlink_to("gone.yaml")


def _round(root: Path) -> None:
    (root / "registry/defects/D1.yaml").symlink_to("D1.yaml")


def _outside(root: Path) -> None:
    (root.parent / "secret.yaml").write_text("id: D1\n", encoding="utf-8")
    (root / "registry/defects/D1.yaml").symlink_to("../../../secret.yaml")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "registry/defects/D1.yaml")


def _endless(root: Path) -> None:
    (root / "registry/defects/D1.yaml").symlink_to("/dev/zero")


def _two_lines(root: Path) -> None:
    (root / "registry/defects/D1\nregistry.yaml").write_text("id: D1\n", encoding="utf-8")


def _no_characters(root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root / "registry/defects") + b"/D1\xff.yaml")).write_text("id: D1\n", encoding="utf-8")


def _folder_elsewhere(root: Path) -> None:
    (root / "registry/defects").rmdir()
    (root / "moved").mkdir()
    (root / "moved/D1.yaml").write_text("id: D1\n", encoding="utf-8")
    (root / "registry/defects").symlink_to("../moved")


@pytest.mark.parametrize(
    ("put", "expected"),
    [
        (_linked, "registry/defects/D1.yaml:1:1: error[unreadable]: this is not read: the link leads nowhere"),
        (_round, "registry/defects/D1.yaml:1:1: error[unreadable]: this is not read: the link leads nowhere"),
        (_outside, "registry/defects/D1.yaml:1:1: error[outside-project]: this is not read: the link leads out of the project"),
        (_pipe, "registry/defects/D1.yaml:1:1: error[unreadable]: this is not read: it is a pipe, a socket or a device, and no file"),
        (_endless, "registry/defects/D1.yaml:1:1: error[unreadable]: this is not read: it is a pipe, a socket or a device, and no file"),
        (_two_lines, "registry/defects/D1\\nregistry.yaml:1:1: error[unreadable]: this is not read: its name holds what is no character of a text"),
        (_no_characters, "registry/defects/D1\\udcff.yaml:1:1: error[unreadable]: this is not read: its name holds what is no character of a text"),
        (_folder_elsewhere, "registry/defects:1:1: error[unreadable]: this is not read: the link leads to a folder, and what lies in linked folders is not read"),
    ],
)
def test_what_has_the_name_of_a_record_and_is_none_was_waited_for_or_left_out_silently(put: Callable[[Path], None], expected: str, tmp_path: Path, kvdocs: Callable[..., Ran]) -> None:
    root = tmp_path / "project"
    write_files(root, {"mkdocs.yml": "site_name: test\n", "registry/project.yaml": "title: Test\n", "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"})
    (root / "registry/defects").mkdir()
    put(root)
    hint = "give it a name of letters and digits" if "name" in expected else "put the file itself in its place"
    text = f"{expected}\n    hint: {hint}\n1 error\n"
    assert [(ran.code, ran.out, ran.err) for ran in (kvdocs("check", at=root), kvdocs("check", at=root))] == [(1, text, "")] * 2
    assert kvdocs("set", "ann", "owns=Everything else.", at=root).code == 0
    assert kvdocs("check", at=root).out == text


def test_a_link_to_itself_among_the_results_ended_the_check(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"})
    for folder in ("", "box", "box/it"):
        (project.root / "registry/results" / folder).mkdir(parents=True, exist_ok=True)
        (project.root / "registry/results" / folder / "round").symlink_to("round")
    ran = kvdocs("check", at=project.root)
    assert (ran.code, ran.out, ran.err) == (0, "no problems\n", "")


def test_a_folder_of_results_that_may_not_be_listed_ended_the_check(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/results/box/it/notes.txt": ""})
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("results/box"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    assert [str(problem) for problem in inspect(find_project(project.root)).problems] == [
        "registry/results/box:1:1: error[unreadable]: this is not read: the folder may not be looked into\n    hint: give yourself the right to read it"
    ]


@pytest.mark.parametrize(("name", "place"), [(b"D1\xff.yaml", "registry/D1\\udcff.yaml"), (b"\xff/D1.yaml", "registry/\\udcff")])
def test_a_name_that_is_no_text_in_no_folder_of_a_kind_ended_the_build(name: bytes, place: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"})
    path = Path(os.fsdecode(os.fsencode(project.registry) + b"/" + name))
    path.parent.mkdir(exist_ok=True)
    path.write_text("id: D1\n", encoding="utf-8")
    assert [str(problem.place) for problem in inspect(project).problems if problem.code.name == "unknown-folder"] == [f"{place}:1:1"]
    assert kvdocs("build", "--no-site", at=project.root).code == 0


OWNER = "id: {0}\ntitle: {0}\nowns: Something.\nformerly: {1}\n"


def test_two_records_that_had_the_same_id_before_stopped_the_build(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project({"registry/owners/ann.yaml": OWNER.format("ann", "[a1, a1]"), "registry/owners/bea.yaml": OWNER.format("bea", "[b1, a1]")})
    expected = """\
registry/owners/bea.yaml:4:16: error[duplicate-id]: bea had the id a1 before, and so had ann
    hint: take it out of one of them: its address leads to ann
"""
    assert "".join(f"{problem}\n" for problem in inspect(project).problems) == expected
    assert kvdocs("build", "--no-site", at=project.root).code == 0
    assert 'content="0; url=../ann/"' in (project.build / "records/a1/index.html").read_text(encoding="utf-8")


DEFECT = "id: {0}\ntitle: {0}\nstatus: suspected\nseverity: bad\nowners: [ann]\nsymptom: It fails.\nsuperseded_by: {1}\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ({"D1": "D1"}, "registry/defects/D1.yaml:7:16: error[cycle]: `superseded_by` leads round in a circle: D1 → D1"),
        ({"D1": "D2", "D2": "D3", "D3": "D1"}, "registry/defects/D1.yaml:7:16: error[cycle]: `superseded_by` leads round in a circle: D1 → D2 → D3 → D1"),
    ],
)
def test_a_record_that_takes_its_own_place_passed_the_check(after: dict[str, str], expected: str, make_project: MakeProject) -> None:
    files = {f"registry/defects/{name}.yaml": DEFECT.format(name, by) for name, by in after.items()}
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", **files})
    assert [str(problem).split("\n")[0] for problem in inspect(project).problems] == [expected]


def test_a_script_that_is_a_link_to_itself_ended_the_check_with_a_traceback(make_project: MakeProject) -> None:
    script = "id: look\ntitle: Look\npurpose: kernel\nfile: look.sh\nabout: []\n"
    project = make_project({"registry/scripts/look.yaml": script})
    (project.registry / "scripts/look.sh").symlink_to("look.sh")
    assert [str(p).split("\n")[0] for p in inspect(project).problems if p.code.name == "missing-file"] == [
        "registry/scripts/look.yaml:4:7: error[missing-file]: there is no file 'look.sh' beside the record",
    ]


def test_a_folder_that_is_a_link_to_itself_is_no_project(tmp_path: Path, kvdocs: Callable[..., Ran]) -> None:
    (tmp_path / "round").symlink_to("round")
    ran = kvdocs("-C", "round", "check", at=tmp_path)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {tmp_path}/round is not a folder\n")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (None, "1:1: error[bad-settings]: it is missing, and holds at least `title`"),
        ("title: [\n", "2:1: error[bad-settings]: did not find expected node content"),
        ("- title\n", "1:1: error[bad-settings]: it is a mapping of names to text"),
        ("slug: x\n", "1:1: error[bad-settings]: it needs a `title`"),
        ("title: 1\n", "1:8: error[bad-settings]: `title` is one line of text"),
        ('title: "two\\nlines"\n', "1:8: error[bad-settings]: `title` is one line of text"),
        ("title: x\nhome: y\n", "2:1: error[bad-settings]: there is no setting 'home'; known are title, slug, repository, host, source_url, site_url, summary"),
        ("title: x\nsource_url: 'javascript:alert(1)'\n", "2:13: error[bad-settings]: `source_url` is an address that begins with https:// or http://"),
        ("title: x\nhost: 'https://['\n", "2:7: error[bad-settings]: `host` is an address with the name of a host, and with a number where a port is named"),
        ("title: x\nhost: https://example.org:git/\n", "2:7: error[bad-settings]: `host` is an address with the name of a host, and with a number where a port is named"),
        ("title: x\nhost: https:///git\n", "2:7: error[bad-settings]: `host` is an address with the name of a host"),
        ("title: x\nsite_url: https://example.org/{path}\n", "2:11: error[bad-settings]: `site_url` is an address without quotes, angle brackets and braces"),
        ("title: x\nsite_url: 'https://example.org/\"><b>'\n", "2:11: error[bad-settings]: `site_url` is an address without quotes, angle brackets and braces"),
        *(
            (f"title: x\nsource_url: '{address}'\n", "2:13: error[bad-settings]: `source_url` is an address without quotes, angle brackets and braces, but for `{path}` and `{line}`")
            for address in ("https://example.org/{file}", "https://example.org/{", "https://example.org/{}", "https://example.org/{path.parent}", "https://example.org/{line:999999999}")
        ),
    ],
)
def test_broken_settings_passed_the_check_and_stopped_the_build(settings: str | None, expected: str, make_project: MakeProject) -> None:
    project = make_project({})
    path = project.root / "registry/project.yaml"
    path.unlink()
    if settings is not None:
        path.write_text(settings, encoding="utf-8")
    assert [str(p) for p in inspect(find_project(project.root)).problems] == [f"registry/project.yaml:{expected}"]


def _without_rights_of_root() -> None:
    """The rights by which root passes over those of files, taken from what is executed next (`prctl`, PR_CAPBSET_DROP)."""
    for right in (1, 2) if os.geteuid() == 0 else ():  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, right)


@pytest.mark.skipif(sys.platform != "linux", reason="root's rights are taken away as Linux does it")
@pytest.mark.parametrize(
    ("folder", "mode", "expected"),
    [
        ("registry/roadmap", 0o444, "registry/roadmap:1:1: error[unreadable]: this is not read: the folder may not be looked into\n    hint: give yourself the right to read it\n1 error\n"),
        ("registry/roadmap", 0o000, "registry/roadmap:1:1: error[unreadable]: this is not read: the folder may not be looked into\n    hint: give yourself the right to read it\n1 error\n"),
        ("registry", 0o300, "registry:1:1: error[unreadable]: this is not read: the folder may not be looked into\n    hint: give yourself the right to read it\n1 error\n"),
    ],
)
def test_a_folder_that_may_not_be_entered_held_no_records(folder: str, mode: int, expected: str, make_project: MakeProject) -> None:
    """Its records were gone without a word, and what points at them had an error each; without the right to list the registry there was a traceback."""
    root = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n"}).root
    (root / folder).chmod(mode)
    try:
        ran = subprocess.run([sys.executable, "-m", "kvdocs", "--no-cache", "check"], cwd=root, capture_output=True, text=True, check=False, preexec_fn=_without_rights_of_root)
    finally:
        (root / folder).chmod(0o755)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, expected, "")


@pytest.mark.skipif(sys.platform != "linux", reason="root's rights are taken away as Linux does it")
def test_a_file_that_may_not_be_read_was_told_to_be_written_in_a_plainer_way(make_project: MakeProject) -> None:
    root = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"}).root
    (root / "registry/owners/ann.yaml").chmod(0o000)
    ran = subprocess.run([sys.executable, "-m", "kvdocs", "fmt", "--check"], cwd=root, capture_output=True, text=True, check=False, preexec_fn=_without_rights_of_root)
    told = "registry/owners/ann.yaml:1:1: error[unreadable]: registry/owners/ann.yaml cannot be read: Permission denied\n    hint: give yourself the right to read it\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", told)


def test_a_gate_without_a_script_was_to_pass_by_running_its_script(inspect_files: Callable[..., Inspection]) -> None:
    inspection = inspect_files(
        {
            "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
            "registry/references/fork-7.yaml": "id: fork-7\ntitle: The repair\ntype: pull-request\nrepository: us/ours\nnumber: 7\nstate: open\nstate_on: 2026-08-24\n",
            "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: done\nowners: [ann]\ngates:\n  - {id: merged, text: It is merged., reference: fork-7}\n",
        }
    )
    assert [str(problem) for problem in inspection.problems if problem.code.name == "gate-not-passed"] == [
        "registry/roadmap/R1.yaml:6:10: error[gate-not-passed]: R1 is done, and its gate merged is not run: us/ours#7 is open\n    hint: `kvdocs sync` brings the state of fork-7; or take the status back"
    ]
