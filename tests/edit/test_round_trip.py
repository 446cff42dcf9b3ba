"""Edits touch what they are about and nothing else, whatever the file looks like; ruamel.yaml's round trip is the judge of values."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kvdocs.edit.layout import formatted
from kvdocs.edit.operations import Append, Assign, Operation, Unset, applied
from kvdocs.edit.splice import edited
from kvdocs.edit.text import EditError, YamlText, comments, content_end, entry
from kvdocs.edit.values import same
from kvdocs.kind import Kind
from kvdocs.kinds import all_kinds
from kvdocs.kinds.item import Item
from kvdocs.model import Loc
from kvdocs.source import SourceError, load_yaml
from tests.edit.oddities import IDS, LINES, LONG, WORDS, item_files

REPOSITORY = Path(__file__).resolve().parent.parent.parent
ITEM = next(kind for kind in all_kinds() if kind.name == "item")
FOLDERS = {kind.folder: kind for kind in all_kinds()}
RECORD_FILES = sorted(p for p in (REPOSITORY / "registry").glob("*/**/*.yaml") if p.parts[len(REPOSITORY.parts) + 1] in FOLDERS)


def kind_of(path: Path) -> Kind:
    return FOLDERS[path.relative_to(REPOSITORY / "registry").parts[0]]


def leaves(data: Any, loc: Loc = ()) -> Iterator[tuple[Loc, Any]]:
    """Every place in a record with its value, mappings and lists included."""
    if loc:
        yield loc, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*loc, key))
    elif isinstance(data, list):
        for position, value in enumerate(data):
            yield from leaves(value, (*loc, position))


def judged(data: bytes) -> Any:
    """The values of a file as ruamel.yaml's round trip reads them, as plain Python."""
    from ruamel.yaml import YAML

    return plain(YAML().load(data.decode("utf-8-sig")))


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, str):
        return str(value)
    return float(value) if isinstance(value, int | float | Decimal) else value


def remarks(file: YamlText) -> list[str]:
    return sorted(file.text[start:end].rstrip() for start, end in comments(file.text, file.root()))


@pytest.mark.parametrize("path", RECORD_FILES, ids=lambda p: p.relative_to(REPOSITORY).as_posix())
def test_setting_every_value_of_the_registry_to_itself_changes_no_byte(path: Path) -> None:
    before = path.read_bytes()
    file = YamlText.read(before)
    assert file.encode() == before
    value = load_yaml(before)
    for index, record in enumerate(value) if isinstance(value, list) else [(None, value)]:
        for loc, inner in leaves(record):
            assert edited(file, index, kind_of(path).model, Assign(loc, inner)).encode() == before


@pytest.mark.parametrize("path", RECORD_FILES, ids=lambda p: p.relative_to(REPOSITORY).as_posix())
def test_changing_a_text_of_the_registry_changes_its_lines_only(path: Path) -> None:
    file = YamlText.read(path.read_bytes())
    value = load_yaml(path.read_bytes())
    record, index = (value[0], 0) if isinstance(value, list) else (value, None)
    changed = edited(file, index, kind_of(path).model, Assign(("title",), record["title"] + ", once more"))
    before, after = file.text.split("\n"), changed.text.split("\n")
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize("path", RECORD_FILES, ids=lambda p: p.relative_to(REPOSITORY).as_posix())
def test_formatting_the_registry_keeps_values_and_comments_and_does_it_once(path: Path) -> None:
    file = YamlText.read(path.read_bytes())
    once = formatted(file, kind_of(path))
    assert same(load_yaml(once.encode()), load_yaml(file.encode()))
    assert remarks(once) == remarks(file)
    assert formatted(once, kind_of(path)) == once


def readable(data: bytes) -> YamlText:
    """A drawn file, if the strict reader takes it."""
    try:
        load_yaml(data)
    except SourceError:
        assume(False)
    return YamlText.read(data)


