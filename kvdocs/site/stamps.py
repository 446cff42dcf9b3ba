"""How the files of a built site look without reading them: each with a stamp that is another one when it was written.

A folder whose own stamp is as it was holds the files and folders that it held: as git's cache of untracked files does, it is not listed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from stat import S_ISDIR, S_ISREG
from time import time_ns

from kvdocs.cache import Scan, digest_of

ROOT = "."
"""The path of the folder itself."""


@dataclass(frozen=True, slots=True)
class Stamps:
    """The stamps of the files of a folder, and of the folders in it, by their paths within it; `odd` are links, pipes and devices. Hidden ones are left out.

    What is odd in a folder is found when the folder is listed.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    odd: Sequence[str] = ()


def take_stamps(root: str, known: Stamps | None = None) -> Stamps:
    """The stamps of a folder now. `known` are earlier ones: those of `files` may have been brought up to date since, with all that was written."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    odd: list[str] = []
    changed = {ROOT}
    gone: tuple[str, ...] = ()
    if known is not None and known.folders:
        now = {path: _folder_stamp(f"{root}{os.sep}{path}") for path in known.folders}
        gone = tuple(f"{path}/" for path, stamp in now.items() if stamp is None)
        folders = {path: stamp for path, stamp in known.folders.items() if now[path] == stamp and not (gone and path.startswith(gone))}
        changed = {path for path in known.folders.keys() - folders.keys() if not (gone and path.startswith(gone))} or {ROOT} - folders.keys()
        for path in known.files:
            if (path.rpartition("/")[0] or ROOT) in folders:
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
        folders[folder] = stamp if _is_calm(stamp) else ""
        for path, status in _entries(root, folder):
            if status is not None and S_ISREG(status.st_mode):
                files[path] = _stamp(status)
            elif status is not None:
                odd.append(path)
            elif known is None or path not in known.folders:
                todo.append(path)
    return Stamps(files, folders, sorted(odd))


def _entries(root: str, folder: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """What a folder holds: each folder without a status, everything else with that of itself: a link is no file."""
    try:
        with os.scandir(f"{root}{os.sep}{folder}") as entries:
            for entry in entries:
                if entry.name[0] == "." or entry.name == "__pycache__":
                    continue
                path = entry.name if folder == ROOT else f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    yield path, None
                    continue
                with suppress(OSError):  # it is gone
                    yield path, entry.stat(follow_symlinks=False)
    except OSError:
        return


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
    return f"{status.st_mtime_ns} {status.st_ctime_ns} {status.st_size} {status.st_ino}"


def listing(folder: str) -> str:
    """A digest of the names of all files of a folder, with their stamps, and of what is no file."""
    taken = take_stamps(folder)
    return digest_of_stamps({**taken.files, **dict.fromkeys(taken.odd, "")})


def digest_of_stamps(stamps: Mapping[str, str]) -> str:
    """The same of stamps that are known. No path holds two slashes in a row, and no stamp another sign than digits and spaces."""
    paths = sorted(stamps)
    return digest_of(f"{'//'.join(paths)}//{'/'.join(map(stamps.__getitem__, paths))}".encode("utf-8", "surrogateescape"))
