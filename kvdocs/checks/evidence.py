"""Checks of evidence: what executions support, contradict, or no longer show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kvdocs.entry import Entry
from kvdocs.exhibit import Evidence, Exhibit
from kvdocs.judge import Judge, same_commit
from kvdocs.kinds.claim import Claim
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.experiment import Experiment
from kvdocs.kinds.item import Item
from kvdocs.kinds.measurement import Measurement
from kvdocs.kinds.result import Result
from kvdocs.kinds.withdrawal import WITHDRAWN_EVIDENCE, left_out, standing
from kvdocs.problems import CONTRADICTED, CONTRADICTED_ELSEWHERE, GATE_NOT_PASSED, GATE_TOO_FEW, ONLY_REPORTED, STALE_EVIDENCE, Place, Problem, counted

EXECUTABLE = ("confirmed", "not-reproduced", "fixed")
"""Statuses that executions can show."""

JUDGED = ("defect", "item", "measurement", "experiment", "claim")
"""Kinds whose records executions bear on, or give figures to."""

NAMED_AT_MOST = 3
"""So many executions are named in a message; more are counted, and the page of the record lists them."""


def check_evidence(entry: Entry, judge: Judge) -> Iterator[Problem]:
    """The status of a defect or an item against the executions that bear on it; and whether those behind it, or behind figures, still speak for today."""
    if isinstance(entry.record, Defect):
        yield from _defect(entry, judge)
    elif isinstance(entry.record, Item):
        yield from _item(entry, judge)
    elif isinstance(entry.record, Measurement | Experiment):
        yield from _withdrawn(entry, entry.record.results, judge)
    yield from _stale(entry, _speaking(entry, judge))


def _defect(entry: Entry, judge: Judge) -> Iterator[Problem]:
    record = entry.record
    assert isinstance(record, Defect)
    evidence = judge.of(entry.id) or Evidence(entry.id, ())
    if record.status in EXECUTABLE and not evidence.with_bearing("supports"):
        hint = f"`kvdocs run {record.script}` on a machine that has what it needs" if record.script else "name the script that shows it"
        message = f"{entry.id} is {record.status.replace('-', ' ')} by what was reported alone: {_unsupported(record, evidence)}"
        yield Problem(ONLY_REPORTED, message, _status_place(entry), entry.id, hint)
    against = evidence.with_bearing("contradicts")
    here = [e for e in against if _is_home(record, e)]
    elsewhere = [e for e in against if e not in here]
    if here:
        yield Problem(CONTRADICTED, f"{entry.id} is {record.status}, and {_words(here)} on the same commit", _status_place(entry), entry.id, "set the status to what executions show, or say in the record why they differ")
    if elsewhere:
        yield Problem(CONTRADICTED_ELSEWHERE, f"{entry.id} is {record.status}, and {_words(elsewhere)}", _status_place(entry), entry.id)


def _unsupported(record: Defect, evidence: Evidence) -> str:
    """Why nothing that was executed carries the status."""
    showed, shows = ("reproduced it", "reproduces it") if record.status == "confirmed" else ("did not reproduce it", "was clean")
    outdated = sum(e.bearing == "supports" for e in evidence.exhibits)
    if outdated:
        return f"the {outdated} executions that {showed} are stale" if outdated > 1 else f"the execution that {showed} is stale"
    return f"no execution on record {shows}"


def _status_place(entry: Entry) -> Place:
    return entry.raw.place_of(("status",), value=True)


def _is_home(record: Defect, exhibit: Exhibit) -> bool:
    return exhibit.environment == record.environment and not exhibit.changes and bool(record.commit and exhibit.commit and same_commit(record.commit, exhibit.commit))


def _words(exhibits: list[Exhibit]) -> str:
    """`2 executions in h200 (749f688fc) did not reproduce it`."""
    where = ", ".join(dict.fromkeys(f"{e.environment} ({e.source})" for e in exhibits))
    what = "reproduced it" if exhibits[0].verdict == "reproduced" else "did not reproduce it"
    return f"{len(exhibits)} execution{'s' if len(exhibits) > 1 else ''} in {where} {what}"


def _item(entry: Entry, judge: Judge) -> Iterator[Problem]:
    """The gates of what is done; a gate that people judge passes with the status."""
    record = entry.record
    assert isinstance(record, Item)
    yield from _runs(entry, record, judge)
    if record.status != "done":
        return
    for position, verdict in enumerate(judge.gates(entry.id)):
        if verdict.word not in ("passed", "for people"):
            place = entry.raw.place_of(("gates", position, "id"), value=True)
            hint = f"`kvdocs gate {entry.id}` after running its script on a commit named in `landed_in`" if record.gates[position].script else f"`kvdocs sync` brings the state of {record.gates[position].reference}; or take the status back"
            yield Problem(GATE_NOT_PASSED, f"{entry.id} is done, and its gate {verdict.id} is {verdict.word}: {verdict.reason}", place, entry.id, hint)


def _runs(entry: Entry, record: Item, judge: Judge) -> Iterator[Problem]:
    """Gates of clean runs against what was seen of the defect before."""
    if not record.gates:
        return
    from kvdocs.failure_rates import decisive, gate_worths

    worths = gate_worths(record, judge)
    for position, gate in enumerate(record.gates):
        found = decisive(worths, gate.id)
        if found is None or found.worth.enough:
            continue
        pool, worth = found.pool, found.worth
        message = f"{entry.id} asks for {counted(gate.runs, 'clean run')} in its gate {gate.id}; {pool.defect} was seen in {pool.rate.words} ({pool.where}), so without a repair it passes with {worth.missed:.0%}"
        yield Problem(GATE_TOO_FEW, message, entry.raw.place_of(("gates", position, "runs"), value=True), entry.id, f"ask for {worth.advised}, or learn the old rate better: more runs of the unrepaired program")


def _withdrawn(entry: Entry, results: Iterable[str], judge: Judge) -> Iterator[Problem]:
    """Executions that figures are taken from and that do not count any more."""
    for position, name in enumerate(results):
        why = left_out(name, judge.registry)
        if why:
            yield Problem(WITHDRAWN_EVIDENCE, f"{entry.id} takes figures from {name}, which was {why}", entry.raw.place_of(("results", position), value=True), entry.id, "execute the script again, and name the new execution in its place")


_Speaking = tuple[str, str, tuple[str, ...]]
"""An execution, its script, and why it no longer speaks for today."""


def _speaking(entry: Entry, judge: Judge) -> Iterator[_Speaking]:
    """The executions behind a status, or behind the figures of a measurement or a claim; at least those that do not speak any more."""
    if isinstance(entry.record, Defect | Item):
        evidence = judge.of(entry.id)
        yield from ((e.result, e.script, e.stale) for e in (evidence.exhibits if evidence is not None else ()) if e.stale)
        return
    names: Iterable[str] = ()
    if isinstance(entry.record, Measurement):
        names = standing(entry.record.results, judge.registry)
    elif isinstance(entry.record, Claim) and "results" in (entry.record.expression or ""):
        from kvdocs.ledger import ledger_of

        judgement = ledger_of(judge.registry, entry).judgements.get(entry.id)
        names = judgement.results if judgement is not None else ()
    for name in names:
        result = judge.registry.record(name, Result)
        if result is not None:
            yield result.id, result.script, judge.stale(result)


def _stale(entry: Entry, speaking: Iterable[_Speaking]) -> Iterator[Problem]:
    """Stale executions, once for each reason."""
    by_reason: dict[str, list[_Speaking]] = {}
    for execution in speaking:
        for reason in execution[2]:
            by_reason.setdefault(reason, []).append(execution)
    for reason, executions in by_reason.items():
        names = ", ".join(name for name, _, _ in executions) if len(executions) <= NAMED_AT_MOST else f"{len(executions)} executions"
        yield Problem(STALE_EVIDENCE, f"{names}: {reason}", entry.raw.place_of(), entry.id, f"run {executions[0][1]} again")
