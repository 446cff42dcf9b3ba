"""A new project: a small record that is sound, builds, and can be changed step by step."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

STARTER = Path(__file__).parent / "starter"
RENAMED = {"gitignore": ".gitignore"}
"""Files that would act on this package if they had their own names in it."""

NAMED = 3
"""So many files that are in the way are named; more are counted."""


WELCOME = re.compile(r"\.git|\.git(ignore|attributes)|(README|LICEN[CS]E|COPYING)([.-].*)?", re.IGNORECASE)
"""What a new repository of a host holds already; such a folder counts as empty, and these files stay as they are."""


class NotEmptyError(Exception):
    """The folder holds something already; nothing was written."""


@dataclass(frozen=True, slots=True)
class NewProject:
    """The files of a new project by their paths in its folder, in order: those that were written, and those that were there and stayed.

    `ignored` are the lines that its own `.gitignore` lacks.
    """

    written: tuple[str, ...]
    kept: tuple[str, ...]
    ignored: tuple[str, ...]


def make_project(folder: Path) -> NewProject:
    """Write the sample project into a folder that does not exist, or holds nothing but what `WELCOME` names. NotEmptyError when it holds more."""
    if folder.exists() and not folder.is_dir():
        raise NotEmptyError(f"{folder} is not a folder")
    others = sorted(path.name for path in folder.iterdir() if not WELCOME.fullmatch(path.name)) if folder.exists() else []
    if others:
        raise NotEmptyError(f"{folder} is not an empty folder: it holds {', '.join(others[:NAMED])}{f' and {len(others) - NAMED} more' if len(others) > NAMED else ''}")
    written, kept, ignored = [], [], []
    for source in sorted(STARTER.rglob("*")):
        if source.is_dir() or "__pycache__" in source.parts:
            continue
        name = source.relative_to(STARTER)
        target = folder / name.with_name(RENAMED.get(name.name, name.name))
        if os.path.lexists(target):
            kept.append(target.relative_to(folder).as_posix())
            ignored += _lacking(source, target) if target.name == ".gitignore" else []
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(0o755 if source.read_bytes().startswith(b"#!") else 0o644)
        written.append(target.relative_to(folder).as_posix())
    return NewProject(tuple(written), tuple(kept), tuple(ignored))


def _lacking(source: Path, target: Path) -> list[str]:
    """The lines of one file that another does not have."""
    has = target.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in source.read_text(encoding="utf-8").splitlines() if line not in has]
