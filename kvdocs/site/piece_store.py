"""Pieces in the cache by group and name."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, compress, count, islice, pairwise
from operator import ne, sub
from typing import Any

from kvdocs.cache import Cache
from kvdocs.two_parts import Chunk, TwoParts

END = "\n"
"""What stands between the names of pieces where they are kept; none holds it."""

MISSING = -1
"""Where a piece begins and ends that is not there."""


class Places:
    """Pieces by name, in the order in which they were asked for, and where each begins and ends, in both files as if they were one."""

    def __init__(self, names: list[str], begins: list[int], ends: list[int]) -> None:
        self.names, self.begins, self.ends = names, begins, ends

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Places) and (self.names, self.begins, self.ends) == (other.names, other.begins, other.ends)

    __hash__ = None  # type: ignore[assignment]  # pieces are added to it

    def choose(self, names: list[str]) -> Places:
        """The pieces with these names; what is not there begins and ends at `MISSING`."""
        first = self.names.index(names[0]) if names and names[0] in self.names else 0
        if self.names[first : first + len(names)] == names:  # nearly always the same ones are asked for as the last time
            return Places(names, self.begins[first : first + len(names)], self.ends[first : first + len(names)])
        numbers = [self._numbers.get(name, MISSING) for name in names]
        begins, ends = [*self.begins, MISSING], [*self.ends, MISSING]
        return Places(names, [begins[number] for number in numbers], [ends[number] for number in numbers])

    def leave_out(self, number: int) -> None:
        """Take a piece for one that is not there."""
        self.begins[number] = self.ends[number] = MISSING

    @property
    def missing(self) -> list[int]:
        """The numbers of the pieces that are not there."""
        return [number for number, begin in enumerate(self.begins) if begin == MISSING] if MISSING in self.begins else []

    def followed_by(self, others: Places) -> Places:
        """These pieces, and others behind them."""
        return Places(self.names + others.names, self.begins + others.begins, self.ends + others.ends)

    @property
    def size(self) -> int:
        """How many bytes the pieces have."""
        return sum(self.ends) - sum(self.begins)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def document(self) -> list[str]:
        """The same as plain data: a few long texts are read and written faster than many numbers."""
        return [END.join(self.names), _packed(self.begins), _packed(self.ends)]

    @classmethod
    def of(cls, document: list[str]) -> Places:
        """From plain data."""
        names, begins, ends = document
        return cls(names.split(END) if begins else [], _unpacked(begins), _unpacked(ends))


def _packed(numbers: Iterable[int]) -> str:
    return array("Q", numbers).tobytes().hex()


def _unpacked(text: str) -> list[int]:
    numbers = array("Q")
    numbers.frombytes(bytes.fromhex(text))
    return numbers.tolist()


class PieceStore:
    """Pieces by group and name, kept under a name. `index` is what `save` gave; without one there are none."""

    def __init__(self, cache: Cache, name: str, index: Mapping[str, Any] | None) -> None:
        self.old: Mapping[str, Places] = {}
        """The pieces of the last time by group."""
        self._parts = TwoParts(cache, name)
        if index is not None:
            self._parts.recall(index["parts"])
            if self._parts.is_there(0) and self._parts.is_there(1):
                self.old = {group: Places.of(document) for group, document in index["groups"].items()}
            else:
                self._parts = TwoParts(cache, name)

    def add(self, piece: bytes) -> tuple[int, int]:
        """Where a piece begins and ends that was made now."""
        return self._parts.add(piece)

    def read(self, places: Places) -> Iterator[bytes]:
        """The pieces at these places."""
        for begin, end in zip(places.begins, places.ends, strict=True):
            yield b"".join(self._parts.between(begin, end))

    def runs(self, places: Places) -> Iterator[Chunk]:
        """The bytes of all pieces at these places one after the other, in as few parts as they lie in."""
        if places.begins:
            apart = map(ne, islice(places.begins, 1, None), places.ends)
            jumps = compress(count(1), apart)
            for first, behind in pairwise([0, *jumps, len(places.begins)]):
                yield from self._parts.between(places.begins[first], places.ends[behind - 1])

    def save(self, groups: Mapping[str, Places]) -> dict[str, Any]:
        """Keep the pieces of these groups. What is returned has to be kept too."""
        parts = self._parts
        if parts.is_wasteful(sum(places.size for places in groups.values())):
            parts, groups = self._keep_only(groups)
        else:
            parts.keep()
        return {"parts": parts.document(), "groups": {group: places.document() for group, places in groups.items()}}

    def _keep_only(self, groups: Mapping[str, Places]) -> tuple[TwoParts, Mapping[str, Places]]:
        """Keep these pieces and no others, one after the other; where they are now, and their places there."""
        anew: dict[str, Places] = {}
        at = 0
        for group, places in groups.items():
            ends = list(accumulate(map(sub, places.ends, places.begins), initial=at))
            anew[group] = Places(places.names, ends[:-1], ends[1:])
            at = ends[-1]
        return self._parts.keep_only([chunk for places in groups.values() for chunk in self.runs(places)]), anew
