"""An execution that was made elsewhere, known from its log, its command and its exit code -> its result record.

What a run of the program itself would know and a log does not tell is listed in `missing`; what the importer could not
take over is listed in `import.lossy`. The same import again gives the same record.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from .assembly import End, assemble_judged
from .canonical import digest
from .journal import begin_journal
from .judging import Judging
from .logs import Log, LogWriter, WrittenLog
from .observation import RAN_TO_ITS_END, Observation, Output
from .pieces import pieces_of
from .redaction import RedactedStream, Redactor
from .shipped import runner_identity
from .spec import ScriptSpec, check_name
from .store import Stored, finish

NOT_IN_A_LOG = ("machine", "exclusivity", "build", "inputs", "invocation.env", "invocation.cpus")


@dataclass(frozen=True)
class Source:
    """An output as it came: the name of its file, and its bytes, which are read once from beginning to end."""

    name: str
    stream: IO[bytes]


@dataclass(frozen=True)
class Execution:
    """What is known of an execution made elsewhere.

    `exit_code` is as the shell reported it (134 for an abort); `timed_out` says that a time limit ended it.
    `cut` says that the output is longer than what is here; `tail` is what is known of its last lines then.
    `started` is a time stamp in UTC. `format` names what the output is read as. `supersedes` is the result in whose place it stands.
    """

    environment: str
    command: str
    exit_code: int | None
    stdout: Source
    stderr: Source | None = None
    timed_out: bool = False
    cut: bool = False
    tail: bytes = b""
    commit: str | None = None
    repository: str | None = None
    started: str | None = None
    duration_s: float | None = None
    format: str = "log"
    supersedes: str | None = None


@dataclass(frozen=True)
class Found:
    """What a reader of the output's format found in it: figures, which decide nothing, and what it could not take over."""

    figures: Mapping[str, Any] = field(default_factory=dict)
    lossy: tuple[str, ...] = ()


class Reader(Protocol):
    """Reads an output as one of a format, piece by piece."""

    def feed(self, raw: bytes) -> None:
        """The next piece, of any size."""

    def found(self) -> Found:
        """What was found, when all was fed."""


def add_execution(root: Path, spec: ScriptSpec, execution: Execution, environ: Mapping[str, str], reader: Reader | None = None, heard: Callable[[int], None] = lambda _: None) -> Stored:
    """Store the result of an execution made elsewhere below `root`; the verdict is by the script's expectations.

    Its output may be of any length: it is read once, in pieces, and `heard` is told how many bytes each piece has.
    Secrets named in `environ` and home paths are taken out of the log. ValueError when the environment is no name;
    LongLineError when a line is longer than any that is read. Then, and when the reader raises, nothing is stored.
    """
    check_name(execution.environment)
    redactor = Redactor({}, environ)
    end = _end(execution)
    ended = end.outcome in RAN_TO_ITS_END
    seen = Observation(end.outcome, end.reason, end.exit_code, None, Output(ended=ended, keep=False), Output(ended=ended, keep=False))
    journal = begin_journal(root, os.urandom(8).hex(), {})
    try:
        with Judging(spec.expect, seen) as judging:
            reading = _Reading(journal.folder, redactor, judging, reader, heard)
            logs = {"stdout": reading.stdout(execution), "stderr": reading.stderr(execution.stderr)}
            found = reader.found() if reader is not None else Found()
            verdict = judging.verdict()
        record = assemble_judged(_draft(spec, execution, reading.files, found), end, logs, verdict, redactor, {})
        return finish(root, journal, record, logs, {})
    except BaseException:
        journal.remove()
        raise


