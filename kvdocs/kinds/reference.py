"""reference: a pull request, issue, commit or release of some repository, with its state and when that was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Commit, Date, Markdown, Record, Ref
from kvdocs.problems import Code, Problem, Severity
from kvdocs.registry import Registry
from kvdocs.view import Badge, Cell, Fact, Link, Prose, RecordView, Section, Table
from kvdocs.work import Work

STATE_OF_TYPE = Code(
    "impossible-state",
    Severity.ERROR,
    "A reference has a state that things of its type cannot have, such as a merged issue.",
    cause="The type or the state was typed by hand.",
    repair="`kvdocs sync` reads the state from the host; or correct the type.",
)


class Reference(Record):
    """Something in a repository that the record speaks of."""

    type: Literal["pull-request", "issue", "commit", "release"] = Field(description="What it is at its host.")
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="`owner/name` at the project's host.")
    number: int | None = Field(default=None, ge=1, description="The number of a pull request or issue.")
    commit: Commit | None = Field(default=None, description="The commit itself.")
    tag: str | None = Field(default=None, description="The tag of a release.")
    state: Literal["open", "closed", "merged", "exists", "not-recorded"] = Field(description="`exists` for commits and releases; `not-recorded` where the record names it without a state.")
    state_on: Date = Field(description="The day on which the state was looked at.")
    state_note: Markdown | None = Field(default=None, description="What the state means for the record, such as `pending merge and validation`.")
    merge_commit: Commit | None = Field(default=None, description="The commit by which it was merged.")
    closed_on: Date | None = Field(default=None, description="The day on which it was closed or merged.")
    upstream_title: str | None = Field(default=None, description="Its title at the host; `kvdocs sync` writes it, and `title` stays the record's own.")
    superseded_by: Annotated[str, Ref("reference")] | None = Field(default=None, description="What took its place.")
    summary: Markdown | None = Field(default=None, description="What it is.")

    @property
    def short(self) -> str:
        """How people write it: `owner/name#34`, `owner/name@0a85856ee`."""
        if self.number is not None:
            return f"{self.repository}#{self.number}"
        return f"{self.repository}@{self.commit[:9] if self.commit else self.tag}"

    @property
    def address(self) -> str:
        """The path at the host of repositories, without the host."""
        part = {"pull-request": f"pull/{self.number}", "issue": f"issues/{self.number}", "commit": f"commit/{self.commit}", "release": f"releases/tag/{self.tag}"}
        return f"{self.repository}/{part[self.type]}"

    @property
    def met(self) -> tuple[str, ...]:
        """The states under which whatever waits for this can go on: merged, a closed issue, or a thing that simply exists."""
        return ("merged", "exists", *(("closed",) if self.type == "issue" else ()))

    @property
    def is_met(self) -> bool:
        """Whether whatever waits for this can go on."""
        return self.state in self.met


def _reference(entry: Entry) -> Reference:
    assert isinstance(entry.record, Reference)
    return entry.record


def check_state(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """A state that fits the type, and the number or commit that the type needs."""
    record = _reference(entry)
    allowed = {"pull-request": ("open", "closed", "merged", "not-recorded"), "issue": ("open", "closed", "not-recorded"), "commit": ("exists",), "release": ("exists",)}[record.type]
    if record.state not in allowed:
        yield Problem(STATE_OF_TYPE, f"{record.type} cannot be {record.state}", entry.raw.place_of(("state",), value=True), record.id, hint=f"one of {', '.join(allowed)}")
    needed = {"pull-request": "number", "issue": "number", "commit": "commit", "release": "tag"}[record.type]
    if getattr(record, needed) is None:
        yield Problem(STATE_OF_TYPE, f"{record.type} needs `{needed}`", entry.raw.place_of(("type",), value=True), record.id)


def state_badge(record: Reference) -> Badge:
    """The state with its colour."""
    tone = {"open": "wait", "closed": "off", "merged": "good", "exists": "plain", "not-recorded": "plain"}[record.state]
    return Badge(record.state.replace("-", " "), tone)


def outside_link(context: Context, record: Reference) -> Link:
    """A link to the thing itself at its host."""
    return Link(record.short, context.source_link("", repository=record.repository).href.rsplit(record.repository, 1)[0] + record.address)


def view(entry: Entry, context: Context) -> RecordView:
    record = _reference(entry)
    facts = [
        Fact("Where", outside_link(context, record)),
        Fact("Type", record.type.replace("-", " ")),
        Fact("State", state_badge(record)),
        Fact("Looked at on", record.state_on.isoformat()),
        Fact("What that means", context.prose(record.state_note, record.id) if record.state_note else None),
        Fact("Merge commit", context.source_link("", repository=record.repository, commit=record.merge_commit) if record.merge_commit else None),
        Fact("Closed on", record.closed_on.isoformat() if record.closed_on else None),
        Fact("Title there", record.upstream_title),
        Fact("Superseded by", context.link(record.superseded_by) if record.superseded_by else None),
    ]
    sections = [Section("What it is", (Prose(context.prose(record.summary, record.id)),))] if record.summary else []
    waiting = context.registry.pointing_at(entry.id, "item", "implemented_by") + context.registry.pointing_at(entry.id, "item", "blocked_by")
    if waiting:
        sections.append(Section("What waits for it", (Table(("Item", "Title"), tuple((context.link(w.id, w.id), context.prose(w.title, w.id)) for w in waiting)),)))
    return RecordView(state=state_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections))


def _where(entry: Entry, context: Context) -> Cell:
    return outside_link(context, _reference(entry))


def work_of(record: Reference) -> Work:
    """A reference is no work of ours, but what waits for it can go on when it is there."""
    return Work(record.state, record.met, record.short)


KIND = Kind(
    name="reference", plural="references", folder="references", position=60, model=Reference, view=view, document="roadmap", work=work_of,
    checks=(check_state,), codes=(STATE_OF_TYPE,),
    columns=(
        Column("Where", _where),
        Column("Type", lambda e, c: _reference(e).type.replace("-", " "), filter=True),
        Column("State", lambda e, c: state_badge(_reference(e)), filter=True),
        Column("Looked at on", lambda e, c: _reference(e).state_on.isoformat()),
    ),
)  # fmt: skip
