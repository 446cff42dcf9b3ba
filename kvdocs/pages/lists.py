"""List pages: one table for each kind, sortable and filterable, in parts where a kind has very many records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.pages.context import PageContext, Publication, id_of
from kvdocs.pages.page import Nav, Page
from kvdocs.view import Cell, Link, Section, Table

T = TypeVar("T")

ROWS = 500
"""At most so many rows a page: a browser sorts them at once, and no search index chokes on them."""


def list_pages(publication: Publication) -> Iterator[Page]:
    """The list of every kind that has records, in one part or several."""
    for kind in publication.registry.kinds:
        entries = publication.registry.of(kind.name)
        address = publication.addresses.kind(kind)
        if not entries or address is None:
            continue
        for number in range(1, len(list_parts(entries)) + 1):
            yield list_page(kind, [entry.id for entry in entries], number, publication)


def list_parts(rows: Sequence[T]) -> list[Sequence[T]]:
    """The rows of each part of a list."""
    return [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]


def list_page(kind: Kind, ids: Sequence[str], number: int, publication: Publication) -> Page:
    """One part, counted from 1, of the list of a kind whose records have these ids."""
    address = publication.addresses.kind(kind)
    assert address is not None
    parts = list_parts(ids)
    context = publication.at(_part(address, number))
    entries = [entry for name in parts[number - 1] if (entry := publication.registry.get(name)) is not None]
    return _list_page(kind, entries, len(ids), _others(parts, number, address, context), context)


def _part(address: str, number: int) -> str:
    return address if number == 1 else address.replace("index.md", f"part-{number}.md")


def _others(parts: Sequence[Sequence[str]], number: int, address: str, context: PageContext) -> tuple[Link, ...]:
    if len(parts) == 1:
        return ()
    return tuple(Link(f"{p[0]} to {p[-1]}") if n == number else context.to(_part(address, n), f"{p[0]} to {p[-1]}") for n, p in enumerate(parts, 1))


def _list_page(kind: Kind, entries: Sequence[Entry], total: int, parts: tuple[Link, ...], context: PageContext) -> Page:
    first = context.page.endswith("index.md")
    return Page(
        context.page,
        "list.md.j2",
        {
            "title": kind.title,
            "about": kind.about,
            "total": total,
            "parts": parts,
            "table": kind_table(kind, entries, context),
            "sections": kind.hub(context) if first and kind.hub is not None else (),
            "boost": 2 if first else 1,
        },
        Nav("Record", kind.position, kind.title) if first else None,
    )


def kind_table(kind: Kind, entries: Sequence[Entry], context: PageContext) -> Table:
    """The records of a kind with the columns that the kind declares. There are no titles where all are only the ids again."""
    has_title = any(map(_has_title, entries))
    rows = context.rows("row", entries, _titled_row) if has_title else context.rows("row without a title", entries, _row)
    headings = ("#", *(("Title",) if has_title else ()), *(column.heading for column in kind.columns))
    filters = frozenset(number + 1 + has_title for number, column in enumerate(kind.columns) if column.filter)
    return Table(headings, rows, sortable=True, name=kind.folder, row_ids=tuple(e.id for e in entries), filters=filters, of_records=True)


def _has_title(entry: Entry) -> bool:
    """Whether its title is more than the id again."""
    return markup.plain(entry.title) != entry.id


def _row(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    return (context.link(entry.id, id_of(entry)), *(column.cell(entry, context) for column in entry.kind.columns))


def _titled_row(entry: Entry, context: PageContext) -> tuple[Cell, ...]:
    title = context.title(entry) if _has_title(entry) else None
    return (context.link(entry.id, id_of(entry)), title, *(column.cell(entry, context) for column in entry.kind.columns))


def section_of(title: str, table: Table | None, anchor: str = "") -> tuple[Section, ...]:
    """A section with one table, or nothing when there is no row."""
    return (Section(title, (table,), anchor),) if table is not None and table.rows else ()
