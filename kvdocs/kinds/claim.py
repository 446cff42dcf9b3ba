"""claim: a sentence with a figure in it, as it was published, and the expression that tells whether it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._measurement_view import basis_badge
from kvdocs.kinds.measurement import Measurement
from kvdocs.kinds.probe import bounds
from kvdocs.kinds.result import Result, source_cell
from kvdocs.kinds.result import verdict_badge as result_badge
from kvdocs.model import FigureFormula, Markdown, Number, Record, Ref, empty_list
from kvdocs.problems import Code, Severity
from kvdocs.view import Badge, Block, Cell, Fact, Inline, Notice, Prose, RecordView, Section, Table
from kvdocs.view import Code as CodeText

if TYPE_CHECKING:
    from kvdocs.figures.claims import Judgement

TONES = {"holds": "good", "fails": "bad", "undecided": "warn"}

CLAIM_FAILS = Code(
    "claim-fails",
    Severity.WARNING,
    "A claim is contradicted by the figures on record.",
    cause="The claim was made from other figures, was rounded too kindly, or an input was measured again.",
    repair="A claim that fails is a finding. Correct what is claimed, or acknowledge it with the reason; do not widen a tolerance until it passes.",
)
CLAIM_UNDECIDED = Code(
    "claim-undecided",
    Severity.WARNING,
    "Rounding or uncertainty of the figures on record does not decide a claim.",
    cause="The inputs have too few digits, or the samples spread too much.",
    repair="Measure with more digits or more runs; or acknowledge that the figures cannot decide it.",
)
CLAIM_UNSUPPORTED = Code(
    "claim-unsupported",
    Severity.INFO,
    "A claim rests on figures that were published without their inputs, on executions that nobody has made, or on nothing that is on record.",
    cause="The figures behind it were published without their inputs, or the script has not been executed.",
    repair="Execute the script, or add the inputs; `unsupported` says what is missing.",
)


class Claim(Record):
    """A claim. `title` says it in one line.

    What is claimed of the expression's value is one of `equals`, `at_most`, `at_least`, `between`.
    A number in `equals` and `between` stands for its rounding (`108` is 107.5 to 108.5, `6e+1` is 55 to 65); a limit and a tolerance are exact.
    """

    published: str | None = Field(default=None, description="What was published, in the record's own words, with its figure as it was printed; absent for a claim of this record's own.")
    expression: FigureFormula | None = Field(
        default=None, description="A formula over measurements or executions, such as `M2.agreement` or `max(results('d8-q2-fa64', environment='h200').error)`."
    )
    equals: Number | None = Field(default=None, description="The value rounds to this number; with `tolerance`, it is no further away than that.")
    tolerance: Number | None = Field(default=None, description="How far from `equals` the value may be, in the unit of the claim.")
    at_most: Number | None = Field(default=None, description="The value is no larger than this limit, which is exact.")
    at_least: Number | None = Field(default=None, description="The value is no smaller than this limit, which is exact.")
    between: list[Number] | None = Field(default=None, min_length=2, max_length=2, description="The value rounds to a number from the first to the second.")
    unit: str = Field(default="1", description="The unit of the numbers above.")
    rows: Literal["all"] | list[int | str] = Field(
        default=[], description="The keys for which it is meant, or `all`; of an expression over executions alone, `all` is every execution. None when the expression names its rows."
    )
    unsupported: Markdown | None = Field(default=None, description="Instead of an expression: what would have to be on record to decide it.")
    about: list[Annotated[str, Ref()]] = Field(default_factory=empty_list, description="The records that it is about.")
    note: Markdown | None = Field(default=None, description="What a reader has to know of it.")
    sources: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="Where it was published.")

    @model_validator(mode="after")
    def _one_relation(self) -> Claim:
        given = [name for name in ("equals", "at_most", "at_least", "between") if getattr(self, name) is not None]
        if (self.expression is None) == (self.unsupported is None):
            raise ValueError("a claim has an `expression`, or says in `unsupported` why it cannot have one")
        if self.expression is not None and len(given) != 1:
            raise ValueError("a claim has exactly one of equals, at_most, at_least, between")
        if self.expression is None and given:
            raise ValueError(f"`{given[0]}` needs an expression")
        if self.tolerance is not None and self.equals is None:
            raise ValueError("a tolerance belongs to `equals`")
        if self.between is not None and self.between[0] > self.between[1]:
            raise ValueError("the smaller number comes first in `between`")
        return self


def claim_of(entry: Entry) -> Claim:
    """The record of a claim's entry."""
    assert isinstance(entry.record, Claim)
    return entry.record


def _judgement(entry: Entry, context: Context) -> Judgement | None:
    judgement: Judgement | None = context.computed("figures", entry.id)
    return judgement


def verdict_badge(entry: Entry, context: Context) -> Badge:
    """The verdict with its colour; undecided where nothing was computed."""
    judgement = _judgement(entry, context)
    word = str(judgement.verdict) if judgement is not None else "undecided"
    return Badge(word, TONES[word])


