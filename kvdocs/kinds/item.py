"""item: a piece of work on the roadmap, what blocks it, what it brings, and when it counts as done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds._cited_view import field_figure_of, figure_cells
from kvdocs.kinds._evidence_view import gate_verdicts, results_prose
from kvdocs.kinds._owned import NO_OWNER, Owned, check_owner, owners_cell
from kvdocs.kinds._rates_view import worth_blocks
from kvdocs.model import BlastRadius, CitedFigure, Commit, Markdown, Number, Part, Ref, Size, empty_list
from kvdocs.problems import MISSING_FIELD, Code, Problem, Severity
from kvdocs.registry import Registry
from kvdocs.view import Badge, Block, Cell, Fact, Items, Md, Notice, Prose, RecordView, Section, Table
from kvdocs.work import Work

BOUND_AS_MEASURED = Code(
    "bound-as-measured",
    Severity.WARNING,
    "A payoff counts as measured, and its figure was measured while the program computed wrong output.",
    cause="The figure comes from a run with a patch that leaves something out to show what it costs.",
    repair="Write `basis: ceiling`, which does not count for the rank; or cite a figure of a run whose output is right.",
)


class Payoff(Part):
    """What an item brings, or what it opens the way to."""

    what: Markdown = Field(description="What becomes better.")
    figure: CitedFigure | None = Field(default=None, description="The figure that tells the gain, such as `M3.gain[16384]`; it is computed, and `gain` is held against it.")
    gain: Number | None = Field(default=None, description="In percent, the larger end when it is a range; beside a `figure`, what was published.")
    at: str = Field(default="", description="Under which condition, such as `32,768 tokens`.")
    basis: Literal["measured", "ceiling", "estimate"] = Field(description="`ceiling`: an upper bound from a run whose output is wrong; it does not count for the rank.")
    source: Annotated[str, Ref("measurement", "claim", "reference", "result")] | None = Field(default=None, description="Where the figure comes from.")

    @model_validator(mode="after")
    def _has_gain(self) -> Payoff:
        if self.figure is None and self.gain is None:
            raise ValueError("a payoff names the `figure` that tells its gain, or has a `gain`")
        return self


class Gate(Part):
    """A condition of acceptance. With a script, executions decide it."""

    id: str = Field(description="Its name in this item.")
    text: Markdown = Field(description="The condition, in words.")
    script: Annotated[str, Ref("script")] | None = Field(default=None, description="The script whose runs decide it; without one, people do.")
    wants: Literal["reproduced", "not-reproduced"] = Field(default="not-reproduced", description="The verdict that passes: a repaired defect is not reproduced.")
    runs: int = Field(default=1, ge=1, description="How many eligible runs have to pass, all of them.")
    reference: Annotated[str, Ref("reference")] | None = Field(default=None, description="Something that has to be merged or closed for it.")


class Item(Owned):
    """A piece of work. `title` says what is to be done."""

    status: Literal["open", "implemented", "done", "not-planned"] = Field(description="`implemented`: written, and not yet merged or validated.")
    reason: Markdown | None = Field(default=None, description="Why it is not planned.")
    size: Size | None = Field(default=None, description="How much work.")
    blast_radius: BlastRadius | None = Field(default=None, description="How much else it can break.")
    blocked_by: list[Annotated[str, Ref("item", "decision", "reference", orders=True)]] = Field(default_factory=empty_list, description="What has to be there before it can start.")
    blocked_note: Markdown | None = Field(default=None, description="What exactly is needed of the blockers, such as their merge and validation.")
    implemented_by: list[Annotated[str, Ref("reference")]] = Field(default_factory=empty_list, description="The pull requests that carry it.")
    landed_in: list[Commit] = Field(default_factory=empty_list, description="Commits known to hold the work; gates are judged on executions of these and of the merge commits of what implements it.")
    next_step: str | None = Field(default=None, description="What an implemented item still needs, such as `merge and validation`.")
    optional: Markdown | None = Field(default=None, description="Why it can be left out; it then comes last.")
    summary: Markdown | None = Field(default=None, description="What the work is.")
    payoffs: list[Payoff] = Field(default_factory=empty_list, description="What it brings.")
    gates: list[Gate] = Field(default_factory=empty_list, description="When it counts as done.")
    follow_ups: list[Markdown] = Field(default_factory=empty_list, description="What to do when it is done; not part of its acceptance.")
    notes: Markdown | None = Field(default=None, description="Anything else.")


def item_of(entry: Entry) -> Item:
    """The record of an item's entry."""
    assert isinstance(entry.record, Item)
    return entry.record


