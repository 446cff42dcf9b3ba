"""What the host says -> edits of the references, and what follows from them in the order of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kvdocs.edit.drafts import Draft
from kvdocs.edit.lookup import Found
from kvdocs.edit.operations import Assign, Operation, Unset
from kvdocs.edit.plan import Plan, plan_edit
from kvdocs.edit.setting import apply
from kvdocs.entry import Entry
from kvdocs.kinds.reference import Reference
from kvdocs.pipeline import Inspection
from kvdocs.project import Project
from kvdocs.registry import Registry
from kvdocs.review.comparison import Difference, difference
from kvdocs.upstream.sightings import Look, Sighting

SCHEMA = "kvdocs/sync/v1"


@dataclass
class Following:
    """What was seen, the edit that records it, and the difference that it makes; the difference is None when nothing changes."""

    look: Look
    references: tuple[Reference, ...]
    plan: Plan
    difference: Difference | None = None
    notes: list[str] = field(default_factory=list)

    def document(self, *, written: bool) -> dict[str, Any]:
        """The whole as `kvdocs sync --json` prints it."""
        before = {r.id: r for r in self.references}
        seen = {s.id: s for s in self.look.sightings}
        return {
            "schema": SCHEMA,
            "stopped": self.look.stopped or None,
            "asked": self.look.asked,
            "remaining": self.look.remaining,
            "references": [
                {
                    "id": r.id, "before": r.state, "looked_at": r.id in seen, "after": s.state, "title": s.title, "closed_on": s.closed_on,
                    "merge_commit": s.merge_commit, "moved_to": s.moved_to, "remark": s.remark or None, "from_cache": s.known,
                }
                for r in before.values() if (s := seen.get(r.id, Sighting(r.id))) is not None
            ],
            "states": [{"record": t.record, "before": t.before, "after": t.after, "reason": t.reason} for t in self.difference.states] if self.difference else [],
            "edit": self.plan.document(written=written, draft=True),
        }  # fmt: skip


def chosen(registry: Registry, names: Iterable[str]) -> list[Entry]:
    """The references of these ids, or all of them; the order of the registry."""
    wanted = set(names)
    return [entry for entry in registry.of("reference") if not wanted or entry.id in wanted]


def follow(project: Project, entries: list[Entry], look: Look, today: str, *, changed_only: bool = False) -> Following:
    """The edit that records what was seen. With `changed_only`, a state that is as recorded is left with the day on record."""
    references = {entry.id: entry for entry in entries}
    draft = Draft(project)
    notes: list[str] = []
    for sighting in look.sightings:
        entry = references[sighting.id]
        record = entry.record
        assert isinstance(record, Reference)
        notes += _notes(record, sighting)
        if sighting.state is None:
            continue
        news = list(_news(record, sighting))
        if news or not changed_only:
            apply(draft, Found(entry.kind, entry.raw, entry.id), [*news, Assign(("state_on",), today)])
    following = Following(look, tuple(e.record for e in entries if isinstance(e.record, Reference)), Plan(project, ()), notes=notes)

    def compare(before: Inspection, after: Inspection) -> None:
        following.difference = difference(before, after, ("recorded", "seen"))

    following.plan = plan_edit(draft, notes, look=compare)
    return following


def _news(record: Reference, sighting: Sighting) -> Iterator[Operation]:
    """What the record does not say yet, the day of looking apart."""
    if sighting.state != record.state:
        yield Assign(("state",), sighting.state)
    if sighting.title is not None and sighting.title != record.upstream_title:
        yield Assign(("upstream_title",), sighting.title)
    known = record.merge_commit
    if sighting.merge_commit is not None and not (known and sighting.merge_commit.startswith(known)):
        yield Assign(("merge_commit",), sighting.merge_commit)
    closed = record.closed_on.isoformat() if record.closed_on is not None else None
    if sighting.closed_on is not None and sighting.closed_on != closed:
        yield Assign(("closed_on",), sighting.closed_on)
    elif sighting.state == "open" and closed is not None:
        yield Unset(("closed_on",))


def _notes(record: Reference, sighting: Sighting) -> Iterator[str]:
    if sighting.remark:
        yield f"{record.id} ({record.short}): {sighting.remark}" + ("; the record is left as it is" if sighting.state is None else "")
    if sighting.moved_to is not None:
        repository = sighting.moved_to.partition("#")[0]
        yield f"{record.id} ({record.short}) is at {sighting.moved_to} now: kvdocs set {record.id} repository={repository}"
    if sighting.state is not None and sighting.state != record.state and record.state_note:
        yield f"{record.id} was {record.state} and has the note {record.state_note!r}: does it still hold?"
