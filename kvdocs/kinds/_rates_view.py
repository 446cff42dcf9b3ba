"""How failure rates are shown: with their exact intervals, and what they ask of a repair and leave of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvdocs.kind import Context
from kvdocs.problems import counted
from kvdocs.view import Badge, Block, Cell, Items, Md, Prose, Section, Table

if TYPE_CHECKING:
    from kvdocs.figures.failures import FailureRate, GateWorth, RatePool


def interval_words(rate: FailureRate) -> str:
    """The exact 95% interval of a rate: `4.3% to 77.7%`."""
    low, high = rate.interval()
    return f"{low:.1%} to {high:.1%}"


def rates_section(record_id: str, context: Context) -> list[Section]:
    """How often a defect shows, for one that shows in some runs only."""
    pools: tuple[RatePool, ...] = context.computed("rates", record_id) or ()
    if not pools:
        return []
    from kvdocs.figures.failures import LEAST_CLEAN_RUNS, RISK, clean_runs_given

    rows: list[tuple[Cell, ...]] = [
        (pool.where, pool.basis, pool.rate.words, interval_words(pool.rate), str(max(LEAST_CLEAN_RUNS, clean_runs_given(pool.rate))) if pool.rate.failures else None) for pool in pools
    ]
    table = Table(("Where", "Rests on", "Seen in", "Rate, exact 95% interval", "Clean runs that a repair needs"), tuple(rows), frozenset({4}))
    told = Prose(
        Md(
            f"After so many clean runs in a row, a defect that is still there would have shown nothing with a probability of at most {RISK * 100:.0f}%, with its rate known from these runs alone "
            f"(predictive, with the prior of Jeffreys). Fewer than {LEAST_CLEAN_RUNS} are never enough: they would not show a defect of one run in three."
        )
    )
    left_out = tuple(f"{pool.where}: {reason}" for pool in pools for reason in pool.rate.ineligible)
    blocks: tuple[Block, ...] = (table, told, *((Prose(Md("Runs that do not count:")), Items(left_out)) if left_out else ()))
    return [Section("How often it happens", blocks, "rate")]


def worth_blocks(item_id: str, context: Context) -> tuple[Block, ...]:
    """What the gates of an item that ask for clean runs are worth; nothing when none does."""
    worths: tuple[GateWorth, ...] = context.computed("gate-worths", item_id) or ()
    if not worths:
        return ()
    rows: list[tuple[Cell, ...]] = []
    for one in worths:
        pool, worth = one.pool, one.worth
        enough = Badge("enough", "good") if worth.enough else Badge("too few", "warn")
        rows.append(
            (one.gate, context.link(pool.defect), f"{pool.where} ({pool.basis})", pool.rate.words, interval_words(pool.rate), f"{worth.missed:.1%}", str(worth.advised), enough)
        )
    headings = ("Gate", "Defect", "Seen where", "Seen in", "Rate, exact 95% interval", "Unrepaired, it passes with", "Clean runs to ask for", "The gate's runs are")
    leaves = "; ".join(dict.fromkeys(f"{counted(one.worth.required, 'clean run leaves', 'clean runs leave')} a rate of up to {one.worth.leaves:.0%} possible" for one in worths))
    return (Prose(Md(f"What the gate is worth: {leaves} (95% confidence).")), Table(headings, tuple(rows), frozenset({5, 6})))
