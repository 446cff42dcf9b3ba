"""How figures, their comparisons and what depends on them are printed in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kvdocs.cli.output import paint, plain_text, say, table

REPRODUCTION_TONES = {"reproduced": "good", "not reproduced": "bad", "undecided": "warn", "no inputs on record": "off"}
VERDICT_TONES = {"holds": "good", "fails": "bad", "undecided": "warn"}
CHANGE_TONES = {"gain": "good", "loss": "bad", "equivalent": "plain", "no difference shown": "warn"}
DIFFERS = ("not reproduced", "undecided")
MINUS = "\N{MINUS SIGN}"


def print_lines(lines: Sequence[str], indent: str = "") -> None:
    """Lines below each other."""
    for line in lines:
        say(f"{indent}{line}")


def print_heading(text: str) -> None:
    """A line of its own over what follows."""
    say()
    say(paint(text, "plain", bold=True))


def percent(share: float) -> str:
    """A change in per cent with its sign: `+21.35%`."""
    return f"{share:+.2%}".replace("-", MINUS)


def interval(bounds: Mapping[str, Any] | None) -> str:
    """Both ends of an interval of a change, with the degrees of freedom behind it."""
    return f"{percent(bounds['low'])} to {percent(bounds['high'])} ({bounds['df']} df)" if bounds is not None else "–"


def row_text(key: int | str) -> str:
    """The key of a row as people write it."""
    return f"{key:,}" if isinstance(key, int) else key


def comparison_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Arms against arms, row by row: the change, both intervals, and what they allow to say."""
    headings = ("Row", "Arms", "Pairs", "Change", "95 %, noise floor", "95 %, pairs alone", "Verdict")
    cells = [(row_text(r["row"]), f"{r['b']} against {r['a']}", str(r["pairs"]), percent(r["change"]), interval(r["pooled"]), interval(r["paired"]), r["words"]) for r in rows]
    tones = [(*("plain",) * 6, CHANGE_TONES[r["verdict"]]) for r in rows]
    return table(headings, cells, tones)


def dependents_lines(after: Mapping[str, Any]) -> dict[str, list[str]]:
    """Everything that changes with a cell, under its headings; headings without anything are left out."""
    cells = [(f["name"], f["text"] or "–", f["formula"] or "") for f in after["cells"]]
    claims = [(c["id"], c["verdict"], c["reason"]) for c in after["claims"]]
    texts = [(t["record"], t["field"], t["cites"], t["shows"]) for t in after["texts"]]
    found = {
        "Cells": table(("Cell", "Figure", "Formula"), cells, [("wait", "plain", "off")] * len(cells)),
        "Claims": table(("Claim", "Verdict", "Why"), claims, [("wait", VERDICT_TONES[verdict], "off") for _, verdict, _ in claims]),
        "Texts and fields": table(("Record", "Field", "Cites", "Shows"), texts, [("wait", "plain", "off", "plain")] * len(texts)),
        "Charts": [f"{c['measurement']}: {plain_text(c['title'])}" for c in after["charts"]],
        "Comparisons": [f"{c['measurement']}, row {row_text(c['row'])}" for c in after["comparisons"]],
        "Noise floor of": [", ".join(after["noise_floors"])] if after["noise_floors"] else [],
    }
    return {heading: lines for heading, lines in found.items() if lines}


def print_figure(document: Mapping[str, Any]) -> None:
    """A figure, how it came about, and everything that changes when it does."""
    figure = document["figure"]
    say(f"{paint(figure['name'], 'good', bold=True)}  {paint(figure['text'] or 'empty', 'plain', bold=True)}  {paint(figure['rests_on'] or '', 'off')}".rstrip())
    print_lines(_facts(figure, document["reads"]))
    for heading, lines in dependents_lines(document["dependents"]).items():
        print_heading(heading)
        print_lines(lines, "  ")
    if not any(document["dependents"].values()):
        say()
        say("Nothing else rests on it.")