class _Reading:
    """Reads the output once: what comes is hashed, redacted, written, judged and shown to the reader of its format."""

    def __init__(self, folder: Path, redactor: Redactor, judging: Judging, reader: Reader | None, heard: Callable[[int], None]) -> None:
        self._folder, self._redactor, self._judging, self._reader, self._heard = folder, redactor, judging, reader, heard
        self.files: list[dict[str, str]] = []

    def stdout(self, execution: Execution) -> Log | WrittenLog:
        """The log of the output. Its hash as it came is told when nothing was taken out of it."""
        writer = LogWriter(self._folder, "stdout")
        try:
            hashed = self._read(writer, "stdout", execution.stdout)
            if execution.tail and self._reader is not None:
                self._reader.feed(b"\n" + execution.tail)
            if not execution.cut:
                return writer.finish(gap_at=None, raw_sha256=None if self._redactor.counts else hashed)
            if not writer.ends_line:
                self._keep(writer, "stdout", b"\n")
            gap_at = writer.size
            self._keep(writer, "stdout", b"[kvdocs: a part of the output is not here]\n" + self._redactor.data(execution.tail), after_gap=True)
            return writer.finish(gap_at=gap_at, raw_sha256=None)
        finally:
            writer.close()

    def stderr(self, source: Source | None) -> Log | WrittenLog:
        """The log of the error output, when it was kept apart."""
        writer = LogWriter(self._folder, "stderr")
        try:
            if source is not None:
                self._read(writer, "stderr", source)
            return writer.finish(gap_at=None, raw_sha256=writer.sha256)
        finally:
            writer.close()

    def _read(self, writer: LogWriter, name: str, source: Source) -> str:
        """Read a stream to its end; the hash of its bytes as they came."""
        hasher = hashlib.sha256()
        redaction = RedactedStream(self._redactor)
        for raw in pieces_of(source.stream, self._redactor, source.name):
            hasher.update(raw)
            if self._reader is not None:
                self._reader.feed(raw)
            self._keep(writer, name, redaction.feed(raw))
            self._heard(len(raw))
        self._keep(writer, name, redaction.end())
        self.files.append({"name": source.name, "sha256": hasher.hexdigest()})
        return hasher.hexdigest()

    def _keep(self, writer: LogWriter, name: str, content: bytes, *, after_gap: bool = False) -> None:
        writer.write(content)
        self._judging.feed(name, content, after_gap=after_gap)


def _draft(spec: ScriptSpec, execution: Execution, files: list[dict[str, str]], found: Found) -> dict[str, Any]:
    when = execution.started[:16].replace("T", " ") + " UTC" if execution.started else "no date"
    source: dict[str, Any] = {"repository": execution.repository, "commit": execution.commit, "dirty": None, "patches": []}
    return {
        "kind": "import", "script": spec.id, "environment": execution.environment, "about": list(spec.about),
        "title": f"{spec.id} on {execution.environment}, imported ({when})",
        "purpose": spec.purpose, "expect": dict(spec.expect), "repeat": {"index": 1, "of": 1, "name": ""},
        "invocation": {
            "argv": _words(execution.command), "command": execution.command, "cwd": None, "script": None, "files": [],
            "expect_sha256": digest(dict(spec.expect)), "needs": {}, "env": {}, "cpus": [], "timeout_s": None, "operator": None,
            "started": execution.started, "ended": None, "runner": None,
        },
        "source": source if execution.commit else None,
        **({"supersedes": execution.supersedes} if execution.supersedes else {}),
        "missing": [{"what": what, "why": "a log does not tell"} for what in NOT_IN_A_LOG],
        "import": {
            "by": {key: runner_identity()[key] for key in ("name", "version")},
            "format": execution.format,
            "files": files,
            "found": dict(found.figures),
            "lossy": [*found.lossy, *(["lost: a part of the output, of a size that is not known"] if execution.cut else [])],
        },
    }  # fmt: skip


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _end(execution: Execution) -> End:
    nanoseconds = round(execution.duration_s * 1e9) if execution.duration_s is not None else None
    if execution.timed_out:
        return End("timed-out", "ended by a time limit, as reported", execution.exit_code, duration_ns=nanoseconds)
    if execution.exit_code is None:
        return End("interrupted", "how it ended is not on record", None, duration_ns=nanoseconds)
    return End("passed" if execution.exit_code == 0 else "failed", f"exit {execution.exit_code}, as reported", execution.exit_code, duration_ns=nanoseconds)
