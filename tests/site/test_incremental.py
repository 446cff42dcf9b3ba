"""Making only what has changed gives what making everything gives, byte by byte, after any edits."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Scan
from kvdocs.cli.reference import command_helps
from kvdocs.disk import replace_file
from kvdocs.markup import Dialect
from kvdocs.pages.documents import document_pages
from kvdocs.pipeline import inspect, publication
from kvdocs.project import NO_CACHE, Project
from kvdocs.render import Renderer, default_templates, render_all
from kvdocs.site.documents import documents_for
from kvdocs.site.files import site_source
from kvdocs.site.incremental import SourceOnDisk, update_source
from kvdocs.site.pieces import Pieces
from tests.conftest import MakeProject, write_files

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\nsummary: As D1 and M1 say, {{ M1.host[1] }}.\n",
    "registry/roadmap/R2.yaml": "id: R2\ntitle: Second\nstatus: open\nowners: [ann]\nblocked_by: [R1]\n",
    "registry/roadmap/R4.yaml": "id: R4\ntitle: Apart\nstatus: open\nowners: [ann]\nsize: L\n",
    "registry/defects/D1.yaml": "id: D1\ntitle: It hangs\nstatus: confirmed\nowners: [ann]\nseverity: hang\nsymptom: It hangs on box, see R3.\nscript: run\nfixed_by: [R1]\n",
    "registry/measurements/M1.yaml": (
        "id: M1\ntitle: Speed\nenvironment: box\nkey: depth\ncolumns:\n  - {name: depth, title: Depth, unit: token, exact: true}\n  - {name: host, title: Host, unit: token/s}\n"
        "  - {name: twice, title: Twice, unit: token/s, compute: 2 * host}\nrows:\n  - {depth: 1, host: 2.5}\n"
    ),
    "registry/claims/K1.yaml": "id: K1\ntitle: Fast\npublished: It is fast.\nexpression: M1.twice[1]\nat_least: 4\nunit: token/s\nabout: [M1]\n",
    "registry/scripts/run.yaml": "id: run\ntitle: Run it\npurpose: reproduction\nfile: run.sh\nexpect:\n  reproduced:\n    - exit: 1\n  not_reproduced:\n    - exit: 0\n",
    "registry/scripts/run.sh": "echo one\n",
    "site_src/how-to/page.md": "# A page\n\nText.\n",
}

BLOCKS = (default_templates() / "documents" / "blocks.md.j2").read_text(encoding="utf-8")

EDITS: dict[str, tuple[str, str | None]] = {
    "retitle": ("registry/roadmap/R1.yaml", "id: R1\ntitle: First of all\nstatus: open\nowners: [ann]\n"),
    "restore": ("registry/roadmap/R1.yaml", FILES["registry/roadmap/R1.yaml"]),
    "finish": ("registry/roadmap/R1.yaml", "id: R1\ntitle: First\nstatus: done\nowners: [ann]\n"),
    "break": ("registry/roadmap/R1.yaml", "id: R1\ntitle: [\n"),
    "delete an item": ("registry/roadmap/R1.yaml", None),
    "a link to nowhere": ("registry/roadmap/R2.yaml", "id: R2\ntitle: Second\nstatus: open\nowners: [ann]\nblocked_by: [R9]\nsummary: Count {{ count('item') }}, see the box and D1.\n"),
    "two steps away": ("registry/roadmap/R2.yaml", "id: R2\ntitle: Second, far from D1\nstatus: open\nowners: [ann]\nblocked_by: [R1]\n"),
    "a circle": ("registry/roadmap/R3.yaml", "id: R3\ntitle: Third\nstatus: open\nowners: [ann]\nblocked_by: [R3]\n"),
    "a former id": ("registry/roadmap/R3.yaml", "id: R3\ntitle: Third\nstatus: open\nowners: [ann]\nformerly: [R7]\n"),
    "no third": ("registry/roadmap/R3.yaml", None),
    "another figure": ("registry/measurements/M1.yaml", FILES["registry/measurements/M1.yaml"].replace("host: 2.5", "host: 1.5")),
    "the first figure": ("registry/measurements/M1.yaml", FILES["registry/measurements/M1.yaml"]),
    "another claim": ("registry/claims/K1.yaml", FILES["registry/claims/K1.yaml"].replace("M1.twice[1]", "M1.host[1]")),
    "another script": ("registry/scripts/run.sh", "echo two\n"),
    "no script": ("registry/scripts/run.sh", None),
    "a script with a strange name": ("registry/scripts/run.yaml", FILES["registry/scripts/run.yaml"].replace("run.sh", '"run\\t\\x7f=me.sh"')),
    "the script by its strange name": ("registry/scripts/run\t\x7f=me.sh", "echo strange\n"),
    "the script by its name": ("registry/scripts/run.yaml", FILES["registry/scripts/run.yaml"]),
    "an owner's name": ("registry/owners/ann.yaml", "id: ann\ntitle: Ann B.\nowns: Everything.\n"),
    "a template": ("templates/record.md.j2", '{% extends "kvdocs/record.md.j2" %}\n{% block meta %}{{ super() }}extra: 1\n{% endblock %}\n'),
    "no template": ("templates/record.md.j2", None),
    "a frame of documents": ("templates/documents/document.md.j2", '{% extends "kvdocs/documents/document.md.j2" %}\n'),
    "another frame of documents": ("templates/documents/document.md.j2", "# {{ title }}\n\n{{ parts }}\n\nThe end, as D1 says.\n"),
    "a part of documents": ("templates/documents/section.md.j2", "## {{ section.title }}\n"),
    "the shipped part of documents": ("templates/documents/section.md.j2", None),
    "a table of documents that looks at each row": (
        "templates/documents/blocks.md.j2",
        BLOCKS.replace("{{ t.rows | rows -}}\n", "{% for row in t.rows %}\n| {{ row | cells }} | {{ row | length }} of {{ t.rows | length }}\n{% endfor %}\n"),
    ),
    "the shipped table of documents": ("templates/documents/blocks.md.j2", None),
    "another size": ("registry/roadmap/R4.yaml", FILES["registry/roadmap/R4.yaml"].replace("size: L", "size: S")),
    "the first size": ("registry/roadmap/R4.yaml", FILES["registry/roadmap/R4.yaml"]),
    "an owner whose title is the id": ("registry/owners/ann.yaml", "id: ann\ntitle: ann\nowns: Everything.\n"),
    "how the machine is used": ("registry/environments/box.yaml", "id: box\ntitle: The box\nprotocol: |\n  Runs alone, as R4 wants.\n\n  Twice.\n\ndiscard_rule: The first is thrown away.\n"),
    "a page instead of a made one": ("site_src/counts.md", "# Counted by hand\n"),
    "the made one again": ("site_src/counts.md", None),
    "a page edited": ("site_src/how-to/page.md", "# The page\n"),
    "what nobody made": ("build/docs/stray/file.md", "stray\n"),
    "what somebody changed": ("build/docs/records/R2.md", "changed\n"),
    "settings": ("registry/project.yaml", "title: Renamed\nrepository: us/ours\n"),
}


@contextmanager
def without_cache() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NO_CACHE, "1")
        yield


def _update(root: Path) -> SourceOnDisk:
    project = Project(root)
    scan = Scan(root, "registry", project.open_cache())
    return update_source(project, publication(inspect(project, scan)), command_helps, scan)


def _on_disk(root: Path) -> dict[str, bytes]:
    folder = root / "build" / "docs"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _documents(root: Path) -> dict[str, bytes]:
    """The documents as they are in a folder, once it was brought up to date."""
    folder = root / "documents"
    files = documents_for(Project(root), folder).files
    for path, data in files.items():
        if data is not None:
            replace_file(str(folder / path), data)
    return {path: (folder / path).read_bytes() for path in files}


def _apply(root: Path, edit: str) -> None:
    name, text = EDITS[edit]
    path = root / name
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=6))
def test_after_any_edits_the_folder_is_that_of_a_full_build(make_project: MakeProject, edits: list[str]) -> None:
    root = make_project(FILES).root
    for edit in ("no third", *edits):
        _apply(root, edit)
        updated = _update(root)
        with without_cache():
            project = Project(root)
            whole = site_source(project, publication(inspect(project)), command_helps)
        assert {path: (data, edits) for path, data in _on_disk(root).items()} == {path: (data, edits) for path, data in whole.files.items()}
        assert updated.nav == whole.nav


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=5))
def test_after_any_edits_the_documents_are_those_made_from_nothing(make_project: MakeProject, edits: list[str]) -> None:
    root = make_project(FILES).root
    for edit in ("no third", *edits):
        _apply(root, edit)
        project = Project(root)
        updated = _documents(root)
        with without_cache():
            whole = render_all(document_pages(publication(inspect(project))), Renderer.of(project, Dialect.PLAIN))
        assert {path: (data, edits) for path, data in updated.items()} == {path: (data, edits) for path, data in whole.items()}


def test_an_edit_makes_the_pages_that_show_it_and_no_others(make_project: MakeProject) -> None:
    root = make_project(FILES).root
    _update(root)
    assert _update(root).wrote.written == ()
    _apply(root, "an owner's name")
    written = {path for path in _update(root).wrote.written if path.startswith("records/")}
    assert written == {path for path, data in _on_disk(root).items() if path.startswith("records/") and b"Ann B." in data} > {"records/ann.md", "records/R1.md"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What had to be made for the documents, each time that they were put together."""
    made: list[list[str]] = []
    save = Pieces.save
    def noted(pieces: Pieces) -> str | None:
        made.append(pieces.made)
        return save(pieces)

    monkeypatch.setattr(Pieces, "save", noted)
    return made


