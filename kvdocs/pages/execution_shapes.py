"""The documents about executions: gates, what would be and what was executed, what was packed and taken in."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kvdocs.kinds.result import Result
from kvdocs.pages.figure_shapes import Document


class EarlierRuns(Document):
    """What a gate of clean runs is worth against runs that were counted before."""

    defect: str
    where: str = Field(description="Machine and source, in words.")
    rests_on: Literal["reported", "executed"]
    failures: int
    runs: int = Field(description="Eligible ones.")
    low: float = Field(description="The exact 95% interval of the rate.")
    high: float
    leaves: float = Field(description="The largest rate that so many clean runs leave possible, at 95% confidence.")
    passes_unrepaired: float = Field(description="How likely the gate passes although nothing is repaired.")
    advised: int = Field(description="How many clean runs would bring that to 5%, at least 8.")
    enough: bool


class GateEntry(Document):
    """The verdict of one gate."""

    id: str
    verdict: Literal["passed", "failed", "undecided", "not run", "for people"]
    reason: str
    results: list[str] = Field(description="The results that count.")
    left_out: list[str] = Field(description="Results of its script that were withdrawn or superseded: they count for nothing.")
    worth: list[EarlierRuns] = Field(description="For a gate of several clean runs; empty for others.")


class GatesDocument(Document):
    """Whether an item's gates have passed."""

    schema_: Literal["kvdocs/gates/v1"] = Field(alias="schema")
    id: str
    passed: bool
    landed: list[str] = Field(description="The commits known to hold the work.")
    gates: list[GateEntry]


class PlannedScript(Document):
    """A script that would be executed."""

    script: str
    about: list[str]
    executions: int
    timeout_s: float
    lock: bool = Field(description="Whether it waits for the one GPU job at a time.")
    missing: list[str] = Field(description="What this machine lacks, in words.")


class PlanDocument(Document):
    """What would be executed here."""

    schema_: Literal["kvdocs/plan/v1"] = Field(alias="schema")
    environment: str
    scripts: list[PlannedScript]


class Commission(Document):
    """A script as it would be executed, with the run's own names in brackets."""

    script: str
    argv: list[str] = Field(description="The command.")
    cwd: str = Field(description="The folder in which it runs.")
    timeout_s: float
    lock: str | None = Field(description="The file of the one-GPU-job lock; null when the script does not take it.")
    cpus: list[int] = Field(description="The CPUs that it is pinned to; empty when it is not.")
    results: str = Field(description="Where its results would be kept.")
    env: dict[str, str] = Field(description="The variables that it is given.")


class DryRunDocument(Document):
    """What exactly would be executed."""

    schema_: Literal["kvdocs/dry-run/v1"] = Field(alias="schema")
    environment: str
    scripts: list[Commission]


class Ineligible(Document):
    """An execution that does not count."""

    result: str
    why: str


class ScriptVerdict(Document):
    """What all executions of a script say together."""

    script: str
    verdict: Literal["reproduced", "not-reproduced", "inconclusive"]
    reason: str
    reproduced: int
    clean: int
    ineligible: list[Ineligible]


class RunDocument(Document):
    """What was executed."""

    schema_: Literal["kvdocs/run/v1"] = Field(alias="schema")
    results: list[Result] = Field(description="Whole results, as in their files.")
    scripts: list[ScriptVerdict]


class PackDocument(Document):
    """What was packed."""

    schema_: Literal["kvdocs/pack/v1"] = Field(alias="schema")
    path: str
    sha256: str
    environment: str | None
    scripts: list[str]
    files: list[str]


class Refused(Document):
    """A result that was not taken in."""

    path: str
    what: str


class IntakeDocument(Document):
    """What was taken in of a folder of results."""

    schema_: Literal["kvdocs/intake/v1"] = Field(alias="schema")
    taken: list[str] = Field(description="Ids of results.")
    known: list[str] = Field(description="Those that were here already.")
    recovered: list[str] = Field(description="Those whose runner had died.")
    refused: list[Refused]


class ImportedDocument(Document):
    """A result made from a log."""

    schema_: Literal["kvdocs/import/v1"] = Field(alias="schema")
    written: bool
    record: Result
