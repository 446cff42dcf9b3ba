"""Checks of the files that records name: they exist, and they lie inside the project."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from stat import S_ISREG

from kvdocs.entry import Entry
from kvdocs.memo import Memo
from kvdocs.model import Loc
from kvdocs.problems import MISSING_FILE, OUTSIDE_PROJECT, Problem, did_you_mean
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_files(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """Every file that a record names is there, below the project's root, links followed."""
    root = project.root.resolve()
    for entry, loc, name, real in registry.once("named files", partial(_named, project)):
        if not _is_below(real, root):
            yield Problem(OUTSIDE_PROJECT, f"{name!r} lies outside the project", entry.raw.place_of(loc, value=True), entry.id, hint="copy it into the registry: what is outside cannot be published or run elsewhere")
        elif not os.path.isfile(real):  # noqa: PTH113  # a Path for each of thousands
            path = Path(real)
            near = did_you_mean(path.name, sorted(p.name for p in path.parent.iterdir() if p.is_file() and p.name[0] != ".") if path.parent.is_dir() else ())
            yield Problem(MISSING_FILE, f"there is no file {name!r} beside the record", entry.raw.place_of(loc, value=True), entry.id, near or f"looked for {path.relative_to(root)}")


def named_outside(registry: Registry, project: Project) -> bool:
    """Whether a record names a file that is not in the registry, or is hidden there: then what is known of the registry alone does not tell what is there."""
    inside = project.registry.resolve()
    named = (real for _, _, _, real in registry.once("named files", partial(_named, project)))
    executed = (os.path.realpath(project.root / path) for path in registry.asked_for)  # an execution may have had files that no record names any more
    return any(not _is_below(real, inside) or _is_hidden(real[len(os.fspath(inside)) :]) for real in chain(named, executed))


def _is_hidden(path: str) -> bool:
    """Whether a path leads to what is left out when a folder is looked at."""
    return any(part[:1] == "." or part == "__pycache__" for part in path.split(os.sep))  # noqa: PTH206  # a Path for each of thousands


def _named(project: Project, registry: Registry) -> list[tuple[Entry, Loc, str, str]]:
    """The files that records name: the record, the place of the name in it, the name, and the path behind all links."""
    named: list[tuple[Entry, Loc, str, str]] = []
    folders: dict[str, str] = {}
    root = os.fspath(project.root)
    for entry in registry:
        if not entry.names_files:
            continue
        folder = f"{root}/{posixpath.dirname(entry.path)}"
        for loc, name in entry.extract.files:
            if folder not in folders:
                folders[folder] = os.path.realpath(folder)
            named.append((entry, loc, name, _real_path(folders[folder], name)))
    return named


def _real_path(folder: str, name: str) -> str:
    """The path behind all links of a name beside a record, whose folder is not behind a link."""
    path = os.path.join(folder, name)  # noqa: PTH118  # a Path for each of thousands; a name may be absolute
    try:
        is_plain = "/" not in name and os.sep not in name and S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        is_plain = False
    return path if is_plain else os.path.realpath(path)  # unlike `Path.resolve` it gives an answer for links that lead round in a circle


def _is_below(path: str, folder: Path) -> bool:
    """Whether a path without links is in a folder."""
    return path.startswith(f"{os.fspath(folder).rstrip(os.sep)}{os.sep}") or path == os.fspath(folder)
