"""Seals: the results on disk, and what of them is not as it was stored.

`verify` finds a change of any byte; it cannot find a record that somebody made up as a whole, hashes and all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .canonical import pretty
from .disk import file_sha256, file_size, read_file
from .record import NAME, SCHEMA, identity_holds

RECORD_FILE = "result.json"
LARGEST_RECORD = 8 * 1024 * 1024


class DamagedRecordError(Exception):
    """A record cannot be read."""


class Damage(NamedTuple):
    """Something in a result folder that is not as it was stored."""

    path: Path
    what: str


def load_result(folder: Path) -> dict[str, Any]:
    """The record of a result folder. DamagedRecordError when there is none that can be read."""
    record, _ = _read_record(folder)
    return record


def _read_record(folder: Path) -> tuple[dict[str, Any], bytes]:
    path = f"{os.fspath(folder)}{os.sep}{RECORD_FILE}"
    try:
        size = file_size(path)
        if size is None and os.path.lexists(path):
            raise DamagedRecordError(f"{RECORD_FILE} is no file")
        if size is not None and size > LARGEST_RECORD:
            raise DamagedRecordError(f"{RECORD_FILE} is larger than any record")
        data = read_file(path)
        record = json.loads(data)
    except OSError as error:
        raise DamagedRecordError(f"{RECORD_FILE} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise DamagedRecordError(f"{RECORD_FILE} is not JSON") from None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise DamagedRecordError(f"{RECORD_FILE} is not a record of {SCHEMA}")
    return record, data


def results(root: Path) -> Iterator[Path]:
    """The result folders below a root, in order of their names; what is hidden is no result."""
    for environment in _folders(root):
        for script in _folders(environment):
            yield from _folders(script)


def _folders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith(".")) if folder.is_dir() else []


def verify(root: Path) -> Iterator[Damage]:
    """Everything below a root that is not as it was stored."""
    for folder in results(root):
        yield from damages(folder)


def damages(folder: Path, *, named: bool = True) -> list[Damage]:
    """What in a result folder is not as it was stored; with `named` also whether it lies where it belongs."""
    try:
        record, data = _read_record(folder)
    except DamagedRecordError as error:
        return [Damage(folder / RECORD_FILE, str(error))]
    found = list(_record_damages(folder, record, data))
    if named and not found:
        path = [record.get("environment"), record.get("script"), record.get("id")]
        if list(folder.parts[-3:]) != path:
            found.append(Damage(folder, f"the result belongs in {'/'.join(map(str, path))}"))
    return found + list(_file_damages(folder, record))


def _record_damages(folder: Path, record: dict[str, Any], data: bytes) -> Iterator[Damage]:
    try:
        if pretty(record) != data:
            yield Damage(folder / RECORD_FILE, "the record was edited: it is not written as it was stored")
        elif not identity_holds(record):
            yield Damage(folder / RECORD_FILE, "the record was edited: its digest is not that of its content")
        elif not all(isinstance(record.get(key), str) and NAME.fullmatch(record[key]) for key in ("environment", "script")):
            yield Damage(folder / RECORD_FILE, "the record names no environment or script")
    except (ValueError, RecursionError):
        yield Damage(folder / RECORD_FILE, "the record holds something that no record can")


def _file_damages(folder: Path, record: Mapping[str, Any]) -> Iterator[Damage]:
    listed = record.get("files")
    if not isinstance(listed, list):
        yield Damage(folder / RECORD_FILE, "the record lists no files")
        return
    expected = {}
    for file in listed:
        name = file.get("path") if isinstance(file, dict) else None
        if not isinstance(name, str) or "/" in name or "\0" in name or name in ("", ".", "..", RECORD_FILE):
            yield Damage(folder / RECORD_FILE, f"the record lists a file that cannot lie beside it: {name!r}")
        else:
            expected[name] = file
    for name, file in expected.items():
        path = f"{os.fspath(folder)}{os.sep}{name}"
        size = file_size(path)
        if size is None:
            yield Damage(folder / name, f"{name} is missing")
        elif (flaw := _flaw(path, size, file)) is not None:
            yield Damage(folder / name, f"{name} {flaw}")
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  # a Path for each of tens of thousands
    except OSError as error:
        yield Damage(folder, f"the files of the result cannot be listed: {error.strerror}")
        return
    for name in names:
        if name != RECORD_FILE and name not in expected:
            yield Damage(folder / name, f"{name} does not belong to the result")


def _flaw(path: str, size: int, file: Mapping[str, Any]) -> str | None:
    """Why a file is not the one that a record lists; None when it is."""
    try:
        same = size == file.get("bytes") and file_sha256(path) == file.get("sha256")
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return None if same else "was edited: its hash is not the one in the record"
