"""Evidence: what executions say of each defect in each environment, and of the gates of each item."""

from __future__ import annotations

from functools import partial

from kvdocs.entry import Entry
from kvdocs.exhibit import Evidence, GateVerdict, Tally
from kvdocs.kinds.defect import defect_of, status_badge
from kvdocs.kinds.item import Item
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.view import Badge, Cell, Md, Prose, Section, Table, in_rows

PATH = "evidence.md"
GATES = ("Item", "Gate", "Condition", "Verdict", "Why")


def evidence_page(publication: Publication) -> Page:
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
            "sections": (_matrix(context), _gates(context)),
            "boost": 1,
        },
        Nav("Record", 25, "Evidence"),
    )


def _matrix(context: PageContext) -> Section:
    defects = context.registry.of("defect")
    if not defects:
        return Section("Defects by environment", (Prose(Md("There is no defect on record.")),), "matrix")
    named = {name.decode() for names in context.texts("environments", defects, _environments) for name in names.split()}
    environments = tuple(entry.id for entry in context.registry.of("environment") if entry.id in named)
    rows = context.rows("defect", defects, partial(_row, environments), lambda _: environments)
    return Section("Defects by environment", (Table(("Defect", "Status", *environments), tuple(rows), sortable=True, name="evidence", row_ids=tuple(entry.id for entry in defects), of_records=True),), "matrix")


def _environments(entry: Entry, context: PageContext) -> bytes:
    """The environments that a defect names, and those in which something was executed for it."""
    named = defect_of(entry).environment
    return " ".join([*(tally.environment for tally in _tallies(entry, context)), *([named] if named else ())]).encode()


def _tallies(entry: Entry, context: PageContext) -> tuple[Tally, ...]:
    evidence: Evidence | None = context.computed("evidence", entry.id)
    return evidence.tallies if evidence is not None else ()


def _row(environments: tuple[str, ...], entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    tallies = _tallies(entry, context)
    found = (_cell(entry, name, tuple(tally for tally in tallies if tally.environment == name)) for name in environments)
    return (context.link(entry.id, entry.id), status_badge(defect_of(entry)), *found)


def _cell(entry: Entry, environment: str, tallies: tuple[Tally, ...]) -> Cell:
    """What was executed there, by source; where nothing was, whether something is reported."""
    if tallies:
        return tuple(Badge(f"{t.source}: {t.words}", t.tone) for t in tallies)
    record = defect_of(entry)
    reported = record.environment == environment or any(o.environment == environment for o in record.observations)
    return Badge("reported", "plain") if reported else None


def _gates(context: PageContext) -> Section:
    rows = [row for cells in context.rows("gates", context.registry.of("item"), _gate_rows) for row in in_rows(cells, len(GATES))]
    if not rows:
        return Section("Gates", (Prose(Md("No item has a gate.")),), "gates")
    return Section("Gates", (Table(GATES, tuple(rows), sortable=True, name="gates", of_records=True),), "gates")


def _gate_rows(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    """The cells of the gates of an item, row after row."""
    item = entry.record
    assert isinstance(item, Item)
    texts = {gate.id: gate.text for gate in item.gates}
    verdicts: tuple[GateVerdict, ...] = context.computed("gates", entry.id) if texts else ()
    return tuple(cell for verdict in verdicts for cell in (context.link(entry.id, entry.id), verdict.id, context.prose(texts[verdict.id], entry.id), verdict.badge, verdict.reason))