def test_an_edit_makes_the_parts_of_documents_again_that_show_it(make_project: MakeProject, made: list[list[str]]) -> None:
    root = make_project(FILES).root
    for edit in ("no third", "two steps away"):
        _apply(root, edit)
        _documents(root)
    whole, after = made
    # R2 points to R1 and to ann, and their parts look at what points to them.
    assert after == [
        *(f"record-roadmap.md {part}" for part in ("next R1", "waiting R2", "row R1", "row R2", "record R1", "record R2", "row ann", "record ann")),
        *(f"overview.md {part}" for part in ("update R1", "update R2", "line R1", "line R2", "ordered R1", "ordered R2")),
    ]
    assert {"record-roadmap.md record R4", "record-defects.md record D1", "overview.md figures M1", "overview.md line run"} <= set(whole)


def test_what_was_wrong_with_a_record_was_something_else_once_it_was_kept(make_project: MakeProject, made: list[list[str]]) -> None:
    """An edit elsewhere made the parts of every record with a problem again, once after each change of the program."""
    root = make_project({**FILES, "registry/defects/D2.yaml": FILES["registry/defects/D1.yaml"].replace("D1", "D2").replace("[R1]", "[R9]")}).root
    for size in ("L", "M"):
        (root / "registry/roadmap/R4.yaml").write_text(FILES["registry/roadmap/R4.yaml"].replace("size: L", f"size: {size}"), encoding="utf-8")
        text = _documents(root)["record-defects.md"].decode()
    assert "**What is wrong with it**" in text
    assert "record-defects.md record D2" in made[0]
    assert not any("D2" in part for part in made[1])


