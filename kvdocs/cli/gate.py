"""`kvdocs gate`: whether what an item has to show has been shown."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail, paint, plain_text, print_json, say, say_lines, table, the_project
from kvdocs.problems import counted

if TYPE_CHECKING:
    from kvdocs.figures.failures import GateWorth


@click.command()
@click.argument("item_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def gate(ctx: click.Context, item_id: str, as_json: bool) -> None:
    """Whether an item's gates have passed.

    Exits with 0 when every gate that a script or a reference decides has passed, 1 otherwise.

    \b
    Example:
      kvdocs gate R1
    """
    project = the_project(ctx)
    from kvdocs.cited import with_figures
    from kvdocs.exhibit import GATE_TONES
    from kvdocs.failure_rates import gate_worths
    from kvdocs.judge import judge_of
    from kvdocs.kinds import all_kinds
    from kvdocs.kinds.item import Item
    from kvdocs.load import load_registry

    registry, _ = load_registry(project, all_kinds())
    item = registry.record(item_id, Item)
    if item is None and (entry := registry.get(item_id)) is not None:
        items = getattr(entry.record, "fixed_by", ())
        fail(f"{item_id} is a record of kind {entry.kind.name}: only items have gates", f"what fixes it has: {', '.join(items)}" if items else None)
    if item is None:
        fail(f"no roadmap item has the id {item_id!r}", registry.nearest(item_id, (e.id for e in registry.of("item"))))
    judge = judge_of(registry, project.root)
    verdicts = judge.gates(item_id)
    passed = all(v.word in ("passed", "for people") for v in verdicts)
    worths = gate_worths(item, judge)
    if as_json:
        rows = [{"id": v.id, "verdict": v.word, "reason": v.reason, "results": list(v.results), "left_out": list(v.left_out), "worth": [_worth(w) for w in worths if w.gate == v.id]} for v in verdicts]
        print_json({"schema": "kvdocs/gates/v1", "id": item_id, "passed": passed, "landed": list(judge.landed(item)), "gates": rows})
    elif not verdicts:
        say(f"{item_id} has no gates")
    else:
        say(f"{paint(item_id, 'good', bold=True)}  {plain_text(with_figures(item.title, registry))}")
        texts = {g.id: plain_text(g.text.strip().replace("\n", " ")) for g in item.gates}
        rows_of_text = [(v.id, v.word, v.reason, texts[v.id]) for v in verdicts]
        tones = [("plain", GATE_TONES[v.word], "plain", "off") for v in verdicts]
        say_lines(table(("Gate", "Verdict", "Why", "Condition"), rows_of_text, tones))
        _print_worths(worths)
    sys.exit(0 if passed else 1)


def _worth(one: GateWorth) -> dict[str, Any]:
    """What a gate is worth against one pool of earlier runs, as plain data."""
    pool, worth = one.pool, one.worth
    low, high = pool.rate.interval()
    seen = {"defect": pool.defect, "where": pool.where, "rests_on": pool.basis, "failures": pool.rate.failures, "runs": pool.rate.runs, "low": low, "high": high}
    return {**seen, "leaves": worth.leaves, "passes_unrepaired": worth.missed, "advised": worth.advised, "enough": worth.enough}


def _print_worths(worths: Sequence[GateWorth]) -> None:
    """What gates of clean runs leave possible, and how often an unrepaired defect passes them."""
    for leaves in dict.fromkeys((w.gate, w.worth.required, w.worth.leaves) for w in worths):
        say()
        say(f"{leaves[0]}: {counted(leaves[1], 'clean run leaves', 'clean runs leave')} a failure rate of up to {leaves[2]:.0%} possible (95% confidence)")
        rows = [w for w in worths if w.gate == leaves[0]]
        cells = [(w.pool.defect, f"{w.pool.where} ({w.pool.basis})", w.pool.rate.words, _interval(w), f"{w.worth.missed:.1%}", str(w.worth.advised)) for w in rows]
        tones = [(*("plain",) * 5, "good" if w.worth.enough else "warn") for w in rows]
        say_lines(table(("Defect", "Seen where", "Seen in", "Rate, exact 95%", "Unrepaired, it passes", "Runs to ask for"), cells, tones), indent="  ")


def _interval(one: GateWorth) -> str:
    low, high = one.pool.rate.interval()
    return f"{low:.1%} to {high:.1%}"
