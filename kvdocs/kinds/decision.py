"""decision: an open question that blocks work, its options, who decides, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Date, Markdown, Part, Record, Ref, empty_list
from kvdocs.problems import Code, Problem, Severity, did_you_mean
from kvdocs.registry import Registry
from kvdocs.view import Badge, Cell, Fact, Notice, Prose, RecordView, Section, Table
from kvdocs.work import Work

UNKNOWN_OPTION = Code(
    "unknown-option",
    Severity.ERROR,
    "A decision recommends or chose an option that it does not list.",
    cause="An option was renamed, or the recommendation has a typo.",
    repair="Take the id of one of the decision's `options`.",
)


class Option(Part):
    """One of the ways a question can be answered."""

    id: str = Field(description="Its name in this decision.")
    title: str = Field(description="The answer in a few words.")
    text: Markdown = Field(default="", description="What it would mean.")


class Recommendation(Part):
    """What the record advises; it decides nothing."""

    option: str = Field(description="The id of the option.")
    because: Markdown = Field(description="Why.")


class Outcome(Part):
    """What was decided."""

    option: str = Field(description="The id of the option that was chosen.")
    on: Date = Field(description="The day of the decision.")
    because: Markdown = Field(default="", description="Why.")


class Decision(Record):
    """A question that somebody has to answer before work can start. `title` is the question."""

    short: str = Field(description="Two or three words for tables, such as `staging ring`.")
    decided_by: list[Annotated[str, Ref("owner")]] = Field(min_length=1, description="Who decides.")
    why: Markdown = Field(description="Why the question is open and what hangs on it.")
    options: list[Option] = Field(min_length=2, description="The ways in which it can be answered.")
    recommendation: Recommendation | None = Field(default=None, description="What the record advises.")
    blocked_by: list[Annotated[str, Ref("item", "decision", "reference", orders=True)]] = Field(default_factory=empty_list, description="What has to be known before the question can be answered.")
    outcome: Outcome | None = Field(default=None, description="What was decided; absent as long as the question is open.")


def _decision(entry: Entry) -> Decision:
    assert isinstance(entry.record, Decision)
    return entry.record


def check_options(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Recommendation and outcome name options that are listed."""
    record = _decision(entry)
    known = [option.id for option in record.options]
    for field, named in (("recommendation", record.recommendation), ("outcome", record.outcome)):
        if named is not None and named.option not in known:
            hint = did_you_mean(named.option, known) or f"known: {', '.join(known)}"
            yield Problem(UNKNOWN_OPTION, f"{named.option!r} is not an option of {record.id}", entry.raw.place_of((field, "option"), value=True), record.id, hint)


def state_badge(record: Decision) -> Badge:
    """Open or decided."""
    return Badge("decided", "good") if record.outcome else Badge("open", "wait")


def option_title(record: Decision, option: str) -> str:
    """The title of an option, or its id when it is not listed."""
    return next((o.title for o in record.options if o.id == option), option)


def waiting(entry: Entry, context: Context) -> list[Entry]:
    """What is blocked by this decision."""
    return context.registry.pointing_at(entry.id, "item", "blocked_by") + context.registry.pointing_at(entry.id, "decision", "blocked_by")


def view(entry: Entry, context: Context) -> RecordView:
    record = _decision(entry)
    sections = [
        Section("Why it is open", (Prose(context.prose(record.why, record.id)),)),
        Section("Options", (Table(("Option", "What it means"), tuple((context.prose(o.title, record.id), context.prose(o.text, record.id)) for o in record.options)),)),
    ]
    notices = []
    if record.outcome:
        notices.append(Notice("success", f"Decided on {record.outcome.on}: {option_title(record, record.outcome.option)}", context.prose(record.outcome.because, record.id)))
    if record.recommendation:
        title = option_title(record, record.recommendation.option)
        sections.append(Section("Recommendation", (Notice("tip", title, context.prose(record.recommendation.because, record.id)),)))
    blocked = waiting(entry, context)
    if blocked:
        sections.append(Section("What waits for it", (Table(("Record", "Title"), tuple((context.link(b.id, b.id), context.prose(b.title, b.id)) for b in blocked)),)))
    facts = (Fact("State", state_badge(record)), Fact("Decided by", tuple(context.link(o) for o in record.decided_by)), Fact("Needs first", tuple(context.link(b) for b in record.blocked_by) or None))
    return RecordView(state=state_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=tuple(notices))


def _blocked(entry: Entry, context: Context) -> Cell:
    return tuple(context.link(b.id, b.id) for b in waiting(entry, context)) or None


def work_of(record: Decision) -> Work:
    """Whoever decides owns it."""
    return Work("decided" if record.outcome else "open", ("decided",), record.id, owners=tuple(record.decided_by))


KIND = Kind(
    name="decision", plural="decisions", folder="decisions", position=30, model=Decision, view=view, prefix="Q", document="roadmap", work=work_of,
    checks=(check_options,), codes=(UNKNOWN_OPTION,),
    columns=(
        Column("State", lambda e, c: state_badge(_decision(e)), filter=True),
        Column("Decided by", lambda e, c: tuple(c.link(o) for o in _decision(e).decided_by), filter=True),
        Column("Recommended", lambda e, c: option_title(_decision(e), r.option) if (r := _decision(e).recommendation) else None),
        Column("Waiting", _blocked),
    ),
)  # fmt: skip
