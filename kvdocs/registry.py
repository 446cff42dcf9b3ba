"""Registry: all records, read-only, with the links between them in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from kvdocs.kind import Kind
from kvdocs.model import LinkField, Record, references
from kvdocs.source import RawRecord, natural_key

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, its kind, and where it came from."""

    kind: Kind
    record: Record
    raw: RawRecord

    @property
    def id(self) -> str:
        return self.record.id


class BackLink(NamedTuple):
    """A record that points to another, and the field in which it does."""

    entry: Entry
    link: LinkField


class Registry:
    """Entries by id and by kind. Built once and never changed.

    `broken` holds the ids of records that could not be read: whatever points to them is not reported again.
    """

    def __init__(self, entries: Iterable[Entry], kinds: tuple[Kind, ...], broken: frozenset[str] = frozenset()) -> None:
        ordered = sorted(entries, key=lambda e: (e.kind.position, natural_key(e.id)))
        self.kinds = kinds
        self.entries: Mapping[str, Entry] = {entry.id: entry for entry in ordered}
        self.broken = broken

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def get(self, record_id: str) -> Entry | None:
        """The entry with this id, or None."""
        return self.entries.get(record_id)

    def of(self, kind: str) -> list[Entry]:
        """The entries of a kind, in natural order of their ids."""
        return self._by_kind.get(kind, [])

    def records(self, kind: str, model: type[R]) -> list[R]:
        """The records of a kind as instances of its model."""
        return [entry.record for entry in self.of(kind) if isinstance(entry.record, model)]

    def record(self, record_id: str, model: type[R]) -> R | None:
        """The record with this id if it is of that model, else None."""
        entry = self.entries.get(record_id)
        return entry.record if entry is not None and isinstance(entry.record, model) else None

    def links_from(self, record_id: str) -> tuple[LinkField, ...]:
        """The links of a record, in the order of its fields; empty when there is no such record."""
        return self._links.get(record_id, ())

    def links_to(self, record_id: str) -> list[BackLink]:
        """Which records point to this one, and in which field."""
        return self._back_links.get(record_id, [])

    def pointing_at(self, record_id: str, kind: str, field: str) -> list[Entry]:
        """The entries of a kind whose field names this record: `pointing_at("R1", "defect", "fixed_by")`."""
        return [b.entry for b in self.links_to(record_id) if b.entry.kind.name == kind and b.link.loc[0] == field]

    @cached_property
    def _by_kind(self) -> dict[str, list[Entry]]:
        groups: dict[str, list[Entry]] = {}
        for entry in self.entries.values():
            groups.setdefault(entry.kind.name, []).append(entry)
        return groups

    @cached_property
    def _links(self) -> dict[str, tuple[LinkField, ...]]:
        return {entry.id: tuple(references(entry.record)) for entry in self.entries.values()}

    @cached_property
    def _back_links(self) -> dict[str, list[BackLink]]:
        back: dict[str, list[BackLink]] = {}
        for source, links in self._links.items():
            for link in links:
                back.setdefault(link.target, []).append(BackLink(self.entries[source], link))
        return back
