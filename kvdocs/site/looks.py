"""What is looked at while pages are made of one publication, and what of it has changed since the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kvdocs.cache import Scan
from kvdocs.checks.inputs import Inputs
from kvdocs.memo import Look, State
from kvdocs.pages.context import Keeper, Publication
from kvdocs.pages.watched import ANSWER, Answers, Notes, Watched
from kvdocs.project import Project

T = TypeVar("T")

RANKED = ("order", "state")
"""The answers that come from the order of work alone."""


class Looks:
    """The looks at one publication: those of `kvdocs.memo`, and `=NAME` at something computed (`kvdocs.pages.watched`)."""

    def __init__(self, project: Project, publication: Publication, scan: Scan) -> None:
        self.publication = publication
        self.state = State(publication.registry, project.root, scan)
        self.changes: set[Look] = set()
        """Every look that may see something else than it did the last time."""
        self._answers = Answers(publication)
        self._before: dict[str, Any] = {}
        self._inputs = Inputs(publication.registry)

    def recall(self, before: dict[str, Any]) -> bool:
        """Find what has changed since `document` gave this; whether anybody knows."""
        changes = self.state.changes(before["state"])
        if changes is None:
            return False
        self._before = before["answers"]
        is_same_order = before["order"] != "" and before["order"] == self.publication.order.basis
        doubtful = {what: answers for what, answers in self._before.items() if not (is_same_order and what in RANKED)}
        self.changes = {*changes, *(f"{ANSWER}{name}" for name in self._answers.changed(doubtful))}
        return True

    def document(self, looks: Iterable[Iterable[Look]]) -> dict[str, Any]:
        """What can be seen now by these looks, and by those of the time before, as plain data for `recall`."""
        names = [look.removeprefix(ANSWER) for look in self.changes.union(*looks) if look.startswith(ANSWER)]
        return {"state": self.state.document(), "answers": self._answers.of(names, self._before), "order": self.publication.order.basis}

    def at(self, make: Callable[[Publication], T], pieces: Keeper | None = None) -> tuple[T, list[Look]]:
        """What `make` gives, and everything that it looked at, the looks of pieces left out."""
        notes = Notes(self._answers)
        made = make(Watched(self.publication, notes, self._inputs, pieces))
        for look in notes.recorder.looks:
            if look.startswith("/"):
                self.state.file(look[1:])
        return made, notes.looks
