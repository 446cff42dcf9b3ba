"""correction: what the record had wrong, what replaced it, and which record showed it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Date, Markdown, Record, Ref, empty_list
from kvdocs.view import Cell, Fact, Prose, RecordView, Section


class Correction(Record):
    """Something that was recorded and turned out wrong. `title` names it in one line."""

    wrong: Markdown = Field(description="What the record said.")
    right: Markdown = Field(description="What replaced it.")
    why_it_matters: Markdown | None = Field(default=None, description="What the error had led to.")
    shown_by: list[Annotated[str, Ref()]] = Field(min_length=1, description="The records that show it.")
    about: list[Annotated[str, Ref()]] = Field(default_factory=empty_list, description="The records that had it wrong.")
    recorded_in: Annotated[str, Ref("reference")] | None = Field(default=None, description="Where the wrong statement stood.")
    on: Date | None = Field(default=None, description="The day of the correction.")


def _correction(entry: Entry) -> Correction:
    assert isinstance(entry.record, Correction)
    return entry.record


def view(entry: Entry, context: Context) -> RecordView:
    record = _correction(entry)
    facts = [
        Fact("Shown by", tuple(context.link(s) for s in record.shown_by)),
        Fact("About", tuple(context.link(a) for a in record.about) or None),
        Fact("Stood in", context.link(record.recorded_in) if record.recorded_in else None),
        Fact("Corrected on", record.on.isoformat() if record.on else None),
    ]
    sections = [
        Section("What the record said", (Prose(context.prose(record.wrong, record.id)),)),
        Section("What is so", (Prose(context.prose(record.right, record.id)),)),
    ]
    if record.why_it_matters:
        sections.append(Section("Why it matters", (Prose(context.prose(record.why_it_matters, record.id)),)))
    return RecordView(facts=tuple(f for f in facts if f.value), sections=tuple(sections))


def _shown_by(entry: Entry, context: Context) -> Cell:
    return tuple(context.link(s, s) for s in _correction(entry).shown_by)


KIND = Kind(
    name="correction", plural="corrections", folder="corrections", position=50, model=Correction, view=view, prefix="C", document="measurements",
    columns=(
        Column("Wrong", lambda e, c: c.prose(_correction(e).wrong, e.id)),
        Column("Right", lambda e, c: c.prose(_correction(e).right, e.id)),
        Column("Shown by", _shown_by),
    ),
)  # fmt: skip
