"""The home page: what to do next, what waits and on what, the state of defects, newest executions, what changed lately."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kinds.defect import TONES as DEFECT_TONES
from kvdocs.kinds.item import STATE_TONES
from kvdocs.kinds.result import result_of
from kvdocs.order import Row
from kvdocs.pages.context import PageContext, Publication, id_of
from kvdocs.pages.counts import Count, card, counts
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import Severity, count_by_severity
from kvdocs.view import Badge, Block, Card, Cards, Cell, Choice, Items, Lines, Md, Prose, Section, Table

PATH = "index.md"
NEWEST = 8
"""So many executions and changes are shown; their own pages have all."""

FIRST = 200
"""So many rows a table of work has here: nobody reads more, and a phone has to load them."""


def home_page(publication: Publication) -> Page:
    """The first page of the site."""
    context = publication.at(PATH)
    settings = publication.settings
    return Page(
        PATH,
        "home.md.j2",
        {
            "title": settings.title,
            "wide": True,
            "lead": Md(markup.harmless(settings.summary)),
            "cards": Cards(tuple(_cards(publication, context))),
            "choice": Choice("Owner"),
            "sections": (*_work(context), *_defects(context), *_executions(context), *_changes(context), *_trust(context)),
        },
        Nav("Record", 0, "Home"),
    )


CARDS = {"defects-confirmed": "bad", "items-actionable": "good", "items-in-review": "warn", "items-waiting": "wait", "decisions-open": "wait", "results": "plain"}
"""The counts that the home page shows, with their colours."""


def _cards(publication: Publication, context: PageContext) -> list[Card]:
    known: dict[str, Count] = {count.name: count for count in counts(context)}
    shown = [card(known[name], context, tone) for name, tone in CARDS.items() if name in known]
    found = count_by_severity(publication.problems)
    for severity, tone in ((Severity.ERROR, "bad"), (Severity.WARNING, "warn")):
        number = found[severity]
        if number:
            noun = f"{severity.value}{'' if number == 1 else 's'} in the record"
            shown.append(Card(noun, str(number), context.to("problems.md", "").href, tone))
    return shown


def owner_cell(row: Row, context: PageContext) -> Cell:
    """Links to the owners of a row, or the words that say why there is none."""
    if row.owners:
        return tuple(context.link(owner) for owner in row.owners)
    return context.prose(row.owner_open) if row.owner_open else None


def next_table(rows: Sequence[Row], context: PageContext) -> Table:
    """What can be worked on now, by rank."""
    cells = tuple(map(_ranked, rows, context.rows("next", rows, _next, _unranked)))
    return Table(("Rank", "#", "What", "Owner", "Size", "Why it stands there"), cells, frozenset({0}), sortable=True, name="next", of_records=True)


def _ranked(row: Row, cells: Sequence[Cell]) -> Sequence[Cell]:
    """The cells of a row behind its rank."""
    return Lines(f"{row.rank}\n{cells.text}") if isinstance(cells, Lines) else (str(row.rank), *cells)


def _next(row: Row, context: PageContext) -> tuple[Cell, ...]:
    return (context.link(row.id, row.id), context.prose(row.title, row.id), owner_cell(row, context), _size(row), context.prose(row.why, row.id))


def _unranked(row: Row) -> tuple[object, ...]:
    """All that the cells of a row beside its rank are made from."""
    return (row.kind, row.title, row.owners, row.owner_open, row.size, row.blocked_by, row.why)


def _size(row: Row) -> Cell:
    return row.size or ("decision" if row.kind == "decision" else None)


def waiting_table(rows: Sequence[Row], context: PageContext) -> Table:
    """What cannot start yet, and what it waits for."""
    cells = tuple(map(_ranked, rows, context.rows("waiting", rows, _waiting, _unranked)))
    return Table(("Rank", "#", "What", "Owner", "Waits for"), cells, frozenset({0}), sortable=True, name="waiting", of_records=True)


def _waiting(row: Row, context: PageContext) -> tuple[Cell, ...]:
    blockers: Cell = tuple(_blocker(b, context) for b in row.blocked_by) or context.prose(row.why, row.id)  # where no record has the id that it waits for, the reason says so
    return (context.link(row.id, row.id), context.prose(row.title, row.id), owner_cell(row, context), blockers)


def _blocker(target: str, context: PageContext) -> Md:
    words = context.computed("state", target).replace("_", " ")
    entry = context.registry.get(target)
    if entry is not None and entry.kind.name == "reference":
        words = str(getattr(entry.record, "state", words))
    shown = markup.badge(Badge(words, STATE_TONES.get(words, "wait")), context.dialect)
    return Md(f"{markup.link(context.link(target))} {shown}")


def work_sections(context: PageContext) -> tuple[Section, ...]:
    """What to do next, and what waits."""
    order = context.publication.order
    ready = sorted(order.of("actionable", "in_review"), key=lambda row: row.rank or 0)
    waiting = order.of("waiting")
    sections = []
    if ready:
        sections.append(Section("What to do next", (next_table(ready[:FIRST], context), *rest_of(len(ready), "item", "`kvdocs order` prints all of them", context)), "next"))
    if waiting:
        sections.append(Section("What waits, and on what", (waiting_table(waiting[:FIRST], context), *rest_of(len(waiting), "item", "`kvdocs order --all` prints all of them", context)), "waiting"))
    return tuple(sections)


def rest_of(number: int, kind: str, where: str, context: PageContext, shown: int = FIRST) -> tuple[Block, ...]:
    """What a table says that shows only its first rows: how many there are, and where the others are."""
    if number <= shown:
        return ()
    listed = next((context.list_of(k) for k in context.registry.kinds if k.name == kind), None)
    words = f"{markup.link(listed)} have them too" if listed is not None and listed.href else ""
    return (Prose(Md(f"These are the first {shown} of {number}: {'; '.join(part for part in (where, words) if part)}.")),)


def _work(context: PageContext) -> tuple[Section, ...]:
    rule = markup.link(context.to("explanation/order.md", "How the rank is worked out"))
    first, *rest = work_sections(context) or (Section("What to do next", (Prose(Md("Nothing is left to do.")),), "next"),)
    return (Section(first.title, (*first.blocks, Prose(Md(f"{rule}."))), first.anchor), *rest)


def _defects(context: PageContext) -> tuple[Section, ...]:
    entries = context.registry.of("defect")
    if not entries:
        return ()
    rows = tuple(context.rows("defect", entries[:FIRST], _defect_row))
    headings = ("#", "Defect", "Status", "What executions say", "Owner", "Fixed by")
    table = Table(headings, rows, sortable=True, name="state", filters=frozenset({2}), of_records=True)
    all_of_them = f"{markup.link(context.list_of(entries[0].kind))} lists all of them"
    return (Section("State of the defects", (table, *rest_of(len(entries), "", all_of_them, context)), "defects"),)


def _defect_row(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    from kvdocs.kinds._owned import owners_cell
    from kvdocs.kinds.defect import defect_of

    record = defect_of(entry)
    return (
        context.link(entry.id, entry.id),
        context.title(entry),
        Badge(record.status.replace("-", " "), DEFECT_TONES[record.status]),
        evidence_cell(entry.id, context),
        owners_cell(entry, context),
        tuple(context.link(item, item) for item in record.fixed_by) or None,
    )


def evidence_cell(record_id: str, context: PageContext) -> Cell:
    """What the executions of a record's script say, one badge for each environment; "nothing executed" where there are none."""
    evidence = context.computed("evidence", record_id)
    badges = tuple(evidence.badges) if evidence is not None else ()
    return badges or Badge("nothing executed", "off")


