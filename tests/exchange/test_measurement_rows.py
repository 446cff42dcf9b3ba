"""Benchmarks become a measurement that the program accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType

import pytest

from kvdocs.exchange import google_benchmark, hyperfine, llama_bench, pytest_benchmark
from kvdocs.exchange.draft_yaml import yaml_text
from kvdocs.exchange.measurement_rows import measurement_values
from kvdocs.kinds.measurement import Measurement
from kvdocs.pipeline import Inspection

Sample = Callable[[str], str]
InspectFiles = Callable[[Mapping[str, str]], Inspection]
ENVIRONMENT = {"registry/environments/here.yaml": "id: here\ntitle: Here\n"}


def decode_line(sample: Sample) -> str:
    """The line of the test tg16 without depth."""
    return next(line for line in sample("llama-bench.jsonl").splitlines() if '"n_gen": 16, "n_depth": 0' in line)


def test_llama_bench_by_depth(sample: Sample) -> None:
    assert yaml_text(measurement_values(llama_bench.parse(sample("llama-bench.json")), "M9", "here"), Measurement) == (
        """\
id: M9
title: llama-bench json of llama ?B all F32
summary: |-
  Imported. What the source does not tell, or lost:

  - unknown: the environment variables of the run: llama-bench does not print them
  - unknown: the command line: only the settings that it prints are known
  - unknown: whether the source tree was dirty: build_commit carries no mark of it
environment: here
commit: 749f688fc
protocol: |-
  - build_number: `1`
  - cpu_info: `AMD EPYC`
  - backends: `CPU`
  - model_filename: `models/tiny.gguf`
  - model_type: `llama ?B all F32`
key: depth
columns:
  - name: depth
    title: Depth
    unit: token
    exact: true
  - name: pp64
    title: pp64
    quantity: prompt rate
    unit: token/s
    better: higher
  - name: tg16
    title: tg16
    quantity: decode rate
    unit: token/s
    better: higher
rows:
  - depth: 0
    pp64:
      samples: [114016.165051]
      repetitions: 3
      note: "standard deviation of the repetitions: 6739.81"
    tg16:
      samples: [23471.073758]
      repetitions: 3
      note: "standard deviation of the repetitions: 4100.35"
  - depth: 64
    pp64:
      samples: [104715.823993]
      repetitions: 3
      note: "standard deviation of the repetitions: 4615.97"
    tg16:
      samples: [11511.485024]
      repetitions: 3
      note: "standard deviation of the repetitions: 270.364"
"""
    )


def test_the_same_test_in_two_processes_is_two_samples(sample: Sample) -> None:
    values = measurement_values(llama_bench.parse((decode_line(sample) + "\n") * 2), "M9")
    assert [[str(figure) for figure in row["rate"]["samples"]] for row in values["rows"]] == [["14932.474727", "14932.474727"]]


def test_settings_that_differ_make_the_arms(sample: Sample) -> None:
    first = decode_line(sample)
    values = measurement_values(llama_bench.parse(first + "\n" + first.replace('"no_kv_offload": false', '"no_kv_offload": true') + "\n"), "M9")
    assert [column["name"] for column in values["columns"]] == ["test", "no_kv_offload_False", "no_kv_offload_True"]
    assert [row["test"] for row in values["rows"]] == ["tg16"]


def test_hyperfine_runs_a_process_for_each_sample(sample: Sample) -> None:
    values = measurement_values(hyperfine.parse(sample("hyperfine.json")), "M9")
    assert [(row["benchmark"], [str(figure) for figure in row["time"]["samples"]]) for row in values["rows"]] == [
        ("sleep 0.01", ["0.011304653", "0.011469873", "0.011283827"]),
        ("sleep 0.02", ["0.021323104", "0.021392863", "0.021476105"]),
    ]


def test_units_that_differ_stand_in_columns_of_their_own(sample: Sample) -> None:
    values = measurement_values(google_benchmark.parse(sample("google-benchmark.json")), "M9")
    assert [(column["name"], column["unit"]) for column in values["columns"]] == [("benchmark", "text"), ("time_in_ns", "ns"), ("time_in_us", "us")]
    assert [set(row) - {"benchmark"} for row in values["rows"]] == [{"time_in_ns"}, {"time_in_ns"}, {"time_in_us"}]


def test_markdown_keeps_the_digits_as_printed(sample: Sample) -> None:
    values = measurement_values(llama_bench.parse(sample("llama-bench.md")), "M9")
    assert str(values["rows"][1]["pp64"]["samples"][0]) == "81531.40"
    assert values["rows"][1]["pp64"]["note"] == "standard deviation of the repetitions: 12754.07"


@pytest.mark.parametrize(
    ("reader", "name"),
    [(llama_bench, f"llama-bench.{form}") for form in ("json", "jsonl", "md", "csv", "sql")]
    + [(google_benchmark, "google-benchmark.json"), (hyperfine, "hyperfine.json"), (pytest_benchmark, "pytest-benchmark.json"), (pytest_benchmark, "pytest-benchmark-stored.json")],
)
def test_every_import_is_a_valid_measurement(reader: ModuleType, name: str, sample: Sample, inspect_files: InspectFiles) -> None:
    text = yaml_text(measurement_values(reader.parse(sample(name)), "M9", "here"), Measurement)
    assert [str(problem) for problem in inspect_files({**ENVIRONMENT, "registry/measurements/M9.yaml": text}).problems] == []
