"""An execution that was made elsewhere, known from its log, its command and its exit code -> its result record.

What a run of the program itself would know and a log does not tell is listed in `missing`; what the importer could not
take over is listed in `import.lossy`. The same import again gives the same record.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .assembly import End, assemble
from .canonical import digest, sha256
from .logs import Log, whole_log
from .redaction import Redactor
from .shipped import runner_identity
from .spec import ScriptSpec, check_name
from .store import Stored, add_result

NOT_IN_A_LOG = ("machine", "exclusivity", "build", "inputs", "invocation.env", "invocation.cpus")


@dataclass(frozen=True)
class Execution:
    """What is known of an execution made elsewhere.

    `exit_code` is as the shell reported it (134 for an abort); `timed_out` says that a time limit ended it.
    `cut` says that the output is longer than what is here; `tail` is what is known of its last lines then.
    `started` is a time stamp in UTC. `figures` are what a reader of the output's format found in it (they decide nothing),
    `lossy` what it could not; `format` names the reader. `supersedes` is the result in whose place it stands.
    """

    environment: str
    command: str
    exit_code: int | None
    stdout: bytes
    stderr: bytes = b""
    timed_out: bool = False
    cut: bool = False
    tail: bytes = b""
    commit: str | None = None
    repository: str | None = None
    started: str | None = None
    duration_s: float | None = None
    files: tuple[tuple[str, str], ...] = ()
    format: str = "log"
    figures: Mapping[str, Any] = field(default_factory=dict)
    lossy: tuple[str, ...] = ()
    supersedes: str | None = None


def add_execution(root: Path, spec: ScriptSpec, execution: Execution, environ: Mapping[str, str]) -> Stored:
    """Store the result of an execution made elsewhere below `root`; the verdict is by the script's expectations.

    Secrets named in `environ` and home paths are taken out of the log. ValueError when the environment is no name.
    """
    check_name(execution.environment)
    redactor = Redactor({}, environ)
    logs = {"stdout": _log(execution, redactor), "stderr": whole_log(redactor.data(execution.stderr))}
    record = assemble(_draft(spec, execution), _end(execution), logs, {}, redactor)
    return add_result(root, record, logs)


def _draft(spec: ScriptSpec, execution: Execution) -> dict[str, Any]:
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
            "files": [{"name": name, "sha256": hashed} for name, hashed in execution.files],
            "found": dict(execution.figures),
            "lossy": [*execution.lossy, *(["lost: a part of the output, of a size that is not known"] if execution.cut else [])],
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


def _log(execution: Execution, redactor: Redactor) -> Log:
    head = redactor.data(execution.stdout)
    if not execution.cut:
        return Log(head, len(head), raw_sha256=None if redactor.counts else sha256(execution.stdout))
    note = (b"" if head.endswith(b"\n") or not head else b"\n") + b"[kvdocs: a part of the output is not here]\n"
    content = head + note + redactor.data(execution.tail)
    return Log(content, len(content), gap_at=len(head) + note.startswith(b"\n"))
