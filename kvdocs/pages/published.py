"""Published figures, of cells and of fields: each with what its inputs give, and whether the two agree within their rounding; and every claim with its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.cited import field_figures
from kvdocs.figure_documents import field_path
from kvdocs.figures.field_figure import FieldFigure
from kvdocs.figures.table import Figure, Reproduction
from kvdocs.ledger import Ledger
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import counted
from kvdocs.view import Badge, Cell, Code, Md, Prose, Section, Table

PATH = "published.md"
WORDS = {
    Reproduction.REPRODUCED: Badge("reproduced", "good"),
    Reproduction.DIFFERS: Badge("differs", "bad"),
    Reproduction.UNDECIDED: Badge("rounding does not decide", "warn"),
    Reproduction.UNSUPPORTED: Badge("inputs not on record", "off"),
}


def published_page(publication: Publication, ledger: Ledger) -> Page:
    """Every figure for which something was published, in a measurement or beside the `figure` of a field, then the claims."""
    context = publication.at(PATH)
    figures = [f for f in ledger.published() if f.reproduction is not None]
    fields = list(_published_fields(ledger))
    verdicts = [f.reproduction for f in figures] + [f.reproduction for _, _, f in fields]
    counts = {word: verdicts.count(word) for word in Reproduction}
    lead = f"{counted(len(verdicts), 'figure was', 'figures were')} published: {counted(counts[Reproduction.REPRODUCED], 'follows from its', 'follow from their')} inputs, {counted(counts[Reproduction.DIFFERS], 'does', 'do')} not, {counted(counts[Reproduction.UNDECIDED], 'is', 'are')} not decided by the rounding, and for {counts[Reproduction.UNSUPPORTED]} the inputs are not on record."
    return Page(
        PATH,
        "page.md.j2",
        {"title": "Published figures and claims", "wide": True, "lead": Md(lead), "sections": (_figures(figures, fields, context, ledger), _claims(context, ledger)), "boost": 0},
        Nav("Reports", 20, "Published figures"),
    )


_Field = tuple[str, str, FieldFigure]
"""A record, the name of its field, and the figure of that field."""


def _published_fields(ledger: Ledger) -> Iterator[_Field]:
    """The payoffs and outcomes that name a figure and give beside it what was published."""
    for entry in ledger.registry:
        if entry.kind.name in ("item", "experiment") and entry.cites:
            found = field_figures(entry.record, ledger.registry)
            yield from ((entry.id, field_path(loc), figure) for loc, figure in found.items() if figure.reproduction is not None)


def _figures(figures: list[Figure], fields: list[_Field], context: PageContext, ledger: Ledger) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for figure in figures:
        low, high = figure.bounds_text if figure.reproduction is not Reproduction.UNSUPPORTED else ("", "")
        computed = f"{figure.text} ({low} to {high})" if low and low != high else figure.text if low else None
        assert figure.reproduction is not None
        formula = Code(figure.column.compute) if figure.column.compute else None
        rows.append((context.link(figure.name.measurement, str(figure.name)), figure.published_text, computed, WORDS[figure.reproduction], formula, ledger.basis((figure.name,))))
    rows += [_field_row(*field, context, ledger) for field in fields]
    if not rows:
        return Section("Figures", (Prose(Md("Nothing on record says what was published for it.")),), "figures")
    table = Table(("Figure", "Published", "Computed", "Verdict", "Formula", "Rests on"), tuple(rows), sortable=True, name="figures", filters=frozenset({3, 5}))
    return Section("Figures", (table,), "figures")


def _field_row(record: str, name: str, figure: FieldFigure, context: PageContext, ledger: Ledger) -> tuple[Cell, ...]:
    assert figure.reproduction is not None
    label = figure.unit.label
    computed = f"{figure.text}{label}" if figure.reproduction is not Reproduction.UNSUPPORTED else None
    basis = ledger.basis(figure.cells, figure.results)
    return (context.link(record, f"{record}.{name}"), f"{figure.published_text}{label}", computed, WORDS[figure.reproduction], Code(figure.expression), basis)


def _claims(context: PageContext, ledger: Ledger) -> Section:
    tones = {"holds": "good", "fails": "bad", "undecided": "warn"}
    rows: list[tuple[Cell, ...]] = []
    for entry in context.registry.of("claim"):
        judgement = ledger.judgements.get(entry.id)
        verdict = Badge(str(judgement.verdict), tones[str(judgement.verdict)]) if judgement is not None else Badge("nothing decides it", "off")
        rows.append((context.link(entry.id, entry.id), context.title(entry), verdict, judgement.reason if judgement is not None else None, ledger.basis_of(entry.id)))
    if not rows:
        return Section("Claims", (Prose(Md("There is no claim on record.")),), "claims")
    return Section("Claims", (Table(("Claim", "What is claimed", "Verdict", "Why", "Rests on"), tuple(rows), sortable=True, name="claims", filters=frozenset({2, 4})),), "claims")
