"""One script, once -> one stored result, whatever happens.

The order matters: first a journal, so that a death of this process at any later moment leaves a trace;
then what the machine is and whether the script can run on it; then the lock; then the samples, the script, the samples;
then the record, whose last step is one rename.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .assembly import End, assemble, end_of
from .build_tree import describe_build, describe_model
from .canonical import storable
from .disk import remove_folder
from .gpu import Gpus
from .interrupts import Interrupts
from .journal import Journal, begin_journal
from .likeness import SAYS_SO, unlikeness
from .lock import GpuLock, LockTimeoutError
from .logs import Log, log_of
from .machine import describe_machine
from .monitor import Monitor
from .preparation import Prepared, describe_invocation, prepare
from .process import Command, run_process
from .record import CANNOT_RUN, TELLS_NOTHING
from .recovery import now, recover, scratch_folder
from .requirements import unmet
from .shipped import runner_identity
from .source_tree import Patch, SourceTree, describe_source
from .spec import ScriptSpec, Setting
from .spool import Spool, SpoolSize, read_spool
from .store import Stored, finish
from .terminal import last_line

LARGEST_METRICS = 1024 * 1024
DEEPEST_METRICS = 32


@dataclass(frozen=True)
class Limits:
    """How long to wait for the lock, how much of the output to keep, how often to look at the GPUs; `timeout_s` replaces the script's own."""

    timeout_s: float | None = None
    lock_s: float = 6 * 3600.0
    spool: SpoolSize = field(default_factory=SpoolSize)
    sample_s: float = 5.0


class Listener:
    """Hears of a run while it goes on; every method may be overridden, none may raise."""

    def phase(self, text: str) -> None:
        """What the runner does now."""

    def line(self, text: str, elapsed_s: float) -> None:
        """The script's newest line."""


@dataclass(frozen=True)
class Series:
    """Which of how many repetitions a run is."""

    index: int = 1
    of: int = 1
    name: str = ""


def run_series(spec: ScriptSpec, setting: Setting, project: Path, root: Path, *, repeat: int | None = None, limits: Limits | None = None,
               patches: Sequence[Patch] = (), listener: Listener | None = None, supersedes: str | None = None) -> Iterator[Stored]:  # fmt: skip
    """Execute a script as often as it asks for (or `repeat` times), a result each; an interrupt or a missing need ends the series."""
    times = repeat or spec.repeat
    name = os.urandom(4).hex()
    for index in range(1, times + 1):
        stored = run(spec, setting, project, root, limits=limits, patches=patches, listener=listener, series=Series(index, times, name), supersedes=supersedes)
        yield stored
        if stored.record["outcome"] in ("interrupted", "unavailable"):
            return


def run(spec: ScriptSpec, setting: Setting, project: Path, root: Path, *, limits: Limits | None = None, patches: Sequence[Patch] = (),
        listener: Listener | None = None, series: Series | None = None, supersedes: str | None = None) -> Stored:  # fmt: skip
    """Execute a script once and store what came of it below `root`.

    `project` is the folder that the spec's paths are relative to; `patches` are those that may be in the source tree.
    `supersedes` is the result in whose place it stands, unless it says nothing itself (see `TELLS_NOTHING`).
    Every ending of the script is a result. OSError only when nothing can be written below `root`.
    """
    root.mkdir(parents=True, exist_ok=True)
    recover(root)
    with Interrupts() as interrupts:
        return _Run(spec, setting, project, root, limits or Limits(), patches, listener or Listener(), series or Series(), interrupts, supersedes).execute()


