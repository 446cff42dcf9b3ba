"""pytest-benchmark JSON (`--benchmark-json`, or a stored run) -> benchmarks of time in seconds.

A round's time is a mean over its `iterations`. A stored run has its rounds only with `--benchmark-save-data`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kvdocs.exchange.benchmark import Benchmark, BenchmarkReport, Scalar, mean_of, stddev_of
from kvdocs.exchange.json_objects import Found, object_of, objects_of
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.problems import counted


def parse(text: str) -> BenchmarkReport:
    """The benchmarks of a file; the whole ones when it was cut short.

    Raises UnreadableSourceError when the text has no `benchmarks` array of pytest-benchmark.
    """
    objects = objects_of(text, "benchmarks", ("fullname", "stats"))
    if objects is None or not (objects.whole or '"machine_info"' in text):
        raise UnreadableSourceError("no pytest-benchmark output in this file")
    whole = not objects.broken and "]" in objects.rest
    remarks: list[Remark] = [unknown("the command line and the environment variables")]
    if not whole:
        remarks.append(lost(f"the file was cut short: {counted(len(objects.whole), 'whole benchmark')} taken"))
    context = _context(text)
    remarks += _context_remarks(context)
    rows = [_benchmark(found, remarks) for found in objects.whole]
    return BenchmarkReport("pytest-benchmark json", tuple(rows), context, tuple(remarks), whole)


def _benchmark(found: Found, remarks: list[Remark]) -> Benchmark:
    values, stats = found.value, found.value["stats"]
    name = str(values["fullname"])
    samples = tuple(float(time) for time in stats.get("data") or ())
    rounds = stats.get("rounds")
    if not samples:
        remarks.append(unknown(f"{name}: its rounds; the file was written without --benchmark-save-data"))
    if rounds == 1:
        remarks.append(doubtful(f"{name}: one round, so its standard deviation is not known", found.line))
    settings: dict[str, Scalar] = {"iterations": stats.get("iterations")}
    if values.get("group"):
        settings["group"] = str(values["group"])
    if isinstance(values.get("params"), Mapping):
        settings.update({f"parameter {key}": str(value) for key, value in values["params"].items()})
    return Benchmark(
        name=name,
        quantity="duration",
        unit="s",
        direction="lower",
        samples=samples,
        mean=mean_of(samples) if samples else stats.get("mean"),
        stddev=stddev_of(samples) if samples else (stats.get("stddev") if rounds != 1 else None),
        repetitions=len(samples) or rounds,
        settings=settings,
        line=found.line,
    )


def _context(text: str) -> dict[str, Scalar]:
    """Host, system, interpreter, commit, branch and whether the tree was dirty, as far as the file has them."""
    machine, commit = object_of(text, "machine_info"), object_of(text, "commit_info")
    cpu = machine.get("cpu")
    context: dict[str, Scalar] = {
        "host": machine.get("node"),
        "system": machine.get("system"),
        "release": machine.get("release"),
        "python": machine.get("python_version"),
        "cpu": cpu.get("brand_raw") if isinstance(cpu, dict) else None,
        "commit": commit.get("id"),
        "branch": commit.get("branch"),
        "dirty": commit.get("dirty"),
    }
    date = re.search(r'"datetime"\s*:\s*"([^"]*)"', text)
    context["date"] = date[1] if date else None
    return {key: value for key, value in context.items() if value is not None}


def _context_remarks(context: Mapping[str, Scalar]) -> list[Remark]:
    remarks = []
    if context.get("dirty") is True:
        remarks.append(doubtful("the tree was dirty: the commit is not what ran"))
    if context.get("commit") in (None, "unversioned", "unknown"):
        remarks.append(unknown("the commit"))
    return remarks
