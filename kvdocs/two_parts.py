"""Many pieces of bytes in two files of the cache: most as they were first kept, and in the second those that were kept since, so that an edit writes little."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from kvdocs.cache import Cache

Chunk: TypeAlias = bytes | bytearray | memoryview

SHARE = 4
"""When a quarter was kept since, or a quarter is what nobody asks for any more, all is to be kept anew."""


class TwoParts:
    """Bytes at places, which count through both files as if they were one. Each file is read when something in it is asked for."""

    def __init__(self, cache: Cache, name: str) -> None:
        self.cache = cache
        self.names = (name, f"{name}-since")
        self._marks = ["", ""]
        self._middle = self.end = 0
        self._parts: list[Chunk | None] = [b"", b""]
        self._gone: set[int] = set()
        self._fresh = bytearray()

    def recall(self, document: dict[str, Any]) -> None:
        """Take it that both files are as they were when `document` gave this."""
        self._marks, self._middle, self.end = list(document["marks"]), document["middle"], document["end"]
        self._parts = [None if mark else b"" for mark in self._marks]

    def document(self) -> dict[str, Any]:
        """What has to be kept to find the pieces again."""
        return {"marks": list(self._marks), "middle": self._middle, "end": self.end}

    def is_there(self, part: int) -> bool:
        """Whether the file of a part is the one that was kept."""
        if part in self._gone:  # a large file that was damaged is not read for each of thousands
            return False
        if self._parts[part] is None:
            data = self.cache.read_bytes(self.names[part])
            if data is None or not data.endswith(self._marks[part].encode()):
                self._gone.add(part)
                return False
            self._parts[part] = memoryview(data)[: len(data) - len(self._marks[part])]
        return True

    def add(self, piece: bytes) -> tuple[int, int]:
        """Where a piece begins and ends that is to be kept too."""
        begin, self.end = self.end, self.end + len(piece)
        self._fresh += piece
        return begin, self.end

    def between(self, begin: int, end: int) -> Iterator[Chunk]:
        """The bytes between two places, which may lie in several parts. LookupError when a file is gone in which they lie."""
        start = 0
        for part, size in enumerate((self._middle, self.end - len(self._fresh) - self._middle, len(self._fresh))):
            if begin < start + size and start < end and begin < end:
                yield self._part(part)[max(begin - start, 0) : end - start]
            start += size

    def _part(self, part: int) -> Chunk:
        if part == len(self._parts):
            return self._fresh
        if not self.is_there(part):
            raise LookupError(f"{self.names[part]} is gone")
        data = self._parts[part]
        assert data is not None
        return data

    def is_wasteful(self, asked: int) -> bool:
        """Whether it is time to keep everything anew; so many bytes are still asked for."""
        return SHARE * (self.end - self._middle) > self._middle or SHARE * (self.end - asked) > self.end

    def keep(self) -> None:
        """Keep what was added."""
        if self._fresh:
            since = self._part(1)
            self._write(1, [since, self._fresh])

    def keep_only(self, chunks: Iterable[Chunk]) -> TwoParts:
        """Keep these bytes, one after the other, and no others. They are what is returned; here everything stays at its place, or is gone."""
        anew = TwoParts(self.cache, self.names[0])
        anew._middle = anew.end = anew._write(0, chunks)
        if self._marks[1]:
            self.cache.drop_bytes(self.names[1])
        return anew

    def _write(self, part: int, chunks: Iterable[Chunk]) -> int:
        """Write a file; how many bytes were given."""
        self._marks[part] = os.urandom(8).hex()
        data = b"".join([*chunks, self._marks[part].encode()])
        self.cache.write_bytes(self.names[part], data)
        return len(data) - len(self._marks[part])
