"""`kvdocs compare`: the arms of a measurement against each other, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail, paint, plain_text, print_json, say, say_lines, the_project

if TYPE_CHECKING:
    from kvdocs.ledger import Ledger
    from kvdocs.registry import Registry


@click.command()
@click.argument("measurement", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def compare(ctx: click.Context, measurement: str, as_json: bool) -> None:
    """The arms of a measurement against each other.

    The change comes from log ratios, one sample for each process, with two 95% intervals:
    from the noise floor of the machine, which decides where it is known well enough, and from the pairs alone.

    \b
    Example:
      kvdocs compare M3
    """
    project = the_project(ctx)
    from kvdocs.figure_documents import comparison_document
    from kvdocs.kinds import all_kinds
    from kvdocs.ledger import ledger_of
    from kvdocs.load import load_registry

    registry, _ = load_registry(project, all_kinds())
    ledger = ledger_of(registry)
    _require_comparisons(measurement, registry, ledger)
    document = comparison_document(measurement, ledger)
    if as_json:
        print_json(document)
    else:
        _print(document)


def _require_comparisons(name: str, registry: Registry, ledger: Ledger) -> None:
    """End the command when there is nothing to compare, with what there is."""

    entry = registry.get(name)
    ready = [known for known, record in ledger.measurements.items() if record.comparisons]
    told = f"measurements that compare arms: {', '.join(ready)}" if ready else "no measurement of this record compares arms"
    if entry is None:
        fail(f"no record has the id {name!r}", registry.nearest(name, ready, told))
    if entry.kind.name != "measurement":
        fail(f"{name} is a record of kind {entry.kind.name}: only the arms of a measurement can be compared", told)
    if not ledger.measurements[name].comparisons:
        fail(f"{name} compares no arms", "name two columns with samples: `comparisons: [{a: before, b: after}]`")
    if not ledger.comparisons(name):
        fail(f"no row of {name} has samples of both arms, all of them positive", "write `{samples: [31.7287, 31.7165]}`, one figure for each process")


def _print(document: Mapping[str, Any]) -> None:
    from kvdocs.cli.figures import comparison_lines

    rests = f"{document['rests_on']}{', ' + document['environment'] if document['environment'] else ''}"
    say(f"{paint(document['id'], 'good', bold=True)}  {paint(plain_text(document['title']), 'plain', bold=True)}  {paint(rests, 'off')}")
    say()
    say_lines(comparison_lines(document["comparisons"]))
    say()
    say_lines(_notes(document))


def _notes(document: Mapping[str, Any]) -> list[str]:
    """What one has to know to read the table: units, the noise floor, the threshold, and what is doubtful."""
    rows: Sequence[Mapping[str, Any]] = document["comparisons"]
    lines = [f"In {unit}, {better} is better." if better != "neither" else f"In {unit}." for unit, better in dict.fromkeys((r["unit"], r["better"]) for r in rows)]
    lines += dict.fromkeys(_floor_words(row["noise_floor"]) for row in rows)
    lines += [f"A change of up to {threshold:.2%} is of no practical use." for threshold in dict.fromkeys(r["threshold"] for r in rows)]
    warnings = []
    if document["wrong_output_under"]:
        warnings.append(f"the program's output is wrong under {', '.join(document['wrong_output_under'])}: these are bounds, not results")
    order = document["order"]
    if order["drift"] == "unknown":
        warnings.append("the order in which the arms ran is not on record, so drift may stand in for a difference")
    elif order["drift"] != "cancels drift":
        warnings.append(f"the arms ran in the order {' '.join(order['arms'])}, in which a steady drift does not cancel")
    warnings += [f"{arm['name']} spreads {arm['ratio']:.1f} times as much as the noise floor, and {arm['limit']:.1f} times is the most" for arm in document["invalid_arms"]]
    return [*lines, *(f"{paint('warning:', 'warn', bold=True)} {text}" for text in warnings)]


def _floor_words(floor: Mapping[str, Any] | None) -> str:
    from kvdocs.figures.spread import ENOUGH_DEGREES

    if floor is None:
        return "No noise floor: nothing on record tells the spread between processes."
    few = f", too few to decide by (at least {ENOUGH_DEGREES})" if floor["df"] < ENOUGH_DEGREES else ""
    return f"Noise floor: {floor['sd']:.3%} between processes, {floor['df']} degrees of freedom{few}, from {', '.join(floor['from'])}."
