"""A stream of any length -> the pieces of it that are redacted one by one, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from .redaction import Redactor

PIECE = 256 * 1024
LONGEST_PIECE = 16 * 1024 * 1024
"""So many bytes are held at most: a line is read as a whole, since a secret may stand anywhere in it."""


class LongLineError(ValueError):
    """A line is longer than any that is read."""

    def __init__(self, name: str, line: int, longest: int) -> None:
        super().__init__(f"{name}:{line}: this line is longer than {longest / 1024**2:g} MiB, the most that is read of a line")


def pieces_of(stream: IO[bytes], redactor: Redactor, name: str = "", *, size: int = PIECE, longest: int = LONGEST_PIECE) -> Iterator[bytes]:
    """The stream in order, each piece but the last ending at a cut of the redactor. LongLineError, with the name, when there is no cut in `longest` bytes."""
    held, lines = b"", 0
    while block := stream.read(min(size, longest + 1 - len(held))):
        held += block
        cut = redactor.last_cut(held)
        if cut:
            yield held[:cut]
            lines += held.count(b"\n", 0, cut)
            held = held[cut:]
        if len(held) > longest:
            raise LongLineError(name, lines + 1, longest)
    if held:
        yield held
