"""Files by the tens of thousands: as few calls of the system for each as there can be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from errno import EILSEQ, EINVAL
from io import FileIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from time import time

_FOR_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_OVER = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
_NEW = _OVER | os.O_TRUNC

_PART = 1 << 16
"""A larger buffer is mapped and unmapped by the system for each file, which takes longer than reading it."""


def read_file(path: str) -> bytes | None:
    """The bytes of a file; None when there is none, or a pipe or a device has its name: who reads one may wait for ever."""
    try:
        handle = os.open(path, _FOR_READING)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        first = os.read(handle, _PART)
        if 0 < len(first) < _PART:  # of a regular file a shorter part is the last one
            return first
        if not S_ISREG(os.fstat(handle).st_mode):
            return None
        with FileIO(handle, closefd=False) as rest:
            return first + rest.readall()
    except (IsADirectoryError, BlockingIOError):
        return None
    finally:
        os.close(handle)


def file_parts(path: str) -> Iterator[bytes] | None:
    """The same in parts, of which each is forgotten before the next is read."""
    try:
        handle = os.open(path, _FOR_READING)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return _parts(handle)


def _parts(handle: int) -> Iterator[bytes]:
    try:
        yield from iter(lambda: os.read(handle, _PART), b"")
    finally:
        os.close(handle)


def files_below(folder: Path) -> list[Path]:
    """Every file below a folder, in linked folders too, as who opens one by its path finds it; a folder that several ways lead to once."""
    found: list[Path] = []
    seen: set[str] = set()
    for above, folders, names in os.walk(folder, followlinks=True):
        where = os.path.realpath(above)
        if where in seen:  # a link may lead to a folder that it lies in
            folders.clear()
            continue
        seen.add(where)
        found += [path for name in names if (path := Path(above, name)).is_file()]
    return sorted(found)


def read_text(path: Path) -> str:
    """The text of a file that people wrote; OSError when it cannot be read, or is no UTF-8."""
    data = path.read_bytes()
    try:
        return data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OSError(EILSEQ, f"line {line} is not UTF-8", str(path)) from None


def write_file(path: str, *parts: bytes) -> None:
    """Write a file in place, one part after the other, and make its folder where it is missing."""
    _write(path, parts, _NEW)


def _write(path: str, parts: Iterable[bytes], how: int) -> None:
    try:
        handle = os.open(path, how, 0o666)
    except (FileNotFoundError, NotADirectoryError):
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120  # a Path for each of thousands
        handle = os.open(path, how, 0o666)
    try:
        size = 0
        for part in parts:
            left = memoryview(part)
            size += len(left)
            while left:
                left = left[os.write(handle, left) :]
        if how == _OVER:
            os.ftruncate(handle, size)
    finally:
        os.close(handle)


def copy_file(source: str, target: str) -> None:
    """Write what one file holds into another one, in place, and make its folder where it is missing; it is never in memory as a whole.

    What the other one held is written over, which spares the system to give back its memory and to find new.
    """
    handle = os.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        parts = iter(lambda: os.read(handle, _PART), b"")
        _write(target, parts, _OVER)
    finally:
        os.close(handle)


IN_THE_WAY = (FileExistsError, IsADirectoryError, NotADirectoryError)
"""What the system says where a folder is in the place of a file, or a file in that of a folder."""


def make_room(folder: str, path: str) -> None:
    """Remove what is in the way of a file at a path within a folder: what is no folder where one has to be, and what is no file at the path itself."""
    place, *others = [os.path.join(folder, *path.split("/")[:number]) for number in range(path.count("/") + 1, 0, -1)]  # noqa: PTH118  # as above
    for above in reversed(others):
        if os.path.lexists(above) and not S_ISDIR(os.lstat(above).st_mode):
            os.unlink(above)  # noqa: PTH108  # as above
            return
    if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114  # as above
        from shutil import rmtree

        rmtree(place)


def behind(path: Path) -> Path:
    """The file that a name stands for, links followed; OSError where a pipe, a device or a folder has the name: who renames a file to it removes it."""
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "it is no file", str(path))
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def replace_file(path: str, data: bytes) -> None:
    """Write a file under a temporary name beside its own and rename it: a reader meets the old bytes or the new ones."""
    folder, name = os.path.split(path)
    temporary = f"{folder}{os.sep}.{name}.{os.getpid()}.tmp"
    try:
        write_file(temporary, data)
        os.replace(temporary, path)  # noqa: PTH105  # a Path for each of thousands
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108  # as above
        if error.filename in (None, temporary):  # a full disk names no file, and the temporary name is nobody's business
            error.filename, error.filename2 = path, None
        raise


_TEMPORARY = re.compile(r"\..+\.([0-9]+)\.tmp")

SETTLED_S = 10
"""A temporary file that was written to so lately may be another machine's, or another container's, whose processes have numbers of their own."""


def clear_abandoned(paths: Iterable[str]) -> None:
    """Remove of these files those that `replace_file` left when its process was killed; one that may still be renamed stays, and so does any other file."""
    for path in paths:
        found = _TEMPORARY.fullmatch(os.path.basename(path))  # noqa: PTH119  # mostly there are hundreds of folders, and no such file
        if found is None:
            continue
        from kvdocs.evidence.descendants import is_running

        if not is_running(int(found[1])):
            with suppress(OSError):  # another build may clear it away at the same time
                if os.stat(path).st_mtime < time() - SETTLED_S:  # noqa: PTH116  # as above
                    os.unlink(path)  # noqa: PTH108  # as above
