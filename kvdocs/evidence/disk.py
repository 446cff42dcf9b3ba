"""Writing so that a file or folder is there as a whole or not at all, also after a crash."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def write_durably(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, bring it to the disk, and rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def move_folder(source: Path, target: Path) -> bool:
    """Give a folder its final name in one step; False when that name is taken by a folder with something in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.rename(target)
    except OSError:
        if target.is_dir() and source.is_dir():
            return False
        raise
    sync_folder(target.parent)
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; nothing happens when it is not there."""
    shutil.rmtree(folder, ignore_errors=True)
