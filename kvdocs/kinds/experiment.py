"""experiment: something that was tried and rejected, with the numbers and the reason."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Commit, Markdown, Number, Part, Record, Ref
from kvdocs.registry import Entry
from kvdocs.view import Badge, Cell, Fact, Prose, RecordView, Section, Table


class Outcome(Part):
    """One figure of the attempt."""

    what: str = Field(description="What the figure is, such as `decode gain`.")
    at: str = Field(default="", description="Under which condition, such as `32,768 tokens`.")
    value: Number
    unit: str
    note: str = ""


class Experiment(Record):
    """An attempt. `title` says what was tried."""

    verdict: Literal["rejected", "null-result", "not-measurable", "accepted"]
    why: Markdown = Field(description="Why it was rejected.")
    outcomes: list[Outcome] = Field(default=[], description="The figures that it gave.")
    exact: bool | None = Field(default=None, description="Whether the output stayed identical; absent when it was not looked at.")
    exactness: Markdown | None = Field(default=None, description="How that was seen.")
    environment: Annotated[str, Ref("environment")] | None = None
    commit: Commit | None = None
    probes: list[Annotated[str, Ref("probe")]] = []
    about: list[Annotated[str, Ref("item", "defect", "measurement", "decision")]] = []
    results: list[Annotated[str, Ref("result")]] = Field(default=[], description="The executions that the figures come from; without any, they are reported.")
    sources: list[Annotated[str, Ref("reference")]] = []


def _experiment(entry: Entry) -> Experiment:
    assert isinstance(entry.record, Experiment)
    return entry.record


def verdict_badge(record: Experiment) -> Badge:
    """The verdict with its colour."""
    return Badge(record.verdict.replace("-", " "), "good" if record.verdict == "accepted" else "off")


def outcome_words(outcome: Outcome) -> str:
    """A figure with its sign, unit and condition: `+0.13 % at 4,096 tokens`."""
    sign = "+" if outcome.unit == "%" and outcome.value > 0 else ""
    return f"{sign}{outcome.value} {outcome.unit}{f' at {outcome.at}' if outcome.at else ''}".replace("-", "−")


def view(entry: Entry, context: Context) -> RecordView:
    record = _experiment(entry)
    facts = [
        Fact("Verdict", verdict_badge(record)),
        Fact("Basis", "executed" if record.results else "reported"),
        Fact("Output identical", None if record.exact is None else "yes" if record.exact else "no"),
        Fact("Environment", context.link(record.environment) if record.environment else None),
        Fact("Probes", tuple(context.link(p) for p in record.probes) or None),
        Fact("About", tuple(context.link(a) for a in record.about) or None),
        Fact("Sources", tuple(context.link(s) for s in record.sources) or None),
    ]
    sections = [Section("Why", (Prose(context.prose(record.why, record.id)),))]
    if record.outcomes:
        rows = tuple((o.what, o.at or None, f"{'+' if o.unit == '%' and o.value > 0 else ''}{o.value}".replace("-", "−"), o.unit, o.note or None) for o in record.outcomes)
        sections.append(Section("What came out", (Table(("Figure", "At", "Value", "Unit", "Note"), rows, numeric=frozenset({2})),)))
    if record.exactness:
        sections.append(Section("Exactness", (Prose(context.prose(record.exactness, record.id)),)))
    if record.results:
        sections.append(Section("Executions", (Table(("Result",), tuple((context.link(r),) for r in record.results)),)))
    return RecordView(state=verdict_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections))


def _outcomes(entry: Entry, context: Context) -> Cell:
    return tuple(outcome_words(o) for o in _experiment(entry).outcomes) or None


KIND = Kind(
    name="experiment", plural="experiments", folder="experiments", position=45, model=Experiment, view=view, prefix="X", document="measurements",
    columns=(
        Column("Verdict", lambda e, c: verdict_badge(_experiment(e)), filter=True),
        Column("Result", _outcomes),
        Column("Why", lambda e, c: c.prose(_experiment(e).why, e.id)),
    ),
)  # fmt: skip
