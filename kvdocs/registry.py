"""Registry: all records, read-only, with the links between them in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from kvdocs.cache import encode
from kvdocs.kind import Kind
from kvdocs.model import File, LinkField, Record, Ref, marked, prose_fields, references
from kvdocs.problems import Loc
from kvdocs.prose import prefixed_words
from kvdocs.source import RawRecord, natural_key

R = TypeVar("R", bound=Record)


class Extract(NamedTuple):
    """What other records need to know of one: it is worked out once for each content, and kept in the cache."""

    links: tuple[LinkField, ...]
    mentions: tuple[tuple[Loc, str], ...]
    files: tuple[tuple[Loc, str], ...]
    cites: bool

    def document(self) -> list[Any]:
        """The extract as plain data; `Extract.of` is the inverse."""
        links = [[list(link.loc), list(link.ref.kinds), link.ref.orders, link.target] for link in self.links]
        return [links, [[list(loc), word] for loc, word in self.mentions], [[list(loc), name] for loc, name in self.files], self.cites]

    @staticmethod
    def of(document: list[Any]) -> Extract:
        """An extract from its plain data."""
        links, mentions, files, cites = document
        return Extract(
            tuple(LinkField(tuple(loc), Ref(*kinds, orders=orders), target) for loc, kinds, orders, target in links),
            tuple((tuple(loc), word) for loc, word in mentions),
            tuple((tuple(loc), name) for loc, name in files),
            cites,
        )


class Entry:
    """A record, its kind, and where it came from. The record is built from its data when somebody asks for it."""

    __slots__ = ("_digest", "_extract", "_record", "id", "kind", "raw", "title")

    def __init__(self, kind: Kind, raw: RawRecord, record: Record | None = None, extract: Extract | None = None, file_digest: str = "") -> None:
        """`raw` is known to be valid: it was validated now (`record`) or when it was cached (`extract`).

        `file_digest` is that of the file it stands in.
        """
        self.kind = kind
        self.raw = raw
        self.id: str = raw.data["id"]
        self.title: str = raw.data["title"]
        self._record = record
        self._extract = extract
        self._digest = f"{file_digest}.{raw.index}" if file_digest else ""

    @property
    def digest(self) -> str:
        """A digest that changes when anything about the record does, its place included."""
        if not self._digest:
            self._digest = blake2b(encode([self.raw.path, self.raw.line, self.raw.data]), digest_size=12).hexdigest()
        return self._digest

    @property
    def record(self) -> Record:
        """The validated record."""
        if self._record is None:
            self._record = self.kind.model.model_validate(self.raw.data)
        return self._record

    @property
    def extract(self) -> Extract:
        """Links, mentioned ids, named files, and whether its texts cite figures."""
        if self._extract is None:
            record = self.record
            prose = (*prose_fields(record), (("title",), record.title))
            mentions = tuple((loc, word) for loc, text in prose for word in prefixed_words(text))
            files = tuple((loc, str(name)) for loc, _, name in marked(record, File))
            self._extract = Extract(tuple(references(record)), mentions, files, any("{{" in text for _, text in prose))
        return self._extract

    def __repr__(self) -> str:
        return f"Entry({self.kind.name} {self.id})"


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

    def has(self, record_id: str) -> bool:
        """Whether there is a record with this id."""
        return record_id in self.entries

    def has_slug(self, word: str) -> bool:
        """Whether a word is the id of a record without a prefix that holds a digit; results are not named in prose."""
        entry = self.entries.get(word)
        return entry is not None and entry.kind.prefix is None and entry.kind.name != "result" and any(c.isdigit() for c in word)

    @cached_property
    def prefixes(self) -> frozenset[str]:
        """The prefixes of all kinds that have one."""
        return frozenset(kind.prefix for kind in self.kinds if kind.prefix)

    def reference(self, repository: str, number: int) -> str | None:
        """The id of the reference to a pull request or issue, or None."""
        return self._numbered.get((repository, number))

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
    def _numbered(self) -> dict[tuple[str, int], str]:
        found = {}
        for entry in self.of("reference"):
            data = entry.raw.data
            if "number" in data:
                found[(str(data.get("repository")), int(data["number"]))] = entry.id
        return found

    @cached_property
    def _links(self) -> dict[str, tuple[LinkField, ...]]:
        return {entry.id: entry.extract.links for entry in self.entries.values()}

    @cached_property
    def _back_links(self) -> dict[str, list[BackLink]]:
        back: dict[str, list[BackLink]] = {}
        for source, links in self._links.items():
            for link in links:
                back.setdefault(link.target, []).append(BackLink(self.entries[source], link))
        return back
