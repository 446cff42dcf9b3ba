"""hyperfine JSON (`--export-json`) -> benchmarks of wall time in seconds."""

from __future__ import annotations

from typing import Any

from kvdocs.exchange.benchmark import Benchmark, BenchmarkReport, Scalar, mean_of, stddev_of
from kvdocs.exchange.json_objects import Found, objects_of
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.problems import counted


def parse(text: str) -> BenchmarkReport:
    """The commands of a file with their times; the whole ones when it was cut short.

    Raises UnreadableSourceError when the text has no `results` array of hyperfine.
    """
    objects = objects_of(text, "results", ("command", "mean"))
    if objects is None or (text.rstrip().endswith("}") and not objects.whole):
        raise UnreadableSourceError("no hyperfine output in this file")
    whole = not objects.broken and "]" in objects.rest
    remarks: list[Remark] = [unknown("the date, the host, the commit and the environment variables")]
    if not whole:
        remarks.append(lost(f"the file was cut short: {counted(len(objects.whole), 'whole command')} taken"))
    rows = [_benchmark(found, remarks) for found in objects.whole]
    return BenchmarkReport("hyperfine json", tuple(rows), {}, tuple(remarks), whole)


def _benchmark(found: Found, remarks: list[Remark]) -> Benchmark:
    values = found.value
    name = str(values["command"])
    samples = tuple(float(time) for time in values.get("times") or () if isinstance(time, int | float))
    failed = _failure(values.get("exit_codes"))
    if failed is not None:
        remarks.append(doubtful(f"{name}: {failed}, and its times are of failed runs too", found.line))
    if not samples:
        remarks.append(unknown(f"{name}: its single times; a mean alone is in the file"))
    elif any(time == 0 for time in samples):
        remarks.append(doubtful(f"{name}: a time of 0 is below the shell's start-up time that was taken off", found.line))
    if len(samples) == 1:
        remarks.append(doubtful(f"{name}: one run, so its standard deviation is not known", found.line))
    return Benchmark(
        name=name,
        quantity="duration",
        unit="s",
        direction="lower",
        samples=samples,
        mean=mean_of(samples) if samples else values.get("mean"),
        stddev=stddev_of(samples) if samples else (values.get("stddev") or None),
        repetitions=len(samples) or None,
        settings=_settings(values),
        failed=failed,
        line=found.line,
        process_each=True,
    )


def _failure(exit_codes: Any) -> str | None:
    """What the exit codes say: None when all are 0 or absent; null stands for death by a signal."""
    codes = exit_codes if isinstance(exit_codes, list) else []
    bad = [code for code in codes if code != 0]
    if not bad:
        return None
    kinds = ", ".join("a signal" if code is None else f"exit {code}" for code in dict.fromkeys(bad))
    return f"{len(bad)} of {counted(len(codes), 'run')} ended with {kinds}"


def _settings(values: dict[str, Any]) -> dict[str, Scalar]:
    settings: dict[str, Scalar] = {key: values[key] for key in ("user", "system") if key in values}
    parameters = values.get("parameters")
    if isinstance(parameters, dict):
        settings.update({f"parameter {key}": str(value) for key, value in parameters.items()})
    return settings