@dataclass
class _Run:
    spec: ScriptSpec
    setting: Setting
    project: Path
    root: Path
    limits: Limits
    patches: Sequence[Patch]
    listener: Listener
    series: Series
    interrupts: Interrupts
    supersedes: str | None

    def __post_init__(self) -> None:
        if self.limits.timeout_s is not None:
            self.spec = replace(self.spec, timeout_s=self.limits.timeout_s)
        self.nonce = os.urandom(8).hex()
        self.scratch = scratch_folder(self.nonce)
        self.prepared: Prepared = prepare(self.spec, self.setting, self.project, self.scratch, self.nonce)
        self.redactor = self.prepared.redactor()
        self.groups: dict[str, Any] = {}
        self.source = SourceTree()
        self.gpus = Gpus()
        self.hashes: dict[str, str] = {}
        self.lock = GpuLock(self.prepared.lock)

    def execute(self) -> Stored:
        self.draft = self._draft()
        journal = begin_journal(self.root, self.nonce, {
            "record": self.draft, "pid": os.getpid(), "phase": "it looked at the machine",
            "folders": dict(self.prepared.folders), "spool": vars(self.limits.spool),
        })  # fmt: skip
        try:
            try:
                end = self._attempt(journal)
            except Exception as error:
                end = End("runner-died", f"the runner failed: {type(error).__name__}: {error}", harness_error=traceback.format_exc())
            return self._store(journal, end)
        finally:
            self.lock.release()
            self.gpus.close()
            journal.close()
            remove_folder(self.scratch)

    def _draft(self) -> dict[str, Any]:
        """What is known of the run before anything was looked at."""
        invocation = describe_invocation(self.spec, self.prepared, self.setting, self.project)
        started = now()
        return {
            "kind": "run", "script": self.spec.id, "environment": self.setting.environment, "about": list(self.spec.about),
            "title": f"{self.spec.id} on {self.setting.environment}, {started[:16].replace('T', ' ')} UTC",
            "purpose": self.spec.purpose, "expect": dict(self.spec.expect), "repeat": vars(self.series),
            "invocation": {**invocation, "run": self.nonce, "started": started, "ended": None, "runner": runner_identity()},
        }  # fmt: skip

    def _attempt(self, journal: Journal) -> End:
        self._make_scratch()
        lacking = self._look(journal)
        if self.interrupts.requested:
            return End("interrupted", f"interrupted by {self.interrupts.requested} before the script started")
        if lacking:
            return End("unavailable", "; ".join(lacking))
        if self.spec.lock:
            end = self._wait_for_lock(journal)
            if end is not None:
                return end
        return self._run_script(journal)

    def _make_scratch(self) -> None:
        self.scratch.mkdir(mode=0o700)
        (self.scratch / "work").mkdir()
        (self.scratch / "tmp").mkdir()

    def _look(self, journal: Journal) -> list[str]:
        """Describe machine, source, build and inputs; what the script needs and is not here."""
        self.listener.phase("looking at the machine")
        machine = describe_machine(self.gpus)
        missing = list(machine.missing)
        self.groups["machine"] = machine.facts
        unlike = unlikeness(self.setting.environment, self.setting.gpus, machine.gpus)
        self.groups["unlike"] = [f"{SAYS_SO}{unlike}"] if unlike else []
        if self.setting.source is not None:
            self.source = describe_source(self.setting.source, self.patches, self.root)
            missing += self.source.missing
        self.groups["source"] = self._source_with_declared(missing)
        commit = self.source.facts.get("commit")
        wanted = self.spec.needs.get("build")
        build = self.setting.build(wanted.get("tree")) if wanted is not None else None
        if wanted is not None and build is not None and build.is_dir():
            self.groups["build"] = describe_build(build, wanted.get("binaries", ()), commit)
        if self.spec.needs.get("model") and self.setting.model is not None:
            self.groups["inputs"] = {"model": describe_model(self.setting.model)}
        self.groups["missing"] = missing
        self.draft.update(self.groups)
        journal.update(record=self.draft)
        return unmet(self.spec, self.setting, machine, self.source.facts.get("patches"))

    def _source_with_declared(self, missing: list[dict[str, str]]) -> dict[str, Any] | None:
        """The source's facts, with the patches that the script declares and nobody could look for."""
        declared = [{"id": p.id, "path": None, "sha256": None, "output_correct": p.output_correct, "where": "declared"} for p in self.spec.probes if not p.path]
        missing += [{"what": f"source.patches[{p['id']}]", "why": "its file is not at hand, so the script's word is taken for it"} for p in declared]
        if not self.source.facts and not declared:
            return None
        return {**self.source.facts, "patches": [*self.source.facts.get("patches", []), *declared]}

    def _wait_for_lock(self, journal: Journal) -> End | None:
        """Take the one-GPU-job lock; an end when it was not to be had."""
        journal.update(phase="it waited for the lock")

        def waiting(holder: Mapping[str, Any]) -> None:
            self.listener.phase(f"waiting for the GPU lock, held by {holder.get('script', 'another job')} (process {holder.get('pid', '?')})")

        try:
            held = self.lock.acquire({"pid": os.getpid(), "script": self.spec.id, "since": now()}, limit_s=self.limits.lock_s,
                                     stop=lambda: bool(self.interrupts.noted), waiting=waiting)  # fmt: skip
        except (LockTimeoutError, OSError) as error:
            return End("unavailable", f"the GPU lock was not to be had: {error}")
        return None if held else End("interrupted", f"interrupted by {self.interrupts.requested} while waiting for the GPU lock")

    def _run_script(self, journal: Journal) -> End:
        prepared, spec = self.prepared, self.spec
        keep_open = (self.lock.fileno,) if self.lock.fileno >= 0 else ()
        command = Command(prepared.argv, prepared.cwd, prepared.env, self.nonce, spec.timeout_s, prepared.cpus, keep_open)
        monitor = Monitor(self.gpus, self.nonce, self.listener.line, lambda pid: journal.update(child=pid, phase="the script ran"), self.limits.sample_s)
        spools = {name: Spool(journal.folder, name, self.limits.spool) for name in ("stdout", "stderr")}
        self.listener.phase("running")
        monitor.before()
        try:
            ended = run_process(command, spools["stdout"], spools["stderr"], self.interrupts, monitor)
        finally:
            self.hashes = {name: spool.close() for name, spool in spools.items()}
        monitor.after()
        self.lock.release()
        self.groups["exclusivity"] = monitor.as_record()
        self.groups["missing"] += monitor.missing()
        reason = self._refusal(journal) if ended.exit_code == CANNOT_RUN and ended.how == "exited" else ended.reason
        return end_of(ended.how, reason, ended.exit_code, signal=ended.signal, duration_ns=ended.duration_ns,
                      resources=ended.resources, left_behind=ended.left_behind)  # fmt: skip

    def _refusal(self, journal: Journal) -> str:
        """Why a script says that it cannot run: its last line on standard error."""
        said = last_line(read_spool(journal.folder, "stderr", self.limits.spool).head)
        return (said or "").split(" cannot run: ", 1)[-1] or f"the script says by exit code {CANNOT_RUN} that it cannot run here"

    def _store(self, journal: Journal, end: End) -> Stored:
        self.listener.phase("storing the result")
        metrics, fault = _read_metrics(self.prepared.metrics)
        remove_folder(self.scratch)  # before the journal goes: whoever recovers the run removes it too
        missing = self.groups.setdefault("missing", [])
        if fault:
            missing.append({"what": "metrics", "why": fault})
        logs = {name: self._log(journal, name) for name in ("stdout", "stderr")}
        files = {}
        if self.source.diff:
            files["source.diff"] = self.redactor.data(self.source.diff)
        lock = {"path": str(self.lock.path), "method": "flock", "waited_s": self.lock.waited_s, "waited_for": self.lock.waited_for or None} if self.spec.lock else None
        self.groups["exclusivity"] = {**self.groups.get("exclusivity", {}), "lock": lock}
        self.draft["invocation"]["ended"] = now()
        if self.supersedes and end.outcome not in TELLS_NOTHING:
            self.groups["supersedes"] = self.supersedes
        record = assemble(self.draft, end, logs, metrics, self.redactor, **self.groups)
        return finish(self.root, journal, record, logs, files)

    def _log(self, journal: Journal, name: str) -> Log:
        return log_of(read_spool(journal.folder, name, self.limits.spool), self.redactor, self.hashes.get(name))


def _read_metrics(path: Path) -> tuple[dict[str, Any], str | None]:
    """The figures that a script wrote, and what is wrong with them."""
    if not path.is_file():
        return {}, None
    if path.stat().st_size > LARGEST_METRICS:
        return {}, "the script wrote more figures than are kept"
    try:
        value = json.loads(path.read_bytes())
        if not _fits(value):
            return {}, f"the script's figures are nested more than {DEEPEST_METRICS} deep"
        value = storable(value)
    except (ValueError, RecursionError):
        return {}, "the script's file of figures is not JSON"
    return (value, None) if isinstance(value, dict) else ({}, "the script's file of figures is not a JSON object")


def _fits(value: Any, left: int = DEEPEST_METRICS) -> bool:
    """Whether a value is nested no deeper than `left`."""
    if not isinstance(value, (dict, list)):
        return True
    return left > 0 and all(_fits(item, left - 1) for item in (value.values() if isinstance(value, dict) else value))
