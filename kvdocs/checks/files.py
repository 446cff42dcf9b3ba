"""Checks of the files that records name: they exist, and they lie inside the project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kvdocs.memo import Memo
from kvdocs.named_files import is_below, named_files
from kvdocs.problems import MISSING_FILE, OUTSIDE_PROJECT, Problem, did_you_mean
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_files(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """Every file that a record names is there, below the project's root, links followed."""
    root = project.root.resolve()
    for entry, loc, name, real in named_files(registry, project):
        if not is_below(real, root):
            yield Problem(OUTSIDE_PROJECT, f"{name!r} lies outside the project", entry.raw.place_of(loc, value=True), entry.id, hint="copy it into the registry: what is outside cannot be published or run elsewhere")
        elif not os.path.isfile(real):  # noqa: PTH113  # a Path for each of thousands
            path = Path(real)
            near = did_you_mean(path.name, sorted(p.name for p in path.parent.iterdir() if p.is_file() and p.name[0] != ".") if path.parent.is_dir() else ())
            yield Problem(MISSING_FILE, f"there is no file {name!r} beside the record", entry.raw.place_of(loc, value=True), entry.id, near or f"looked for {path.relative_to(root)}")
