"""A run in progress -> a folder that tells of it when its runner is gone.

`ROOT/.running/NONCE/` holds `journal.json` (the record as far as it is known), the spools of the streams, and `alive`,
a file that the runner keeps locked: the kernel frees that lock when the runner ends in whatever way,
so that a run whose `alive` can be locked has no runner any more.
In a copy of the folder it is another file, whose lock tells nothing: there the runner's process is asked for.
`finishing.json` names the result that the run is about to become.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .canonical import pretty, storable
from .descendants import is_running
from .disk import own_bytes, remove_folder, sync_folder, write_durably
from .record import NAME

RUNNING = ".running"
NONCE = re.compile(r"[0-9a-f]{16}")
"""The name of a run."""
_HIDDEN = re.compile(r"\.(intake-)?[0-9a-f]{16}")
"""The names of folders that are not to be seen yet, or no more."""
_ABANDONED_S = 3600
"""After this time a hidden folder, one that never became a journal or was about to go, is rubbish."""


class Journal:
    """The folder of one run. The runner holds it open; `close` frees it, `remove` does away with it."""

    def __init__(self, folder: Path, alive: int, data: dict[str, Any]) -> None:
        self.folder = folder
        self.data = data
        self._alive = alive

    def update(self, **values: Any) -> None:
        """Note what has become known."""
        self.data.update(storable(values))
        write_durably(self.folder / "journal.json", pretty(self.data))

    def remove(self) -> None:
        """Remove the folder: its result is stored.

        It is hidden in one step first: somebody who found it with half of its files gone could take it for a run that died.
        """
        hidden = self.folder.with_name(f".{self.folder.name}")
        remove_folder(hidden)
        self.folder.replace(hidden)
        remove_folder(hidden)
        self.close()

    def close(self) -> None:
        """Free the folder for whoever finds it."""
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1


def running_folder(root: Path) -> Path:
    """The folder of runs in progress, which git ignores; made when it is not there. OSError when it cannot be made, or is a link, which would lead elsewhere."""
    running = root / RUNNING
    if running.is_symlink():
        raise OSError(errno.ENOTDIR, "it is a link, and has to be a folder", str(running))
    running.mkdir(parents=True, exist_ok=True)
    ignore = running / ".gitignore"
    if not ignore.exists():
        write_durably(ignore, b"*\n")
    return running


def begin_journal(root: Path, nonce: str, data: dict[str, Any]) -> Journal:
    """A new journal that is locked before anybody can see it. OSError when the folder cannot be written."""
    running = running_folder(root)
    unborn = running / f".{nonce}"
    unborn.mkdir()
    alive = os.open(unborn / "alive", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(alive, fcntl.LOCK_EX)
    journal = Journal(unborn, alive, {**storable(data), "alive": os.fstat(alive).st_ino})
    journal.update()
    unborn.rename(running / nonce)
    sync_folder(running)
    journal.folder = running / nonce
    return journal


def dead_journals(root: Path) -> Iterator[Journal]:
    """The journals whose runner is gone, each locked by this process while it is looked at."""
    running = root / RUNNING
    if running.is_symlink() or not running.is_dir():
        return
    for folder in sorted(running.iterdir()):
        if folder.is_symlink() or not folder.is_dir():
            continue
        if _HIDDEN.fullmatch(folder.name):
            _remove_abandoned(folder)
            continue
        journal = _seize(folder) if NONCE.fullmatch(folder.name) else None
        if journal is not None:
            try:
                yield journal
            finally:
                journal.close()


def _seize(folder: Path) -> Journal | None:
    """The journal with its lock taken over, or None when its runner lives, somebody else has it, or it cannot be read now."""
    try:
        alive = os.open(folder / "alive", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.is_dir():  # somebody may have finished and removed it in between
            data = _read_json(folder / "journal.json")
            if data.get("alive", os.fstat(alive).st_ino) == os.fstat(alive).st_ino or not is_running(data.get("pid")):
                return Journal(folder, alive, data)
    os.close(alive)
    return None


def _remove_abandoned(folder: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - folder.stat().st_mtime > _ABANDONED_S:
            remove_folder(folder)


def _read_json(path: Path) -> dict[str, Any]:
    """The object that a file holds, as it was made storable when it was written; an empty one when it holds none. OSError when it cannot be read."""
    try:
        value = storable(json.loads(own_bytes(os.fspath(path)) or b""))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_finishing(journal: Journal) -> str | None:
    """The folder (relative to the root) of the result that the run was about to become; None where what is noted cannot be one."""
    target = _read_json(journal.folder / "finishing.json").get("target")
    names = target.split("/") if isinstance(target, str) else []
    return target if len(names) == 3 and all(map(NAME.fullmatch, names)) else None


def write_finishing(journal: Journal, target: str) -> None:
    """Note which result the run is about to become."""
    write_durably(journal.folder / "finishing.json", pretty({"target": target}))
