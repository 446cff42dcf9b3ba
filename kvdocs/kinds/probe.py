"""probe: a patch that makes something measurable; a measurement instrument, never a candidate for merging."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Column, Context, Kind
from kvdocs.kinds.result import Result
from kvdocs.model import Commit, File, Markdown, Part, Record, Ref, empty_list
from kvdocs.registry import Registry
from kvdocs.view import Badge, Cell, Fact, Notice, Prose, RecordView, Section, Table


class ProbeCheck(Part):
    """Somebody's statement that the patch applies or works, and what it rests on."""

    what: Markdown = Field(description="The statement.")
    reported: bool = Field(default=True, description="True when it comes from a document; false when a result of this registry shows it.")
    source: Annotated[str, Ref("reference", "result")] | None = Field(default=None, description="Where it stands, or the execution that shows it.")


class Probe(Record):
    """A patch against one commit. `title` is its name."""

    base_commit: Commit = Field(description="The commit that the patch applies to.")
    repository: str | None = Field(default=None, description="`owner/name` of the repository; the project's repository if absent.")
    file: Annotated[str, File()] | None = Field(default=None, description="The patch, relative to the record; absent when the registry does not carry it.")
    kept_at: Markdown | None = Field(default=None, description="Where the patch is, when not here.")
    purpose: Markdown = Field(description="What it makes measurable.")
    output_correct: bool = Field(description="Whether the program's output is right under the patch. Figures of a wrong one are bounds, never results.")
    output_note: Markdown | None = Field(default=None, description="Why the output is wrong, or when the patch does nothing.")
    applied_on: list[Annotated[str, Ref("probe")]] = Field(default_factory=empty_list, description="Patches that must be applied before this one.")
    verified: list[ProbeCheck] = Field(default_factory=empty_list, description="What was made sure of.")


def _probe(entry: Entry) -> Probe:
    assert isinstance(entry.record, Probe)
    return entry.record


def correctness_badge(record: Probe) -> Badge:
    """Whether figures under the patch are results or bounds."""
    return Badge("correct", "good") if record.output_correct else Badge("incorrect by construction", "bad")


def wrong_output_under(probes: Iterable[str], results: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """The patches that make the output wrong by construction: of those that a record names, and of those that were in the source of its executions."""
    named = [name for name in probes if (probe := registry.record(name, Probe)) is not None and not probe.output_correct]
    executed = [result for name in results if (result := registry.record(name, Result)) is not None]
    applied = [str(patch["id"]) for result in executed for patch in (result.source or {}).get("patches") or () if patch.get("output_correct") is False]
    return tuple(dict.fromkeys([*named, *applied]))


def bounds(probes: Iterable[str], results: Iterable[str], context: Context, record: str) -> tuple[Notice, ...]:
    """A box over figures that were measured while the program computed wrong output; nothing over others."""
    wrong = wrong_output_under(probes, results, context.registry)
    text = f"The program's output is wrong under {', '.join(wrong)}."
    return (Notice("danger", "These figures are bounds, not results", context.prose(text, record)),) if wrong else ()


def view(entry: Entry, context: Context) -> RecordView:
    record = _probe(entry)
    notices = () if record.output_correct else (Notice("danger", "The output is wrong under this patch", context.prose(record.output_note or "", record.id)),)
    facts = [
        Fact("Applies to", context.source_link("", repository=record.repository, commit=record.base_commit)),
        Fact("Applied on top of", tuple(context.link(p) for p in record.applied_on) or None),
        Fact("Output", correctness_badge(record)),
        Fact("Note", context.prose(record.output_note, record.id) if record.output_note and record.output_correct else None),
        Fact("File", context.file(entry, record.file) if record.file else None),
        Fact("Kept at", context.prose(record.kept_at, record.id) if record.kept_at else None),
    ]
    sections = [Section("What it is for", (Prose(context.prose(record.purpose, record.id)),))]
    if record.verified:
        rows = tuple((context.prose(v.what, record.id), "reported" if v.reported else "executed", context.link(v.source) if v.source else None) for v in record.verified)
        sections.append(Section("How it was verified", (Table(("Statement", "Basis", "Source"), rows),)))
    users = [b.entry for b in context.registry.links_to(entry.id) if b.entry.kind.name in ("measurement", "experiment", "script", "result", "probe")]
    if users:
        sections.append(Section("Where it is used", (Table(("Record", "Title"), tuple((context.link(u.id, u.id), context.prose(u.title, u.id)) for u in users)),)))
    return RecordView(state=correctness_badge(record), facts=tuple(f for f in facts if f.value), sections=tuple(sections), notices=notices)


def _on(entry: Entry, context: Context) -> Cell:
    return tuple(context.link(p, p) for p in _probe(entry).applied_on) or None


KIND = Kind(
    name="probe", plural="probes", folder="probes", position=70, model=Probe, view=view, prefix="P", document="probes",
    columns=(Column("Purpose", lambda e, c: c.prose(_probe(e).purpose, e.id)), Column("Output", lambda e, c: correctness_badge(_probe(e))), Column("Needs", _on)),
)  # fmt: skip
