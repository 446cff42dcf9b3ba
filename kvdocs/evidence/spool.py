"""A stream of any length -> its head and its tail on disk, in bounded space.

The first `head` bytes go to NAME.head; what follows goes to segments NAME.tail.0, NAME.tail.1, … of `tail` bytes each,
of which the last two are kept. At most head + 2 * tail bytes lie on disk, whatever the stream's length.
Every chunk is on its way to the kernel when `write` returns, so the files tell the same after the death of the writer;
the length of the stream follows from the number of the last segment.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .disk import own_bytes

LONGEST_EDGE = 64 * 1024
"""How far a cut is moved to fall on the end of a line."""
EDGE_WITHOUT_LINE = 256
"""How many bytes are given up beside a cut inside a line, so that no half of a secret stays."""


@dataclass(frozen=True)
class SpoolSize:
    """How many bytes of a stream are kept: the first `head` and the last `tail`."""

    head: int = 8 * 1024 * 1024
    tail: int = 8 * 1024 * 1024


@dataclass(frozen=True)
class Kept:
    """What is left of a stream: all of it in `head` (then `lost` is 0), or both ends."""

    head: bytes
    tail: bytes
    total: int

    @property
    def lost(self) -> int:
        """How many bytes between the head and the tail are gone."""
        return self.total - len(self.head) - len(self.tail)


class Spool:
    """Writes one stream. Not for two writers."""

    def __init__(self, folder: Path, name: str, size: SpoolSize) -> None:
        self._folder, self._name, self._size = folder, name, size
        self._fd = os.open(folder / f"{name}.head", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._room = size.head
        self._segment = -1
        self._hash = hashlib.sha256()
        self.total = 0

    def write(self, chunk: bytes) -> None:
        """Keep a chunk. OSError when the disk is full."""
        self._hash.update(chunk)
        self.total += len(chunk)
        rest = memoryview(chunk)
        while rest:
            if not self._room:
                self._next_segment()
            written = os.write(self._fd, rest[: self._room])
            self._room -= written
            rest = rest[written:]

    def close(self) -> str:
        """Close the file; the SHA-256 of all bytes that were written, kept or not."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        return self._hash.hexdigest()

    def _next_segment(self) -> None:
        os.close(self._fd)
        self._segment += 1
        self._fd = os.open(_segment(self._folder, self._name, self._segment), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self._room = self._size.tail
        if self._segment >= 2:
            _segment(self._folder, self._name, self._segment - 2).unlink()


def read_spool(folder: Path, name: str, size: SpoolSize) -> Kept:
    """What a spool left behind, also one whose writer died; a stream that never began is empty."""
    head = _read(folder / f"{name}.head")
    segments = (re.fullmatch(rf"{name}\.tail\.([0-9]+)", path.name) for path in folder.iterdir())
    numbers = sorted(int(found[1]) for found in segments if found is not None)
    if not numbers:
        return Kept(head, b"", len(head))
    tail = b"".join(_read(_segment(folder, name, number)) for number in numbers[-2:])
    last = len(_read(_segment(folder, name, numbers[-1])))
    total = size.head + numbers[-1] * size.tail + last
    if total <= size.head + size.tail:
        return Kept(head + tail, b"", total)
    return Kept(_cut_end(head), _cut_start(tail[-size.tail :]), total)


def _cut_end(head: bytes) -> bytes:
    line_end = head.rfind(b"\n", max(0, len(head) - LONGEST_EDGE))
    return head[: line_end + 1] if line_end >= 0 else head[: max(0, len(head) - EDGE_WITHOUT_LINE)]


def _cut_start(tail: bytes) -> bytes:
    line_end = tail.find(b"\n", 0, LONGEST_EDGE)
    return tail[line_end + 1 :] if line_end >= 0 else tail[EDGE_WITHOUT_LINE:]


def _segment(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}.tail.{number}"


def _read(path: Path) -> bytes:
    return own_bytes(os.fspath(path)) or b""
