"""How far a build is: told to a function, and by the engine's process to the one that started it, by lines among its output."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

Tell = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and of how much."""

PROGRESS = "KVDOCS_PROGRESS"
"""The environment variable by which the engine is asked to tell."""

_MARK = "\x1f"
"""With this no line of an engine begins."""

PAUSE_S = 0.1
"""So long the engine says nothing after it said how far it is."""


def untold(what: str, done: int, total: int) -> None:
    """For whoever does not want to know."""


def to_parent() -> Tell:
    """What tells the process that started this one, when it wants to know: the beginning of each step, and then ten times a second at most."""
    if not os.environ.get(PROGRESS):
        return untold
    told_at = 0.0

    def tell(what: str, done: int, total: int) -> None:
        nonlocal told_at
        now = time.monotonic()
        if not done or now - told_at >= PAUSE_S:
            told_at = now
            sys.stdout.write(f"{_MARK}{what}\t{done}\t{total}\n")
            sys.stdout.flush()

    return tell


def told(line: str) -> tuple[str, int, int] | None:
    """What a line of the engine's output tells; None when it is another line."""
    if not line.startswith(_MARK):
        return None
    what, done, total = line[1:].split("\t")
    return what, int(done), int(total)
