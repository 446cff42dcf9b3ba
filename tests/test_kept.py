"""What is known of records that were read before is what they hold, and its past tells what has changed since any time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Scan
from kvdocs.entry import Entry
from kvdocs.kinds import all_kinds
from kvdocs.load import load_registry
from kvdocs.memo import State
from kvdocs.project import Project
from kvdocs.registry import Past, Registry
from kvdocs.two_parts import TwoParts
from kvdocs.work import Work, cites_gain, is_implemented, works_of
from tests.conftest import MakeProject

OWNERS = {"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"}
FIRST = "id: R1\ntitle: First, see D2 and us/ours#7\nstatus: open\nowners: [ann, ann]\nblocked_by: [R2, \"R 3\"]\nsummary: |\n  As {{ M1.rate }} says, on h200.\n"
SECOND = "- {id: R2, title: Second, status: implemented, owners: [ann], size: S-M, next_step: look at it}\n- {id: R3, title: Third, status: done, owners: [bob]}\n"

VERSIONS: dict[str, tuple[str | None, ...]] = {
    "roadmap/R1.yaml": (FIRST, FIRST.replace("open", "done"), FIRST.replace("R2,", "R3,"), "id: R1\ntitle: [\n", None),
    "roadmap/others.yaml": (SECOND, SECOND.replace("R3", "R1"), SECOND.replace("- {id: R2", "\n- {id: R2"), "- 7\n", "", None),
    "roadmap/a.yaml": ("id: R4\ntitle: Fourth\nstatus: open\nowners: [ann]\n", "id: R40\ntitle: Fourth\nstatus: open\nowners: [ann]\n", None),
    "defects/D1.yaml": ("id: D1\ntitle: It hangs\nstatus: open\nowners: [ann]\nseverity: hang\nsymptom: It hangs.\nfixed_by: [R1]\nacknowledged:\n  - {code: never-run, because: No machine.}\n", None),
}
"""What each file may hold."""

_edits = st.lists(st.sampled_from([(path, text) for path, texts in VERSIONS.items() for text in texts]), min_size=1, max_size=8)


def anew(make_project: MakeProject) -> Project:
    """A project without anything of the example before."""
    project = make_project(OWNERS)
    for path in VERSIONS:
        (project.registry / path).unlink(missing_ok=True)
    return project


def write(project: Project, path: str, text: str | None) -> None:
    """Let a file of the registry hold this text, or be gone."""
    file = project.registry / path
    file.parent.mkdir(exist_ok=True)
    if text is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(text, encoding="utf-8")


def load(project: Project, monkeypatch: pytest.MonkeyPatch, *, cached: bool) -> tuple[Registry, list[str]]:
    """The registry, with what was kept or from nothing, and the problems of its files."""
    if cached:
        monkeypatch.delenv("KVDOCS_NO_CACHE", raising=False)
    else:
        monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
    registry, problems = load_registry(project, all_kinds())
    return registry, [str(problem) for problem in problems]


def told(entry: Entry) -> dict[str, Any]:
    """Everything that an entry tells."""
    names = ("id", "title", "path", "targets", "target_words", "waits", "work", "work_text", "accepts", "cites", "names_files")
    links = entry.links_in(("blocked_by", "owners", "fixed_by")), entry.links_at("ann")
    return {**{name: getattr(entry, name) for name in names}, "named": set(entry.named), "links": links, "at": (entry.raw.line, entry.raw.index), "data": entry.raw.data, "extract": entry.extract}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_edits)
def test_after_any_edits_the_records_tell_what_those_read_from_nothing_tell(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, edits: list[tuple[str, str | None]]) -> None:
    project = anew(make_project)
    for path, text in edits:
        write(project, path, text)
        kept, fresh = load(project, monkeypatch, cached=True), load(project, monkeypatch, cached=False)
        assert [told(entry) for entry in kept[0]] == [told(entry) for entry in fresh[0]]
        assert (kept[0].broken, kept[1]) == (fresh[0].broken, fresh[1])
        names = ["ann", "bob", "R1", "R2", "R3", "R4", "R40", "R"]
        pointing = [[(link.entry.id, link.link) for link in registry.links_to(name)] for registry in (kept[0], fresh[0]) for name in names]
        assert pointing[: len(names)] == pointing[len(names) :]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_edits)
def test_whatever_looks_otherwise_is_told_to_have_changed(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, edits: list[tuple[str, str | None]]) -> None:
    project = anew(make_project)
    seen: list[Any] = []
    for path, text in edits:
        write(project, path, text)
        registry, _ = load(project, monkeypatch, cached=True)
        state = State(registry, project.root, Scan(project.root, "registry", project.open_cache()))
        now = {entry.id: told(entry) for entry in registry}, {name: [(b.entry.id, b.link) for b in registry.links_to(name)] for name in ("R1", "R2", "R3", "ann")}
        for document, records, pointers in seen:
            changes = state.changes(document)
            if changes is not None:
                assert {name for name in {*records, *now[0]} if records.get(name) != now[0].get(name)} <= changes
                assert {f">{name}" for name in pointers if pointers[name] != now[1][name]} <= changes
        seen.append((state.document(), *now))


def test_a_file_that_was_damaged_is_read_again_and_what_it_held_is_there(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project({**OWNERS, "registry/roadmap/R1.yaml": FIRST, **{f"registry/roadmap/R{n}.yaml": SECOND.replace("R2", f"R{n}0").replace("R3", f"R{n}1") for n in range(2, 9)}})
    load(project, monkeypatch, cached=True)
    write(project, "roadmap/R1.yaml", FIRST.replace("First", "One"))
    load(project, monkeypatch, cached=True)
    cache = project.root / ".kvdocs" / "cache"
    assert sorted(path.name for path in cache.glob("*-roadmap*")) == ["contents-roadmap-since.bytes", "contents-roadmap.bytes", "index-roadmap.lines"]
    for name in ("index-roadmap.lines", "contents-roadmap.bytes", "contents-roadmap-since.bytes"):
        path = cache / name
        path.write_bytes(path.read_bytes()[:-1])
        assert load(project, monkeypatch, cached=True)[0].entries["R1"].raw.data["summary"] == "As {{ M1.rate }} says, on h200.\n"


def test_what_a_record_held_when_it_was_read_is_given_whatever_became_of_it(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project({**OWNERS, "registry/roadmap/R1.yaml": FIRST})
    load(project, monkeypatch, cached=True)
    registry, _ = load(project, monkeypatch, cached=True)
    write(project, "roadmap/R1.yaml", None)
    assert registry.entries["R1"].record.title == "First, see D2 and us/ours#7"


def test_of_many_files_those_that_stayed_were_lost_when_many_others_changed(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they hold was looked for where it had been before all was kept anew."""
    item = "id: R{0}\ntitle: Number {0}\nstatus: open\nowners: [ann]\n"
    project = make_project({**OWNERS, **{f"registry/roadmap/R{number}.yaml": item.format(number) for number in range(1, 101)}})
    load(project, monkeypatch, cached=True)
    for number in range(1, 31):
        write(project, f"roadmap/R{number}.yaml", item.format(number).replace("Number", "Certainly not number"))
    for number in range(31, 61):
        write(project, f"roadmap/R{number}.yaml", None)
    kept, fresh = load(project, monkeypatch, cached=True)[0], load(project, monkeypatch, cached=False)[0]
    assert [entry.raw.data for entry in kept] == [entry.raw.data for entry in fresh]


