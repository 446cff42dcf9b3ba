"""Evidence: what executions say of each defect in each environment, and of the gates of each item."""

from __future__ import annotations

from kvdocs.exhibit import GateVerdict, Tally
from kvdocs.judge import Judge
from kvdocs.kinds.defect import defect_of, status_badge
from kvdocs.kinds.item import Item
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.registry import Entry
from kvdocs.view import Badge, Cell, Md, Prose, Section, Table

PATH = "evidence.md"


def evidence_page(publication: Publication, judge: Judge) -> Page:
    """The matrix of defects and environments, then the gates."""
    context = publication.at(PATH)
    return Page(
        PATH,
        "page.md.j2",
        {
            "title": "Evidence",
            "wide": True,
            "lead": Md(
                "What was executed, held against what the record says. *Reported* means that a document says so; everything else on this page comes from executions whose output is kept. "
                "A cell names the source commit, since a defect can be there in one version and not in another."
            ),
            "sections": (_matrix(context, judge), _gates(context, judge)),
            "boost": 1,
        },
        Nav("Record", 25, "Evidence"),
    )


def _matrix(context: PageContext, judge: Judge) -> Section:
    environments, rows = judge.matrix()
    headings = ("Defect", "Status", *environments)
    cells = tuple((context.link(entry.id, entry.id), status_badge(defect_of(entry)), *(_cell(entry, e, found.get(e, ())) for e in environments)) for entry, found in rows)
    if not cells:
        return Section("Defects by environment", (Prose(Md("There is no defect on record.")),), "matrix")
    return Section("Defects by environment", (Table(headings, cells, sortable=True, name="evidence", row_ids=tuple(entry.id for entry, _ in rows), of_records=True),), "matrix")


def _cell(entry: Entry, environment: str, tallies: tuple[Tally, ...]) -> Cell:
    """What was executed there, by source; where nothing was, whether something is reported."""
    if tallies:
        return tuple(Badge(f"{t.source}: {t.words}", t.tone) for t in tallies)
    record = defect_of(entry)
    reported = record.environment == environment or any(o.environment == environment for o in record.observations)
    return Badge("reported", "plain") if reported else None


def _gates(context: PageContext, judge: Judge) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for entry in context.registry.of("item"):
        item = entry.record
        assert isinstance(item, Item)
        texts = {gate.id: gate for gate in item.gates}
        rows += [_gate_row(entry, verdict, texts[verdict.id].text, context) for verdict in judge.gates(entry.id)]
    if not rows:
        return Section("Gates", (Prose(Md("No item has a gate.")),), "gates")
    return Section("Gates", (Table(("Item", "Gate", "Condition", "Verdict", "Why"), tuple(rows), sortable=True, name="gates", of_records=True),), "gates")


def _gate_row(entry: Entry, verdict: GateVerdict, text: str, context: PageContext) -> tuple[Cell, ...]:
    return (context.link(entry.id, entry.id), verdict.id, context.prose(text, entry.id), verdict.badge, verdict.reason)
