"""Counts: every number of records that a page shows, with the list that it was counted from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kinds.decision import Decision
from kvdocs.order import STATES
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import Severity
from kvdocs.view import Card, Cell, Line, Link, Md, Section, Table

PATH = "counts.md"
SHOWN = 500
"""So many records of a count are linked here; the list of their kind has all of them, and filters by what was counted."""


class Count(NamedTuple):
    """How many records there are of a sort: `rule` says which ones, `entries` are they."""

    name: str
    label: str
    rule: str
    entries: tuple[Entry, ...]

    @property
    def number(self) -> int:
        return len(self.entries)


def counts(context: PageContext) -> Iterator[Count]:
    """Records by kind, then defects by status, work by its state, decisions and references by theirs."""
    registry = context.registry
    for kind in registry.kinds:
        if entries := registry.of(kind.name):
            yield Count(kind.folder, kind.plural if len(entries) != 1 else kind.name, f"all files below `registry/{kind.folder}/`", tuple(entries))
    yield from _by_field(context, "defect", "status")
    for state in STATES:
        rows = [row for row in context.publication.order.of(state) if row.kind == "item"]
        if rows:
            words = state.replace("_", " ")
            yield Count(f"items-{state.replace('_', '-')}", f"{_noun('item', len(rows))} {words}", f"items whose state is *{words}*, as `kvdocs order` works it out", tuple(registry.entries[r.id] for r in rows))
    for decided, words in ((False, "open"), (True, "decided")):
        found = tuple(e for e in registry.of("decision") if isinstance(e.record, Decision) and (e.record.outcome is not None) is decided)
        if found:
            yield Count(f"decisions-{words}", f"{_noun('decision', len(found))} {words}", f"decisions with{'' if decided else 'out'} an outcome", found)
    yield from _by_field(context, "reference", "state")


def _noun(kind: str, number: int) -> str:
    return kind if number == 1 else f"{kind}s"


def _by_field(context: PageContext, kind: str, field: str) -> Iterator[Count]:
    groups: dict[str, list[Entry]] = {}
    entries = context.registry.of(kind)
    for entry, value in zip(entries, context.texts(field, entries, lambda entry, _: str(getattr(entry.record, field)).encode()), strict=True):
        groups.setdefault(value.decode(), []).append(entry)
    for name, found in groups.items():
        words = name.replace("-", " ")
        yield Count(f"{kind}s-{name}", f"{_noun(kind, len(found))} {words}", f"{kind}s whose `{field}` is `{name}`", tuple(found))


def card(count: Count, context: PageContext, tone: str = "plain") -> Card:
    """A count as a number that leads to its list."""
    return Card(count.label, str(count.number), context.to(f"{PATH}#{count.name}", "").href, tone)


def _counted(count: Count, context: PageContext) -> Cell:
    """The records that were counted; of very many the first, and where the list is that the number is the length of."""
    shown = count.entries[:SHOWN]
    links = b"".join(context.joined(f"link in {count.name}", b", ", shown, _link)).decode()
    more = count.number - len(shown)
    return Line(f"{links}, and {more} more, in {markup.link(context.list_of(count.entries[0].kind))}" if more else links)


def _link(entry: Entry, context: PageContext) -> bytes:
    return markup.cell(context.link(entry.id, entry.id), context.dialect).encode()


def counts_page(publication: Publication) -> Page:
    """Each count with the rule and the records behind it."""
    context = publication.at(PATH)
    sections = [
        Section(
            f"{count.number} {count.label}",
            (Table(("Counted", "Records"), ((Md(count.rule), _counted(count, context)),)),),
            count.name,
        )
        for count in counts(context)
    ]
    severities: list[tuple[Link | str, str]] = [
        (context.to("problems.md", severity.value), str(sum(p.severity is severity for p in publication.problems))) for severity in Severity
    ]
    sections.append(Section("Problems", (Table(("Severity", "Number"), tuple(severities), numeric=frozenset({1})),), "problems"))
    return Page(
        PATH,
        "page.md.j2",
        {
            "title": "How numbers were counted",
            "lead": Md("Every number of records on this site is the length of one of these lists. They are made anew with each build."),
            "sections": tuple(sections),
            "boost": 0,
        },
        Nav("Reports", 30, "How numbers were counted"),
    )
