"""Figures as documents for programs: a cell and what depends on it, the comparisons of a measurement, what is computed for a record."""

from __future__ import annotations

from typing import Any

from kvdocs.cited import field_figures, with_figures
from kvdocs.entry import Entry
from kvdocs.figures.claims import Judgement
from kvdocs.figures.comparison import Range, order_of
from kvdocs.figures.field_figure import FieldFigure
from kvdocs.figures.sheet import Number
from kvdocs.figures.spread import Spread
from kvdocs.figures.summary import ArmComparison
from kvdocs.figures.table import CellName, Figure
from kvdocs.kinds.probe import wrong_output_under
from kvdocs.ledger import Ledger

FIGURE_SCHEMA = "kvdocs/figure/v1"
COMPARISON_SCHEMA = "kvdocs/comparison/v1"


def figure_document(figure: Figure, ledger: Ledger) -> dict[str, Any]:
    """A figure with its bounds, how it came about, what was published for it, and what it rests on; null where there is none."""
    within = figure.interval
    low = None if within is None or within.bound in ("≤", "?") else float(within.low)
    high = None if within is None or within.bound in ("≥", "?") else float(within.high)
    return {
        "name": str(figure.name),
        "text": figure.text if figure.value is not None else None,
        "value": None if figure.value is None else float(figure.value),
        "low": low,
        "high": high,
        "uncertainty": figure.uncertainty,
        "unit": figure.unit.text,
        "formula": figure.column.compute,
        "samples": [_number(sample) for sample in figure.cell.samples],
        "published": _number(figure.cell.published),
        "reproduction": None if figure.reproduction is None else str(figure.reproduction),
        "rests_on": ledger.basis((figure.name,)) if figure.value is not None else None,
        "error": figure.error.message if figure.error is not None and not figure.error.is_empty else None,
    }


def _number(number: Number | None) -> int | float | None:
    return number if number is None or isinstance(number, int) else float(number)


def cell_document(name: CellName, ledger: Ledger) -> dict[str, Any]:
    """A cell that exists, what its formula reads, and everything that changes when it does."""
    figure = ledger.workbook.figure(name)
    after = ledger.dependents(name)
    return {
        "schema": FIGURE_SCHEMA,
        "figure": figure_document(figure, ledger),
        "reads": [*(str(cell) for cell in figure.inputs), *figure.results],
        "dependents": {
            "cells": [figure_document(ledger.workbook.figure(cell), ledger) for cell in after.cells],
            "claims": [{"id": claim, "verdict": str(ledger.judgements[claim].verdict), "reason": ledger.judgements[claim].reason} for claim in after.claims],
            "texts": [{"record": cited.record, "field": field_path(cited.loc), "cites": cited.text[cited.citation.start : cited.citation.end], "shows": cited.citation.text} for cited in after.citations],
            "charts": [{"measurement": measurement, "title": title} for measurement, title in after.charts],
            "comparisons": [{"measurement": measurement, "row": row} for measurement, row in after.comparisons],
            "noise_floors": list(after.pools),
        },
    }


def field_path(loc: tuple[str | int, ...]) -> str:
    """`payoffs[0].figure`, as `kvdocs set` takes it."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")


def comparison_document(measurement: str, ledger: Ledger) -> dict[str, Any]:
    """The comparisons of a measurement that exists: samples, change, both intervals, verdict, the order of the arms, and the noise floor."""
    record, figures = ledger.measurements[measurement], ledger.figures(measurement)
    return {
        "schema": COMPARISON_SCHEMA,
        "id": measurement,
        "title": with_figures(record.title, ledger.registry),
        "rests_on": ledger.basis_of(measurement),
        "environment": record.environment,
        "wrong_output_under": list(wrong_output_under(record.probes, record.results, ledger.registry)),
        "order": {"arms": list(figures.order) or None, "drift": str(order_of(figures.order))},
        "comparisons": [_comparison(one, ledger, measurement) for one in figures.comparisons],
        "invalid_arms": [{"name": str(arm.name), "ratio": arm.ratio, "limit": arm.limit} for arm in ledger.invalid_arms(measurement)],
    }


def _comparison(one: ArmComparison, ledger: Ledger, measurement: str) -> dict[str, Any]:
    result = one.result
    a, b = (ledger.workbook.figure(CellName(measurement, name, one.row)) for name in (one.a, one.b))
    return {
        "row": one.row,
        "a": one.a,
        "b": one.b,
        "unit": b.unit.text,
        "better": b.column.better,
        "samples": {"a": [_number(s) for s in a.cell.samples], "b": [_number(s) for s in b.cell.samples]},
        "pairs": result.pairs,
        "change": result.change,
        "noise_floor": _floor(ledger.workbook.noise_floor(measurement, a.unit), ledger.workbook.sheets[measurement].noise_floor),
        "pooled": _range(result.pooled),
        "paired": _range(result.paired),
        "basis": result.basis,
        "threshold": result.threshold,
        "equivalent_within": result.equivalent_within,
        "verdict": str(result.verdict),
        "words": result.words,
    }


def _floor(spread: Spread | None, measurements: tuple[str, ...]) -> dict[str, Any] | None:
    return {"from": list(measurements), "sd": spread.sd, "df": spread.df} if spread is not None else None


def _range(interval: Range | None) -> dict[str, Any] | None:
    return {"low": interval.low, "high": interval.high, "df": interval.df} if interval is not None else None


def computed_document(entry: Entry, ledger: Ledger) -> dict[str, Any] | None:
    """What is computed for a record: the figures of a measurement, the verdict of a claim, the figures that fields cite; None for others."""
    found = ledger.of(entry.id)
    if isinstance(found, Judgement):
        return {"rests_on": ledger.basis_of(entry.id), "figures": [], "verdict": str(found.verdict), "reason": found.reason}
    if found is not None:
        figures = [figure_document(figure, ledger) for figure in found.table.figures()]
        return {"rests_on": ledger.basis_of(entry.id), "figures": figures, "verdict": None, "reason": None}
    fields = field_figures(entry.record, ledger.registry)
    if not fields:
        return None
    return {"rests_on": None, "figures": [_field_document(field_path(loc), figure, ledger) for loc, figure in fields.items()], "verdict": None, "reason": None}


def _field_document(name: str, figure: FieldFigure, ledger: Ledger) -> dict[str, Any]:
    """The figure of a field in the form of `figure_document`."""
    return {
        "name": name,
        "text": f"{figure.text}{figure.unit.label}" if figure.value is not None else None,
        "value": None if figure.value is None else float(figure.value),
        "low": None,
        "high": None,
        "uncertainty": None,
        "unit": figure.unit.text,
        "formula": figure.expression,
        "samples": [],
        "published": _number(figure.published),
        "reproduction": None if figure.reproduction is None else str(figure.reproduction),
        "rests_on": ledger.basis(figure.cells, figure.results) if figure.value is not None else None,
        "error": figure.error.message if figure.error is not None else None,
    }