OPERATIONS: st.SearchStrategy[Operation] = st.one_of(
    st.builds(Assign, st.sampled_from([("title",), ("summary",), ("next_step",), ("notes",), ("payoffs", 0, "what")]), st.one_of(WORDS, LONG, LINES)),
    st.builds(Assign, st.just(("payoffs", 0, "gain")), st.sampled_from([3, Decimal("1.50"), Decimal("-0.1")])),
    st.builds(Assign, st.sampled_from([("owners",), ("blocked_by",)]), st.lists(IDS, max_size=4, unique=True)),
    st.builds(Append, st.sampled_from([("owners",), ("blocked_by",)]), IDS),
    st.builds(Append, st.just(("payoffs",)), st.fixed_dictionaries({"what": st.one_of(WORDS, LINES), "gain": st.just(Decimal("2.0")), "basis": st.just("measured")})),
    st.builds(Append, st.just(("gates",)), st.fixed_dictionaries({"id": WORDS, "text": st.one_of(WORDS, LONG)})),
    st.builds(Unset, st.sampled_from([("owners",), ("owners", 0), ("blocked_by", 1), ("payoffs", 0), ("payoffs", 0, "gain"), ("payoffs", 0, "what"), ("summary",), ("size",)])),
)


@pytest.mark.slow
@given(item_files(), OPERATIONS)
def test_an_edit_of_any_file_gives_the_wanted_values_and_keeps_comments_and_line_ends(data: bytes, operation: Operation) -> None:
    file = readable(data)
    try:
        wanted = applied(load_yaml(data), operation)
    except EditError:
        assume(False)
    after = edited(file, None, Item, operation)
    assert same(load_yaml(after.encode()), wanted)
    assert judged(after.encode()) == plain(applied(judged(data), operation))
    assert set(remarks(file)) - set(remarks(after)) <= remarks_within(file, operation)
    assert (b"\r\n" in data) == (b"\r\n" in after.encode())
    assert after.encode().replace(b"\r\n", b"").count(b"\n") == (0 if b"\r\n" in data else after.text.count("\n"))
    assert after.encode().startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")


@pytest.mark.slow
@given(item_files(), OPERATIONS)
def test_an_edit_of_any_file_leaves_the_other_fields_as_they_are_written(data: bytes, operation: Operation) -> None:
    file = readable(data)
    try:
        after = edited(file, None, Item, operation)
    except EditError:
        assume(False)
    assume(file.text.endswith("\n"))  # else a block at the end is marked as having no last line end
    before, now = sources(file), sources(after)
    assert {name: text for name, text in before.items() if name != operation.loc[0]} == {name: text for name, text in now.items() if name != operation.loc[0]}


def sources(file: YamlText) -> dict[str, str]:
    """The characters of every field's value."""
    return {key.value: file.text[value.start_mark.index : content_end(file.text, value)] for key, value in file.root().value}


def remarks_within(file: YamlText, operation: Operation) -> set[str]:
    """The comments that an edit may take along: those inside the value that it replaces or removes, and on its line."""
    found = entry(file.root(), str(operation.loc[0]))
    if found is None:
        return set()
    end = file.text.find("\n", content_end(file.text, found[1]))
    end = len(file.text) if end < 0 else end
    return {file.text[a:b].rstrip() for a, b in comments(file.text, file.root()) if found[0].start_mark.index < a < end}


@pytest.mark.slow
@given(item_files())
def test_setting_any_value_of_any_file_to_itself_changes_no_byte(data: bytes) -> None:
    file = readable(data)
    for loc, value in leaves(load_yaml(data)):
        assert edited(file, None, Item, Assign(loc, value)).encode() == data


@pytest.mark.slow
@given(item_files())
def test_formatting_any_file_keeps_values_and_comments_and_is_done_once(data: bytes) -> None:
    file = readable(data)
    once = formatted(file, ITEM)
    assert same(load_yaml(once.encode()), load_yaml(data))
    assert remarks(once) == remarks(file)
    assert formatted(once, ITEM) == once


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: R1\ngates: &again [*again]\n", "anchors and aliases are not used in records: write the value where it belongs"),
        ("id: R1\n? [a]\n: b\n", "a key is a string"),
        ("id: R1\nid: R2\n", "the key 'id' stands here for the second time"),
    ],
)
def test_formatting_what_no_record_may_hold_is_a_problem_and_no_crash(text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        formatted(YamlText(text), ITEM)
    assert caught.value.message == message
