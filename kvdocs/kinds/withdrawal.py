"""withdrawal: executions that no longer count, with who took them back, when and why; their results stay as they were sealed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Annotated

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.model import Date, Markdown, Record, Ref
from kvdocs.problems import Code, Severity
from kvdocs.registry import Registry
from kvdocs.view import Badge, Cell, Fact, Md, Notice, Prose, RecordView, Section

WITHDRAWN_EVIDENCE = Code(
    "withdrawn-evidence",
    Severity.WARNING,
    "A measurement or an experiment takes its figures from an execution that was withdrawn or superseded.",
    cause="The execution that fills the cells was withdrawn afterwards.",
    repair="Execute the script again, and name the new execution in its place.",
)


class Withdrawal(Record):
    """Executions that are taken back. A result is never edited, so this stands beside it; `title` says in one line what is wrong with them."""

    results: list[Annotated[str, Ref("result")]] = Field(min_length=1, description="The executions that no longer count: they stay visible, struck out, and carry no status, gate, claim or figure.")
    by: str = Field(min_length=1, description="Who withdrew them: the name of a person, or the id of an owner.")
    on: Date = Field(description="The day on which they were withdrawn.")
    because: Markdown = Field(min_length=8, description="Why they do not count; shown wherever one of them is.")


def withdrawal_of(result: str, registry: Registry) -> Withdrawal | None:
    """The record that withdraws an execution; None when it stands."""
    found = (entry.record for entry in registry.pointing_at(result, "withdrawal", "results"))
    return next((record for record in found if isinstance(record, Withdrawal)), None)


def left_out(result: str, registry: Registry) -> str:
    """Why an execution counts for nothing: `withdrawn by ann on 2026-11-20 (W1)`, `superseded by 0123456789abcdef`; empty when it counts."""
    return registry.once(("left out", result), partial(_left_out, result))


def _left_out(result: str, registry: Registry) -> str:
    record = withdrawal_of(result, registry)
    if record is not None:
        return f"withdrawn by {record.by} on {record.on.isoformat()} ({record.id})"
    later = registry.pointing_at(result, "result", "supersedes")
    return f"superseded by {later[0].id}" if later else ""


def standing(results: Iterable[str], registry: Registry) -> list[str]:
    """Those of the executions that count."""
    return [name for name in results if not left_out(name, registry)]


def struck(text: str) -> Md:
    """Words of the program that no longer hold, struck out."""
    return Md(f"<del>{text}</del>")


def left_out_badge(result: str, registry: Registry) -> Badge | None:
    """That an execution does not count; None when it does."""
    why = left_out(result, registry)
    return Badge(why.partition(" ")[0], "off") if why else None


def _withdrawal(entry: Entry) -> Withdrawal:
    assert isinstance(entry.record, Withdrawal)
    return entry.record


def view(entry: Entry, context: Context) -> RecordView:
    record = _withdrawal(entry)
    facts = (
        Fact("Withdrawn", _results(entry, context)),
        Fact("By", _by(entry, context)),
        Fact("On", record.on.isoformat()),
    )
    return RecordView(facts=facts, sections=(Section("Why", (Prose(context.prose(record.because, record.id)),)),))


def withdrawal_notice(result: str, context: Context) -> tuple[Notice, ...]:
    """A box that says that an execution does not count, and why; nothing where it does."""
    why = left_out(result, context.registry)
    if not why:
        return ()
    record = withdrawal_of(result, context.registry)
    text = context.prose(record.because, record.id) if record is not None else Md("Another execution stands in its place.")
    return (Notice("danger", f"{why[:1].upper()}{why[1:]}: it carries no judgement", text),)


def _results(entry: Entry, context: Context) -> Cell:
    return tuple(context.link(name, name[:8]) for name in _withdrawal(entry).results)


def _by(entry: Entry, context: Context) -> Cell:
    name = _withdrawal(entry).by
    return context.link(name) if context.registry.get(name) is not None else name


KIND = Kind(
    name="withdrawal", plural="withdrawals", folder="withdrawals", position=105, model=Withdrawal, view=view, prefix="W",
    codes=(WITHDRAWN_EVIDENCE,),
    columns=(
        Column("Executions", _results),
        Column("By", _by, filter=True),
        Column("On", lambda e, c: _withdrawal(e).on.isoformat()),
        Column("Why", lambda e, c: c.prose(_withdrawal(e).because, e.id)),
    ),
)  # fmt: skip
