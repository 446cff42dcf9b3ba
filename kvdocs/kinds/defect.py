"""defect: something that goes wrong, how to see it, whose it is, and what is not established about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath as Path
from typing import Annotated, Literal

from pydantic import Field

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._evidence_view import evidence_section, executed_fact
from kvdocs.kinds._owned import Owned, check_owner, owners_cell
from kvdocs.kinds._rates_view import rates_section
from kvdocs.kinds.item import Item
from kvdocs.model import Commit, Date, Markdown, Part, Ref, SourceLocation, empty_list
from kvdocs.problems import FIXED_BUT_OPEN, REOPENED, Problem
from kvdocs.registry import Registry
from kvdocs.view import Badge, Block, Cell, CodeBlock, Fact, Inline, Items, Link, Md, Notice, Prose, RecordView, Section, Table

Status = Literal["suspected", "confirmed", "not-reproduced", "historical", "fixed", "superseded", "withdrawn"]


class Observation(Part):
    """One statement that the defect was seen or not seen. It is reported: executions are results."""

    what: Markdown = Field(description="What was seen.")
    environment: Annotated[str, Ref("environment")] | None = Field(default=None, description="The machine.")
    commit: Commit | None = Field(default=None, description="The source on which it was seen.")
    repository: str | None = Field(default=None, description="`owner/name` of that source.")
    on: Date | None = Field(default=None, description="The day.")
    failures: int | None = Field(default=None, ge=0, description="In how many runs it was seen.")
    runs: int | None = Field(default=None, ge=1, description="Out of how many eligible ones.")
    ineligible: list[str] = Field(default_factory=empty_list, description="Runs that do not count, each with the reason: no device, out of time, another crash.")
    source: Annotated[str, Ref("reference")] | None = Field(default=None, description="Where it was reported.")


class Correlation(Part):
    """Another defect that occurs with this one without being shown to cause it."""

    defect: Annotated[str, Ref("defect")] = Field(description="The other defect.")
    note: Markdown = Field(description="What is known of the two together, and what is not.")


class Defect(Owned):
    """A defect. `title` says what is wrong in one line."""

    status: Status = Field(description="`historical`: true of the base commit and not of today. What executions say stands beside it on the page.")
    status_note: Markdown | None = Field(default=None, description="A few words after the status, such as the exit code.")
    severity: str = Field(description="What it does to a user, in a few words.")
    environment: Annotated[str, Ref("environment")] | None = Field(default=None, description="The machine on which it was seen.")
    repository: str | None = Field(default=None, description="`owner/name` of the source in which it is; the project's repository if absent.")
    commit: Commit | None = Field(default=None, description="The source on which it was seen.")
    symptom: Markdown = Field(description="What goes wrong.")
    command: str | None = Field(default=None, description="The exact command that shows it.")
    output: str | None = Field(default=None, description="What the command printed, as reported.")
    script: Annotated[str, Ref("script")] | None = Field(default=None, description="The script that reproduces it.")
    cause: Markdown | None = Field(default=None, description="Why it happens, as far as that is known.")
    locations: list[SourceLocation] = Field(default_factory=empty_list, description="Where it is in the source.")
    ownership: Markdown | None = Field(default=None, description="Why it belongs to its owners.")
    fixed_by: list[Annotated[str, Ref("item")]] = Field(default_factory=empty_list, description="The items that repair it.")
    correlated_with: list[Correlation] = Field(default_factory=empty_list, description="Defects that occur with it; that says nothing about a cause.")
    superseded_by: Annotated[str, Ref("defect")] | None = Field(default=None, description="The defect that took its place.")
    reported_as: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="Where it was reported.")
    needs: list[Annotated[str, Ref("defect")]] = Field(default_factory=empty_list, description="Defects that have to be repaired before this one can be seen at all.")
    observations: list[Observation] = Field(default_factory=empty_list, description="What people saw, with counts.")
    not_established: list[Markdown] = Field(default_factory=empty_list, description="What the evidence does not show.")
    notes: Markdown | None = Field(default=None, description="Anything else.")


def defect_of(entry: Entry) -> Defect:
    """The record of a defect's entry."""
    assert isinstance(entry.record, Defect)
    return entry.record


