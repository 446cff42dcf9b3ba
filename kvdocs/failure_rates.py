"""How often a defect shows: what was reported and what was executed, pooled -> rates, and what gates of clean runs are worth against them."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.entry import Entry
from kvdocs.exhibit import Exhibit
from kvdocs.figures.failures import FailureRate, GateWorth, RatePool, weigh_gate
from kvdocs.judge import Judge, same_commit
from kvdocs.kinds.defect import Defect, Observation
from kvdocs.kinds.item import Gate, Item
from kvdocs.kinds.script import Script


def rate_pools(entry: Entry, judge: Judge) -> tuple[RatePool, ...]:
    """The runs in which a defect did and did not show: as reported, by machine and source and all together, then as executed.

    What was reported without counting runs is not here.
    """
    record = entry.record
    assert isinstance(record, Defect)
    counted = [o for o in record.observations if o.runs is not None and o.failures is not None and o.failures <= o.runs]
    groups: dict[tuple[str | None, str | None], list[Observation]] = {}
    for observation in counted:
        groups.setdefault((observation.environment, observation.commit), []).append(observation)
    pools = [_reported(record, environment, commit, group) for (environment, commit), group in groups.items()]
    if len(groups) > 1:
        pools.append(RatePool(record.id, "all that was reported", "reported", _sum(counted)))
    return (*pools, *_executed(record, judge))


def _reported(record: Defect, environment: str | None, commit: str | None, group: list[Observation]) -> RatePool:
    where = ", ".join([environment or "machine not told", commit or "source not told"])
    home = environment == record.environment and bool(commit and record.commit and same_commit(commit, record.commit))
    return RatePool(record.id, where, "reported", _sum(group), home)


def _sum(group: list[Observation]) -> FailureRate:
    left_out = tuple(reason for observation in group for reason in observation.ineligible)
    return FailureRate(sum(o.failures or 0 for o in group), sum(o.runs or 0 for o in group), left_out)


def _executed(record: Defect, judge: Judge) -> Iterator[RatePool]:
    """Executions by machine and source. Those that decide nothing, those of a script that has changed since, and those that were withdrawn are not eligible."""
    evidence = judge.of(record.id)
    groups: dict[tuple[str, str], list[Exhibit]] = {}
    for exhibit in evidence.exhibits if evidence is not None else ():
        if exhibit.purpose != "kernel":
            groups.setdefault((exhibit.environment, exhibit.source), []).append(exhibit)
    for (environment, source), group in groups.items():
        eligible = [e for e in group if e.verdict != "inconclusive" and not e.stale and not e.left_out]
        left_out = tuple(f"{e.result[:8]}: {e.left_out or '; '.join(e.stale or e.reasons) or 'inconclusive'}" for e in group if e not in eligible)
        if eligible:
            home = environment == record.environment and bool(record.commit and group[0].commit and same_commit(record.commit, group[0].commit)) and not group[0].changes
            yield RatePool(record.id, f"{environment}, {source}", "executed", FailureRate(sum(e.verdict == "reproduced" for e in eligible), len(eligible), left_out), home)


def rates_of(entry: Entry, judge: Judge) -> tuple[RatePool, ...]:
    """The pools of a defect that shows at times; nothing for others."""
    pools = rate_pools(entry, judge) if isinstance(entry.record, Defect) else ()
    return pools if shows_at_times(pools) else ()


def shows_at_times(pools: tuple[RatePool, ...]) -> bool:
    """Whether a defect shows in some runs and not in others under the same conditions: only then is its rate a question."""
    return any(0 < pool.rate.failures < pool.rate.runs for pool in pools)


def gate_worths_of(entry: Entry, judge: Judge) -> tuple[GateWorth, ...]:
    """The same for any record; nothing where it is no item."""
    return gate_worths(entry.record, judge) if isinstance(entry.record, Item) else ()


def gate_worths(item: Item, judge: Judge) -> tuple[GateWorth, ...]:
    """What the gates of an item that ask for several clean runs are worth against what was seen of the defects that their scripts show."""
    return tuple(worth for gate in item.gates for worth in _worths(gate, item, judge))


def _worths(gate: Gate, item: Item, judge: Judge) -> Iterator[GateWorth]:
    if gate.runs < 2 or gate.script is None or gate.wants != "not-reproduced":
        return
    landed = judge.landed(item)
    for defect in _shown_by(gate.script, judge):
        for pool in rate_pools(defect, judge):
            if pool.rate.failures and not any(commit[:9] in pool.where for commit in landed):
                yield GateWorth(gate.id, pool, weigh_gate(pool.rate, gate.runs))


def _shown_by(script: str, judge: Judge) -> list[Entry]:
    """The defects that a script shows: those that name it as theirs, and those that it is about."""
    named = judge.registry.pointing_at(script, "defect", "script")
    record = judge.registry.record(script, Script)
    about = [entry for name in (record.about if record is not None else ()) if (entry := judge.registry.get(name)) is not None and isinstance(entry.record, Defect)]
    return list({entry.id: entry for entry in [*named, *about]}.values())


def decisive(worths: tuple[GateWorth, ...], gate: str) -> GateWorth | None:
    """The pool by which a gate is judged: the defect's own machine and source where runs were counted there, else the largest one."""
    mine = [worth for worth in worths if worth.gate == gate]
    return max(mine, key=lambda worth: (worth.pool.at_home, worth.pool.rate.runs), default=None)
