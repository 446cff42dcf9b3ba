"""Checks of the files that records name: they exist, and they lie inside the project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kvdocs.memo import Memo
from kvdocs.problems import MISSING_FILE, OUTSIDE_PROJECT, Problem, did_you_mean
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_files(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """Every file that a record names is there, below the project's root, links followed."""
    root = project.root.resolve()
    for entry in registry:
        if not entry.names_files:
            continue
        folder = (project.root / entry.raw.path).parent
        for loc, name in entry.extract.files:
            path = Path(os.path.realpath(folder / name))  # unlike `resolve` it gives an answer for links that lead round in a circle
            if not path.is_relative_to(root):
                yield Problem(OUTSIDE_PROJECT, f"{name!r} lies outside the project", entry.raw.place_of(loc, value=True), entry.id, hint="copy it into the registry: what is outside cannot be published or run elsewhere")
            elif not path.is_file():
                near = did_you_mean(path.name, (p.name for p in path.parent.iterdir() if p.is_file()) if path.parent.is_dir() else ())
                yield Problem(MISSING_FILE, f"there is no file {name!r} beside the record", entry.raw.place_of(loc, value=True), entry.id, near or f"looked for {path.relative_to(root)}")


def named_outside(registry: Registry, project: Project) -> bool:
    """Whether a record names a file that is not in the registry: then the registry alone does not tell what is there."""
    inside = project.registry.resolve()
    return any(not Path(os.path.realpath(folder / name)).is_relative_to(inside) for entry in registry if entry.names_files for _, name in entry.extract.files for folder in ((project.root / entry.raw.path).parent,))
