"""How figures, their comparisons and what depends on them are printed in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kvdocs.cli.output import paint, plain_text, say, say_lines, table

REPRODUCTION_TONES = {"reproduced": "good", "not reproduced": "bad", "undecided": "warn", "no inputs on record": "off"}
VERDICT_TONES = {"holds": "good", "fails": "bad", "undecided": "warn"}
CHANGE_TONES = {"gain": "good", "loss": "bad", "equivalent": "plain", "no difference shown": "warn"}
MINUS = "\N{MINUS SIGN}"


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
    headings = ("Row", "Arms", "Pairs", "Change", "95%, noise floor", "95%, pairs alone", "Verdict")
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
    say_lines(_facts(figure, document["reads"]))
    for heading, lines in dependents_lines(document["dependents"]).items():
        print_heading(heading)
        say_lines(lines, "  ")
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


def _samples(figure: Mapping[str, Any]) -> list[str]:
    """Samples with the digits that the figure has."""
    decimals = len(figure["text"].split(" ")[0].partition(".")[2])
    return [f"{sample:,.{decimals}f}" for sample in figure["samples"]]
