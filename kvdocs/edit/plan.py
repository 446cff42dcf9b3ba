"""Plans: what an edit would write, and which problems it would bring or solve; then the writing, all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kvdocs.edit.drafts import Draft, FileChange, unified
from kvdocs.edit.journal import write_all
from kvdocs.edit.shadow import shadow
from kvdocs.mentions import find_mentions
from kvdocs.pipeline import Inspection, inspect
from kvdocs.problems import Problem, Severity
from kvdocs.project import Project

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


def plan_edit(draft: Draft, notes: Iterable[str] = (), renamed: Mapping[str, str] | None = None) -> Plan:
    """The plan of a draft: the edited registry is read and checked whole, beside the present one.

    `renamed` maps old ids to new ones: a problem that only changed its record's name is not a new one.
    """
    changes = draft.changes()
    if not changes:
        return Plan(draft.project, (), notes=tuple(notes))
    before = inspect(draft.project)
    with shadow(draft.project, changes, before.registry) as edited:
        after = inspect(edited)
        new, solved = compared(before.problems, after.problems, _renaming(before, renamed or {}))
    return Plan(draft.project, changes, tuple(new), tuple(solved), tuple(notes))


def compared(before: Sequence[Problem], after: Sequence[Problem], rename: Callable[[str], str]) -> tuple[list[Problem], list[Problem]]:
    """The problems that came and those that went. Lines do not count: an edit moves them."""

    def key(problem: Problem, change: Callable[[str], str]) -> tuple[str, str, str, str]:
        return (problem.code.name, problem.severity, change(problem.record or ""), change(problem.message))

    old = Counter(key(p, rename) for p in before)
    new = Counter(key(p, str) for p in after)
    came, went = new - old, old - new
    return _take(after, came, lambda p: key(p, str)), _take(before, went, lambda p: key(p, rename))


def _take(problems: Sequence[Problem], wanted: Counter[tuple[str, str, str, str]], key: Callable[[Problem], tuple[str, str, str, str]]) -> list[Problem]:
    taken = []
    for problem in problems:
        if wanted[key(problem)] > 0:
            wanted[key(problem)] -= 1
            taken.append(problem)
    return taken


def _renaming(before: Inspection, renamed: Mapping[str, str]) -> Callable[[str], str]:
    def rename(text: str) -> str:
        if text in renamed:
            return renamed[text]
        for mention in reversed(list(find_mentions(text, before.registry))):
            if mention.text in renamed:
                text = text[: mention.start] + renamed[mention.text] + text[mention.end :]
        return text

    return rename if renamed else str
