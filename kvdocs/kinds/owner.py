"""owner: who maintains a layer of the code, and what that layer is."""

from __future__ import annotations

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Markdown, Record, empty_list
from kvdocs.view import Cell, Fact, Link, Prose, RecordView, Section, Table


class Owner(Record):
    """A person or project that owns part of the code."""

    repository: str | None = Field(default=None, pattern=r"^[\w.-]+/[\w.-]+$", description="`owner/name` at the project's host.")
    also_called: list[str] = Field(default_factory=empty_list, description="Other names under which the record speaks of this owner.")
    owns: Markdown = Field(description="Which layer of the code is theirs.")
    test: Markdown | None = Field(default=None, description="How to tell whether something is theirs.")


def _repository(entry: Entry, context: Context) -> Cell:
    record = entry.record
    assert isinstance(record, Owner)
    return repository_link(context, record.repository)


def repository_link(context: Context, repository: str | None) -> Cell:
    """A link to a repository at the project's host, or None."""
    return context.source_link("", repository=repository) if repository else None


def owned(entry: Entry, context: Context, kind: str) -> tuple[Link, ...]:
    """The records of a kind that name this owner."""
    return tuple(context.link(e.id) for e in context.registry.pointing_at(entry.id, kind, "owners"))


def view(entry: Entry, context: Context) -> RecordView:
    record = entry.record
    assert isinstance(record, Owner)
    sections = [Section("What is theirs", (Prose(context.prose(record.owns, record.id)),))]
    if record.test:
        sections.append(Section("How to tell", (Prose(context.prose(record.test, record.id)),)))
    rows = [(context.link(b.id, b.id), context.prose(b.title, b.id)) for kind in ("item", "defect") for b in context.registry.pointing_at(entry.id, kind, "owners")]
    if rows:
        sections.append(Section("What waits for them", (Table(("Record", "Title"), tuple(rows), sortable=True),)))
    decisions = context.registry.pointing_at(entry.id, "decision", "decided_by")
    if decisions:
        sections.append(Section("What they decide", (Table(("Decision", "Question"), tuple((context.link(d.id, d.id), context.prose(d.title, d.id)) for d in decisions)),)))
    facts = [Fact("Repository", repository_link(context, record.repository))]
    if record.also_called:
        facts.append(Fact("Also called", tuple(record.also_called)))
    return RecordView(facts=tuple(facts), sections=tuple(sections))


KIND = Kind(
    name="owner", plural="owners", folder="owners", position=90, model=Owner, view=view, document="roadmap",
    columns=(
        Column("Repository", _repository),
        Column("Items", lambda e, c: owned(e, c, "item") or None),
        Column("Defects", lambda e, c: owned(e, c, "defect") or None),
    ),
)  # fmt: skip
