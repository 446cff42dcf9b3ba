"""How a measurement looks on its page: its table, how each figure came about, comparisons, claims, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Context
from kvdocs.kinds.probe import bounds
from kvdocs.view import Badge, Block, Cell, Code, Fact, Inline, Items, Md, Picture, Prose, RecordView, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from kvdocs.figures.summary import ArmComparison, MeasurementFigures
    from kvdocs.figures.table import CellName, Figure
    from kvdocs.kinds.measurement import MeasuredColumn, Measurement

REPRODUCTION_TONES = {"reproduced": "good", "not reproduced": "bad", "undecided": "warn", "no inputs on record": "off"}
VERDICT_TONES = {"holds": "good", "fails": "bad", "undecided": "warn"}
CHANGE_TONES = {"gain": "good", "loss": "bad", "equivalent": "plain", "no difference shown": "warn"}


def _measurement(entry: Entry) -> Measurement:
    from kvdocs.kinds.measurement import Measurement

    assert isinstance(entry.record, Measurement)
    return entry.record


def _figures(entry: Entry, context: Context) -> MeasurementFigures | None:
    figures: MeasurementFigures | None = context.computed("figures", entry.id)
    return figures


class Drawings(NamedTuple):
    """The charts of a measurement, and the plot of its comparisons."""

    charts: tuple[Picture, ...] = ()
    comparison: Picture | None = None


def view(entry: Entry, context: Context) -> RecordView:
    """The page of a measurement: charts, table, claims, what it rules out, then how that came about."""
    record, figures = _measurement(entry), _figures(entry, context)
    drawings: Drawings = context.computed("charts", entry.id) or Drawings()
    sections = [Section("Summary", (Prose(context.prose(record.summary, record.id)),))] if record.summary else []
    if figures is not None:
        sections.append(Section("Figures", (*drawings.charts, figures_table(record, figures)), "figures"))
        sections += _claims(figures, context)
    if record.rules_out:
        sections.append(Section("What it rules out", (Prose(context.prose(record.rules_out, record.id)),)))
    if figures is not None:
        sections += _comparisons(figures, drawings.comparison)
        sections += _formulas(record, figures, context)
        sections += _published(record, figures)
    if record.protocol:
        sections.append(Section("How it was measured", (Prose(context.prose(record.protocol, record.id)),)))
    sections += _exclusions(record, context)
    return RecordView(facts=tuple(fact for fact in _facts(record, figures, context) if fact.value), sections=tuple(sections), notices=bounds(record.probes, record.results, context, record.id))


def _order(record: Measurement, figures: MeasurementFigures | None) -> Cell:
    """The arms as they ran; where the executions tell it, how many samples they were and whether a steady drift cancels."""
    if record.order_metric is None:
        return ", ".join(record.order) if isinstance(record.order, list) else record.order
    from kvdocs.figures.comparison import order_of

    order = figures.order if figures is not None else ()
    return Md(f"{len(order)} samples of the arms below, as the executions tell ({markup.code(record.order_metric)}), in an order that {order_of(order)}")


def _facts(record: Measurement, figures: MeasurementFigures | None, context: Context) -> list[Fact]:
    return [
        Fact("Basis", basis_badge(context.computed("basis", record.id))),
        Fact("Environment", context.link(record.environment) if record.environment else None),
        Fact("Source", context.source_link("", repository=record.repository, commit=record.commit) if record.commit else None),
        Fact("Probes", tuple(context.link(p) for p in record.probes) or None),
        Fact("Script", context.link(record.script) if record.script else None),
        Fact("Order of the arms", _order(record, figures)),
        Fact("About the order", context.prose(record.order_note, record.id) if record.order_note else None),
        Fact("Noise floor from", tuple(context.link(m) for m in record.noise_floor) or None),
        Fact("Executions", tuple(context.link(r) for r in record.results) or None),
        Fact("About", tuple(context.link(a) for a in record.about) or None),
        Fact("Sources", tuple(context.link(s) for s in record.sources) or None),
    ]


def figures_table(record: Measurement, figures: MeasurementFigures) -> Table:
    """The rows as they stand on the page: the computed figure everywhere, and what was published beside it where that differs."""
    headings = tuple(_heading(column) for column in record.columns)
    rows = tuple(tuple(_cell(column, row.get(column.name), figures.words.get((key, column.name))) for column in record.columns) for key, row in figures.table.rows.items())
    numeric = frozenset(i for i, column in enumerate(record.columns) if column.unit != "text")
    return Table(headings, rows, numeric, sortable=True, name=record.id, row_ids=tuple(str(key) for key in figures.table.rows))


def _heading(column: MeasuredColumn) -> str:
    return column.title if column.unit in ("1", "x", "text", "%") else f"{column.title} ({column.unit})"


def _cell(column: MeasuredColumn, figure: Figure | None, words: str | None) -> Cell:
    return words if column.unit == "text" else figure_cell(figure) if figure is not None else None


def figure_cell(figure: Figure) -> Cell:
    """A figure in a table whose heading has the unit: samples in full, and beside a computed figure the published one where it differs."""
    from kvdocs.figures.numerals import decimals_of, text

    if figure.value is None:
        return Badge("error", "bad") if figure.error is not None and not figure.error.is_empty else None
    if len(figure.cell.samples) > 1:
        return tuple(text(_fraction(sample), decimals_of(sample)) for sample in figure.cell.samples)
    label = figure.unit.label if figure.unit.text in ("%", "x") else ""
    shown = figure.bare_text + label
    if figure.reproduction in ("not reproduced", "undecided"):
        return (shown, Badge(f"published {figure.published_text}", REPRODUCTION_TONES[str(figure.reproduction)]))
    return shown


def _fraction(number: object) -> Fraction:
    from fractions import Fraction

    return Fraction(str(number))


def _read(column: MeasuredColumn) -> Cell:
    """Where the figures of a column stand in the executions."""
    what = "the median of the samples" if column.centre == "median" else "read"
    return Md(f"{what} from the executions: {markup.code(str(column.metric))}")


def _formulas(record: Measurement, figures: MeasurementFigures, context: Context) -> list[Section]:
    """How each column that nobody types comes about, and what its figures rest on."""
    rests: dict[str, dict[str, None]] = {}
    for cell, basis in figures.bases.items():
        rests.setdefault(cell.column, {})[basis] = None
    rows: list[tuple[Cell, ...]] = [
        (
            c.title,
            Code(f"{c.name} = {c.compute}") if c.compute is not None else _read(c),
            c.unit if c.unit != "1" else None,
            c.relative_to,
            ", ".join(rests.get(c.name, ())) or None,
            context.prose(c.note, record.id) if c.note else None,
        )
        for c in (*(c for c in record.columns if c.compute is not None), *(c for c in record.columns if c.metric is not None))
    ]
    blocks: list[Block] = [Table(("Column", "Formula", "Unit", "Relative to", "Rests on", "Note"), tuple(rows))] if rows else []
    notes = tuple(context.prose(f"**{c.title}**: {c.note}", record.id) for c in record.columns if c.note and c.compute is None and c.metric is None)
    if notes:
        blocks.append(Items(notes))
    return [Section("How the figures are computed", tuple(blocks))] if blocks else []


def basis_badge(basis: str | None) -> Badge:
    """What figures rest on, in its colour: executions count, reports are only that."""
    return Badge(basis or "reported", "good" if basis == "executed" else "plain")


def published_table(figures: tuple[Figure, ...], bases: Mapping[CellName, str]) -> Table:
    """Published figures with what the inputs give: one row each."""
    rows = tuple(
        (
            Code(str(f.name)),
            f.published_text,
            f.text if f.reproduction != "no inputs on record" else None,
            interval_text(f) or None,
            Code(f.column.compute) if f.column.compute else None,
            Badge(str(f.reproduction), REPRODUCTION_TONES[str(f.reproduction)]),
            bases.get(f.name),
        )
        for f in figures
        if f.reproduction is not None
    )
    return Table(("Figure", "Published", "Recomputed", "Rounding allows", "Formula", "Verdict", "Rests on"), rows, frozenset({1, 2, 3}), sortable=True, name="published")


def interval_text(figure: Figure) -> str:
    """Both ends of the interval that the rounding of the inputs allows; empty when it is exact."""
    return " to ".join(figure.bounds_text) if figure.interval is not None and figure.interval.width and not figure.interval.bound else ""


def _published(record: Measurement, figures: MeasurementFigures) -> list[Section]:
    return [Section("What was published", (published_table(figures.published, figures.bases),), "published")] if figures.published else []


def _comparisons(figures: MeasurementFigures, plot: Picture | None) -> list[Section]:
    if not figures.comparisons:
        return []
    return [Section("Comparison of the arms", (*((plot,) if plot else ()), comparison_table(figures.comparisons)), "comparisons")]


def comparison_table(comparisons: tuple[ArmComparison, ...]) -> Table:
    """Arms against arms, row by row: the change, both 95% intervals, and what they allow to say."""
    rows: list[tuple[Cell, ...]] = []
    for one in comparisons:
        c = one.result
        pooled = f"{_percent(c.pooled.low)} to {_percent(c.pooled.high)} ({c.pooled.df} df)" if c.pooled else None
        paired = f"{_percent(c.paired.low)} to {_percent(c.paired.high)} ({c.paired.df} df)" if c.paired else None
        rows.append((_key_text(one.row), f"{one.b} against {one.a}", str(c.pairs), _percent(c.change), pooled, paired, Badge(c.words, CHANGE_TONES[str(c.verdict)]), str(c.order)))
    headings = ("Row", "Arms", "Pairs", "Change", "95% interval, noise floor", "95% interval, pairs alone", "Verdict", "Order")
    return Table(headings, tuple(rows), frozenset({2, 3, 4, 5}))


def _percent(value: float) -> str:
    return f"{value:+.2%}".replace("-", "−")


def _key_text(key: int | str) -> str:
    return f"{key:,}" if isinstance(key, int) else key


def _claims(figures: MeasurementFigures, context: Context) -> list[Section]:
    rows: list[tuple[Cell, ...]] = []
    for judgement in figures.claims:
        entry = context.registry.get(judgement.claim.id)
        title: Inline = context.prose(entry.title, entry.id) if entry is not None else Md("")
        rows.append((context.link(judgement.claim.id, judgement.claim.id), title, Badge(str(judgement.verdict), VERDICT_TONES[str(judgement.verdict)]), judgement.reason))
    return [Section("Claims about it", (Table(("Claim", "Text", "Verdict", "Why"), tuple(rows)),), "claims")] if rows else []


def _exclusions(record: Measurement, context: Context) -> list[Section]:
    if not record.exclusions:
        return []
    rows = tuple(
        (context.prose(x.what, record.id), tuple(str(v) for v in x.values) or None, context.prose(x.rule, record.id), x.decided.replace("-", " "), x.by) for x in record.exclusions
    )
    return [Section("What was left out", (Table(("Data", "Figures", "Rule", "Decided", "By"), rows),))]


def published_state(entry: Entry, context: Context) -> Cell:
    """How many published figures are reproduced, for the list of measurements."""
    figures = _figures(entry, context)
    if figures is None or not figures.published:
        return None
    return tuple(Badge(f"{count} {state}", REPRODUCTION_TONES[str(state)]) for state, count in sorted(figures.reproduction.items()))
