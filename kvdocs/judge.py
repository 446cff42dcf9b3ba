"""The judge: executions -> evidence for and against each status and gate, and what went stale.

An execution bears on a record when it ran the record's script, or a script that is about the record.
It supports a defect that is said to exist when it reproduced it, and one that is said to be gone when it did not.
A clean one is silent about a defect that another one shows in the same environment on the same source: that defect shows in some runs.
An execution of a program of our own (purpose `kernel`) shows a mechanism and is silent about statuses.
One that was withdrawn, or that another one supersedes, is shown and counts for nothing.
It is stale when the script, a file of it, or its expectation has changed since, or when it ran in the environment that the record names
on another source commit than the record names.
"""

from __future__ import annotations

import posixpath
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from kvdocs.entry import Entry
from kvdocs.evidence.canonical import digest, sha256
from kvdocs.exhibit import Evidence, Exhibit, GateVerdict
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.item import Gate, Item
from kvdocs.kinds.reference import Reference
from kvdocs.kinds.result import Result
from kvdocs.kinds.script import Script
from kvdocs.kinds.withdrawal import left_out
from kvdocs.model import Record
from kvdocs.registry import Registry

EXISTS = ("confirmed", "suspected", "historical")
"""Statuses that say that a defect is (or was) there."""

GONE = ("not-reproduced", "fixed", "withdrawn")
"""Statuses that say that it is not."""


class Said(NamedTuple):
    """What a record says that executions are held against; those of one script are the same evidence for all records that say the same."""

    model: type[Record]
    status: str | None
    commit: str | None
    environment: str | None

    @classmethod
    def by(cls, record: Record) -> Said:
        """What a record says; most kinds lack some of it."""
        return cls(type(record), getattr(record, "status", None), getattr(record, "commit", None), getattr(record, "environment", None))


