"""The page that explains the order: the rule, and the place of each record by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import kvdocs.order
from kvdocs import markup
from kvdocs.chains import changes
from kvdocs.cited import gain_of
from kvdocs.model import Number
from kvdocs.order import Row
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.home import rest_of
from kvdocs.pages.page import Nav, Page
from kvdocs.view import Block, Cell, Items, Md, Prose, Section, Table

PATH = "explanation/order.md"
EXPLAINED = 3
"""So many of the first ranks are explained at length."""

KEYS = 500
"""For so many of the first ranks the page shows what the rule sees."""


def order_page(publication: Publication) -> Page:
    """How the order is worked out, shown on this registry's own records."""
    context = publication.at(PATH)
    ranked = publication.order.of("actionable", "in_review", "waiting")
    never = publication.order.of("not_planned")
    sections = [Section("The rule", (Prose(Md(_rule())),), "rule")]
    if ranked:
        sections.append(Section("What the rule sees", (Prose(Md(_WHAT_IT_SEES)), _keys(ranked[:KEYS], context), *rest_of(len(ranked), "item", "`kvdocs order --all --json` prints all of them", context, KEYS)), "keys"))
        sections.append(Section("The first places in words", tuple(_places(ranked[:EXPLAINED], context)), "places"))
    if never:
        words = tuple(Md(f"{markup.link(context.link(row.id))} {context.prose(row.title, row.id)}: {context.prose(row.why, row.id)}") for row in never)
        sections.append(Section("What is left out", (Items(words),), "never"))
    sections.append(Section("Ask for more", (Prose(Md(_MORE)),), "more"))
    return Page(PATH, "page.md.j2", {"title": "How the order is worked out", "wide": True, "sections": tuple(sections), "boost": 1}, Nav("Explanation", 20, "The order of work"))


_WHAT_IT_SEES = "Each column is one step of the rule, from left to right; the first column in which two records differ decides between them, as long as neither waits for the other."

_MORE = """\
- `kvdocs order --explain ID` gives the chain of reasons behind one place, and what would change it.
- `kvdocs order --assume ID=done` shows the order as it would be then.
- `kvdocs order --for ID` lists the least work that has to come before.
- `kvdocs order --critical-path` shows the longest chain of unfinished work, weighed by size."""


def _rule() -> str:
    """The rule as the program's own text has it: one sentence a line, without the first line of the module."""
    text = (kvdocs.order.__doc__ or "").partition("\n\n")[2]
    return text.partition("\n")[2].strip()


def _keys(rows: Sequence[Row], context: PageContext) -> Table:
    headings = ("Rank", "#", "Work", "State", "Optional", "Measured payoff, its own or behind it", "Unfinished behind it", "Size", "Blast radius")
    named = context.rows("work", rows, _named, lambda row: (row.title,))
    gain = cache(lambda name: gain_of(context.registry.entries[name], context.registry))
    return Table(headings, tuple(_key_row(row, cells, gain, context) for row, cells in zip(rows, named, strict=True)), frozenset({0, 5, 6}), sortable=True, name="order", of_records=True)


def _named(row: Row, context: PageContext) -> tuple[Cell, ...]:
    return (context.link(row.id, row.id), context.prose(row.title, row.id))


def _key_row(row: Row, named: Sequence[Cell], gain: Callable[[str], Number], context: PageContext) -> tuple[Cell, ...]:
    behind = _behind(row.id, context)
    gains = [(gain(name), name) for name in (row.id, *behind)]
    best = max(gains, key=lambda pair: pair[0], default=(0, row.id))
    entry = context.registry.get(row.id)
    payoff = f"+{best[0]}%{'' if best[1] == row.id else f' ({best[1]})'}" if best[0] else None
    return (
        str(row.rank),
        *named,
        row.state.replace("_", " "),
        "yes" if entry is not None and entry.work is not None and entry.work.optional else None,
        payoff,
        str(len(behind)) if behind else None,
        row.size or ("decision" if row.kind == "decision" else None),
        row.blast_radius,
    )


def _behind(name: str, context: PageContext) -> tuple[str, ...]:
    """Everything unfinished that waits for a record, directly or through others."""
    order = context.publication.order
    found: dict[str, None] = {}
    todo = list(order.rows[name].unlocks)
    while todo:
        one = todo.pop(0)
        if one not in found:
            found[one] = None
            todo += order.rows[one].unlocks
    return tuple(found)


def _places(rows: Sequence[Row], context: PageContext) -> list[Block]:
    blocks: list[Block] = []
    for row in rows:
        lines = [f"**{row.rank}. {markup.link(context.link(row.id))}** {context.prose(row.title, row.id)}: {context.prose(row.why, row.id)}."]
        lines += [context.prose(f"If so: {change}.", row.id) for change in changes(context.registry, context.publication.order, row.id, {})]
        blocks.append(Prose(Md("\n".join(lines))))
    return blocks
