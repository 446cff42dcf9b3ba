"""One line at the foot of a terminal that is drawn anew while work goes on, so that nobody wonders whether it does."""

from __future__ import annotations

import os
import shutil
import sys
import time

from kvdocs.cli.output import cell_width

REDRAW_S = 0.1
"""So often at most the line is drawn: a terminal takes longer for it than most steps do."""


class RedrawnLine:
    """The line, on the error output. Where that is no terminal there is none, and `shown` is false."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn_at = 0.0

    def __enter__(self) -> RedrawnLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def draw(self, text: str, *, at_once: bool = False) -> None:
        """Show a text in place of the one before, cut where the terminal ends; left out when the last one was drawn just now, unless `at_once`."""
        now = time.monotonic()
        if not self.shown or (now - self._drawn_at < REDRAW_S and not at_once):
            return
        self._drawn_at = now
        line = "".join(c if c.isprintable() else " " for c in text)
        columns = shutil.get_terminal_size().columns - 1
        while cell_width(line) > columns:
            line = line[:-1]
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    def step(self, what: str, done: int = 0, total: int = 0) -> None:
        """Show what is being done, and how far it is where that is known; the beginning of it at once."""
        self.draw(f"{what}: {done:,} of {total:,}" if total else f"{what} …", at_once=not done)

    def clear(self) -> None:
        """Take the line away, so that something else can be printed."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
