"""Runs whose runner died -> results that say so."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from . import descendants
from .assembly import End, assemble
from .disk import remove_folder
from .journal import NONCE, Journal, dead_journals
from .logs import Log, log_of
from .redaction import Redactor
from .spec import check_name
from .spool import SpoolSize, read_spool
from .store import Stored, complete, finish

SCRATCH_PREFIX = "kvdocs-run-"


def recover(root: Path) -> list[Stored]:
    """Turn every run below `root` whose runner is gone into a result; the results that this made or completed.

    What such a run left running is ended, and its scratch folder is removed. Runs whose runner lives are left alone,
    and so are those of which nothing was noted that a result can be made of: what they printed may be all that is left of them.
    """
    found = []
    for journal in dead_journals(root):
        _clear(journal.folder.name)
        stored = complete(root, journal) or _bury(root, journal)
        if stored is not None:
            found.append(stored)
    return found


def _bury(root: Path, journal: Journal) -> Stored | None:
    """The result of a run whose runner died before it could store one; None when it was no run yet, or its journal is not as a runner writes it."""
    if not isinstance(journal.data.get("record"), dict):
        journal.remove()
        return None
    left = descendants.end(None, journal.folder.name)
    try:
        record, logs = _last_words(journal, sorted({member.name for member in left}))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return finish(root, journal, record, logs, {})


def _last_words(journal: Journal, left_behind: Sequence[str]) -> tuple[dict[str, Any], dict[str, Log]]:
    """The record and the logs of a run whose runner died. Any error of a wrong type or value, where the journal is not as a runner writes it."""
    data = journal.data
    draft: dict[str, Any] = data["record"]
    if draft["invocation"]["run"] != journal.folder.name:
        raise ValueError(f"this is the journal of {draft['invocation']['run']!r}")
    for name in ("script", "environment"):  # they become folders
        check_name(draft[name])
    redactor = Redactor(data.get("folders", {}), os.environ)
    size = SpoolSize(**data["spool"])
    logs = {name: log_of(read_spool(journal.folder, name, size), redactor, None) for name in ("stdout", "stderr")}
    seen = _last_sign(journal.folder)
    reason = f"the runner (process {data.get('pid')}) died while {data.get('phase', 'it began')}; its last sign of life was at {seen}"
    draft["invocation"]["ended"] = seen
    return assemble(draft, End("runner-died", reason, left_behind=tuple(left_behind)), logs, {}, redactor), logs


def _clear(nonce: str) -> None:
    """Remove the scratch folder of a run that has no runner any more."""
    with contextlib.suppress(ValueError):
        remove_folder(scratch_folder(nonce))


def scratch_folder(nonce: str) -> Path:
    """The scratch folder of a run. ValueError when the name is not one that the runner gives."""
    if not NONCE.fullmatch(nonce):
        raise ValueError(f"{nonce!r} is no name of a run")
    return Path(tempfile.gettempdir()) / f"{SCRATCH_PREFIX}{nonce}"


def _last_sign(folder: Path) -> str:
    """When something in a journal was last written."""
    newest = max((path.stat().st_mtime for path in folder.iterdir() if path.is_file()), default=folder.stat().st_mtime)
    return timestamp(datetime.fromtimestamp(newest, timezone.utc))


def timestamp(moment: datetime) -> str:
    """A moment in UTC as records have it: `2026-11-29T17:08:09.123Z`."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """This moment as records have it."""
    return timestamp(datetime.now(timezone.utc))
