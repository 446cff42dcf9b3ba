"""How the files of a built site look without reading them: each with a stamp that is another one when it was written.

A folder whose own stamp is as it was holds the files and folders that it held: as git's cache of untracked files does, it is not listed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from stat import S_ISDIR, S_ISREG
from time import time_ns

from kvdocs.cache import Scan, digest_of

ROOT = "."
"""The path of the folder itself."""


@dataclass(frozen=True, slots=True)
class Stamps:
    """The stamps of the files of a folder, and of the folders in it, by their paths within it. Hidden ones are left out."""

    files: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)


def take_stamps(root: str, known: Stamps | None = None) -> Stamps:
    """The stamps of a folder now. `known` are earlier ones: those of `files` may have been brought up to date since, with all that was written."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    changed = {ROOT}
    if known is not None and known.folders:
        folders = {path: stamp for path, stamp in known.folders.items() if _folder_stamp(f"{root}{os.sep}{path}") == stamp}
        changed = known.folders.keys() - folders.keys() or {ROOT} - folders.keys()
        for path in known.files:
            if not changed or (path.rpartition("/")[0] or ROOT) not in changed:
                try:
                    files[path] = stamp_of(f"{root}{os.sep}{path}")
                except OSError:
                    continue
    todo = list(changed)
    while todo:
        folder = todo.pop()
        stamp = _folder_stamp(f"{root}{os.sep}{folder}")
        if stamp is None:
            continue
        is_told = _is_calm(stamp)
        for path, entry in _entries(root, folder):
            if entry.is_dir(follow_symlinks=False):
                if known is None or path not in known.folders:
                    todo.append(path)
                continue
            # Where a link leads is told by no time of its folder.
            is_told = is_told and not entry.is_symlink()
            with suppress(OSError):
                if S_ISREG((status := entry.stat()).st_mode):
                    files[path] = _stamp(status)
        folders[folder] = stamp if is_told else ""
    return Stamps(files, folders)


def _entries(root: str, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """What a folder holds, by paths; nothing where it may not be listed."""
    with suppress(OSError), os.scandir(f"{root}{os.sep}{folder}") as entries:
        for entry in entries:
            if entry.name[0] != "." and entry.name != "__pycache__":
                yield entry.name if folder == ROOT else f"{folder}/{entry.name}", entry


def _folder_stamp(path: str) -> str | None:
    """What is another thing when something in a folder came, went, or was renamed; None where there is no folder."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}" if S_ISDIR(status.st_mode) else None


def _is_calm(stamp: str) -> bool:
    """Whether a folder has been as it is for so long that a change from now on shows in its times."""
    return max(map(int, stamp.split()[:2])) < time_ns() - Scan.RACY_NS


def stamp_of(path: str) -> str:
    """The stamp of one file."""
    return _stamp(os.stat(path))  # noqa: PTH116  # a Path for each of thousands


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def listing(folder: str) -> str:
    """A digest of the names of all files of a folder, with their stamps."""
    return digest_of_stamps(take_stamps(folder).files)


def digest_of_stamps(stamps: Mapping[str, str]) -> str:
    """The same of stamps that are known. No path holds two slashes in a row, and no stamp another sign than digits and spaces."""
    paths = sorted(stamps)
    return digest_of(f"{'//'.join(paths)}//{'/'.join(map(stamps.__getitem__, paths))}".encode("utf-8", "surrogateescape"))
