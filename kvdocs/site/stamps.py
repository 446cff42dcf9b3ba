"""How the files of a built site look without reading them: each with a stamp that is another one when it was written."""

from __future__ import annotations

import os
from collections.abc import Mapping

from kvdocs.cache import digest_of, scan_files


def stamps_of(folder: str) -> dict[str, str]:
    """The stamps of all files of a folder by their paths within it."""
    base = len(folder) + 1
    return {path[base:].replace(os.sep, "/"): _stamp(status) for path, status in scan_files(folder)}


def stamp_of(path: str) -> str:
    """The stamp of one file."""
    return _stamp(os.stat(path))  # noqa: PTH116  # a Path for each of thousands


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def listing(folder: str) -> str:
    """A digest of the names of all files of a folder, with their stamps."""
    return digest_of_stamps(stamps_of(folder))


def digest_of_stamps(stamps: Mapping[str, str]) -> str:
    """The same of stamps that are known. No path holds two slashes in a row, and no stamp another sign than digits and spaces."""
    paths = sorted(stamps)
    return digest_of(f"{'//'.join(paths)}//{'/'.join(map(stamps.__getitem__, paths))}".encode("utf-8", "surrogateescape"))
