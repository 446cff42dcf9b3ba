"""A registry -> what importers have to know of it: taken ids, names of owners, references, decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from kvdocs.exchange.drafts import Known
from kvdocs.kinds.decision import Decision
from kvdocs.kinds.owner import Owner
from kvdocs.kinds.reference import Reference
from kvdocs.registry import Registry


def known_of(registry: Registry, repository: str, today: date, owners: Mapping[str, str] | None = None) -> Known:
    """What the registry has. `owners` maps further names that a source uses to ids of owners."""
    names = {name.lower(): owner.id for owner in registry.records("owner", Owner) for name in _names(owner)}
    references = {(r.repository, r.number): r.id for r in registry.records("reference", Reference) if r.number is not None}
    decisions = {decision.short.lower(): decision.id for decision in registry.records("decision", Decision)}
    return Known(
        ids=frozenset(registry.entries) | registry.broken,
        owners={**names, **{name.lower(): record_id for name, record_id in (owners or {}).items()}},
        references=references,
        prefixes={kind.name: kind.prefix for kind in registry.kinds if kind.prefix},
        repository=repository,
        decisions=decisions,
        today=today,
    )


def _names(owner: Owner) -> Iterable[str]:
    """How people speak of an owner: id, title, other names, and the account of a repository."""
    yield from (owner.id, owner.title, *owner.also_called)
    if owner.repository:
        yield owner.repository
