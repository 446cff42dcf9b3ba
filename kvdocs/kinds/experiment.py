"""experiment: something that was tried and rejected, with the numbers and the reason."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._cited_view import field_figure_of, figure_cells, figure_text, number_text
from kvdocs.kinds._measurement_view import basis_badge
from kvdocs.kinds.probe import bounds
from kvdocs.model import CitedFigure, Commit, Markdown, Number, Part, Record, Ref, empty_list
from kvdocs.view import Badge, Cell, Fact, Prose, RecordView, Section, Table


class Outcome(Part):
    """One figure of the attempt."""

    what: str = Field(description="What the figure is, such as `decode gain`.")
    at: str = Field(default="", description="Under which condition, such as `32,768 tokens`.")
    figure: CitedFigure | None = Field(default=None, description="The figure that tells it, such as `M6.h2d['async']`; it is computed, and `value` is held against it.")
    value: Number | None = Field(default=None, description="The number; beside a `figure`, what was published.")
    unit: str = Field(description="Its unit.")
    note: str = Field(default="", description="What a reader has to know of it.")

    @model_validator(mode="after")
    def _has_value(self) -> Outcome:
        if self.figure is None and self.value is None:
            raise ValueError("an outcome names the `figure` that tells it, or has a `value`")
        return self


class Experiment(Record):
    """An attempt. `title` says what was tried."""

    verdict: Literal["rejected", "null-result", "not-measurable", "accepted"] = Field(description="What came of it.")
    why: Markdown = Field(description="Why it was rejected.")
    outcomes: list[Outcome] = Field(default_factory=empty_list, description="The figures that it gave.")
    exact: bool | None = Field(default=None, description="Whether the output stayed identical; absent when it was not looked at.")
    exactness: Markdown | None = Field(default=None, description="How that was seen.")
    environment: Annotated[str, Ref("environment")] | None = Field(default=None, description="The machine.")
    commit: Commit | None = Field(default=None, description="The source on which it was tried.")
    probes: list[Annotated[str, Ref("probe")]] = Field(default_factory=empty_list, description="The patches that were applied.")
    about: list[Annotated[str, Ref("item", "defect", "measurement", "decision")]] = Field(default_factory=empty_list, description="The records that it is about.")
    results: list[Annotated[str, Ref("result")]] = Field(default_factory=empty_list, description="The executions that the figures come from; without any, they are reported.")
    sources: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="Where it was reported.")


def _experiment(entry: Entry) -> Experiment:
    assert isinstance(entry.record, Experiment)
    return entry.record


def verdict_badge(record: Experiment) -> Badge:
    """The verdict with its colour."""
    return Badge(record.verdict.replace("-", " "), "good" if record.verdict == "accepted" else "off")


def outcome_words(record: Experiment, context: Context) -> tuple[str, ...]:
    """Each figure with its sign, unit and condition: `+0.13% at 4,096 tokens`; the computed one where it is cited."""
    figures = (figure_text(field_figure_of(record.id, ("outcomes", n), context), o.value, o.unit) for n, o in enumerate(record.outcomes))
    return tuple(f"{figure}{f' at {o.at}' if o.at else ''}" for figure, o in zip(figures, record.outcomes, strict=True))


def view(entry: Entry, context: Context) -> RecordView:
    record = _experiment(entry)
    facts = [
        Fact("Verdict", verdict_badge(record)),
        Fact("Basis", basis_badge("executed" if record.results else "reported")),
        Fact("Output identical", None if record.exact is None else "yes" if record.exact else "no"),
        Fact("Environment", context.link(record.environment) if record.environment else None),
        Fact("Probes", tuple(context.link(p) for p in record.probes) or None),
        Fact("About", tuple(context.link(a) for a in record.about) or None),
        Fact("Sources", tuple(context.link(s) for s in record.sources) or None),
    ]
    sections = [Section("Why", (Prose(context.prose(record.why, record.id)),))]
    if record.outcomes:
        sections.append(Section("What came out", (_outcome_table(record, context),)))
    if record.exactness:
        sections.append(Section("Exactness", (Prose(context.prose(record.exactness, record.id)),)))
    if record.results:
        sections.append(Section("Executions", (Table(("Result",), tuple((context.link(r),) for r in record.results)),)))
    notices = bounds(record.probes, record.results, context, record.id)
    return RecordView(state=verdict_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=notices)


def _outcome_table(record: Experiment, context: Context) -> Table:
    rows = []
    for position, o in enumerate(record.outcomes):
        figure = field_figure_of(record.id, ("outcomes", position), context)
        shown = figure_cells(figure, o.value, "", context) if figure is not None else number_text(o.value, o.unit)
        rows.append((o.what, o.at or None, shown, o.unit, o.note or None))
    return Table(("Figure", "At", "Value", "Unit", "Note"), tuple(rows), numeric=frozenset({2}))


def _outcomes(entry: Entry, context: Context) -> Cell:
    return outcome_words(_experiment(entry), context) or None


KIND = Kind(
    name="experiment", plural="experiments", folder="experiments", position=45, model=Experiment, view=view, prefix="X", document="measurements",
    columns=(
        Column("Verdict", lambda e, c: verdict_badge(_experiment(e)), filter=True),
        Column("Result", _outcomes),
        Column("Why", lambda e, c: c.prose(_experiment(e).why, e.id)),
    ),
)  # fmt: skip