def _facts(figure: Mapping[str, Any], reads: Sequence[str]) -> list[str]:
    lines = [f"samples: {', '.join(_samples(figure))}"] if figure["samples"] else []
    lines += [f"formula: {figure['formula']}"] if figure["formula"] else []
    lines += [f"reads: {', '.join(reads)}"] if reads else []
    lines += [f"with its rounding: {figure['low']:.6g} to {figure['high']:.6g}"] if None not in (figure["low"], figure["high"]) and figure["low"] != figure["high"] else []
    if figure["reproduction"] is not None:
        lines.append(f"published: {figure['published']}, {paint(figure['reproduction'], REPRODUCTION_TONES[figure['reproduction']])}")
    return lines + ([f"{paint('error:', 'bad')} {figure['error']}"] if figure["error"] else [])


def print_computed(document: Mapping[str, Any]) -> None:
    """What is computed for a record: the table of a measurement, the verdict of a claim, the figures that fields cite."""
    computed = document["computed"]
    if computed["verdict"] is not None:
        print_heading(f"Verdict ({computed['rests_on'] or 'nothing computed'})")
        say(f"  {paint(computed['verdict'], VERDICT_TONES[computed['verdict']])}: {computed['reason']}")
    elif document["kind"] == "measurement":
        print_heading(f"Figures ({computed['rests_on']})")
        print_lines(measurement_lines(document["fields"], computed["figures"]), "  ")
    else:
        print_heading("Figures")
        rows = [(figure["name"], figure["text"] or "error", _shown(figure)[1], figure["formula"]) for figure in computed["figures"]]
        print_lines(table(("Field", "Figure", "", "From"), rows, [("wait", "plain", "bad", "off")] * len(rows)), "  ")


def measurement_lines(fields: Mapping[str, Any], figures: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows of a measurement as on its page: the computed figure everywhere, and what was published beside it where that differs."""
    named = {figure["name"]: figure for figure in figures}
    rows, tones = [], []
    for row in fields["rows"]:
        key = row.get(fields["key"])
        cells = [_cell(fields["id"], column, row, key, named) for column in fields["columns"]]
        rows.append([text for text, _ in cells])
        tones.append([tone for _, tone in cells])
    return table([_heading(column) for column in fields["columns"]], rows, tones)


def _heading(column: Mapping[str, Any]) -> str:
    title = plain_text(column["title"])
    return title if column["unit"] in ("1", "x", "text", "%") else f"{title} ({column['unit']})"


def _cell(measurement: str, column: Mapping[str, Any], row: Mapping[str, Any], key: Any, named: Mapping[str, Mapping[str, Any]]) -> tuple[str, str]:
    """The text of a cell and its tone."""
    figure = named.get(f"{measurement}.{column['name']}[{key!r}]")
    written = row.get(column["name"])
    if figure is None or column["unit"] == "text":
        return (written, "plain") if isinstance(written, str) else ("–", "off")
    if figure["error"]:
        return "error", "bad"
    if figure["text"] is None:
        return "–", "off"
    if len(figure["samples"]) > 1:
        return ", ".join(_samples(figure)), "plain"
    text, published = _shown(figure)
    return f"{text}{f' ({published})' if published else ''}", REPRODUCTION_TONES[figure["reproduction"]] if published else "plain"


def _samples(figure: Mapping[str, Any]) -> list[str]:
    """Samples with the digits that the figure has."""
    decimals = len(figure["text"].split(" ")[0].partition(".")[2])
    return [f"{sample:,.{decimals}f}" for sample in figure["samples"]]


def _shown(figure: Mapping[str, Any]) -> tuple[str, str]:
    """A figure without a unit that its heading has, and what was published where that differs."""
    unit = figure["unit"]
    text = (figure["text"] or "–").removesuffix(f" {unit}")
    differs = figure["reproduction"] in DIFFERS
    return text, f"published {figure['published']:,}{unit if unit in ('%', 'x') else ''}".replace("-", MINUS) if differs else ""
