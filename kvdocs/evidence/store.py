"""Result records on disk: `ROOT/ENVIRONMENT/SCRIPT/ID/result.json` with the logs beside it, written once and never changed.

A result folder gets its name in one rename, when everything in it has reached the disk; so it is whole or not there.
Its name is the hash of its content; so two runners never write the same name for different results, and `seals` sees a change.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .canonical import pretty, sha256
from .disk import move_durably, move_folder, remove_folder, sync_folder, write_durably
from .journal import Journal, begin_journal, read_finishing, write_finishing
from .logs import Log, WrittenLog, stored_log, written_log
from .record import SCHEMA, sealed
from .seals import RECORD_FILE, damages, load_result


@dataclass(frozen=True)
class Stored:
    """A result that is on disk: its folder and its record."""

    folder: Path
    record: dict[str, Any]


def add_result(root: Path, record: Mapping[str, Any], logs: Mapping[str, Log], files: Mapping[str, bytes] | None = None) -> Stored:
    """Store an execution that was made elsewhere (an import). The same content again gives the same result and changes nothing."""
    nonce = os.urandom(8).hex()
    journal = begin_journal(root, nonce, {})
    try:
        return finish(root, journal, record, logs, files or {})
    except BaseException:
        journal.remove()
        raise


def finish(root: Path, journal: Journal, record: Mapping[str, Any], logs: Mapping[str, Log | WrittenLog], files: Mapping[str, bytes]) -> Stored:
    """Turn a run into its result: write everything aside, then give it its name.

    `record` needs `script` and `environment`; `streams`, `files`, `digest` and `id` are filled in here.
    """
    staging = journal.folder / "record"
    remove_folder(staging)
    staging.mkdir()
    content = dict(files)
    streams, listed = {}, []
    for name in ("stdout", "stderr"):
        log = logs.get(name) or Log(b"", 0)
        if isinstance(log, WrittenLog):
            streams[name] = written_log(name, log)
            listed.append({"path": streams[name]["file"], "bytes": log.file_bytes, "sha256": log.file_sha256})
            move_durably(log.path, staging / streams[name]["file"])
        else:
            streams[name], file = stored_log(name, log)
            content.update(file)
    listed += [{"path": name, "bytes": len(data), "sha256": sha256(data)} for name, data in content.items()]
    listed.sort(key=lambda file: str(file["path"]))
    whole = sealed({**record, "schema": SCHEMA, "streams": streams, "files": listed})
    for name, data in content.items():
        write_durably(staging / name, data)
    write_durably(staging / RECORD_FILE, pretty(whole))
    sync_folder(staging)
    target = result_folder(root, whole)
    write_finishing(journal, target.relative_to(root).as_posix())
    move_folder(staging, target)  # False: the same content is stored already
    journal.remove()
    return Stored(target, whole)


def complete(root: Path, journal: Journal) -> Stored | None:
    """Finish what a runner had all but finished when it died; None when there is no whole result in the journal, or where it says that one went."""
    staging = journal.folder / "record"
    if not staging.is_symlink() and not damages(staging, named=False):
        folder = result_folder(root, load_result(staging))
        move_folder(staging, folder)
    elif (target := read_finishing(journal)) is not None:
        folder = root / target
    else:
        return None
    if damages(folder):
        return None
    record = load_result(folder)
    journal.remove()
    return Stored(folder, record)


def result_folder(root: Path, record: Mapping[str, Any]) -> Path:
    """Where a record lies."""
    return root / str(record["environment"]) / str(record["script"]) / str(record["id"])
