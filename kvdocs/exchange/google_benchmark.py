"""Google Benchmark JSON -> benchmarks, one a name, with the repetitions as samples.

A repetition's time is already a mean over its `iterations`; the spread within a repetition is not in the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kvdocs.exchange.benchmark import Benchmark, BenchmarkReport, Scalar, mean_of, stddev_of
from kvdocs.exchange.json_objects import Found, accept_minus_nan, object_of, objects_of
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.problems import counted

_FIELDS = frozenset(
    [
        "name",
        "family_index",
        "per_family_instance_index",
        "run_name",
        "run_type",
        "repetitions",
        "repetition_index",
        "threads",
        "iterations",
        "real_time",
        "cpu_time",
        "time_unit",
        "aggregate_name",
        "aggregate_unit",
        "error_occurred",
        "error_message",
        "label",
        "skipped",
    ]
)


def parse(text: str) -> BenchmarkReport:
    """The benchmarks of a file; the whole ones when it was cut short.

    Raises UnreadableSourceError when the text has no `benchmarks` array of Google Benchmark.
    """
    text = accept_minus_nan(text)
    objects = objects_of(text, "benchmarks", ("name", "iterations"))
    if objects is None or not ('"num_cpus"' in text or any("run_type" in found.value for found in objects.whole)):
        raise UnreadableSourceError("no Google Benchmark output in this file")
    whole = not objects.broken and "]" in objects.rest
    remarks: list[Remark] = [
        unknown("the commit, the command line and the environment variables"),
        unknown("the spread within a repetition: its time is a mean over its iterations"),
    ]
    if not whole:
        remarks.append(lost(f"the file was cut short: {counted(len(objects.whole), 'whole entry', 'whole entries')} taken"))
    context = _context(text)
    remarks += _context_doubts(context)
    groups: dict[str, list[Found]] = {}
    for found in objects.whole:
        groups.setdefault(str(found.value.get("run_name", found.value["name"])), []).append(found)
    rows = [_benchmark(name, group, remarks) for name, group in groups.items()]
    return BenchmarkReport("google-benchmark json", tuple(rows), context, tuple(remarks), whole)


def _benchmark(name: str, group: Sequence[Found], remarks: list[Remark]) -> Benchmark:
    runs = [found.value for found in group if found.value.get("run_type", "iteration") == "iteration"]
    aggregates = {str(f.value.get("aggregate_name")): f.value for f in group if f.value.get("run_type") == "aggregate"}
    failed = next((str(run.get("error_message", "")) or "error" for run in runs if run.get("error_occurred")), None)
    good = [run for run in runs if not run.get("error_occurred") and _number(run.get("real_time")) is not None]
    samples = tuple(float(run["real_time"]) for run in good)
    shown = group[0].value
    if failed is not None:
        remarks.append(lost(f"{name}: it failed ({failed}), so it has no time", group[0].line))
    if not runs and aggregates:
        remarks.append(unknown(f"{name}: the repetitions; only aggregates are in the file"))
    declared = shown.get("repetitions")
    if runs and failed is None and isinstance(declared, int) and declared > len(runs):
        remarks.append(lost(f"{name}: {len(runs)} of {declared} repetitions", group[0].line))
    if len(samples) == 1:
        remarks.append(doubtful(f"{name}: one repetition, so its standard deviation is not known", group[0].line))
    return Benchmark(
        name=name,
        quantity="duration",
        unit=str(shown.get("time_unit", "ns")),
        direction="lower",
        samples=samples,
        mean=mean_of(samples) if samples else _number(aggregates.get("mean", {}).get("real_time")),
        stddev=stddev_of(samples) if samples else _number(aggregates.get("stddev", {}).get("real_time")),
        repetitions=len(samples) or (declared if isinstance(declared, int) and not runs else None),
        settings=_settings(shown if not good else good[0]),
        failed=failed,
        line=group[0].line,
    )


def _settings(run: Mapping[str, Any]) -> dict[str, Scalar]:
    """Threads, iterations, label and the user's counters (as of the first repetition)."""
    kept = {key: run[key] for key in ("threads", "iterations", "label") if key in run}
    counters = {key: value for key, value in run.items() if key not in _FIELDS}
    return _scalars({**kept, **counters})


def _context(text: str) -> dict[str, Scalar]:
    """The scalar entries of the `context` object."""
    return _scalars(object_of(text, "context"))


def _scalars(values: Mapping[str, Any]) -> dict[str, Scalar]:
    """What is no list and no mapping; a number that is none is kept as its word."""
    return {key: value if not isinstance(value, float) or math.isfinite(value) else str(value) for key, value in values.items() if isinstance(value, str | int | float | bool)}


def _context_doubts(context: Mapping[str, Scalar]) -> list[Remark]:
    doubts = []
    if context.get("library_build_type") == "debug":
        doubts.append(doubtful("the benchmark library is a debug build"))
    if context.get("cpu_scaling_enabled") is True:
        doubts.append(doubtful("CPU frequency scaling was on: times are noisy"))
    return doubts


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
