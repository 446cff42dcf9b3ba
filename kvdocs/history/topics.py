"""Kinds -> what their fields are about, and which files are theirs; so that nothing of it is written twice."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, get_args

from kvdocs.history.change import Topic
from kvdocs.kind import Kind
from kvdocs.model import Prose, Ref

STATUS_FIELDS = ("status", "state", "outcome", "verdict", "status_note", "state_note", "reason")
"""Fields that say how a record stands; kinds use these words."""


def kind_of(path: str, kinds: tuple[Kind, ...]) -> Kind | None:
    """The kind whose records a file holds, by its folder and name; None for anything else."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] != "registry" or any(part.startswith(".") for part in parts):
        return None
    kind = next((kind for kind in kinds if kind.folder == parts[1]), None)
    if kind is None:
        return None
    fits = parts[-1].endswith((".yaml", ".yml")) if kind.pattern == "*.yaml" else parts[-1] == kind.pattern
    return kind if fits else None


@lru_cache(maxsize=64)
def topics_of(kind: Kind) -> Mapping[str, Topic]:
    """What the fields of a kind are about, from the marks of its model: owners, blockers, prose; and the status by its name."""
    found: dict[str, Topic] = {}
    for name, field in kind.model.model_fields.items():
        marks = list(_marks((field.annotation, *field.metadata)))
        references = [mark for mark in marks if isinstance(mark, Ref)]
        if name in STATUS_FIELDS:
            found[name] = "status"
        elif name == "owner_open" or any(mark.kinds == ("owner",) for mark in references):
            found[name] = "owner"
        elif any(mark.orders for mark in references) or name == "blocked_note":
            found[name] = "blockers"
        elif any(isinstance(mark, Prose) for mark in marks):
            found[name] = "text"
    return found


def _marks(annotation: Any) -> list[object]:
    """Every mark inside an annotation, models left out: their fields are not this one."""
    if isinstance(annotation, tuple):
        return [mark for part in annotation for mark in _marks(part)]
    if isinstance(annotation, Ref | Prose):
        return [annotation]
    return [mark for part in (*getattr(annotation, "__metadata__", ()), *get_args(annotation)) for mark in _marks(part)]

