"""How far the reading of a long file is, on a terminal."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from typing import IO

from kvdocs.cli.executions import Live

SHOWN_AFTER_S = 1.0
"""What is read within this time needs no word."""
_MEGABYTE = 1_000_000


class Progress:
    """One line that is redrawn on a terminal while files are read: how much of how much. Nothing for a short read, and nothing elsewhere."""

    def __init__(self, name: str, streams: Sequence[IO[bytes]]) -> None:
        self._live = Live(name, 1)
        self._of = _size(streams)
        self._read = 0
        self._began = time.monotonic()

    def heard(self, count: int) -> None:
        """So many more bytes have been read."""
        self._read += count
        if time.monotonic() - self._began >= SHOWN_AFTER_S:
            self._live.phase(f"read {self._read // _MEGABYTE:,}{self._of} MB")

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._live.clear()


def _size(streams: Sequence[IO[bytes]]) -> str:
    """The size of all files together, as words behind what was read of them; empty when one is a pipe."""
    found = [os.fstat(stream.fileno()) for stream in streams]
    return f" of {sum(each.st_size for each in found) // _MEGABYTE:,}" if all(stat.S_ISREG(each.st_mode) for each in found) else ""
