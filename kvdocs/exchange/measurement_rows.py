"""Benchmarks -> a measurement: rows by depth, test or name, a column for each arm, a sample for each process.

A program that repeats a test inside one process gives one sample, the mean over its repetitions; their spread stands in
the cell's note. The same test in another process of the file is another sample.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from kvdocs.exchange.benchmark import Benchmark, BenchmarkReport, Scalar, varying

_TIMES = frozenset(("test_time", "iterations", "user", "system", "bytes_per_second", "items_per_second"))
_SIZES = frozenset(("n_prompt", "n_gen", "n_depth"))
_TITLES = {"pp": "prompt rate", "tg": "decode rate"}


def measurement_values(report: BenchmarkReport, record_id: str, environment: str | None = None) -> dict[str, Any]:
    """The fields of a measurement record, in their order; rows and columns as far as the benchmarks have a figure."""
    rows = [row for row in report.rows if row.mean is not None]
    layout = _Layout(rows, report)
    values: dict[str, Any] = {"id": record_id, "title": f"{report.source}{_of(report.context)}"}
    values["summary"] = "\n".join(["Imported. What the source does not tell, or lost:", "", *(f"- {remark}" for remark in report.remarks)])
    if environment is not None:
        values["environment"] = environment
    commit = str(report.context.get("build_commit") or report.context.get("commit") or "")
    if re.fullmatch(r"[0-9a-f]{7,40}", commit):
        values["commit"] = commit
    settings = {key: value for key, value in report.context.items() if key not in ("build_commit", "commit") and value not in (None, "")}
    if settings:
        values["protocol"] = "\n".join(f"- {key}: `{value}`" for key, value in settings.items())
    return values | {"key": layout.key, "columns": layout.columns(), "rows": layout.rows()}


class _Layout:
    """Which benchmark stands in which row and column."""

    def __init__(self, rows: Sequence[Benchmark], report: BenchmarkReport) -> None:
        self._rows = rows
        self._varying = [key for key in varying(rows) if key not in _TIMES]
        self._is_llama = report.source.startswith("llama-bench")
        self._by_depth = "n_depth" in self._varying
        self._units = {row.unit for row in rows}
        self.key = "depth" if self._by_depth else "test" if self._is_llama else "benchmark"
        self.arms: dict[str, tuple[str, Benchmark]] = {}
        self._cells: dict[Scalar, dict[str, list[Benchmark]]] = {}
        for row in rows:
            name, title = self._arm(row)
            self.arms.setdefault(name, (title, row))
            self._cells.setdefault(self._row_key(row), {}).setdefault(name, []).append(row)

    def _row_key(self, row: Benchmark) -> Scalar:
        return row.settings.get("n_depth", 0) if self._by_depth else row.name

    def _arm(self, row: Benchmark) -> tuple[str, str]:
        """The name and title of the column that a benchmark belongs to."""
        others = [key for key in self._varying if key not in _SIZES and self._is_llama]
        parts = [f"{key} {row.settings.get(key)}" for key in others]
        if self._by_depth:
            parts.insert(0, row.name.split(" @ ")[0])
        if len(self._units) > 1:
            parts.append(f"{'rate' if row.quantity == 'throughput' else 'time'} in {row.unit}")
        title = ", ".join(parts) or ("rate" if row.quantity == "throughput" else "time")
        return re.sub(r"\W+", "_", title).strip("_") or "rate", title

    def columns(self) -> list[dict[str, Any]]:
        key: dict[str, Any] = {"name": self.key, "title": self.key.capitalize()}
        key |= {"unit": "token", "exact": True} if self._by_depth else {"unit": "text"}
        return [key, *(self._column(name, title, row) for name, (title, row) in self.arms.items())]

    @staticmethod
    def _column(name: str, title: str, row: Benchmark) -> dict[str, Any]:
        quantity = _TITLES.get(row.name[:2], "rate") if row.quantity == "throughput" else "duration"
        return {"name": name, "title": title, "quantity": quantity, "unit": row.unit, "better": row.direction}

    def rows(self) -> list[dict[str, Any]]:
        return [{self.key: key, **{name: _cell(found) for name, found in cells.items()}} for key, cells in self._cells.items()]


def _cell(found: Sequence[Benchmark]) -> dict[str, Any]:
    """The samples of the processes that ran one test of one arm."""
    cell: dict[str, Any] = {"samples": [figure for row in found for figure in _samples(row)]}
    repetitions = {row.repetitions for row in found if not row.process_each}
    if len(repetitions) == 1 and None not in repetitions:
        cell["repetitions"] = repetitions.pop()
    spreads = [row.printed.get("stddev_ts") if not row.samples else f"{row.stddev:.6g}" for row in found if row.stddev is not None and not row.process_each]
    if spreads:
        cell["note"] = f"standard deviation of the repetitions: {', '.join(str(spread) for spread in spreads)}"
    return cell


def _samples(row: Benchmark) -> list[Decimal]:
    """A figure for each process: with the digits that the source printed, otherwise six decimals (nine digits below 1)."""
    assert row.mean is not None
    if not row.samples and "avg_ts" in row.printed:
        return [Decimal(row.printed["avg_ts"])]
    figures = row.samples if row.process_each and row.samples else (row.mean,)
    return [Decimal(f"{figure:.6f}") if abs(figure) >= 1 else Decimal(f"{figure:.9g}") for figure in figures]


def _of(context: Mapping[str, Scalar]) -> str:
    what = context.get("model_type") or context.get("executable") or ""
    return f" of {what}" if what else ""