def test_documents_of_an_unchanged_project_are_not_put_together_again(make_project: MakeProject, made: list[list[str]]) -> None:
    root = make_project(FILES).root
    first = _documents(root)
    assert documents_for(Project(root), root / "documents").files == dict.fromkeys(first)
    assert len(made) == 1


def test_documents_that_somebody_changed_or_removed_are_put_together_again_from_what_is_kept(make_project: MakeProject, made: list[list[str]]) -> None:
    root = make_project(FILES).root
    first = _documents(root)
    (root / "documents" / "overview.md").write_bytes(b"changed\n")
    (root / "documents" / "record-defects.md").unlink()
    changed = documents_for(Project(root), root / "documents").files
    assert {path: data for path, data in changed.items() if data is not None} == {path: first[path] for path in ("overview.md", "record-defects.md")}
    assert made[1:] == [[]]


@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "after an edit of another record"])
@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data + b"!", lambda data: data[:-1] + b"!", lambda _: b"", lambda _: None], ids=["cut", "longer", "changed", "emptied", "removed"])
def test_a_document_is_written_again_whatever_was_done_to_it(make_project: MakeProject, damage: Callable[[bytes], bytes | None], edited: bool) -> None:
    """It is compared in parts, and the longest one here has several."""
    root = make_project({**FILES, "registry/defects/D1.yaml": FILES["registry/defects/D1.yaml"].replace("It hangs on box", "A long story. " * 12_000)}).root
    path = root / "documents" / "record-defects.md"
    whole = _documents(root)["record-defects.md"]
    if edited:
        (root / "registry/roadmap/R4.yaml").write_text(FILES["registry/roadmap/R4.yaml"].replace("size: L", "size: S"), encoding="utf-8")
    left = damage(whole)
    path.unlink() if left is None else path.write_bytes(left)
    assert _documents(root)["record-defects.md"] == whole
    assert documents_for(Project(root), root / "documents").files["record-defects.md"] is None


def test_an_empty_script_that_was_removed_from_the_documents_is_written_again(make_project: MakeProject) -> None:
    root = make_project({**FILES, "registry/scripts/run.sh": ""}).root
    assert _documents(root)["repro/run.sh"] == b""
    (root / "documents" / "repro" / "run.sh").unlink()
    assert _documents(root)["repro/run.sh"] == b""


def test_parts_of_a_record_that_looked_at_a_strange_name_are_not_kept(make_project: MakeProject, made: list[list[str]]) -> None:
    """Names are kept with tabs between them."""
    root = make_project({**FILES, "registry/scripts/run.yaml": FILES["registry/scripts/run.yaml"].replace("file: run.sh", 'file: "a\\tb.sh"')}).root
    assert _documents(root) == _documents(root)
    (root / "documents" / "overview.md").unlink()
    _documents(root)
    assert made[1:] == [["repro/README.md row run", "repro/README.md record run", "overview.md line run"]]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("pieces.json", lambda data: data[:-40]),
        ("pieces.bytes", lambda data: data.replace(b"Second", b"Third!")),
        ("pieces-since.bytes", lambda data: data[:-1]),
        ("pieces-looks.lines", lambda data: data[:-20]),
        ("documents.json", lambda data: b""),
    ],
)
def test_documents_take_nothing_from_a_damaged_cache(name: str, damage: Callable[[bytes], bytes], make_project: MakeProject) -> None:
    root = make_project(FILES).root
    _documents(root)
    write_files(root, {"registry/roadmap/R4.yaml": "id: R4\ntitle: Further apart\nstatus: open\nowners: [ann]\nsize: L\n"})  # so that there is a second part
    whole = _documents(root)
    path = root / ".kvdocs" / "cache" / name
    path.write_bytes(damage(path.read_bytes()))
    if name.startswith("pieces"):
        (path.parent / "documents.json").unlink()
    shutil.rmtree(root / "documents")
    assert _documents(root) == whole
