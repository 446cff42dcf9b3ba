"""Checks of seals: every result and log is as it was stored."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kvdocs.memo import Memo
from kvdocs.problems import NOT_AS_STORED, Place, Problem
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_seals(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """A damaged record may not even load, so folders are looked at, not entries; what is hidden is no result."""
    root = os.fspath(project.root)
    for environment in _folders(f"{root}/registry/results"):
        for script in _folders(environment):
            for folder in _folders(script):
                name = folder[len(root) + 1 :]
                yield from memo.under(f"seal {name}", memo.state.folder(name), lambda folder=folder: _damages(Path(folder), project))  # type: ignore[misc]  # the default binds the folder of this round


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(f"{folder}/{entry.name}" for entry in entries if entry.name[0] != "." and os.path.isdir(entry.path))  # noqa: PTH112  # `entry.is_dir` raises for a link to itself
    except (FileNotFoundError, PermissionError):  # one that cannot be listed is a problem of its own
        return []


def _damages(folder: Path, project: Project) -> Iterator[Problem]:
    from kvdocs.evidence.seals import damages

    for damage in damages(folder):
        path = damage.path.relative_to(project.root).as_posix()
        yield Problem(NOT_AS_STORED, damage.what, Place(path), None, "restore it from version control; a result is never edited, only withdrawn or superseded")