def _executions(context: PageContext) -> tuple[Section, ...]:
    entries = context.registry.of("result")
    if not entries:
        return ()
    started = context.texts("started", entries, _started)
    newest = [entry for _, entry in sorted(zip(started, entries, strict=True), key=itemgetter(0), reverse=True)[:NEWEST]]
    kind = newest[0].kind
    columns = {column.heading: [column.cell(e, context) for e in newest] for column in kind.columns}
    told = {heading: cells for heading, cells in columns.items() if any(cells)}
    table = Table(("Execution", *told), tuple((context.link(e.id, id_of(e)), *cells) for e, *cells in zip(newest, *told.values(), strict=True)))
    every = f"All {len(entries)} executions" if len(entries) > 1 else "The list of executions"
    more = Prose(Md(f"{markup.link(context.list_of(kind, every))}."))
    return (Section("Newest executions", (table, more), "executions"),)


def _started(entry: Entry, _: PageContext) -> bytes:
    """When an execution began; empty when that is not known, so that it comes last."""
    return str(result_of(entry).invocation.get("started") or "").encode()


def _changes(context: PageContext) -> tuple[Section, ...]:
    changes = context.computed("history", "")
    if changes is None:
        return ()
    blocks: tuple[Block, ...] = tuple(changes)
    return (Section("What changed lately", blocks, "changes"),) if blocks else ()


def _trust(context: PageContext) -> tuple[Section, ...]:
    links = (
        context.to("problems.md", "What is wrong with this record"),
        context.to("counts.md", "How each number was counted"),
        context.to("reference/records.md", "What a record holds"),
        context.to("explanation/order.md", "How the order is worked out"),
    )
    return (Section("Where this comes from", (Items(links),), "where-from"),)
