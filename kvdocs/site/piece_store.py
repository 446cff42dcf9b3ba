"""The bytes of pieces in the cache: most of them as they were first written, and in another file those that were made since, so that an edit writes little."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kvdocs.cache import Cache

SHARE = 4
"""When a quarter was made since, or a quarter is what nobody asks for any more, all is written anew."""

Place = tuple[int, int]
"""Where the bytes of a piece begin and end, in both files as if they were one."""

Places = Mapping[str, Mapping[str, Place]]
"""The places of pieces by group and name."""


class PieceStore:
    """Pieces by group and name, kept under a name. `index` is what `save` gave; without one there are none."""

    def __init__(self, cache: Cache, name: str, index: Mapping[str, Any] | None) -> None:
        self.cache = cache
        self.names = (name, f"{name}-since")
        self.old: Places = {}
        """The places of the pieces of the last time."""
        self._marks = ["", ""]
        self._first, self._since = b"", b""
        self._middle = self._end = 0
        if index is not None:
            self._recall(index)
        self._known = self._end
        """Where the pieces end that were there before."""
        self._fresh: dict[Place, bytes] = {}

    def _recall(self, index: Mapping[str, Any]) -> None:
        first, since = (self.cache.read_bytes(name) or b"" for name in self.names)
        if first.endswith(index["marks"][0].encode()) and since.endswith(index["marks"][1].encode()):
            self._first, self._since = first, since
            self._marks, self._middle, self._end = list(index["marks"]), index["middle"], index["end"]
            self.old = {group: dict(zip(names, zip(begins, ends, strict=True), strict=True)) for group, (names, begins, ends) in index["groups"].items()}

    def read(self, place: Place) -> bytes:
        """The piece at a place."""
        begin, end = place
        middle = self._middle
        if end <= middle:
            return self._first[begin:end]
        return self._since[begin - middle : end - middle] if end <= self._known else self._fresh[place]

    def read_all(self, places: Iterable[Place]) -> Iterator[bytes | memoryview]:
        """The pieces at these places; those that lie one after the other are given as one, and without being copied."""
        first, since, middle, known = memoryview(self._first), memoryview(self._since), self._middle, self._known
        start = end = 0
        for place in (*places, (-1, -1)):
            begin, until = place
            if begin != end or begin == middle or until > known:
                if start < end:
                    yield first[start:end] if end <= middle else since[start - middle : end - middle]
                start = begin
            end = until
            if until > known:
                yield self._fresh[place]
                start = end

    def add(self, piece: bytes) -> Place:
        """The place of a piece that was made now."""
        place = self._end, self._end + len(piece)
        self._end = place[1]
        self._fresh[place] = piece
        return place

    def save(self, groups: Places) -> dict[str, Any]:
        """Keep the pieces of these groups. What is returned has to be kept too."""
        asked = sum(end - begin for pieces in groups.values() for begin, end in pieces.values())
        if SHARE * (self._end - self._middle) > self._middle or SHARE * (self._end - asked) > self._end:
            groups = self._write_anew(groups)
        elif self._fresh:
            self._write(1, self._all_since())
        index = {group: [list(pieces), *([place[side] for place in pieces.values()] for side in (0, 1))] for group, pieces in groups.items()}
        return {"marks": self._marks, "middle": self._middle, "end": self._end, "groups": index}

    def _write_anew(self, groups: Places) -> Places:
        """Write these pieces and no others, one after the other; their places."""
        self._since, self._known = b"".join(self._all_since()), self._end
        places: dict[str, dict[str, Place]] = {}
        pieces: list[bytes] = []
        at = 0
        for group, old in groups.items():
            here = places[group] = {}
            for name, place in old.items():
                pieces.append(self.read(place))
                here[name] = at, at + place[1] - place[0]
                at = here[name][1]
        self._write(0, pieces)
        self._write(1, [])
        self._middle = self._end = at
        return places

    def _all_since(self) -> list[bytes]:
        return [self._since[: self._known - self._middle], *self._fresh.values()]

    def _write(self, part: int, pieces: Iterable[bytes]) -> None:
        self._marks[part] = secrets.token_hex(8)
        self.cache.write_bytes(self.names[part], b"".join([*pieces, self._marks[part].encode()]))