class Judge:
    """Judges the records of a registry; everything is worked out when it is first asked for."""

    def __init__(self, registry: Registry, root: Path) -> None:
        self.registry, self.root = registry, root
        self._evidence: dict[str, Evidence | None] = {}

    def of(self, record_id: str) -> Evidence | None:
        """The evidence for a record; None when nothing was executed for it."""
        if record_id not in self._evidence:
            self._evidence[record_id] = self._gathered(record_id)
        return self._evidence[record_id]

    def _gathered(self, record_id: str) -> Evidence | None:
        entry = self.registry.get(record_id)
        if entry is None:
            return None
        scripts = self.scripts_of(entry)
        if not scripts:
            return None
        said = Said.by(entry.record)
        found = [e for script in scripts for e in self.registry.once(("exhibits", script, said), partial(_exhibits_of, script, said))]
        exhibits = _in_some_runs(said, sorted(found, key=lambda e: (e.started, e.result)))
        return Evidence(record_id, tuple(exhibits)) if exhibits else None

    def scripts_of(self, entry: Entry) -> list[str]:
        """The scripts whose executions bear on a record: its own, those of its gates, and those about it."""
        own = [link.target for link in self.registry.links_from(entry.id) if "script" in link.ref.kinds]
        about = [found.id for found in self.registry.pointing_at(entry.id, "script", "about")]
        return list(dict.fromkeys([*own, *about]))

    def gates(self, item_id: str) -> tuple[GateVerdict, ...]:
        """The verdict of each gate of an item, in the order of the record."""
        item = self.registry.record(item_id, Item)
        return tuple(self._gate(item, gate) for gate in item.gates) if item is not None else ()

    def landed(self, item: Item) -> tuple[str, ...]:
        """The commits known to hold the work of an item: those it names, and the merge commits of what implements it."""
        merged = [ref.merge_commit for name in item.implemented_by if (ref := self.registry.record(name, Reference)) is not None and ref.merge_commit]
        return (*item.landed_in, *merged)

    def _split(self, script: str) -> tuple[list[Result], list[Result]]:
        """The results of a script that count, and those that were withdrawn or superseded."""
        parts: tuple[list[Result], list[Result]] = ([], [])
        for result in _results_of(script, self.registry):
            parts[bool(left_out(result.id, self.registry))].append(result)
        return parts

    def stale(self, result: Result) -> tuple[str, ...]:
        """Why a result no longer speaks for today; nothing when it does."""
        return self.registry.once(("outdated", result.id), partial(_outdated, result))

    def _gate(self, item: Item, gate: Gate) -> GateVerdict:
        if gate.reference is not None:
            reference = self.registry.record(gate.reference, Reference)
            if reference is None or not reference.is_met:
                return GateVerdict(gate.id, "not run", f"{reference.short if reference else gate.reference} is {reference.state if reference else 'unknown'}")
            if gate.script is None:
                return GateVerdict(gate.id, "passed", f"{reference.short} is {reference.state}")
        if gate.script is None:
            return GateVerdict(gate.id, "for people", "no script decides it")
        landed = self.landed(item)
        counting, gone = self._split(gate.script)
        there = [r for r in counting if r.commit and any(same_commit(r.commit, c) for c in landed)]
        verdict = self._gate_over(gate, landed, [r for r in there if not changes_of(r) and not self.stale(r) and r.output_correct], sum(bool(changes_of(r)) for r in there))
        if not gone:
            return verdict
        told = f"; {len(gone)} withdrawn execution{'s do' if len(gone) > 1 else ' does'} not count"
        return verdict._replace(reason=verdict.reason + told, left_out=tuple(r.id for r in gone))

    def _gate_over(self, gate: Gate, landed: tuple[str, ...], results: list[Result], changed: int) -> GateVerdict:
        """`changed` executions ran on a commit with the work, and on more than that commit."""
        if not landed:
            made = len(self._split(gate.script or "")[0])
            seen = f", so {_executions(made)} of {gate.script} {'do' if made != 1 else 'does'} not count" if made else ""
            return GateVerdict(gate.id, "not run", f"no commit is known to hold the work{seen}")
        decided = [r for r in results if r.verdict != "inconclusive"]
        against = [r for r in decided if r.verdict != gate.wants]
        names = tuple(r.id for r in decided)
        wanted = gate.wants.replace("-", " ")
        if against:
            return GateVerdict(gate.id, "failed", f"{len(against)} of {_executions(len(decided))} of {gate.script} did not end as {wanted}", names)
        if len(decided) >= gate.runs:
            return GateVerdict(gate.id, "passed", f"{wanted} in {len(decided)} of {_executions(len(decided))} of {gate.script}{_leaves(gate, len(decided))}", names)
        left_out = f"; {_executions(changed)} there had changes in the source and {'do' if changed != 1 else 'does'} not count" if changed else ""
        if not decided:
            return GateVerdict(gate.id, "undecided" if results else "not run", f"{gate.script} has decided nothing on {', '.join(c[:9] for c in landed)}{left_out}", tuple(r.id for r in results))
        return GateVerdict(gate.id, "undecided", f"{wanted} in {len(decided)} of the {_executions(gate.runs)} that it needs{left_out}", names)


def _results_of(script: str, registry: Registry) -> list[Result]:
    return [entry.record for entry in registry.pointing_at(script, "result", "script") if isinstance(entry.record, Result)]


def _exhibits_of(script: str, said: Said, registry: Registry) -> list[Exhibit]:
    """The executions of a script as evidence for a record that says this."""
    return [_exhibit_of(result, said, registry) for result in _results_of(script, registry)]


def _exhibit_of(result: Result, said: Said, registry: Registry) -> Exhibit:
    why_not = left_out(result.id, registry)
    outdated = registry.once(("outdated", result.id), partial(_outdated, result))
    moved = _moved(said, result)
    return Exhibit(
        result=result.id,
        script=result.script,
        environment=result.environment,
        commit=result.commit,
        verdict=result.verdict,
        bearing="left out" if why_not else _bearing(said, result),
        reasons=tuple(map(str, result.judgement.get("reasons", ()))),
        stale=() if why_not else (*outdated, moved) if moved else outdated,
        labels=tuple(result.labels),
        started=str(result.invocation.get("started") or ""),
        changes=changes_of(result),
        purpose=result.purpose,
        left_out=why_not,
    )


