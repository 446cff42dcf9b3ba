"""measurement: rows of figures with their units and samples, what was computed from them, what was published, and what they rule out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._measurement_view import published_state, view
from kvdocs.model import Commit, FigureFormula, Markdown, Number, Part, Record, Ref, empty_list
from kvdocs.problems import Code, Problem, Severity, did_you_mean, error_code, warning_code
from kvdocs.registry import Registry
from kvdocs.view import Cell

TEXT = "text"
"""The unit of a column that holds words."""


class MeasuredCell(Part):
    """A cell with more than a value: the samples of an arm, one for each process, or what was published for it."""

    value: Number | None = Field(default=None, description="The figure, with the digits that were seen.")
    at_least: Number | None = Field(default=None, description="Instead of a value: a lower bound, where a tool prints no more; shown as `≥ 100`.")
    samples: list[Number] = Field(default_factory=empty_list, description="One figure for each process, in the order in which they ran.")
    repetitions: int | None = Field(default=None, ge=1, description="How many repetitions inside a process each sample is the mean of.")
    metric: str | None = Field(default=None, description="Instead of both: the figure of the executions that is meant, such as `large_equal.pipeline.samples_ms`.")
    published: Number | None = Field(default=None, description="What was published, in the column's unit, with its digits. It is held against what is computed.")
    note: str | None = Field(default=None, description="What a reader has to know of the cell.")

    @model_validator(mode="after")
    def _one_of(self) -> MeasuredCell:
        given = [name for name in ("value", "at_least", "samples", "metric") if getattr(self, name) not in (None, [])]
        if len(given) > 1:
            raise ValueError("a cell has a value or samples, not both" if given == ["value", "samples"] else f"a cell has {given[0]} or {given[-1]}, not both")
        if not given and self.published is None:
            raise ValueError("a cell has a value, a lower bound, samples, a metric, or what was published")
        return self


class MeasuredColumn(Part):
    """A column of a measurement."""

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", description="The name that formulas use.")
    title: str = Field(description="The heading.")
    quantity: str = Field(default="", description="What is measured, such as `decode rate`.")
    unit: str = Field(default="1", description="A unit such as `ms/token`, `GiB` or `%`; `text` for words.")
    better: Literal["higher", "lower", "neither"] = Field(default="neither", description="Which direction is an improvement.")
    exact: bool = Field(default=False, description="The numbers stand for themselves (counts); else half a unit of the last digit is open to both sides.")
    compute: FigureFormula | None = Field(default=None, description="The formula of a derived column, over columns of this or another measurement.")
    metric: str | None = Field(
        default=None,
        description="The figure of the executions that each empty cell is, such as `{point}.pipeline.samples_ms`; `{point}` stands for what the row has in that column.",
    )
    centre: Literal["mean", "median"] = Field(default="mean", description="What the samples of a cell stand for in formulas.")
    relative_to: str | None = Field(default=None, description="The denominator of a relative figure, in words.")
    detail: bool = Field(default=False, description="Left out of the table in the overview; it stands on the page and in the document of measurements.")
    decimals: int | None = Field(default=None, ge=0, le=9, description="Places after the point when nothing was published; a figure of an execution is rounded to them.")
    note: Markdown | None = Field(default=None, description="What a reader has to know of the column.")

    @model_validator(mode="after")
    def _one_source(self) -> MeasuredColumn:
        if self.compute is not None and self.metric is not None:
            raise ValueError("a column is computed or read from executions, not both")
        return self


class Exclusion(Part):
    """Data that were left out. They stay here, with the rule that left them out."""

    what: Markdown = Field(description="What was left out.")
    arm: str | None = Field(default=None, description="The column.")
    row: int | str | None = Field(default=None, description="The key of the row.")
    values: list[Number] = Field(default_factory=empty_list, description="The figures; none when they were not kept.")
    rule: Markdown = Field(description="The rule by which it was left out.")
    decided: Literal["before-looking", "after-looking", "not-recorded"] = Field(description="Whether the rule was fixed before the figures were looked at.")
    by: str | None = Field(default=None, description="Who left it out.")


class ArmPair(Part):
    """Two arms to compare: `b` against `a`."""

    a: str = Field(description="The column that is compared with.")
    b: str = Field(description="The column that is compared.")
    threshold: Number | None = Field(default=None, description="The smallest change of practical use, in per cent; 1 if absent.")


class Chart(Part):
    """A picture of columns over the rows."""

    type: Literal["bars", "stack", "line"] = Field(description="Bars for arms, a stack for parts of a whole, a line over the rows.")
    columns: list[str] = Field(min_length=1, description="The columns that it shows.")
    title: str = Field(description="What it shows, in one line.")
    note: str = Field(default="", description="What a reader has to know of the picture.")


class Measurement(Record):
    """A measurement. `title` says what was measured."""

    summary: Markdown | None = Field(default=None, description="What was measured, and how to read it.")
    environment: Annotated[str, Ref("environment")] | None = Field(default=None, description="The machine.")
    repository: str | None = Field(default=None, description="`owner/name` of the source; the project's repository if absent.")
    commit: Commit | None = Field(default=None, description="The source that was measured.")
    probes: list[Annotated[str, Ref("probe")]] = Field(default_factory=empty_list, description="The patches that were applied. Figures under one whose output is wrong are bounds.")
    script: Annotated[str, Ref("script")] | None = Field(default=None, description="The script that measures it.")
    results: list[Annotated[str, Ref("result")]] = Field(default_factory=empty_list, description="The executions that the figures come from; without any, they are reported.")
    protocol: Markdown | None = Field(default=None, description="How it was measured, beyond what the environment says.")
    key: str = Field(description="The column that names the rows.")
    columns: list[MeasuredColumn] = Field(min_length=1, description="What was measured and what is computed from it.")
    rows: list[dict[str, Number | str | MeasuredCell]] = Field(min_length=1, description="The figures: for each row a mapping from column to cell.")
    order: Literal["unknown"] | list[str] | None = Field(default=None, description="The arms in the order in which they really ran, or `unknown`.")
    order_metric: str | None = Field(default=None, description="Instead: the figure of the executions that names the arms as they ran; arms without a column here are left out.")
    order_note: Markdown | None = Field(default=None, description="What is known of the order in which the arms ran.")
    noise_floor: list[Annotated[str, Ref("measurement")]] = Field(default_factory=empty_list, description="Measurements whose replicated arms tell the spread between processes of this machine.")
    comparisons: list[ArmPair] = Field(default_factory=empty_list, description="Arms that are compared.")
    exclusions: list[Exclusion] = Field(default_factory=empty_list, description="What was left out, by which rule.")
    charts: list[Chart] = Field(default_factory=empty_list, description="Pictures of its columns.")
    rules_out: Markdown | None = Field(default=None, description="What the figures exclude.")
    about: list[Annotated[str, Ref("item", "defect", "decision", "experiment", "correction")]] = Field(default_factory=empty_list, description="The records that it is about.")
    sources: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="Where it was reported.")

    def column(self, name: str) -> MeasuredColumn | None:
        """The column of this name, or None."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def reads_executions(self) -> bool:
        """Whether cells or the order are figures of executions; `kvdocs.filled` puts them there."""
        cells = (cell for row in self.rows for cell in row.values() if isinstance(cell, MeasuredCell))
        return self.order_metric is not None or any(c.metric is not None for c in self.columns) or any(cell.metric is not None for cell in cells)


