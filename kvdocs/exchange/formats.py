"""The formats that are read and written: one line each, with what it gives and what it cannot tell or hold."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from kvdocs.exchange.benchmark import BenchmarkReport


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name on the command line, a title, what an import of it gives, its module, and what it lacks."""

    name: str
    title: str
    gives: Literal["measurement", "result", "records"]
    module: str
    lacks: str


IMPORTS = (
    Format("llama-bench", "llama-bench json, jsonl, md, csv or sql", "measurement", "llama_bench", "environment variables, the command line, whether the tree was dirty; samples in md, csv and sql"),
    Format("google-benchmark", "Google Benchmark JSON", "measurement", "google_benchmark", "the commit, the command line, the spread inside a repetition"),
    Format("hyperfine", "hyperfine JSON", "measurement", "hyperfine", "date, host, commit, environment variables"),
    Format("pytest-benchmark", "pytest-benchmark JSON", "measurement", "pytest_benchmark", "the command line, environment variables; rounds unless they were saved"),
    Format("log", "any log", "result", "ggml_abort", "everything but the output: machine, build, environment variables"),
    Format("test-backend-ops", "test-backend-ops console, sql or csv", "result", "test_backend_ops", "the commit on the console; errors and times in csv; whether it reached its end in sql and csv"),
    Format("compute-sanitizer", "compute-sanitizer log or XML", "result", "compute_sanitizer", "the tool's options; in XML how many errors there were"),
    Format("junit", "JUnit XML", "result", "junit", "commit, command, environment"),
    Format("llama-server", "llama-server log", "result", "llama_server", "the command line; timings of a request that did not end"),
    Format("register", "a register in Markdown: tables with ids, sections", "records", "register", "severity and the options of decisions; prose that begins with no id"),
    Format("github", "GitHub issues, from the API or `gh issue list --json`", "records", "github_issues", "comments, milestones, severity"),
    Format("csv", "CSV of one kind of record", "records", "records_csv", "comments and quotes of the YAML"),
    Format("needs", "needs.json of sphinx-needs", "records", "needs", "owners, sizes, gates"),
    Format("doorstop", "a folder of Doorstop items", "records", "doorstop", "state, owner, whether an item is a defect"),
    Format("beads", "beads JSONL", "records", "beads", "severity, design notes, comments, estimates"),
)  # fmt: skip


def format_named(name: str) -> Format:
    """The format of this name. KeyError when there is none."""
    return next(form for form in IMPORTS if form.name == name)


def read_benchmarks(name: str, text: str) -> BenchmarkReport:
    """The benchmarks of a text in a format that gives measurements; UnreadableSourceError when it is not of that format."""
    module = import_module(f"kvdocs.exchange.{format_named(name).module}")
    report = module.parse(text)
    assert isinstance(report, BenchmarkReport)
    return report