def _why(entry: Entry, context: Context) -> Cell:
    record, judgement = claim_of(entry), _judgement(entry, context)
    if judgement is not None:
        return judgement.reason
    return context.prose(record.unsupported, record.id) if record.unsupported else None


def basis_cell(entry: Entry, context: Context) -> Cell:
    """Whether executions or reports decide the claim; nothing where nothing does."""
    basis = context.computed("basis", entry.id)
    return basis_badge(basis) if basis is not None else None


def view(entry: Entry, context: Context) -> RecordView:
    """The page of a claim."""
    record, judgement = claim_of(entry), _judgement(entry, context)
    facts = [
        Fact("Verdict", verdict_badge(entry, context)),
        Fact("Why", _why(entry, context)),
        Fact("Rests on", basis_cell(entry, context)),
        Fact("Expression", CodeText(record.expression) if record.expression else None),
        Fact("Claimed", judgement.claimed if judgement is not None else None),
        Fact("About", tuple(context.link(a) for a in record.about) or None),
        Fact("Sources", tuple(context.link(s) for s in record.sources) or None),
    ]
    sections = [Section("What was published", (Prose(context.prose(record.published, record.id)),))] if record.published else []
    if judgement is not None:
        sections += _rows(judgement, context)
        sections += _rests_on(judgement, context)
    if record.note:
        sections.append(Section("Note", (Prose(context.prose(record.note, record.id)),)))
    labels = (*_bounds(entry, judgement, context), *_labels(_executions(judgement, context)))
    return RecordView(state=verdict_badge(entry, context), facts=tuple(fact for fact in facts if fact.value), sections=tuple(sections), notices=labels)


def _rows(judgement: Judgement, context: Context) -> list[Section]:
    if not judgement.rows:
        return []
    rows: list[tuple[Cell, ...]] = []
    for row in judgement.rows:
        key: Inline | None = f"{row.row:,}" if isinstance(row.row, int) else context.link(row.row, row.row[:8]) if row.row in judgement.results and row.row is not None else row.row
        marked: tuple[Inline, ...] = (
            (Badge(str(row.verdict), TONES[str(row.verdict)]), "worst row")
            if row is judgement.worst and len(judgement.rows) > 1
            else (Badge(str(row.verdict), TONES[str(row.verdict)]),)
        )
        rows.append((key, row.text, row.range_text or None, marked))
    return [Section("Row by row", (Table(("Row", "Value", "Rounding and uncertainty allow", "Verdict"), tuple(rows), frozenset({1, 2})),))]


def _rests_on(judgement: Judgement, context: Context) -> list[Section]:
    blocks: list[Block] = []
    if judgement.cells:
        rows = tuple((CodeText(str(cell)), context.link(cell.measurement), "published without its inputs" if str(cell) in judgement.unsupported else None) for cell in judgement.cells)
        blocks.append(Table(("Figure", "Measurement", "Remark"), rows))
    results = _executions(judgement, context)
    if results:
        executed = tuple((context.link(r.id, r.id[:8]), context.link(r.script), context.link(r.environment), source_cell(r, context), result_badge(r)) for r in results)
        blocks.append(Table(("Execution", "Script", "Environment", "Source", "Verdict"), executed))
    return [Section("What it rests on", tuple(blocks))] if blocks else []


def _executions(judgement: Judgement | None, context: Context) -> list[Result]:
    """The executions whose figures the claim reads."""
    names = judgement.results if judgement is not None else ()
    return [result for name in names if (result := context.registry.record(name, Result)) is not None]


def _bounds(entry: Entry, judgement: Judgement | None, context: Context) -> tuple[Notice, ...]:
    """Whether it rests on a measurement during which the program computed wrong output."""
    names = dict.fromkeys(cell.measurement for cell in judgement.cells) if judgement is not None else {}
    read = [record for name in names if (record := context.registry.record(name, Measurement)) is not None]
    return bounds([probe for record in read for probe in record.probes], [result for record in read for result in record.results], context, entry.id)


def _labels(results: list[Result]) -> tuple[Notice, ...]:
    """What must be said wherever a figure of these executions appears, each once."""
    return tuple(Notice("danger", label[:1].upper() + label[1:]) for label in dict.fromkeys(label for result in results for label in result.labels))


KIND = Kind(
    name="claim", plural="claims", folder="claims", position=42, model=Claim, view=view, prefix="K", document="measurements",
    codes=(CLAIM_FAILS, CLAIM_UNDECIDED, CLAIM_UNSUPPORTED),
    columns=(
        Column("Verdict", verdict_badge, filter=True), Column("Why", _why), Column("Rests on", basis_cell, filter=True),
        Column("About", lambda e, c: tuple(c.link(a, a) for a in claim_of(e).about) or None),
    ),
)  # fmt: skip