UNKNOWN_COLUMN = error_code(
    "unknown-column",
    "A row, a comparison, a chart or the key of a measurement names a column that it does not have.",
    cause="A column was renamed in one place only.",
    repair="Take the name that the hint gives, in rows, charts, comparisons and the key.",
)
DUPLICATE_COLUMN = error_code(
    "duplicate-column",
    "Two columns of a measurement have the same name.",
    cause="A column was copied and not renamed.",
    repair="Give one of them another `name`.",
)
BAD_ROW = error_code(
    "bad-row",
    "A row has no key, the key of another row, or a cell that does not fit its column.",
    cause="A row was copied with its key, a cell of words stands in a column of numbers, or a figure stands in a computed column.",
    repair="Correct the cell; what was published for a computed one is written `{published: …}`.",
)
UNKNOWN_UNIT = error_code(
    "unknown-unit",
    "A unit is not known.",
    cause="A unit is misspelled, or one letter means something else to the unit library.",
    repair="Take the unit that the hint names, such as `token` for `t`; `text` is for words.",
)
FORMULA_ERROR = error_code(
    "formula-error",
    "A formula cannot be read or computed.",
    cause="A name is misspelled, a bracket is missing, or a divisor can be zero.",
    repair="The column of the place is that of the fault inside the formula; the reference of formulas lists all that can be written.",
)
UNIT_MISMATCH = error_code(
    "unit-mismatch",
    "A formula mixes units, or gives another unit than its column or claim has.",
    cause="Milliseconds are added to bytes, or the column's unit is not what the formula gives.",
    repair="Correct the formula or the unit; factors between units of one kind are not written, they follow.",
)
FORMULA_CYCLE = error_code(
    "formula-cycle",
    "Formulas need each other in a circle.",
    cause="Two columns are computed from each other.",
    repair="Type one of them, or compute both from a third.",
)
NO_METRIC = error_code(
    "no-metric",
    "A measurement names a figure that its executions do not give, or not so that it fits the column.",
    cause="The name is misspelled, the execution ended before it wrote the figure, or it was withdrawn.",
    repair="Take a name that the hint lists, or name another execution in `results`.",
)
NO_DENOMINATOR = warning_code(
    "no-denominator",
    "A relative figure does not say what it is relative to.",
    cause="A percentage or a ratio was computed, and only its author knows relative to what.",
    repair="Say it in `relative_to` of the column, in words.",
)
PUBLISHED_DIFFERS = warning_code(
    "published-differs",
    "A published figure, in a measurement or beside the citation of a field, cannot be reproduced from its inputs, whatever the rounding hides.",
    cause="A slip when the figure was computed or copied, or an input that was measured again.",
    repair="Find out which of the two is wrong. Never change the inputs to make it fit: correct what was published, or acknowledge the warning with the reason.",
)
PUBLISHED_UNDECIDED = Code(
    "published-undecided",
    Severity.INFO,
    "A published figure is not what the inputs give as written, but other digits behind the rounding could give it.",
    cause="The inputs were rounded before the figure was computed from them.",
    repair="Nothing needs repair; record the inputs with more digits where they are known.",
)
PUBLISHED_UNSUPPORTED = Code(
    "published-unsupported",
    Severity.INFO,
    "A published figure was computed from something that is not on record.",
    cause="A figure was taken from a document that does not give what it was computed from.",
    repair="Add the inputs when they turn up; until then it stands as published.",
)
ORDER_UNKNOWN = warning_code(
    "order-unknown",
    "Arms are compared, and it is not on record in which order they ran, so drift may stand in for a difference.",
    cause="The document that the figures come from does not say in which order the arms ran.",
    repair="Write `order` if somebody knows it; run interleaved next time (A B B A).",
)
ORDER_DRIFTS = warning_code(
    "order-drifts",
    "Arms are compared that ran in an order which does not cancel drift (ABAB instead of ABBA).",
    cause="The arms alternated, A B A B, so each B ran a step later than its A.",
    repair="Run A B B A or in random blocks; acknowledge the warning for figures that cannot be measured again.",
)
ORDER_MISCOUNTS = warning_code(
    "order-miscounts",
    "A compared arm has another number of samples than the order says it ran, so they cannot have run in that order.",
    cause="A sample was left out, or the order was written from the plan and not from the log.",
    repair="Write the order as it really was, and keep what was left out under `exclusions`.",
)
INVALID_ARM = warning_code(
    "invalid-arm",
    "The samples of an arm spread more than the noise floor of the machine allows.",
    cause="Something disturbed the arm: another job, a clock change, a cold cache.",
    repair="Leave out the whole block, with the rule under `exclusions`, and measure it again.",
)
CITATION_ERROR = error_code(
    "citation-error",
    "A text or a field cites a figure that cannot be computed.",
    cause="A measurement, a row or a column that a text cites was renamed or removed, or its figure has an error.",
    repair="Take the name that the hint gives, or repair the formula behind it.",
)
FIGURE_TYPED = warning_code(
    "figure-typed",
    "A text or a field types a figure that a measurement has, so it will not follow when the measurement changes.",
    cause="A sentence was written by hand beside a measurement that gives the figure.",
    repair="Cite it: the hint has the citation to paste; `kvdocs show` prints what it becomes.",
)

