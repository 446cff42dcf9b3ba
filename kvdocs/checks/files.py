"""Checks of the files that records name: they exist, and they lie inside the project."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.model import File, marked
from kvdocs.problems import MISSING_FILE, OUTSIDE_PROJECT, Problem, did_you_mean
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_files(registry: Registry, project: Project) -> Iterator[Problem]:
    """Every file that a record names is there, below the project's root, links followed."""
    root = project.root.resolve()
    for entry in registry:
        folder = (project.root / entry.raw.path).parent
        for loc, _, name in marked(entry.record, File):
            path = (folder / str(name)).resolve()
            if not path.is_relative_to(root):
                yield Problem(OUTSIDE_PROJECT, f"{name!r} lies outside the project", entry.raw.place_of(loc, value=True), entry.id, hint="copy it into the registry: what is outside cannot be published or run elsewhere")
            elif not path.is_file():
                near = did_you_mean(path.name, (p.name for p in path.parent.iterdir()) if path.parent.is_dir() else ())
                yield Problem(MISSING_FILE, f"there is no file {name!r} beside the record", entry.raw.place_of(loc, value=True), entry.id, near or f"looked for {path.relative_to(root)}")
