"""Pieces on disk: what was kept is read back, and an edit writes what it made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kvdocs.cache import Cache
from kvdocs.site.piece_store import MISSING, PieceStore, Places

GROUPS = st.dictionaries(st.sampled_from("ab"), st.dictionaries(st.sampled_from("123456"), st.binary(max_size=9)))
Version = Mapping[str, Mapping[str, bytes]]


def read(store: PieceStore) -> dict[str, dict[str, bytes]]:
    """The pieces of the last time."""
    return {group: dict(zip(places.names, store.read(places), strict=True)) for group, places in store.old.items()}


def save(store: PieceStore, version: Version) -> dict[str, Any]:
    """Keep the pieces of a version; those that are there already are not added again."""
    groups = {}
    for group, pieces in version.items():
        kept = read(store).get(group, {})
        places = groups[group] = store.old.get(group, Places([], [], [])).choose(list(pieces))
        for number, (name, piece) in enumerate(pieces.items()):
            if kept.get(name) != piece:
                places.leave_out(number)
        for number in places.missing:
            places.begins[number], places.ends[number] = store.add(list(pieces.values())[number])
        assert b"".join(store.runs(places)) == b"".join(store.read(places)) == b"".join(pieces.values())
    return store.save(groups)


@given(st.lists(GROUPS, max_size=6))
def test_what_was_kept_is_read_back(versions: list[Version]) -> None:
    with TemporaryDirectory() as folder:
        cache, index = Cache(Path(folder)), None
        for version in versions:
            index = save(PieceStore(cache, "pieces", index), version)
            assert read(PieceStore(cache, "pieces", index)) == version


@given(st.lists(st.sampled_from("123456"), unique=True), st.lists(st.sampled_from("123456"), unique=True))
def test_pieces_are_found_by_name_in_any_order(kept: list[str], asked: list[str]) -> None:
    chosen = Places(kept, list(range(len(kept))), list(range(1, len(kept) + 1))).choose(asked)
    found = [kept.index(name) if name in kept else None for name in asked]
    assert (chosen.names, chosen.begins) == (asked, [MISSING if number is None else number for number in found])
    assert chosen.ends == [MISSING if number is None else number + 1 for number in found]
    assert chosen.missing == [number for number, name in enumerate(asked) if name not in kept]


def test_an_edit_writes_what_it_made_and_many_edits_write_all_anew(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    version = {str(number): b"%d " % number * 10 for number in range(20)}
    index = save(PieceStore(cache, "pieces", None), {"rows": version})
    first, sizes = (tmp_path / "pieces.bytes").read_bytes(), []
    for number in range(8):
        version[str(number)] = b"%d!" % number * 10
        index = save(PieceStore(cache, "pieces", index), {"rows": version})
        since = tmp_path / "pieces-since.bytes"
        sizes.append(len(since.read_bytes().partition(b"\n")[2]) - len(index["parts"]["marks"][1]) if since.exists() else 0)
        assert ((tmp_path / "pieces.bytes").read_bytes() == first) == (number < 6)
    assert sizes == [20, 40, 60, 80, 100, 120, 0, 20]


def test_pieces_of_another_index_are_not_taken(tmp_path: Path) -> None:
    """As when a program ends between writing the two."""
    cache = Cache(tmp_path)
    version = {str(number): b"as it was" for number in range(20)}
    first = save(PieceStore(cache, "pieces", None), {"rows": version})
    second = save(PieceStore(cache, "pieces", first), {"rows": {**version, "0": b"as it is"}})
    save(PieceStore(cache, "pieces", second), {"rows": {**version, "0": b"as it will be"}})
    assert PieceStore(cache, "pieces", second).old == {}
    assert read(PieceStore(cache, "pieces", first)) == {"rows": version}  # it needs nothing that was written since


def test_pieces_that_lie_together_are_read_as_one(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    index = save(PieceStore(cache, "pieces", None), {"rows": {str(number): b"%d;" % number for number in range(9)}})
    store = PieceStore(cache, "pieces", index)
    places = store.old["rows"]
    assert list(store.runs(places)) == [b"0;1;2;3;4;5;6;7;8;"]
    places.begins[4], places.ends[4] = store.add(b"new;")
    assert list(store.runs(places)) == [b"0;1;2;3;", b"new;", b"5;6;7;8;"]