CODES = (
    UNKNOWN_COLUMN, DUPLICATE_COLUMN, BAD_ROW, UNKNOWN_UNIT, FORMULA_ERROR, UNIT_MISMATCH, FORMULA_CYCLE, NO_METRIC, NO_DENOMINATOR,
    PUBLISHED_DIFFERS, PUBLISHED_UNDECIDED, PUBLISHED_UNSUPPORTED, ORDER_UNKNOWN, ORDER_DRIFTS, ORDER_MISCOUNTS, INVALID_ARM, CITATION_ERROR, FIGURE_TYPED,
)  # fmt: skip


def measurement_of(entry: Entry) -> Measurement:
    """The record of a measurement's entry."""
    assert isinstance(entry.record, Measurement)
    return entry.record


def check_columns(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Every name of a column is the name of one column."""
    record = measurement_of(entry)
    known = [column.name for column in record.columns]
    for position, name in enumerate(known):
        if name in known[:position]:
            yield Problem(DUPLICATE_COLUMN, f"{record.id} has a column {name!r} already", entry.raw.place_of(("columns", position, "name"), value=True), record.id)
    named: list[tuple[tuple[str | int, ...], str]] = [(("key",), record.key)]
    named += [(("comparisons", i, side), name) for i, pair in enumerate(record.comparisons) for side, name in (("a", pair.a), ("b", pair.b))]
    named += [(("charts", i, "columns", j), name) for i, chart in enumerate(record.charts) for j, name in enumerate(chart.columns)]
    named += [(("order", i), name) for i, name in enumerate(record.order if isinstance(record.order, list) else [])]
    named += [(("exclusions", i, "arm"), x.arm) for i, x in enumerate(record.exclusions) if x.arm is not None]
    for loc, name in named:
        if name not in known:
            yield Problem(UNKNOWN_COLUMN, f"{record.id} has no column {name!r}", entry.raw.place_of(loc, value=True), record.id, _columns_hint(name, known))
    for position, row in enumerate(record.rows):
        for name in row:
            if name not in known:
                yield Problem(UNKNOWN_COLUMN, f"{record.id} has no column {name!r}", entry.raw.place_of(("rows", position, name)), record.id, _columns_hint(name, known))


def _columns_hint(name: str, known: list[str]) -> str:
    return did_you_mean(name, known) or f"its columns are {', '.join(known)}"


def check_rows(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Every row has a key of its own, and cells that fit their columns."""
    record = measurement_of(entry)
    seen: dict[object, int] = {}
    for position, row in enumerate(record.rows):
        key = row.get(record.key)
        if not isinstance(key, (int, str)):
            message = f"a row needs its key `{record.key}`" if key is None else f"the key `{record.key}` of a row is a whole number or text"
            yield Problem(BAD_ROW, message, entry.raw.place_of(("rows", position, record.key), value=True), record.id)
        elif key in seen:
            first = entry.raw.place_of(("rows", seen[key], record.key), value=True)
            place = entry.raw.place_of(("rows", position, record.key), value=True)
            yield Problem(BAD_ROW, f"the key {key} is taken", place, record.id, related=((first, "first here"),))
        else:
            seen[key] = position
        for name, cell in row.items():
            column = record.column(name)
            fault = _misfit(column, cell) if column is not None and name != record.key else None
            if fault is not None:
                yield Problem(BAD_ROW, fault[0], entry.raw.place_of(("rows", position, name), value=True), record.id, fault[1])


def _misfit(column: MeasuredColumn, cell: object) -> tuple[str, str | None] | None:
    """What is wrong with a cell of a column, and what to do."""
    read = isinstance(cell, MeasuredCell) and cell.metric is not None
    if column.unit == TEXT:
        return None if isinstance(cell, str) or read else (f"`{column.name}` holds words", "put quotes around it")
    if isinstance(cell, str):
        return f"`{column.name}` holds numbers, not {cell!r}", "write `unit: text` for a column of words"
    typed = read or cell.value is not None or cell.at_least is not None or cell.samples if isinstance(cell, MeasuredCell) else True
    if column.compute is not None and typed:
        return f"`{column.name}` is computed, so its cells hold no figures", f"write `{{published: {cell if not isinstance(cell, MeasuredCell) else '…'}}}` for what was published"
    return None


def check_denominators(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A computed relative figure says what it is relative to."""
    record = measurement_of(entry)
    for position, column in enumerate(record.columns):
        if column.compute is not None and column.relative_to is None and column.unit in ("%", "x", "percent"):
            place = entry.raw.place_of(("columns", position, "compute"))
            yield Problem(NO_DENOMINATOR, f"`{column.name}` is relative, and does not say to what", place, record.id, "name the denominator in `relative_to`")


def _environment(entry: Entry, context: Context) -> Cell:
    record = measurement_of(entry)
    return context.link(record.environment) if record.environment else None


def _rules_out(entry: Entry, context: Context) -> Cell:
    record = measurement_of(entry)
    return context.prose(record.rules_out, record.id) if record.rules_out else None


KIND = Kind(
    name="measurement", plural="measurements", folder="measurements", position=40, model=Measurement, view=view, prefix="M", document="measurements",
    checks=(check_columns, check_rows, check_denominators), codes=CODES,
    columns=(Column("Environment", _environment), Column("Published figures", published_state), Column("What it rules out", _rules_out)),
)  # fmt: skip
