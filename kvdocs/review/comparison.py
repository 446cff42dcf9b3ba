"""Two inspections of a registry -> their difference: records, fields, figures, claims, evidence, the order of work, problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kvdocs.entry import Entry
from kvdocs.history.change import FILE, Change, FieldChange, compare
from kvdocs.history.topics import topics_of
from kvdocs.judge import judge_of
from kvdocs.ledger import ledger_of
from kvdocs.order import Row
from kvdocs.pipeline import Inspection
from kvdocs.problems import Problem
from kvdocs.review.problems import changed_problems

SCHEMA = "kvdocs/diff/v1"


@dataclass(frozen=True, slots=True)
class Turn:
    """Something computed of a record that has another value now; `reason` says why it has this one."""

    record: str
    name: str
    before: str
    after: str
    reason: str = ""


@dataclass(frozen=True)
class Difference:
    """All that changed between two versions of a registry.

    `figures` are computed cells with another value, `claims` those with another verdict, `evidence` what executions say of records,
    `states` the places in the order of work. `before` and `after` name the versions; `renamed` leads from old ids to new ones.
    """

    before: str
    after: str
    titles: Mapping[str, str]
    changes: tuple[Change, ...]
    figures: tuple[Turn, ...]
    claims: tuple[Turn, ...]
    evidence: tuple[Turn, ...]
    states: tuple[Turn, ...]
    renamed: Mapping[str, str]
    actionable_before: tuple[Row, ...]
    actionable: tuple[Row, ...]
    new: tuple[Problem, ...]
    solved: tuple[Problem, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed that anybody would see."""
        return not (self.changes or self.figures or self.claims or self.evidence or self.states or self.new or self.solved)

    def document(self) -> dict[str, Any]:
        """The difference as `kvdocs diff --format json` prints it."""
        from kvdocs.reports import json_document

        return {
            "schema": SCHEMA,
            "before": self.before,
            "after": self.after,
            "changes": [{"record": c.record, "kind": c.kind, "topic": c.topic, "field": c.field, "before": c.before, "after": c.after, "words": c.words} for c in self.changes],
            **{name: [{"record": t.record, "name": t.name, "before": t.before, "after": t.after, "reason": t.reason} for t in getattr(self, name)] for name in ("figures", "claims", "evidence", "states")},
            "actionable": {"before": [r.id for r in self.actionable_before], "after": [r.id for r in self.actionable]},
            "problems": {"new": json_document(self.new)["problems"], "solved": json_document(self.solved)["problems"]},
        }


def difference(before: Inspection, after: Inspection, names: tuple[str, str]) -> Difference:
    """What changed from one inspection to another; both must still have their files."""
    renamed = _renamed(before, after)
    new, solved = changed_problems(before.problems, after.problems, before.registry, renamed)
    return Difference(
        *names,
        titles={e.id: e.title for inspection in (before, after) for e in inspection.registry},
        changes=tuple(_records(before, after, renamed)),
        figures=tuple(_figures(before, after, renamed)),
        claims=tuple(_claims(before, after, renamed)),
        evidence=tuple(_evidence(before, after, renamed)),
        states=tuple(_states(before, after, renamed)),
        renamed=renamed,
        actionable_before=tuple(before.order.of("actionable", "in_review")),
        actionable=tuple(after.order.of("actionable", "in_review")),
        new=tuple(new),
        solved=tuple(solved),
    )


def _renamed(before: Inspection, after: Inspection) -> dict[str, str]:
    """Old id to new id, of records that say so in `formerly`."""
    return {
        old: entry.id
        for entry in after.registry
        for old in entry.raw.data.get("formerly") or ()
        if before.registry.has(old) and not after.registry.has(old) and not before.registry.has(entry.id)
    }


def _records(before: Inspection, after: Inspection, renamed: Mapping[str, str]) -> Iterator[Change]:
    gone = [e for e in before.registry if not after.registry.has(renamed.get(e.id, e.id))]
    earlier = {new: old for old, new in renamed.items()}
    for entry in after.registry:
        previous = before.registry.get(earlier.get(entry.id, entry.id))
        if previous is None:
            yield _change(FieldChange(entry.id, entry.kind.name, "", None, entry.title, "record"))
            continue
        if previous.id != entry.id:
            yield _change(FieldChange(entry.id, entry.kind.name, "id", previous.id, entry.id, "record"))
        yield from map(_change, _fields(previous, entry))
    for entry in gone:
        broken = entry.id in after.registry.broken
        yield _change(FieldChange(entry.id, entry.kind.name, FILE if broken else "", entry.title, "cannot be read any more" if broken else None, "record"))


def _fields(before: Entry, after: Entry) -> Iterator[FieldChange]:
    for change in compare(after.id, after.kind.name, before.raw.data, after.raw.data, topics_of(after.kind)):
        if change.field != "formerly":
            yield change


def _change(change: FieldChange) -> Change:
    return Change(None, None, None, "", change.record, change.kind, change.field, change.before, change.after, change.topic)


def _figures(before: Inspection, after: Inspection, renamed: Mapping[str, str]) -> Iterator[Turn]:
    """Computed cells whose value is another one now."""
    old = {(renamed.get(f.name.measurement, f.name.measurement), f.name.column, f.name.row): f for f in ledger_of(before.registry).workbook.figures()}
    for figure in ledger_of(after.registry).workbook.figures():
        previous = old.get((figure.name.measurement, figure.name.column, figure.name.row))
        if figure.column.compute is not None and previous is not None and previous.value != figure.value:
            yield Turn(figure.name.measurement, str(figure.name), previous.text, figure.text)


def _claims(before: Inspection, after: Inspection, renamed: Mapping[str, str]) -> Iterator[Turn]:
    old = {renamed.get(name, name): judgement for name, judgement in ledger_of(before.registry).judgements.items()}
    for name, judgement in ledger_of(after.registry).judgements.items():
        previous = old.get(name)
        if previous is not None and previous.verdict != judgement.verdict:
            yield Turn(name, after.registry.entries[name].title, str(previous.verdict), str(judgement.verdict), judgement.reason)


def _evidence(before: Inspection, after: Inspection, renamed: Mapping[str, str]) -> Iterator[Turn]:
    """Records of which executions say something else than before, and gates with another verdict; an execution says nothing of itself."""
    old, new = judge_of(before.registry, before.project.root), judge_of(after.registry, after.project.root)
    earlier = {new_id: old_id for old_id, new_id in renamed.items()}
    for entry in after.registry:
        previous = earlier.get(entry.id, entry.id)
        if entry.kind.name == "result" or not before.registry.has(previous):
            continue
        words = [", ".join(badge.text for badge in found.badges) if found is not None else "nothing" for found in (old.of(previous), new.of(entry.id))]
        if words[0] != words[1]:
            yield Turn(entry.id, "executions", words[0], words[1])
        gates = {gate.id: gate.word for gate in old.gates(previous)}
        for gate in new.gates(entry.id):
            if gates.get(gate.id, gate.word) != gate.word:
                yield Turn(entry.id, f"gate {gate.id}", gates[gate.id], gate.word, gate.reason)


def _states(before: Inspection, after: Inspection, renamed: Mapping[str, str]) -> Iterator[Turn]:
    old = {renamed.get(name, name): row for name, row in before.order.rows.items()}
    for name, row in after.order.rows.items():
        previous = old.get(name)
        if previous is not None and previous.state != row.state and row.kind != "reference":
            yield Turn(name, row.title, previous.state.replace("_", " "), row.state.replace("_", " "), row.why)

