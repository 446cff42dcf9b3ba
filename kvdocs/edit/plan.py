"""Plans: what an edit would write, and which problems it would bring or solve; then the writing, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kvdocs.edit.drafts import Draft, FileChange, unified
from kvdocs.edit.journal import write_all
from kvdocs.edit.shadow import shadow
from kvdocs.pipeline import Inspection, inspect
from kvdocs.problems import Problem, Severity
from kvdocs.project import Project
from kvdocs.review.problems import changed_problems

SCHEMA = "kvdocs/edit/v1"


@dataclass(frozen=True)
class Plan:
    """An edit that was thought through and not carried out.

    `new` and `solved` are the problems that the registry would have and has, compared without their lines.
    `notes` are sentences for the reader: what was left alone, and why.
    """

    project: Project
    changes: tuple[FileChange, ...]
    new: tuple[Problem, ...] = ()
    solved: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The new problems for which the edit is refused."""
        return tuple(p for p in self.new if p.severity is Severity.ERROR)

    def diff(self) -> str:
        """All changes as a unified diff."""
        return unified(self.changes)

    def write(self) -> None:
        """Carry it out; EditError when a file was changed in the meantime or cannot be written."""
        write_all(self.project, self.changes)

    def document(self, *, written: bool, draft: bool = False) -> dict[str, Any]:
        """The edit as the commands print it with `--json`."""
        from kvdocs.reports import json_document

        return {
            "schema": SCHEMA,
            "written": written,
            "refused": bool(self.errors) and not draft,
            "files": [{"path": c.path, "action": c.action} for c in self.changes],
            "diff": self.diff(),
            "new_problems": json_document(self.new)["problems"],
            "solved_problems": json_document(self.solved)["problems"],
            "notes": list(self.notes),
        }


def plan_edit(draft: Draft, notes: Iterable[str] = (), renamed: Mapping[str, str] | None = None, look: Callable[[Inspection, Inspection], None] | None = None) -> Plan:
    """The plan of a draft: the edited registry is read and checked whole, beside the present one.

    `renamed` maps old ids to new ones: a problem that only changed its record's name is not a new one.
    `look` is called with both inspections while the files of both are there.
    """
    changes = draft.changes()
    if not changes:
        return Plan(draft.project, (), notes=tuple(notes))
    before = inspect(draft.project)
    with shadow(draft.project, changes, before.registry) as edited:
        after = inspect(edited)
        new, solved = changed_problems(before.problems, after.problems, before.registry, renamed or {})
        if look is not None:
            look(before, after)
    return Plan(draft.project, changes, tuple(new), tuple(solved), tuple(notes))
