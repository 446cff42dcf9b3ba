"""Writing so that a file or folder is there as a whole or not at all, also after a crash; and reading files by the thousand."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

_PART = 1 << 16
"""So much is read at once: most records and logs are smaller, and a file object for each of thousands takes as long as reading them."""


def file_size(path: str) -> int | None:
    """The size of a file; None where there is none, or where a link or a folder has its name."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_size if S_ISREG(status.st_mode) else None


def read_file(path: str) -> bytes:
    """The bytes of a file; OSError when it cannot be read."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        parts = [os.read(handle, _PART)]
        while parts[-1]:
            parts.append(os.read(handle, _PART))
        return b"".join(parts)
    finally:
        os.close(handle)


def own_bytes(path: str) -> bytes | None:
    """The bytes of a file; None where there is none, or where a link, a folder or a pipe has its name: who reads a pipe may wait for ever."""
    return read_file(path) if file_size(path) is not None else None


def file_sha256(path: str) -> str:
    """The hexadecimal SHA-256 of a file of any length; OSError when it cannot be read."""
    hasher = hashlib.sha256()
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        while part := os.read(handle, _PART):
            hasher.update(part)
    finally:
        os.close(handle)
    return hasher.hexdigest()


def write_durably(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, bring it to the disk, and rename it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        error.filename = error.filename or str(path)  # a full disk names no file
        raise
    sync_folder(path.parent)


def move_durably(source: Path, target: Path) -> None:
    """Bring a file that was written to the disk, and give it another name on the same one."""
    fd = os.open(source, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    source.replace(target)
    sync_folder(target.parent)


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
    """Remove a folder with all that is in it, or what else has its name; nothing happens when it is not there."""
    from shutil import rmtree

    if folder.is_dir() and not folder.is_symlink():
        rmtree(folder, ignore_errors=True)
    else:
        with suppress(OSError):
            folder.unlink()