def test_a_kind_whose_only_file_could_not_be_read_ended_the_next_command(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project(OWNERS)

    def refused(path: str) -> bytes:
        raise PermissionError(path)

    with monkeypatch.context() as patched:
        patched.setattr("kvdocs.cache.read_file", refused)
        load(project, monkeypatch, cached=True)
    assert [entry.id for entry in load(project, monkeypatch, cached=True)[0]] == ["ann"]


def test_files_and_ids_that_differ_in_zeros_alone_came_in_any_order(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"o{'0' * zeros}1" for zeros in range(6, -1, -1)]
    project = make_project({f"registry/owners/{name}.yaml": f"id: {name}\ntitle: {name}\nowns: Something.\n" for name in names[::-1]})
    assert [entry.id for entry in load(project, monkeypatch, cached=False)[0]] == names


def test_what_points_to_an_empty_name_was_looked_for_without_end(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project({**OWNERS, "registry/roadmap/R1.yaml": FIRST.replace("R2", "''")})
    assert load(project, monkeypatch, cached=True)[0].links_to("") == []


_changes = st.lists(st.frozensets(st.sampled_from("abcdef"), max_size=3), max_size=8)


@given(_changes, st.integers(2, 8))
def test_a_past_tells_what_changed_after_a_mark_or_that_it_does_not_know(changes: list[frozenset[str]], most: int) -> None:
    past = Past().followed_by("0", (), most)
    for number, changed in enumerate(changes, 1):
        past = past.followed_by(str(number), changed, most)
    for number in range(len(changes) + 1):
        told = past.since(str(number))
        assert told is None or told == frozenset().union(*changes[number:])
    assert past.since(past.mark) == set()
    assert len(past.looks) <= most
    if len(frozenset().union(*changes)) <= most:
        assert past.since("0") is not None


def test_a_past_forgets_the_oldest_times() -> None:
    past = Past()
    for number in range(1500):
        past = past.followed_by(str(number), [f"R{number}"], 10_000)
    assert (past.since("499"), len(past.marks), len(past.looks)) == (None, 1000, 999)
    assert past.since("1497") == {"R1498", "R1499"}


_works = st.builds(Work, st.sampled_from(["open", "implemented", "done"]), st.just(("done",)), st.text(), gain=st.one_of(st.none(), st.integers(0, 9), st.decimals(0, 9, places=2)))


@given(st.lists(_works))
def test_the_text_of_a_work_tells_what_it_is(works: list[Work]) -> None:
    texts = [work.text() for work in works]
    assert works_of([*texts, b""]) == [*works, None]
    assert [is_implemented(text) for text in texts] == [work.status == "implemented" for work in works]
    assert [cites_gain(text) for text in texts] == [work.gain is None for work in works]


@given(st.lists(st.lists(st.binary(max_size=6), max_size=4), max_size=6))
def test_what_is_kept_in_two_parts_is_found_at_its_places(tmp_path_factory: pytest.TempPathFactory, rounds: list[list[bytes]]) -> None:
    from kvdocs.cache import Cache

    cache = Cache(Path(tmp_path_factory.mktemp("parts")))
    document, places = None, []
    for pieces in rounds:
        parts = TwoParts(cache, "x")
        if document is not None:
            parts.recall(document)
        places += [(parts.add(piece), piece) for piece in pieces]
        assert [b"".join(parts.between(*place)) for place, _ in places] == [piece for _, piece in places]
        parts.keep()
        document = parts.document()


def test_a_part_that_is_gone_was_looked_for_with_each_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kvdocs.cache import Cache

    cache, looked_for = Cache(tmp_path), []
    first = TwoParts(cache, "x")
    first.add(b"piece")
    parts = TwoParts(cache, "x")
    parts.recall(first.keep_only([b"piece"]).document())
    (tmp_path / "x.bytes").unlink()
    monkeypatch.setattr(Cache, "read_bytes", lambda _, name: looked_for.append(name))
    for _ in range(3):
        with pytest.raises(LookupError):
            list(parts.between(0, 5))
    assert looked_for == ["x"]