def check_repair(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A status that fits the items that fix the defect."""
    record = defect_of(entry)
    fixes = [(position, item) for position, name in enumerate(record.fixed_by) if (item := registry.record(name, Item)) is not None]
    if record.status == "fixed":
        for position, item in fixes:
            if item.status != "done":
                place = entry.raw.place_of(("status",), value=True)
                edge = entry.raw.place_of(("fixed_by", position))
                yield Problem(FIXED_BUT_OPEN, f"{record.id} is fixed, but {item.id} is {item.status}", place, record.id, related=((edge, f"{item.id} fixes it"),))
    elif record.status == "confirmed" and fixes and all(item.status == "done" for _, item in fixes):
        names = ", ".join(item.id for _, item in fixes)
        place = entry.raw.place_of(("status",), value=True)
        yield Problem(REOPENED, f"{record.id} is confirmed, but {names} is done", place, record.id, hint="run its script again, then set the status to fixed or reopen the item")


TONES = {"confirmed": "bad", "suspected": "warn", "not-reproduced": "plain", "historical": "off", "fixed": "good", "superseded": "off", "withdrawn": "off"}


def status_badge(record: Defect) -> Badge:
    """The status with its colour."""
    return Badge(record.status.replace("-", " "), TONES[record.status])


def status_words(entry: Entry, context: Context) -> Md:
    """The status as the register's table has it: the word, the note, and what the record knows of the repair."""
    record = defect_of(entry)
    text = record.status.replace("-", " ") + (f", {record.status_note}" if record.status_note else "")
    text += "".join(f"; {words}" for words in repair_words(entry, context))
    return context.prose(text, record.id)


def status_cell(entry: Entry, context: Context) -> Cell:
    """The same with the word in its colour."""
    badge = status_badge(defect_of(entry))
    rest = status_words(entry, context).removeprefix(badge.text).lstrip(",; ")
    return (badge, Md(rest)) if rest else badge


def repair_words(entry: Entry, context: Context) -> list[str]:
    """What the items that fix a defect add to its status: not planned, or implemented and pending."""
    words = []
    for name in defect_of(entry).fixed_by:
        item = context.registry.record(name, Item)
        if item is None:
            continue
        if item.status == "not-planned":
            words.append("not planned")
        elif item.status == "implemented":
            where = ", ".join(context.link(r).text for r in item.implemented_by)
            words.append(f"fixed by {where or item.id}, pending {item.next_step or 'validation'}")
        elif item.status == "done":
            words.append(f"fixed by {item.id}")
    return words


def location_link(context: Context, record: Defect, location: SourceLocation) -> Link:
    """The place in the source, at the location's commit or the defect's."""
    return context.source_link(location.path, location.line, repository=location.repository or record.repository, commit=location.commit or record.commit)


def view(entry: Entry, context: Context) -> RecordView:
    record = defect_of(entry)
    facts = (
        Fact("Status", status_cell(entry, context)),
        executed_fact(entry, context),
        Fact("Severity", record.severity),
        Fact("Owner", owners_cell(entry, context)),
        Fact("Seen on", context.link(record.environment) if record.environment else None),
        Fact("Source", context.source_link("", repository=record.repository, commit=record.commit) if record.commit else None),
        Fact("Fixed by", tuple(context.link(i) for i in record.fixed_by) or None),
        Fact("Reported as", tuple(context.link(r) for r in record.reported_as) or None),
    )
    sections = [Section("What goes wrong", (Prose(context.prose(record.symptom, record.id)),))]
    sections += _how_to_see(record, context)
    sections += _where(record, context)
    sections += _whose(record, context)
    sections += _repair(record, context)
    sections += evidence_section(entry, context)
    sections += rates_section(record.id, context)
    sections += _reported(record, context)
    if record.not_established:
        sections.append(Section("What is not established", (Items(tuple(context.prose(n, record.id) for n in record.not_established)),)))
    if record.notes:
        sections.append(Section("Notes", (Prose(context.prose(record.notes, record.id)),)))
    notices = (Notice("warning", f"Superseded by {record.superseded_by}", context.prose(record.superseded_by)),) if record.superseded_by else ()
    return RecordView(state=status_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=notices)


def _how_to_see(record: Defect, context: Context) -> list[Section]:
    blocks: list[Block] = []
    if record.command:
        blocks.append(CodeBlock(record.command, "bash"))
    if record.script:
        blocks += _script(record.script, context, also=bool(record.command))
    if record.needs:
        blocks.append(Prose(context.prose("It can be seen only where these are repaired: " + ", ".join(record.needs))))
    sections = [Section("How to see it", tuple(blocks))] if blocks else []
    if record.output:
        sections.append(Section("What it prints", (CodeBlock(record.output, "text", "reported", marked_lines(record)),)))
    return sections


def _script(script: str, context: Context, *, also: bool) -> list[Block]:
    """The command that executes the defect's script and keeps what comes out; `also` when another command stands before it."""
    words = Prose(Md(f"{'Or with' if also else 'With'} its script, {markup.link(context.link(script))}, which says by itself whether it reproduced the defect:"))
    return [words, CodeBlock(f"kvdocs run {script}", "bash")]


def marked_lines(record: Defect) -> tuple[int, ...]:
    """The lines of the output that name a place of the defect: a file with its line, else the file alone."""
    places = [(Path(at.path).name, at.line) for at in record.locations]
    lines = (record.output or "").splitlines()
    exact = [n for n, text in enumerate(lines, 1) if any(line and re.search(rf"{re.escape(name)}[:(]{line}\b", text) for name, line in places)]
    return tuple(exact or [n for n, text in enumerate(lines, 1) if any(name in text for name, _ in places)])


def _where(record: Defect, context: Context) -> list[Section]:
    blocks: list[Block] = []
    if record.locations:
        blocks.append(Table(("Place", "What stands there"), tuple((location_link(context, record, at), context.prose(at.what, record.id) if at.what else None) for at in record.locations)))
    if record.cause:
        blocks.append(Prose(context.prose(record.cause, record.id)))
    return [Section("Where in the source", tuple(blocks))] if blocks else []


def _whose(record: Defect, context: Context) -> list[Section]:
    return [Section("Whose it is", (Prose(context.prose(record.ownership, record.id)),))] if record.ownership else []


def _repair(record: Defect, context: Context) -> list[Section]:
    blocks: list[Block] = []
    rows = []
    for name in record.fixed_by:
        entry = context.registry.get(name)
        if entry is not None and isinstance(entry.record, Item):
            rows.append((context.link(name, name), context.prose(entry.title, name), entry.record.status.replace("-", " "), owners_cell(entry, context)))
    if rows:
        blocks.append(Table(("Item", "Title", "Status", "Owner"), tuple(rows)))
    if record.correlated_with:
        blocks.append(Items(tuple(context.prose(f"Correlated with {c.defect}, not shown to be caused by it: {c.note}", record.id) for c in record.correlated_with)))
    return [Section("What fixes it", tuple(blocks))] if blocks else []


def _reported(record: Defect, context: Context) -> list[Section]:
    if not record.observations:
        return []
    rows = []
    for o in record.observations:
        count: Inline = f"{o.failures} of {o.runs}" if o.runs is not None and o.failures is not None else "—"
        source = context.source_link("", repository=o.repository or record.repository, commit=o.commit) if o.commit else None
        rows.append((context.prose(o.what, record.id), count, context.link(o.environment) if o.environment else None, source, context.link(o.source) if o.source else None))
    return [Section("What was reported", (Table(("Observation", "Seen in", "Environment", "Source", "Reference"), tuple(rows)),))]


KIND = Kind(
    name="defect", plural="defects", folder="defects", position=10, model=Defect, view=view, prefix="D", document="defects",
    checks=(check_owner, check_repair),
    columns=(
        Column("Status", status_cell, filter=True), Column("Owner", owners_cell, filter=True),
        Column("Severity", lambda e, c: defect_of(e).severity), Column("Fixed by", lambda e, c: tuple(c.link(i, i) for i in defect_of(e).fixed_by) or None),
    ),
)  # fmt: skip
