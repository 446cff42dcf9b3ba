"""Google Benchmark, hyperfine and pytest-benchmark: JSON as these programs wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange import google_benchmark, hyperfine, pytest_benchmark
from kvdocs.exchange.benchmark import describe
from kvdocs.exchange.remark import UnreadableSourceError

SAMPLES = Path(__file__).parent / "samples"
Sample = Callable[[str], str]


def test_google_benchmark(sample: Sample) -> None:
    report = google_benchmark.parse(sample("google-benchmark.json"))
    assert describe(report) == [
        "google-benchmark json: 4 benchmarks",
        "  sum/64/repeats:3: 35.1833 ± 2.74632 ns (n = 3)",
        "  sum/4096/repeats:3: 3432.11 ± 50.7201 ns (n = 3)",
        "  broken: no figure (no device)",
        "  one: 0.000282938 us (n = 1)",
        "  unknown: the commit, the command line and the environment variables",
        "  unknown: the spread within a repetition: its time is a mean over its iterations",
        "  doubtful: the benchmark library is a debug build",
        "  lost: line 271: broken: it failed (no device), so it has no time",
        "  doubtful: line 287: one: one repetition, so its standard deviation is not known",
    ]
    assert report.context["date"] == "2026-11-29T17:11:28+00:00"
    assert report.rows[0].samples == (38.24674732272851, 34.36150173266742, 32.94176752195609)
    assert report.rows[3].settings == {"threads": 1, "iterations": 49105835, "ratio": "nan"}


def test_google_benchmark_prints_minus_nan(sample: Sample) -> None:
    text = sample("google-benchmark.json").replace('"ratio": NaN', '"ratio": -NaN')
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert google_benchmark.parse(text).rows[3].name == "one"


def test_google_benchmark_with_aggregates_only(sample: Sample) -> None:
    values = json.loads(sample("google-benchmark.json"))
    values["benchmarks"] = [b for b in values["benchmarks"] if b["run_type"] == "aggregate" and b["run_name"].startswith("sum/64")]
    report = google_benchmark.parse(json.dumps(values))
    assert describe(report)[1] == "  sum/64/repeats:3: 35.1833 ± 2.74632 ns (n = 3)"
    assert report.rows[0].samples == ()
    assert str(report.remarks[-1]) == "unknown: sum/64/repeats:3: the repetitions; only aggregates are in the file"


def test_hyperfine(sample: Sample) -> None:
    report = hyperfine.parse(sample("hyperfine.json"))
    assert describe(report) == [
        "hyperfine json: 2 benchmarks",
        "  sleep 0.01: 0.0113528 ± 0.000101935 s (n = 3)",
        "  sleep 0.02: 0.0213974 ± 7.65995e-05 s (n = 3)",
        "  unknown: the date, the host, the commit and the environment variables",
    ]
    assert [row.settings["parameter n"] for row in report.rows] == ["1", "2"]


def test_hyperfine_of_failing_commands(sample: Sample) -> None:
    text = sample("hyperfine-failed.json").replace("137", "null", 1)
    assert [str(remark) for remark in hyperfine.parse(text).remarks[1:]] == [
        "doubtful: line 3: exit 3: 3 of 3 runs ended with exit 3, and its times are of failed runs too",
        "doubtful: line 3: exit 3: a time of 0 is below the shell's start-up time that was taken off",
        "doubtful: line 23: kill -9 $$: 3 of 3 runs ended with a signal, exit 137, and its times are of failed runs too",
        "doubtful: line 23: kill -9 $$: a time of 0 is below the shell's start-up time that was taken off",
    ]


def test_pytest_benchmark(sample: Sample) -> None:
    report = pytest_benchmark.parse(sample("pytest-benchmark.json"))
    assert [(row.name, row.unit, row.repetitions, len(row.samples)) for row in report.rows] == [
        ("test_pb.py::test_sum[10]", "s", report.rows[0].repetitions, report.rows[0].repetitions),
        ("test_pb.py::test_sum[1000]", "s", report.rows[1].repetitions, report.rows[1].repetitions),
    ]
    assert report.rows[1].settings["parameter n"] == "1000"
    assert (report.context["commit"], report.context["dirty"]) == ("9c31c4244503e55858f73a54304eabaabc49d4ef", True)
    assert [str(remark) for remark in report.remarks] == [
        "unknown: the command line and the environment variables",
        "doubtful: the tree was dirty: the commit is not what ran",
    ]


def test_pytest_benchmark_stored_without_its_rounds(sample: Sample) -> None:
    stored = pytest_benchmark.parse(sample("pytest-benchmark-stored.json"))
    assert [(row.samples, row.mean is not None, row.stddev is not None) for row in stored.rows] == [((), True, True)] * 2
    assert str(stored.remarks[-1]) == "unknown: test_pb.py::test_sum[1000]: its rounds; the file was written without --benchmark-save-data"


READERS = [(google_benchmark, "google-benchmark.json"), (hyperfine, "hyperfine.json"), (pytest_benchmark, "pytest-benchmark.json")]


@pytest.mark.parametrize(("reader", "name"), READERS, ids=lambda value: value if isinstance(value, str) else "")
def test_each_reader_refuses_the_files_of_the_others(reader: ModuleType, name: str, sample: Sample) -> None:
    for _, other in READERS:
        if other != name:
            with pytest.raises(UnreadableSourceError):
                reader.parse(sample(other))


@pytest.mark.parametrize(("reader", "name"), READERS, ids=lambda value: value if isinstance(value, str) else "")
@given(data=st.data())
def test_any_cut_gives_a_prefix_of_the_samples(reader: ModuleType, name: str, data: st.DataObject) -> None:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    cut = data.draw(st.integers(min_value=0, max_value=len(text.rstrip()) - 1))
    full = [(row.name, row.samples) for row in reader.parse(text).rows]
    try:
        report = reader.parse(text[:cut])
    except UnreadableSourceError:
        return
    found = [(row.name, row.samples) for row in report.rows]
    assert [name for name, _ in found] == [name for name, _ in full[: len(found)]]
    assert all(samples == whole[: len(samples)] for (_, samples), (_, whole) in zip(found, full, strict=False))
    assert not report.whole or found == full
