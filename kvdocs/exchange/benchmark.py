"""What every benchmark importer yields: rows of samples with their unit, settings and remarks."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kvdocs.exchange.remark import Remark

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark: the same thing measured some number of times.

    `samples` are in the order in which they ran, in `unit`; empty when the format holds none.
    `mean` and `stddev` (n - 1 in the denominator) are computed from the samples where there are any, and are
    the printed ones otherwise. `stddev` is None when it is not known, which one repetition never tells.
    `raw` are the numbers as the program took them, in `raw_unit`, where `samples` are computed from them.
    `printed` holds figures with their digits as they stand in the file.
    `process_each` says that each sample is a process of its own; else they are repetitions inside one.
    """

    name: str
    quantity: Literal["throughput", "duration"]
    unit: str
    direction: Literal["higher", "lower"]
    samples: tuple[float, ...] = ()
    mean: float | None = None
    stddev: float | None = None
    repetitions: int | None = None
    raw: tuple[int, ...] = ()
    raw_unit: str = ""
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)
    failed: str | None = None
    line: int | None = None
    process_each: bool = False


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """The benchmarks of a file, what the file says of machine and build, and what it does not say."""

    source: str
    rows: tuple[Benchmark, ...]
    context: Mapping[str, Scalar]
    remarks: tuple[Remark, ...]
    whole: bool = True
    """False when the file was visibly cut short; a form without an end mark does not always show it."""


def mean_of(samples: Sequence[float]) -> float | None:
    """The arithmetic mean; None without samples."""
    return statistics.fmean(samples) if samples else None


def stddev_of(samples: Sequence[float]) -> float | None:
    """The standard deviation with n - 1; None for fewer than two samples, since they do not tell it."""
    return statistics.stdev(samples) if len(samples) > 1 else None


def common(rows: Sequence[Benchmark]) -> dict[str, Scalar]:
    """The settings that all rows share with one value."""
    if not rows:
        return {}
    first = rows[0].settings
    return {key: value for key, value in first.items() if all(r.settings.get(key, ...) == value for r in rows)}


def varying(rows: Sequence[Benchmark]) -> list[str]:
    """The settings that differ between rows, in the order in which they first appear."""
    shared = common(rows)
    keys = dict.fromkeys(key for row in rows for key in row.settings)
    return [key for key in keys if key not in shared]


def describe(report: BenchmarkReport) -> list[str]:
    """The rows and remarks of a report as lines for a person."""
    lines = [f"{report.source}: {len(report.rows)} benchmarks{'' if report.whole else ' (cut short)'}"]
    lines += [f"  {row.name}: {_figure(row)}" for row in report.rows]
    return lines + [f"  {remark}" for remark in report.remarks]


def _figure(row: Benchmark) -> str:
    if row.mean is None:
        return f"no figure ({row.failed})" if row.failed else "no figure"
    spread = f" ± {row.stddev:.6g}" if row.stddev is not None else ""
    count = f"n = {row.repetitions}" if row.repetitions is not None else "n not known"
    return f"{row.mean:.6g}{spread} {row.unit} ({count})"
