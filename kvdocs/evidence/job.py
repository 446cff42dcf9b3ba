"""What a packed job does when it is executed: `python3 job.pyz [--out DIR] [--list] [--only ID]`.

This is the one module beside `kvdocs/cli` that prints: on a bare machine it is the command line.
The archive holds these modules, `job.json` (the scripts) and `project/` (their files).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from .canonical import sha256
from .expect import verdict_from
from .likeness import unlikeness
from .machine import describe_machine
from .pool import pool
from .requirements import unmet
from .runner import Limits, Listener, run_series
from .source_tree import Patch, describe_source
from .spec import ScriptSpec, Setting, check_name, spec_from
from .store import Stored

JOB_SCHEMA = "kvdocs/job/v1"
JOB_FILE = "job.json"
PROJECT = "project/"


@dataclass(frozen=True)
class Job:
    """What an archive holds: the scripts, the patches that may be in the source tree, the default environment, and the GPUs on record for each environment."""

    specs: tuple[ScriptSpec, ...]
    patches: tuple[Patch, ...]
    environment: str | None
    gpus: Mapping[str, Sequence[Mapping[str, Any]]]


class JobError(Exception):
    """The archive is no job, or a damaged one; or the command line asks for what is not in it."""


def main(arguments: Sequence[str] | None = None, archive: Path | None = None) -> int:
    """Execute the job. 0: every script was executed; 1: some could not be; 2: wrong use; 130: interrupted."""
    options = _parser().parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="kvdocs-job-"))
    try:
        job = unpack(archive or Path(sys.argv[0]), folder)
        specs = _chosen(job.specs, options.only)
        if options.list:
            return _list(specs)
        setting = _setting(job, options)
        if options.dry_run:
            return _dry_run(specs, job, setting)
        return _execute(specs, job, setting, folder, options)
    except (JobError, ValueError) as error:
        _say(f"error: {error}", to_error=True)
        return 2
    except OSError as error:
        _say(f"error: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}", to_error=True)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpack(archive: Path, folder: Path) -> Job:
    """Lay the files of a job below `folder` and read what it holds. JobError when it is not whole."""
    try:
        with zipfile.ZipFile(archive) as packed:
            data = json.loads(packed.read(JOB_FILE))
            if data.get("schema") != JOB_SCHEMA:
                raise JobError(f"{archive.name} holds no {JOB_SCHEMA}")
            for file in data["files"]:
                _lay(packed.read(PROJECT + file["path"]), file, folder)
        patches = tuple(Patch(p["id"], p["path"], (folder / p["path"]).read_bytes(), p["output_correct"]) for p in data["patches"])
        environment = None if data["environment"] is None else check_name(data["environment"])
        gpus = {name: tuple(map(dict, recorded)) for name, recorded in data["gpus"].items()}
        return Job(tuple(spec_from(spec) for spec in data["specs"]), patches, environment, gpus)
    except _NOT_WHOLE as error:
        raise JobError(f"{archive.name} is not a whole job: {error}; pack it again") from None


_NOT_WHOLE = (OSError, EOFError, AttributeError, LookupError, TypeError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile)
"""What is raised where bytes or values of an archive are not those that were written: by `zipfile` a RuntimeError for an encryption or a method of compression that nobody chose."""


def _lay(content: bytes, file: Mapping[str, Any], folder: Path) -> None:
    path = PurePosixPath(file["path"])
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{path} does not lie inside the job")
    if sha256(content) != file["sha256"]:
        raise ValueError(f"{path} was changed")
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(0o755 if file["executable"] else 0o644)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Run the scripts of a packed job and keep what comes out as results.", epilog="Take them in with: kvdocs import results DIR")
    parser.add_argument("--out", type=Path, default=Path("kvdocs-results"), metavar="DIR", help="where results are written (%(default)s)")
    parser.add_argument("--list", action="store_true", help="say what is in the job, and run nothing")
    parser.add_argument("--dry-run", action="store_true", help="say what each script needs and what is missing here, and run nothing")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="run this script only (may be repeated)")
    parser.add_argument("--env", metavar="ENV", help="the environment that the results belong to (else the packed one, or $KVDOCS_ENV)")
    parser.add_argument("--other-machine", action="store_true", help="run although the GPUs here are not those on record for the environment; each result says so")
    parser.add_argument("--repeat", type=_times, metavar="N", help="how often, instead of each script's own number")
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="time limit in seconds, instead of each script's own")
    for name, what in (("source", "source tree"), ("build", "build tree"), ("model", "model file"), ("cpus", "CPUs to pin to, such as 0,2,4")):
        parser.add_argument(f"--{name}", metavar=name.upper(), help=f"{what} ($KVDOCS_{name.upper()})")
    return parser


def _times(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of times, 1 or more")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def _setting(job: Job, options: argparse.Namespace) -> Setting:
    """Where things are, for an environment that this machine can be. JobError when its GPUs contradict that and the command line does not allow for it."""
    name = _environment(job, options)
    setting = Setting(name, _environ(options), tuple(job.gpus.get(name, ())))
    unlike = unlikeness(name, setting.gpus, describe_machine().gpus) if setting.gpus else None
    if unlike and not options.other_machine:
        raise JobError(f"{unlike}; name the environment of this machine with --env, or say --other-machine, and each result tells of it")
    return setting


def _environment(job: Job, options: argparse.Namespace) -> str:
    """The environment of the results: asked for, packed, set, or else one named for this installation."""
    named = options.env or job.environment or os.environ.get("KVDOCS_ENV")
    return named or f"machine-{describe_machine().facts['host_id'] or 'unknown'}"


def _environ(options: argparse.Namespace) -> dict[str, str]:
    given = {f"KVDOCS_{name.upper()}": value for name in ("source", "build", "model", "cpus") if (value := getattr(options, name))}
    return {**os.environ, **given}


def _chosen(specs: Sequence[ScriptSpec], only: Sequence[str]) -> list[ScriptSpec]:
    unknown = [name for name in only if name not in {spec.id for spec in specs}]
    if unknown:
        raise JobError(f"the job has no script {unknown[0]!r}; it has {', '.join(spec.id for spec in specs)}")
    return [spec for spec in specs if not only or spec.id in only]


def _list(specs: Sequence[ScriptSpec]) -> int:
    for spec in specs:
        _say(f"{spec.id}: {spec.title} ({', '.join(spec.about) or 'about nothing yet'}; limit {spec.timeout_s:g} s{f', {spec.repeat} times' if spec.repeat > 1 else ''})")
    return 0


def _dry_run(specs: Sequence[ScriptSpec], job: Job, setting: Setting) -> int:
    machine = describe_machine()
    patches = describe_source(setting.source, job.patches).facts.get("patches") if setting.source else None
    lacking = {spec.id: unmet(spec, setting, machine, patches) for spec in specs}
    for name, sentences in lacking.items():
        _say(f"{name}: {'can run' if not sentences else 'cannot run'}")
        for sentence in sentences:
            _say(f"    {sentence}")
    return 1 if any(lacking.values()) else 0


def _execute(specs: Sequence[ScriptSpec], job: Job, setting: Setting, folder: Path, options: argparse.Namespace) -> int:
    out = options.out.absolute()
    limits = Limits(timeout_s=options.timeout)
    not_executed = 0
    for spec in specs:
        made = []
        for stored in run_series(spec, setting, folder, out, repeat=options.repeat, limits=limits, patches=job.patches, listener=_Live(spec.id)):
            made.append(stored)
            _say(summary(stored))
            not_executed += stored.record["outcome"] in ("unavailable", "runner-died")
            if stored.record["outcome"] == "interrupted":
                return 130
        if len(made) > 1:
            _say(pooled_summary(spec, made))
    _say(f"results are in {out}; take them in with: kvdocs import results {options.out}")
    return 1 if not_executed else 0


def summary(stored: Stored) -> str:
    """One line on a result: script, which run, outcome, verdict, reason."""
    record = stored.record
    judgement, repeat = record["judgement"], record["repeat"]
    which = f" [{repeat['index']}/{repeat['of']}]" if repeat["of"] > 1 else ""
    reasons = "; ".join(judgement["reasons"][:2])
    return f"{record['script']}{which}: {record['outcome']} ({record['end']['reason']}), {judgement['verdict'].replace('-', ' ')}: {reasons} -> {record['id']}"


def pooled_summary(spec: ScriptSpec, made: Sequence[Stored]) -> str:
    """One line on several runs of one script."""
    pooled = pool(spec.expect, [(stored.record["id"], verdict_from(stored.record["judgement"])) for stored in made])
    return f"{spec.id}: {pooled.word.replace('-', ' ')} over {len(made)} runs: {pooled.reason}"


class _Live(Listener):
    """Shows the newest line in place on a terminal, and nothing elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._on = sys.stderr.isatty()

    def phase(self, text: str) -> None:
        self._show(text)

    def line(self, text: str, elapsed_s: float) -> None:
        self._show(f"{elapsed_s:6.0f} s  {text}")

    def _show(self, text: str) -> None:
        if self._on:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r\x1b[K" + f"{self._name}: {text}"[:width])
            sys.stderr.flush()


def _say(text: str, *, to_error: bool = False) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
    stream = sys.stderr if to_error else sys.stdout
    stream.write(text + "\n")
    stream.flush()
