"""Published figures, of cells and of fields: each with what its inputs give, and whether the two agree within their rounding; and every claim with its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kvdocs.cited import field_figures
from kvdocs.entry import Entry
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import counted
from kvdocs.view import Badge, Cell, Code, Md, Prose, Section, Table, in_rows

if TYPE_CHECKING:
    from kvdocs.figures.field_figure import FieldFigure
    from kvdocs.figures.table import Figure, Reproduction
    from kvdocs.ledger import Ledger

PATH = "published.md"
FIGURES = ("Figure", "Published", "Computed", "Verdict", "Formula", "Rests on")
TONES = {"holds": "good", "fails": "bad", "undecided": "warn"}
WORDS = {
    "REPRODUCED": Badge("reproduced", "good"),
    "DIFFERS": Badge("differs", "bad"),
    "UNDECIDED": Badge("rounding does not decide", "warn"),
    "UNSUPPORTED": Badge("inputs not on record", "off"),
}
"""Whether a figure is reproduced, in words, by the names of `Reproduction`: what works it out is loaded only where something changed."""


def published_page(publication: Publication) -> Page:
    """Every figure for which something was published, in a measurement or beside the `figure` of a field, then the claims."""
    context = publication.at(PATH)
    entries = [*context.registry.of("measurement"), *(entry for kind in context.registry.kinds if kind.name in ("item", "experiment") for entry in context.registry.of(kind.name) if entry.cites)]
    verdicts = [word for words in context.texts("verdicts", entries, _verdicts) for word in words.split()]
    counts = {name: verdicts.count(name.encode()) for name in WORDS}
    lead = f"{counted(len(verdicts), 'figure was', 'figures were')} published: {counted(counts['REPRODUCED'], 'follows from its', 'follow from their')} inputs, {counted(counts['DIFFERS'], 'does', 'do')} not, {counted(counts['UNDECIDED'], 'is', 'are')} not decided by the rounding, and for {counts['UNSUPPORTED']} the inputs are not on record."
    return Page(
        PATH,
        "page.md.j2",
        {"title": "Published figures and claims", "wide": True, "lead": Md(lead), "sections": (_figures(entries, context), _claims(context)), "boost": 0},
        Nav("Reports", 20, "Published figures"),
    )


def _published(entry: Entry, context: PageContext) -> Iterator[tuple[Reproduction, tuple[Cell, ...]]]:
    """Every figure of a measurement, and every field of another record that names a figure, for which something was published: whether the two agree, and the row of the table."""
    from kvdocs.figure_documents import field_path
    from kvdocs.ledger import ledger_of

    ledger = ledger_of(context.registry, entry)
    if entry.kind.name == "measurement":
        found = ledger.published_in(entry.id) if entry.id in ledger.measurements else ()
        yield from ((figure.reproduction, _figure_row(figure, context, ledger)) for figure in found if figure.reproduction is not None)
        return
    for loc, field in field_figures(entry.record, context.registry).items():
        if field.reproduction is not None:
            yield field.reproduction, _field_row(entry.id, field_path(loc), field, context, ledger)


def _verdicts(entry: Entry, context: PageContext) -> bytes:
    return " ".join(verdict.name for verdict, _ in _published(entry, context)).encode()


def _figure_rows(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    """The cells of the rows of a record, row after row."""
    return tuple(cell for _, row in _published(entry, context) for cell in row)


def _figures(entries: Sequence[Entry], context: PageContext) -> Section:
    rows = [row for cells in context.rows("figures", entries, _figure_rows) for row in in_rows(cells, len(FIGURES))]
    if not rows:
        return Section("Figures", (Prose(Md("Nothing on record says what was published for it.")),), "figures")
    return Section("Figures", (Table(FIGURES, tuple(rows), sortable=True, name="figures", filters=frozenset({3, 5})),), "figures")


def _figure_row(figure: Figure, context: PageContext, ledger: Ledger) -> tuple[Cell, ...]:
    assert figure.reproduction is not None
    low, high = figure.bounds_text if figure.reproduction.name != "UNSUPPORTED" else ("", "")
    computed = f"{figure.text} ({low} to {high})" if low and low != high else figure.text if low else None
    formula = Code(figure.column.compute) if figure.column.compute else None
    return (context.link(figure.name.measurement, str(figure.name)), figure.published_text, computed, WORDS[figure.reproduction.name], formula, ledger.basis((figure.name,)))


def _field_row(record: str, name: str, figure: FieldFigure, context: PageContext, ledger: Ledger) -> tuple[Cell, ...]:
    assert figure.reproduction is not None
    label = figure.unit.label
    computed = f"{figure.text}{label}" if figure.reproduction.name != "UNSUPPORTED" else None
    basis = ledger.basis(figure.cells, figure.results)
    return (context.link(record, f"{record}.{name}"), f"{figure.published_text}{label}", computed, WORDS[figure.reproduction.name], Code(figure.expression), basis)


def _claims(context: PageContext) -> Section:
    rows = tuple(context.rows("claim", context.registry.of("claim"), _claim_row))
    if not rows:
        return Section("Claims", (Prose(Md("There is no claim on record.")),), "claims")
    return Section("Claims", (Table(("Claim", "What is claimed", "Verdict", "Why", "Rests on"), rows, sortable=True, name="claims", filters=frozenset({2, 4})),), "claims")


def _claim_row(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    from kvdocs.ledger import ledger_of

    ledger = ledger_of(context.registry, entry)
    judgement = ledger.judgements.get(entry.id)
    verdict = Badge(str(judgement.verdict), TONES[str(judgement.verdict)]) if judgement is not None else Badge("nothing decides it", "off")
    return (context.link(entry.id, entry.id), context.title(entry), verdict, judgement.reason if judgement is not None else None, ledger.basis_of(entry.id))
