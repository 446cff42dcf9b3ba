"""The files that records name, and where they really are."""

from __future__ import annotations

import os
import posixpath
from functools import partial
from itertools import chain
from pathlib import Path
from stat import S_ISREG

from kvdocs.entry import Entry
from kvdocs.model import Loc
from kvdocs.project import Project
from kvdocs.registry import Registry

Named = tuple[Entry, Loc, str, str]
"""A record, the place of a name in it, the name, and the path behind all links."""


def named_files(registry: Registry, project: Project) -> list[Named]:
    """Every file that a record names."""
    return registry.once("named files", partial(_named, project))


def named_outside(registry: Registry, project: Project) -> bool:
    """Whether a record names a file that is not in the registry, or is hidden there: then what is known of the registry alone does not tell what is there."""
    inside = project.registry.resolve()
    named = (real for _, _, _, real in named_files(registry, project))
    executed = (os.path.realpath(project.root / path) for path in registry.asked_for)  # an execution may have had files that no record names any more
    return any(not is_below(real, inside) or _is_hidden(real[len(os.fspath(inside)) :]) for real in chain(named, executed))


def _is_hidden(path: str) -> bool:
    """Whether a path leads to what is left out when a folder is looked at."""
    return any(part[:1] == "." or part == "__pycache__" for part in path.split(os.sep))  # noqa: PTH206  # a Path for each of thousands


def _named(project: Project, registry: Registry) -> list[Named]:
    named: list[Named] = []
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


def is_below(path: str, folder: Path) -> bool:
    """Whether a path without links is in a folder."""
    return path.startswith(f"{os.fspath(folder).rstrip(os.sep)}{os.sep}") or path == os.fspath(folder)
