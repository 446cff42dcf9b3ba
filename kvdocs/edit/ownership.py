"""Which of two records with one id a reference means, when two branches took the same number and were merged."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from kvdocs.edit.lookup import Found
from kvdocs.edit.occurrences import Occurrence
from kvdocs.project import Project

UNCOMMITTED = "0" * 40


def shares(project: Project, occurrences: Iterable[Occurrence], mine: Found, others: Sequence[Found]) -> tuple[list[Occurrence], list[Occurrence]]:
    """The occurrences that mean `mine`, and those that cannot be told apart; those that mean another record are left out.

    Three things tell: a mention inside the record's own file; a link that may name only one of the kinds;
    and git: a line belongs to the record that was made in the same commit, or to the only one that was there when the line was written.
    """
    history = _History(project.root)
    own: list[Occurrence] = []
    unclear: list[Occurrence] = []
    for occurrence in occurrences:
        meant = _by_file(occurrence, mine, others) or _by_kind(occurrence, mine, others) or history.meant(occurrence, [mine, *others])
        if meant is mine:
            own.append(occurrence)
        elif meant is None:
            unclear.append(occurrence)
    return own, unclear


def _by_file(occurrence: Occurrence, mine: Found, others: Sequence[Found]) -> Found | None:
    here = [f for f in (mine, *others) if f.raw.path == occurrence.path]
    return here[0] if len(here) == 1 and here[0].raw.index is None else None


def _by_kind(occurrence: Occurrence, mine: Found, others: Sequence[Found]) -> Found | None:
    if not occurrence.kinds:
        return None
    fitting = [f for f in (mine, *others) if f.kind.name in occurrence.kinds]
    return fitting[0] if len(fitting) == 1 else None


class _History:
    """Who wrote a line, and which commits came before others; empty where there is no git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lines: dict[str, list[str]] = {}

    def meant(self, occurrence: Occurrence, candidates: Sequence[Found]) -> Found | None:
        """The one record that a line can mean by its history, or None."""
        commit = self.commit_of(occurrence.path, occurrence.line)
        if commit is None or commit == UNCOMMITTED:
            return None
        origins = [(candidate, self.commit_of(candidate.raw.path, candidate.raw.line)) for candidate in candidates]
        together = [candidate for candidate, origin in origins if origin == commit]
        if together:
            return together[0] if len(together) == 1 else None
        known = [candidate for candidate, origin in origins if origin is not None and origin != UNCOMMITTED and self._comes_before(origin, commit)]
        return known[0] if len(known) == 1 else None

    def commit_of(self, path: str, line: int) -> str | None:
        """The commit that wrote a line, zeros when it was never committed, None when git does not know the file."""
        if path not in self._lines:
            blame = self._git("blame", "-M", "--line-porcelain", "--", path)
            self._lines[path] = [row.split(" ", 1)[0] for row in blame.split("\n") if _starts_line(row)] if blame is not None else []
        lines = self._lines[path]
        return lines[line - 1] if line <= len(lines) else None

    def _comes_before(self, earlier: str, later: str) -> bool:
        return self._git("merge-base", "--is-ancestor", earlier, later) is not None

    def _git(self, *arguments: str) -> str | None:
        if not self._is_repository:
            return None
        return _output(self.root, *arguments)

    @cached_property
    def _is_repository(self) -> bool:
        return _output(self.root, "rev-parse", "--git-dir") is not None


def _starts_line(row: str) -> bool:
    head = row.split(" ", 1)[0]
    return len(head) == 40 and all(c in "0123456789abcdef" for c in head)


def _output(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
