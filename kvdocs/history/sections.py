"""Changes -> what pages show: the history of one record, what changed lately, and everything between two tags."""

from __future__ import annotations

from collections.abc import Callable

from kvdocs.history.change import Change
from kvdocs.history.timeline import History
from kvdocs.view import Block, Cell, Code, Items, Link, Md, Notice, Prose, Table

LinkTo = Callable[[str], Link]
"""A link to a record's page by its id; plain text when the record is gone."""

CommitLink = Callable[[str], Link]
"""A link to a commit at the host of the registry; plain text when the host is not known."""


def record_blocks(history: History, record: str, commit_link: CommitLink) -> tuple[Block, ...]:
    """The history of a record, the newest first, and in a line what cannot be known; empty when there is nothing to say."""
    unknown = tuple(Prose(Md(limit)) for limit in history.limits)
    changes = history.of(record)
    if not changes:
        return unknown
    rows = tuple((day(group[0]), group[0].author, tuple(c.words for c in group), commit_cell(group[0], commit_link)) for group in History(changes).by_commit())
    return (Table(("When", "Who", "What changed", "Commit"), rows), *unknown)


def changes_table(changes: tuple[Change, ...], link: LinkTo, commit_link: CommitLink, name: str) -> Table:
    """Changes, the newest first, as a table that sorts and filters; `name` is unique on the page."""
    rows = tuple((day(c), link(c.record), c.words, c.topic, c.author, commit_cell(c, commit_link)) for group in History(changes).by_commit() for c in group)
    return Table(("When", "Record", "What changed", "About", "Who", "Commit"), rows, sortable=True, name=name, filters=frozenset({3}))


def latest(history: History, link: LinkTo, count: int = 8) -> Items | None:
    """The newest changes that matter as a short list: `2026-08-24, R9, status open → done`. None when there are none.

    Rewritten texts and new executions are left out: the first rarely matter, and the second have a list of their own.
    """
    told = [change for group in history.by_commit() for change in group if change.topic not in ("text", "other") and change.kind != "result"][:count]
    return Items(tuple((day(change), link(change.record), change.words) for change in told)) if told else None


def limits(history: History) -> tuple[Block, ...]:
    """What cannot be known here, as notices."""
    return tuple(Notice("note", "Not known here", Md(limit)) for limit in history.limits)


def day(change: Change) -> str:
    """The day of a change in its commit's time zone."""
    return change.date[:10] if change.date else "not committed"


def commit_cell(change: Change, commit_link: CommitLink) -> Cell:
    """The commit, shortened; a dash for what is not committed."""
    if change.commit is None:
        return None
    link = commit_link(change.commit)
    return Link(change.commit[:9], link.href, change.subject) if link.href else Code(change.commit[:9])
