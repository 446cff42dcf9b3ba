"""Pieces on disk: what was kept is read back, and an edit writes what it made."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from kvdocs.cache import Cache
from kvdocs.site.piece_store import PieceStore

GROUPS = st.dictionaries(st.sampled_from("ab"), st.dictionaries(st.sampled_from("123456"), st.binary(max_size=9)))


@given(st.lists(GROUPS, max_size=6))
def test_what_was_kept_is_read_back(versions: list[dict[str, dict[str, bytes]]]) -> None:
    with TemporaryDirectory() as folder:
        cache, index = Cache(Path(folder)), None
        for version in versions:
            store = PieceStore(cache, "pieces", index)
            kept = {group: {name: place for name, place in pieces.items() if store.read(place) == version.get(group, {}).get(name)} for group, pieces in store.old.items()}
            index = store.save({group: {name: kept.get(group, {}).get(name) or store.add(piece) for name, piece in pieces.items()} for group, pieces in version.items()})
            again = PieceStore(cache, "pieces", index)
            assert {group: {name: again.read(place) for name, place in pieces.items()} for group, pieces in again.old.items()} == version


@given(GROUPS, GROUPS, st.randoms())
def test_pieces_that_are_read_at_once_are_those_that_are_read_one_by_one(before: dict[str, dict[str, bytes]], now: dict[str, dict[str, bytes]], chance: Random) -> None:
    with TemporaryDirectory() as folder:
        cache, index = Cache(Path(folder)), None
        for version in (before, now):
            store = PieceStore(cache, "pieces", index)
            index = store.save({**store.old, **{group: {name: store.add(piece) for name, piece in pieces.items()} for group, pieces in version.items()}})
        store = PieceStore(cache, "pieces", index)
        places = [place for pieces in store.old.values() for place in pieces.values()]
        places += [store.add(piece) for piece in before.get("a", {}).values()]
        for _ in range(3):
            assert b"".join(store.read_all(places)) == b"".join(map(store.read, places))
            chance.shuffle(places)


def test_pieces_that_lie_together_are_read_as_one(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    store = PieceStore(cache, "pieces", None)
    store = PieceStore(cache, "pieces", store.save({"rows": {str(number): store.add(b"%d;" % number) for number in range(9)}}))
    places = [*store.old["rows"].values()]
    assert list(store.read_all(places)) == [b"0;1;2;3;4;5;6;7;8;"]
    places[4] = store.add(b"new;")
    assert list(store.read_all(places)) == [b"0;1;2;3;", b"new;", b"5;6;7;8;"]


def test_an_edit_writes_what_it_made_and_many_edits_write_all_anew(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    store = PieceStore(cache, "pieces", None)
    index = store.save({"rows": {str(number): store.add(b"%d " % number * 10) for number in range(20)}})
    first, sizes = (tmp_path / "pieces.bytes").read_bytes(), []
    for number in range(8):
        store = PieceStore(cache, "pieces", index)
        index = store.save({"rows": {**store.old["rows"], str(number): store.add(b"%d!" % number * 10)}})
        sizes.append(len((tmp_path / "pieces-since.bytes").read_bytes().partition(b"\n")[2]) - len(index["marks"][1]))
        assert ((tmp_path / "pieces.bytes").read_bytes() == first) == (number < 6)
    assert sizes == [20, 40, 60, 80, 100, 120, 0, 20]


def test_pieces_of_another_index_are_not_taken(tmp_path: Path) -> None:
    """As when a program ends between writing the two."""
    cache = Cache(tmp_path)
    store = PieceStore(cache, "pieces", None)
    index = store.save({"rows": {str(number): store.add(b"as it was") for number in range(20)}})
    store = PieceStore(cache, "pieces", {**index, "marks": list(index["marks"])})
    store.save({"rows": {**store.old["rows"], "0": store.add(b"as it is")}})
    assert PieceStore(cache, "pieces", index).old == {}