def _moved(said: Said, result: Result) -> str:
    """That a record names another commit than the one that the result ran on in the environment of the record; empty where it does not."""
    ran_on = result.commit
    if not said.commit or not ran_on or said.environment != result.environment or same_commit(said.commit, ran_on):
        return ""
    return f"the record names commit {said.commit}, and this ran on {ran_on[:9]}"


def _outdated(result: Result, registry: Registry) -> tuple[str, ...]:
    """What of the script of a result has changed since."""
    now = registry.once(("script", result.script), partial(_script_now, result.script))
    if now is None:
        return ()
    reasons = []
    then = result.invocation.get("script") or {}
    if result.kind == "run" and then.get("sha256") and then["sha256"] != now[0]:
        reasons.append("the script has changed since")
    reasons += [f"{name} has changed since" for name in _changed_files(result, registry)]
    if result.invocation.get("expect_sha256") and result.invocation["expect_sha256"] != now[1]:
        reasons.append("what the script expects has changed since")
    return tuple(reasons)


def _changed_files(result: Result, registry: Registry) -> list[str]:
    """The further files of a script that are no longer what they were when the result was made."""
    then = [file for file in result.invocation.get("files") or () if file.get("path") and file.get("sha256")] if result.kind == "run" else []
    return [posixpath.basename(str(file["path"])) for file in then if sha256(registry.content(str(file["path"]))) != file["sha256"]]


def _script_now(script: str, registry: Registry) -> tuple[str, str] | None:
    """The hash of a script's file and of its expectation, as they are now; None when there is no such script."""
    entry = registry.get(script)
    if entry is None or not isinstance(entry.record, Script):
        return None
    content = registry.content(posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), entry.record.file)))
    return sha256(content), digest(dict(entry.record.expect.as_mapping()))


def _executions(count: int) -> str:
    return f"{count} execution{'s' if count != 1 else ''}"


def _leaves(gate: Gate, runs: int) -> str:
    """What so many clean runs leave possible, where the gate is about a rate."""
    if gate.runs < 2 or gate.wants != "not-reproduced":
        return ""
    from kvdocs.figures.failures import remaining_rate

    return f"; a failure rate up to {remaining_rate(runs):.0%} stays possible (95% confidence)"


def changes_of(result: Result) -> str:
    """What the source tree had beyond its commit: the probes when there was nothing else, or the hash of the difference."""
    source = result.source or {}
    probes = [str(patch["id"]) for patch in source.get("patches") or ()]
    if not source.get("dirty"):
        return " and ".join(probes)
    if probes and source.get("only_patches"):
        return " and ".join(probes)
    difference = source.get("diff_sha256")
    return f"changes {str(difference)[:7]}" if difference else "untracked files"


def _bearing(said: Said, result: Result) -> str:
    verdict = result.verdict
    if verdict == "inconclusive":
        return "inconclusive"
    if result.purpose == "kernel":
        # A program of our own shows a mechanism; it says nothing of the status of somebody else's.
        return "silent"
    if issubclass(said.model, Defect) and said.status in (*EXISTS, *GONE):
        says_present = said.status in EXISTS
        if said.status == "historical" and verdict == "not-reproduced":
            return "silent"
        return "supports" if (verdict == "reproduced") == says_present else "contradicts"
    if issubclass(said.model, Item) and said.status == "done":
        return "supports" if verdict == "not-reproduced" else "contradicts"
    return "silent"


def _in_some_runs(said: Said, exhibits: list[Exhibit]) -> list[Exhibit]:
    """The executions, with the clean ones silent where the same environment and source shows a defect that is said to exist."""
    if not issubclass(said.model, Defect) or said.status not in EXISTS:
        return exhibits
    shown = {(e.environment, e.source) for e in exhibits if e.bearing == "supports" and not e.stale}
    return [e._replace(bearing="silent") if e.bearing == "contradicts" and (e.environment, e.source) in shown else e for e in exhibits]


def same_commit(one: str, other: str) -> bool:
    """Whether two abbreviations can be the same commit."""
    return one.startswith(other) or other.startswith(one)


@lru_cache(maxsize=2)
def judge_of(registry: Registry, root: Path) -> Judge:
    """The judge of a registry; the same one for the same registry."""
    return Judge(registry, root)
