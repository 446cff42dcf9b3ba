"""Record pages: one for each record, from the view of its kind, with what points at it and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kvdocs import markup
from kvdocs.cited import title_of
from kvdocs.document import field_name
from kvdocs.entry import Entry
from kvdocs.pages.context import PageContext, Publication, id_of
from kvdocs.pages.graph import around_section
from kvdocs.pages.logs import log_sections
from kvdocs.pages.page import Page
from kvdocs.problems import Problem, Severity
from kvdocs.reports import summary
from kvdocs.view import Cell, Link, Md, Notice, Section, Table

BOOST = 0
"""Records are looked up in a file of their own, which is smaller than the engine's index and read when the search is opened; so that index leaves them out."""

TONES = {Severity.ERROR: "danger", Severity.WARNING: "warning", Severity.INFO: "note"}


def record_pages(publication: Publication) -> Iterator[Page]:
    """A page for every record, in the order of the registry."""
    for entry in publication.registry:
        yield from record_page_of(entry, publication)


def record_page_of(entry: Entry, publication: Publication) -> Iterator[Page]:
    """The page of a record, when the output has one for it."""
    address = publication.addresses.record(entry)
    if address is not None:
        yield record_page(entry, publication.at(address))


def record_page(entry: Entry, context: PageContext) -> Page:
    """The page of one record."""
    view = entry.kind.view(entry, context)
    return Page(
        context.page,
        entry.kind.template,
        {
            "id": entry.id,
            "title": f"{entry.id} · {markup.plain(title_of(entry, context.registry))}",
            "heading": context.title(entry),
            "kind": context.list_of(entry.kind, entry.kind.name),
            "source": f"{entry.path}#L{entry.raw.line}",
            "source_link": context.record_source(entry),
            "data_link": Link("JSON", f"../api/records/{entry.id}.json"),
            "boost": BOOST,
            "view": view,
            "notices": problem_notices(context.publication.problems_of.get(entry.id, ()), context),
            "sections": (*view.sections, *log_sections(entry, context), *around_section(entry.id, context), *related_sections(entry, context), *history_section(entry.id, context)),
        },
    )


def history_section(record_id: str, context: PageContext) -> tuple[Section, ...]:
    """What changed in a record and when, where that is known."""
    blocks = context.computed("history", record_id)
    return (Section("History", tuple(blocks), "history"),) if blocks else ()


def problem_notices(problems: Sequence[Problem], context: PageContext) -> tuple[Notice, ...]:
    """What is wrong with the record, in one box with the colour of the worst; nothing when nothing is."""
    if not problems:
        return ()
    worst = next(severity for severity in Severity if any(p.severity is severity for p in problems))
    lines = "\n".join(f"- {problem_words(problem, context)}" for problem in problems)
    return (Notice(TONES[worst], summary(problems), Md(lines)),)


def problem_words(problem: Problem, context: PageContext) -> str:
    """A problem in one line of Markdown: its code, the message, the reason or the hint, and the place."""
    code = markup.link(context.to(f"reference/problems.md#{problem.code.name}", problem.code.name))
    parts = [f"{code}: {markup.sentence(problem.message)}."]
    if problem.acknowledged is not None:
        parts.append(f"Accepted: {markup.flat(context.prose(problem.acknowledged))}")
    elif problem.hint:
        parts.append(f"({markup.sentence(problem.hint)})")
    return " ".join([*parts, markup.link(context.file_link(problem.place.path, problem.place.line))])


def related_sections(entry: Entry, context: PageContext) -> tuple[Section, ...]:
    """What points at a record by a field, and what names it in its prose."""
    rows: list[tuple[Cell, ...]] = []
    fields: dict[str, list[str]] = {}
    for back in context.registry.links_to(entry.id):
        name = field_name(back.link.loc).replace("_", " ")
        if name not in fields.setdefault(back.entry.id, []):
            fields[back.entry.id].append(name)
    for source, names in fields.items():
        rows.append(_row(context.registry.entries[source], ", ".join(names), context))
    rows += [_row(e, "in its text", context) for e in context.publication.mentioned_by.get(entry.id, ()) if e.id not in fields]
    if not rows:
        return ()
    return (Section("What points here", (Table(("Record", "Kind", "Title", "As"), tuple(rows)),), "what-points-here"),)


def _row(entry: Entry, field: str, context: PageContext) -> tuple[Cell, ...]:
    return (context.link(entry.id, id_of(entry)), entry.kind.name, context.title(entry), field)