def check_reason(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """What is not planned says why."""
    record = item_of(entry)
    if record.status == "not-planned" and not record.reason:
        yield Problem(MISSING_FIELD, f"{record.id} is not planned and does not say why", entry.raw.place_of(("status",), value=True), record.id, hint="add `reason`")


STATE_TONES = {"actionable": "good", "in review": "warn", "waiting": "wait", "done": "plain", "not planned": "off"}


def state_badge(entry: Entry, context: Context) -> Badge:
    """The state that follows from the status and the blockers; the status alone where no order was computed."""
    state = context.computed("state", entry.id)
    words = state.replace("_", " ") if state is not None else item_of(entry).status.replace("-", " ")
    return Badge(words, STATE_TONES.get(words, "plain"))


def blocked_words(entry: Entry, context: Context) -> Cell:
    """What the roadmap's table has under *Blocked by*: blockers, what an implemented item waits for, or why it is not planned."""
    record = item_of(entry)
    if record.status == "not-planned":
        return context.prose(f"not planned: {record.reason}", record.id)
    if record.status == "implemented":
        where = ", ".join(record.implemented_by)
        return context.prose(f"implemented in {where}; pending {record.next_step or 'validation'}" if where else f"implemented; pending {record.next_step or 'validation'}", record.id)
    if not record.blocked_by:
        return None
    names = tuple(context.link(b, None if context.registry.get(b) is None else _blocker_name(b, context)) for b in record.blocked_by)
    if record.blocked_note is None:
        return names
    return (*names[:-1], Md(f"{markup.link(names[-1])} ({context.prose(record.blocked_note, record.id)})"))


def _blocked_fact(entry: Entry, context: Context) -> Fact:
    """The same under a label of its own; what is not planned says why in a notice."""
    record = item_of(entry)
    if record.status != "implemented":
        return Fact("Blocked by", blocked_words(entry, context) if record.status != "not-planned" else None)
    pending = context.prose(f"pending {record.next_step or 'validation'}", record.id)
    return Fact("Implemented in", (*(context.link(r) for r in record.implemented_by), pending)) if record.implemented_by else Fact("Implemented", pending)


def _blocker_name(target: str, context: Context) -> str | None:
    entry = context.registry.get(target)
    short = getattr(entry.record, "short", None) if entry is not None else None
    return f"{target} {short}" if short and entry is not None and entry.kind.name == "decision" else (short or target)


def fixes(entry: Entry, context: Context) -> list[Entry]:
    """The defects that the item fixes."""
    return context.registry.pointing_at(entry.id, "defect", "fixed_by")


def unlocks(entry: Entry, context: Context) -> list[Entry]:
    """What names this item as a blocker."""
    return context.registry.pointing_at(entry.id, "item", "blocked_by") + context.registry.pointing_at(entry.id, "decision", "blocked_by")


def view(entry: Entry, context: Context) -> RecordView:
    record = item_of(entry)
    row = context.computed("order", entry.id)
    facts = (
        Fact("State", state_badge(entry, context)),
        Fact("Rank", f"{row.rank}" if row is not None and row.rank else None),
        Fact("Why there", context.prose(row.why, record.id) if row is not None else None),
        Fact("Owner", owners_cell(entry, context)),
        Fact("Size", record.size), Fact("Blast radius", record.blast_radius),
        _blocked_fact(entry, context),
        Fact("Fixes", tuple(context.link(d.id) for d in fixes(entry, context)) or None),
    )  # fmt: skip
    sections = []
    if record.summary:
        sections.append(Section("What is to be done", (Prose(context.prose(record.summary, record.id)),)))
    sections += _blockers(entry, context)
    later = unlocks(entry, context)
    if later:
        sections.append(Section("What it unlocks", (Table(("Record", "Title", "State"), tuple((context.link(e.id, e.id), context.prose(e.title, e.id), _state_of(e, context)) for e in later)),)))
    if record.payoffs:
        sections.append(Section("What it brings", (_payoffs(record, context),)))
    sections += _gates(entry, context)
    if record.follow_ups:
        sections.append(Section("Afterwards", (Items(tuple(context.prose(f, record.id) for f in record.follow_ups)),)))
    if record.notes:
        sections.append(Section("Notes", (Prose(context.prose(record.notes, record.id)),)))
    return RecordView(state=state_badge(entry, context), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=_notices(record, context))


def _payoffs(record: Item, context: Context) -> Table:
    """Each gain as it is computed, and what was published where that differs."""
    rows = []
    for position, p in enumerate(record.payoffs):
        gain = figure_cells(field_figure_of(record.id, ("payoffs", position), context), p.gain, "%", context)
        rows.append((context.prose(p.what, record.id), gain, p.at or None, p.basis, context.link(p.source) if p.source else None))
    return Table(("Payoff", "Gain", "At", "Basis", "Source"), tuple(rows), numeric=frozenset({1}))


def _gates(entry: Entry, context: Context) -> list[Section]:
    """Each condition of acceptance with what executions say of it."""
    record = item_of(entry)
    if not record.gates:
        return []
    verdicts = gate_verdicts(entry, context)
    rows = []
    for gate in record.gates:
        verdict = verdicts.get(gate.id)
        said: Cell = verdict.badge if verdict is not None else None
        why = verdict.reason if verdict is not None else None
        rows.append((gate.id, context.prose(gate.text, record.id), context.link(gate.script) if gate.script else None, said, why, results_prose(verdict.results, context) if verdict else None))
    table = Table(("Gate", "Condition", "Script", "Verdict", "Why", "Executions"), tuple(rows))
    return [Section("When it counts as done", (table, *worth_blocks(record.id, context)), "gates")]


def _notices(record: Item, context: Context) -> tuple[Notice, ...]:
    notices = []
    if record.status == "not-planned":
        notices.append(Notice("note", "Not planned", context.prose(record.reason or "", record.id)))
    if record.optional:
        notices.append(Notice("note", "Optional", context.prose(record.optional, record.id)))
    return tuple(notices)


def _blockers(entry: Entry, context: Context) -> list[Section]:
    record = item_of(entry)
    blocks: list[Block] = []
    rows = tuple((context.link(b, b), context.prose(e.title, b), _state_of(e, context)) for b in record.blocked_by if (e := context.registry.get(b)) is not None)
    if rows:
        blocks.append(Table(("Record", "Title", "State"), rows))
    if record.blocked_note:
        blocks.append(Prose(context.prose(record.blocked_note, record.id)))
    return [Section("What blocks it", tuple(blocks))] if blocks else []


def _state_of(entry: Entry, context: Context) -> Cell:
    words = context.computed("state", entry.id)
    if words is not None:
        return Badge(words.replace("_", " "), STATE_TONES.get(words.replace("_", " "), "plain"))
    state = getattr(entry.record, "state", None)
    return str(state) if state else None


def work_of(record: Item) -> Work:
    """A gain that is cited has to be computed; a ceiling or an estimate counts nothing."""
    measured = [payoff for payoff in record.payoffs if payoff.basis == "measured"]
    return Work(
        status=record.status,
        met=("done",),
        short=record.id,
        owners=tuple(record.owners),
        owner_open=record.owner_open,
        size=record.size,
        blast_radius=record.blast_radius,
        next_step=record.next_step,
        reason=record.reason,
        optional=record.optional,
        implemented_by=tuple(record.implemented_by),
        gain=None if any(payoff.figure for payoff in measured) else max((payoff.gain for payoff in measured if payoff.gain is not None), default=0),
    )


KIND = Kind(
    name="item", plural="roadmap items", folder="roadmap", position=20, model=Item, view=view, prefix="R", document="roadmap", work=work_of,
    checks=(check_reason, check_owner), codes=(NO_OWNER, BOUND_AS_MEASURED),
    columns=(
        Column("Owner", owners_cell, filter=True), Column("Size", lambda e, c: item_of(e).size), Column("Blast radius", lambda e, c: item_of(e).blast_radius),
        Column("Blocked by", blocked_words), Column("State", state_badge, filter=True), Column("Fixes", lambda e, c: tuple(c.link(d.id, d.id) for d in fixes(e, c)) or None),
    ),
)  # fmt: skip
