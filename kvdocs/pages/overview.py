"""The overview: the text of a pull request that carries the record, with the tables that its readers look for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kinds._measurement_view import figures_table
from kvdocs.kinds._owned import owners_cell
from kvdocs.kinds.correction import Correction
from kvdocs.kinds.decision import Decision, option_title
from kvdocs.kinds.defect import Defect, status_words
from kvdocs.kinds.environment import Environment, gpu_words
from kvdocs.kinds.experiment import Experiment, outcome_words
from kvdocs.kinds.item import Item, blocked_words
from kvdocs.kinds.measurement import measurement_of
from kvdocs.kinds.probe import bounds
from kvdocs.kinds.reference import Reference
from kvdocs.order import Row
from kvdocs.pages.address import DOCUMENTS, anchor, document_file
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Page
from kvdocs.two_parts import Chunk
from kvdocs.view import Block, Cell, Facts, Items, Md, Prose, Section, Table, cells_of, values_in

PATH = "overview.md"


def overview_page(publication: Publication) -> Page:
    """`overview.md`; its publication has the addresses of the stand-alone documents."""
    context = publication.at(PATH)
    parts = (
        *_section("Current status update", Items(tuple(_updates(context)))),
        *_section("What is here", _files(context)),
        *_section("Defects", _defects(context)),
        *_measurements(context),
        *_section("What the record had wrong", Items(tuple(_all("line", "correction", _correction, context)))),
        *_section("Rejected with evidence", Items(tuple(_all("line", "experiment", _experiment, context)))),
        *_section("Roadmap", _roadmap(context)),
        *_section("Order", *_order(context)),
        *_section("Superseded", Items(tuple(_all("superseded", "reference", _superseded, context)))),
        *_section("Validation", *_validation(context)),
    )
    return Page(PATH, "documents/overview.md.j2", {"title": publication.settings.title, "lead": Md(markup.harmless(publication.settings.summary))}, parts=parts)


def _section(title: str, *blocks: Block, at: str = "") -> tuple[Section, ...]:
    """A section with the blocks that hold something; none when all are empty."""
    kept = tuple(b for b in blocks if not (isinstance(b, Items) and not b.items) and not (isinstance(b, Table) and not b.rows) and not (isinstance(b, Facts) and not b.facts))
    return (Section(title, kept, at),) if kept else ()


def _name(context: PageContext, *ids: str) -> str:
    return " / ".join(f"**{markup.link(context.link(i))}**" for i in ids)


_Cells = tuple[Cell, ...]


def _all(name: str, kind: str, make: Callable[[Entry, PageContext], _Cells], context: PageContext) -> Iterator[Cell]:
    """The cells that `make` gives for the entries of a kind, one after the other."""
    yield from cells_of(context.rows(name, context.registry.of(kind), make))


def _updates(context: PageContext) -> Iterator[Cell]:
    """What a reader has to know first: what is reported elsewhere, what is in review, what has no owner or no cause, what is not planned."""
    yield from _all("update", "defect", _defect_update, context)
    yield from _all("update", "item", _item_update, context)


def _defect_update(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    assert isinstance(record, Defect)
    if record.reported_as:
        return (_reported(record, context),)
    if not record.not_established:
        return ()
    missing = " ".join(context.prose(text, entry.id) for text in record.not_established)
    owner = markup.cell(owners_cell(entry, context), context.dialect)
    return (Md(f"{_name(context, entry.id)}: {status_words(entry, context)}. Owner: {owner}. Not established: {markup.flat(missing)}"),)


def _item_update(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    assert isinstance(record, Item)
    fixes = [e.id for e in context.registry.pointing_at(record.id, "defect", "fixed_by")]
    if record.status == "implemented":
        where = ", ".join(markup.link(context.link(r)) for r in record.implemented_by)
        return (Md(f"{_name(context, record.id, *fixes)}: implemented{f' in {where}' if where else ''}, pending {record.next_step or 'validation'}."),)
    if record.status == "not-planned":
        return (Md(f"{_name(context, record.id, *fixes)}: not planned, because of {context.prose(record.reason or '', record.id)}."),)
    return ()


def _reported(record: Defect, context: PageContext) -> Md:
    where = ", ".join(markup.link(context.link(r)) for r in record.reported_as)
    items = [item for name in record.fixed_by if (item := context.registry.record(name, Item)) is not None]
    gates = " ".join(f"({g.id}) {markup.flat(context.prose(g.text, i.id))}" for i in items for g in i.gates)
    closing = f" {', '.join(i.id for i in items)} closes when: {gates}" if gates else ""
    return Md(f"{_name(context, *record.fixed_by, record.id)}: reported as {where}.{closing}")


_FILES = {
    "roadmap": (("item", "owner, size, blast radius, blockers, acceptance gates"), ("decision", "options, recommendation, what waits for them")),
    "defects": (("defect", "the command and what it printed"),),
    "measurements": (("measurement", "every figure, and what it rules out"), ("experiment", "what was tried and rejected, with the numbers"), ("correction", "what was wrong, and what showed it")),
    "repro": (("script", "one for each defect and measurement, with how it was verified"),),
    "probes": (("probe", "what each patch is for, and whether its output can be trusted"),),
}
"""What the table of files says of each document: kinds, and what is told of their records. The numbers are counted."""


def _files(context: PageContext) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in DOCUMENTS:
        path = document_file(context.publication.settings.slug, name)
        kinds = {kind.name: kind for kind in context.registry.kinds if kind.document == name}
        words = []
        for kind, text in _FILES[name]:
            number = len(context.registry.of(kind))
            if number and kind in kinds:
                words.append(f"{number} {kinds[kind].plural if number != 1 else kind}: {text}")
        if words:
            rows.append((context.to(path, path), markup.paragraph("; ".join(words))))
    return Table(("File", "What it holds"), tuple(rows))


def _defects(context: PageContext) -> Table:
    return Table(("#", "Defect", "Status", "Owner"), context.rows("line", context.registry.of("defect"), _defect))


def _defect(entry: Entry, context: PageContext) -> _Cells:
    return (_id(entry, context), context.title(entry), status_words(entry, context), _joined(owners_cell(entry, context), context))


def _id(entry: Entry, context: PageContext) -> Cell:
    return context.link(entry.id, entry.id)


def _joined(owners: Cell, context: PageContext) -> Cell:
    """Owners joined by a plus, as people write shared work."""
    several = values_in(owners)
    return Md(" + ".join([markup.cell(owner, context.dialect) for owner in several])) if len(several) > 1 else owners


def _roadmap(context: PageContext) -> Table:
    return Table(("#", "Item", "Owner", "Size", "Blast radius", "Blocked by"), context.rows("line", context.registry.of("item"), _item))


def _item(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    assert isinstance(record, Item)
    return (_id(entry, context), context.title(entry), _joined(owners_cell(entry, context), context), record.size, record.blast_radius, blocked_words(entry, context))


def _measurements(context: PageContext) -> Iterator[Section | Chunk]:
    """Each measurement with its table of figures and what it rules out."""
    entries = context.registry.of("measurement")
    if entries:
        yield Section("Measurements", (Prose(Md("Derived columns are computed from the others; where a published figure cannot be reproduced, it stands beside the computed one.")),))
    yield from context.sections("figures", entries, _figures)


def _figures(entry: Entry, context: PageContext) -> tuple[Section, ...]:
    return _section(f"{entry.id}: {context.title(entry)}", *_measurement(entry, context), at=anchor(entry.id))


def _measurement(entry: Entry, context: PageContext) -> Iterator[Block]:
    """The table without its details, whether it is reported or executed, what must be said of its figures, and what they rule out."""
    record, figures = measurement_of(entry), context.computed("figures", entry.id)
    if figures is None:
        return
    shown = record.model_copy(update={"columns": [column for column in record.columns if not column.detail]})
    yield figures_table(shown, figures)._replace(sortable=False)
    where = f", {markup.link(context.link(record.environment))}" if record.environment else ""
    said = "".join(f" {notice.title}: {notice.text}" for notice in bounds(record.probes, record.results, context, record.id))
    yield Prose(Md(f"These figures are {context.computed('basis', entry.id)}{where}.{said}"))
    if record.rules_out:
        yield Prose(Md(f"What it rules out: {context.prose(record.rules_out, entry.id)}"))


def _correction(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    assert isinstance(record, Correction)
    shown = ", ".join(markup.link(context.link(s)) for s in record.shown_by)
    why = f" {markup.flat(context.prose(record.why_it_matters, entry.id))}" if record.why_it_matters else ""
    wrong = f" The record said: {markup.flat(context.prose(record.wrong, entry.id))}"
    return (Md(f"{_name(context, entry.id)} **{context.title(entry)}.**{wrong} What is so: {markup.flat(context.prose(record.right, entry.id))}{why} (Shown by {shown}.)"),)


def _experiment(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    assert isinstance(record, Experiment)
    words = zip(record.outcomes, outcome_words(record, context), strict=True)
    figures = "; ".join(markup.escape(text if o.unit == "%" else f"{o.what} {text}") for o, text in words)
    exact = "" if record.exact is None else "; output identical" if record.exact else "; output not identical"
    return (Md(f"{_name(context, entry.id)} {context.title(entry)}: {record.verdict.replace('-', ' ')}{f' ({figures}{exact})' if figures else ''}. {markup.flat(context.prose(record.why, entry.id))}"),)


def _order(context: PageContext) -> Iterator[Block]:
    order = context.publication.order
    ready = sorted(order.of("actionable", "in_review"), key=lambda row: row.rank or 0)
    if ready:
        yield Prose(Md("What can be worked on now, in this order:"))
        yield Items(tuple(_ordered(ready, context)), numbered=True)
    waiting = order.of("waiting")
    if waiting:
        yield Prose(Md("What waits:"))
        yield Items(tuple(_ordered(waiting, context)))
    open_ = tuple(_all("line", "decision", _decision, context))
    if open_:
        yield Prose(Md(f"{len(open_)} decision{'s are' if len(open_) != 1 else ' is'} needed before that code is written:"))
        yield Items(open_)


def _ordered(rows: Iterable[Row], context: PageContext) -> Iterator[Cell]:
    yield from cells_of(context.rows("ordered", rows, _why, lambda row: (row.title, row.why)))


def _why(row: Row, context: PageContext) -> _Cells:
    return (Md(f"{_name(context, row.id)} {context.prose(row.title, row.id)}: {context.prose(row.why, row.id)}."),)


def _decision(entry: Entry, context: PageContext) -> _Cells:
    """What is to be decided; nothing when it is."""
    record = entry.record
    assert isinstance(record, Decision)
    if record.outcome is not None:
        return ()
    advice = f" Recommended: {markup.escape(option_title(record, record.recommendation.option))}." if record.recommendation else ""
    who = " and ".join(markup.link(context.link(o)) for o in record.decided_by)
    return (Md(f"{_name(context, record.id)} {context.prose(record.title, record.id)} Decided by {who}.{advice}"),)


def _superseded(entry: Entry, context: PageContext) -> _Cells:
    record = entry.record
    if not isinstance(record, Reference) or not record.superseded_by:
        return ()
    told = f" {markup.flat(context.prose(record.summary, record.id))}" if record.summary else ""
    return (Md(f"{markup.link(context.link(record.id))} ({record.state.replace('-', ' ')}) is superseded by {markup.link(context.link(record.superseded_by))}.{told}"),)


def _validation(context: PageContext) -> Iterator[Block]:
    environments = context.texts("environment", context.registry.of("environment"), lambda entry, here: _environment(entry, here).encode())
    yield from (Prose(Md(text.decode())) for text in environments)
    scripts = context.registry.of("script")
    if scripts:
        kind = scripts[0].kind
        yield Table(("Script", *(c.heading for c in kind.columns)), context.rows("line", scripts, _script))


def _environment(entry: Entry, context: PageContext) -> Md:
    """A machine, how figures are measured on it, and when they are thrown away: a paragraph for each."""
    record = entry.record
    assert isinstance(record, Environment)
    words = [w for w in (gpu_words(record), f"CUDA {record.cuda}" if record.cuda else None, record.cpu, f"pinned to CPUs {record.pinned}" if record.pinned else None, record.model) if w]
    first = f"**{context.prose(record.title, record.id)}**: {markup.paragraph(', '.join(words))}."
    rules = [context.prose(text, record.id).strip() for text in (record.protocol, record.discard_rule) if text]
    return Md("\n\n".join([first, *rules]))


def _script(entry: Entry, context: PageContext) -> _Cells:
    return (context.link(entry.id, entry.id), *(column.cell(entry, context) for column in entry.kind.columns))
