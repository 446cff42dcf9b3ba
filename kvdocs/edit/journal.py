"""Several files written all or nothing, whatever happens in between.

1. The new bytes go into a folder of their own inside `.kvdocs/edit/`, and reach the disk.
2. A journal that names them is put there by a rename: from here on the edit counts.
3. Each file is renamed into its place, removed ones are removed, and the journal goes.

Killed before 2, nothing has happened, and what lies in the folder is swept away.
Killed after it, the next command of any kind finishes the edit (`recover`).
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from kvdocs.edit.drafts import FileChange
from kvdocs.edit.text import EditError
from kvdocs.project import Project

FORMAT = "kvdocs-edit-journal-1"

_NUMBERED = re.compile(r"([A-Z]+[1-9][0-9]*)(-.*)?")


class IdTakenError(EditError):
    """A new record has a number that another one was given in the meantime."""


def write_all(project: Project, changes: Sequence[FileChange]) -> None:
    """Write the changes, all of them or none.

    EditError when a file is not what it was when the change was planned, lies outside the project, or cannot be written;
    IdTakenError when a new record's number is that of a file which is there by now.
    """
    if not changes:
        return
    folder = _folder(project)
    try:
        with _lock(folder):
            _finish(project, folder)
            for change in changes:
                _expect(project, change)
            _expect_free_numbers(project, changes)
            _stage(project, folder, changes)
            _finish(project, folder)
    except OSError as error:
        raise EditError(f"cannot write {error.filename or folder}: {error.strerror}") from None


def recover(project: Project) -> bool:
    """Finish an edit that was interrupted after it counted. False, at the price of one look at the disk, when there is none."""
    folder = project.root / ".kvdocs" / "edit"
    if not (folder / "journal.json").exists():
        return False
    try:
        with _lock(folder):
            return _finish(project, folder)
    except OSError as error:
        raise EditError(f"an interrupted edit cannot be finished: {error.filename or folder}: {error.strerror}") from None


def _folder(project: Project) -> Path:
    folder = project.root / ".kvdocs" / "edit"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise EditError(f"cannot write {folder}: {error.strerror}") from None
    return folder


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """One edit at a time: a second program waits."""
    with (folder / "lock").open("a") as file:
        with suppress(ImportError):  # Windows has no flock; there the check of the bytes before is what guards
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _target(project: Project, path: str) -> Path:
    """The file behind a path, links followed."""
    target = Path(os.path.realpath(project.root / path))
    if not target.is_relative_to(os.path.realpath(project.root)):
        raise EditError(f"{path} lies outside the project")
    return target


def _expect(project: Project, change: FileChange) -> None:
    try:
        now: bytes | None = _target(project, change.path).read_bytes()
    except FileNotFoundError:
        now = None
    if now != change.before:
        raise EditError(f"{change.path} was changed by somebody else in the meantime; nothing was written", "call the command again")
    folder = _target(project, change.path).parent
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        raise EditError(f"cannot write in {folder}; nothing was written")


def _expect_free_numbers(project: Project, changes: Sequence[FileChange]) -> None:
    """Two programs that add a record at once are given the same number, and their files have different names."""
    going = {change.path for change in changes if change.after is None}
    for change in changes:
        path = Path(change.path)
        number = _NUMBERED.fullmatch(path.stem) if change.before is None else None
        folder = project.root / path.parent
        for other in sorted(folder.glob("*.y*ml")) if number is not None else ():
            same = _NUMBERED.fullmatch(other.stem)
            if same is not None and number is not None and same[1] == number[1] and f"{path.parent.as_posix()}/{other.name}" not in going:
                raise IdTakenError(f"{number[1]} is taken: {path.parent.as_posix()}/{other.name} is there by now; nothing was written", "call the command again")


def _stage(project: Project, folder: Path, changes: Sequence[FileChange]) -> None:
    staged = folder / "staged"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    steps: list[dict[str, Any]] = []
    for number, change in enumerate(changes):
        step: dict[str, Any] = {"path": change.path, "staged": None, "before": _digest(change.before), "after": _digest(change.after)}
        if change.after is not None:
            step["staged"] = str(number)
            target = _target(project, change.path)
            _write_through(staged / str(number), change.after)
            if target.exists():
                shutil.copymode(target, staged / str(number))
        steps.append(step)
    _sync_folder(staged)
    _write_through(folder / "journal.new", json.dumps({"format": FORMAT, "steps": steps}).encode())
    (folder / "journal.new").replace(folder / "journal.json")
    _sync_folder(folder)


def _finish(project: Project, folder: Path) -> bool:
    """Carry out the journal, if there is one; each step may have been done already."""
    journal = folder / "journal.json"
    try:
        steps = _steps(journal.read_bytes())
    except FileNotFoundError:
        shutil.rmtree(folder / "staged", ignore_errors=True)
        return False
    if steps is None:
        raise EditError(
            f"an edit was interrupted, and its journal is damaged: {journal} cannot be read, so it cannot be finished by itself",
            f"take over by hand what you want from {folder / 'staged'}, then remove {journal}",
        )
    for step in steps:
        _carry_out(project, folder, step)
    journal.unlink()
    _sync_folder(folder)
    shutil.rmtree(folder / "staged", ignore_errors=True)
    return True


def _steps(data: bytes) -> list[dict[str, Any]] | None:
    """The steps of a journal; None when it is not as it was written."""
    try:
        steps = json.loads(data)["steps"]
        texts = [(step["path"], step["staged"] or "", step["before"] or "", step["after"] or "") for step in steps]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return steps if all(isinstance(text, str) and "\0" not in text for step in texts for text in step) else None


def _carry_out(project: Project, folder: Path, step: dict[str, Any]) -> None:
    target = _target(project, step["path"])
    now = _digest(target.read_bytes()) if target.exists() else None
    if now == step["after"]:
        return
    if now != step["before"]:
        raise EditError(
            f"an edit was interrupted, and {step['path']} was changed since: it cannot be finished by itself",
            f"take over by hand what you want from {folder / 'staged'}, then remove {folder / 'journal.json'}",
        )
    if step["staged"] is None:
        target.unlink()
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        _rename(folder / "staged" / step["staged"], target)
    _sync_folder(target.parent)


def _rename(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        beside = target.with_name(f".{target.name}.new")  # the registry is a file system of its own
        _write_through(beside, source.read_bytes())
        shutil.copymode(source, beside)
        beside.replace(target)


def _digest(data: bytes | None) -> str | None:
    return sha256(data).hexdigest() if data is not None else None


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    with suppress(OSError, AttributeError):  # not every system opens folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
