"""Registry: all records, read-only, with the links between them in both directions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate, islice
from operator import itemgetter, le
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from kvdocs.disk import read_file
from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.model import LinkField, Record
from kvdocs.numbered import those_there_are
from kvdocs.problems import did_you_mean, renamed
from kvdocs.source import natural_key

R = TypeVar("R", bound=Record)
T = TypeVar("T")

TIMES = 1000
"""A past looks back over so many times."""

FEW = 50
"""So many records are looked for among the links of all; for more it is faster to take these apart."""


def in_order(entries: list[Entry]) -> list[Entry]:
    """The entries of one kind in natural order of their ids: where these are a prefix and a number, that of the numbers."""
    prefix = entries[0].kind.prefix
    keys: list[Any] = [natural_key(entry.id) for entry in entries] if prefix is None else [int(entry.id[len(prefix) :]) for entry in entries]
    if all(map(le, keys, islice(keys, 1, None))):  # as the names of their files nearly always have it
        return entries
    return [entry for _, entry in sorted(zip(keys, entries, strict=True), key=itemgetter(0))]


class Past(NamedTuple):
    """What of the records of a kind may look otherwise since any of the times, by their marks, that they were kept: ids, `>ID` for what points to a record, `#KIND`.

    `looks` has the number of the time at which each last changed; that of the first mark is `first`.
    """

    marks: tuple[str, ...] = ()
    looks: Mapping[str, int] = MappingProxyType({})
    first: int = 0

    @property
    def mark(self) -> str:
        """The mark of now."""
        return self.marks[-1]

    def since(self, mark: str) -> set[str] | None:
        """What has changed since this mark; None when nobody knows."""
        if mark not in self.marks:
            return None
        time = self.first + self.marks.index(mark)
        return {look for look, changed in self.looks.items() if changed > time}

    def followed_by(self, mark: str, changed: Iterable[str], most: int) -> Past:
        """The past after a change. It remembers no more than `most` looks, and forgets the oldest times first."""
        time = self.first + len(self.marks)
        looks = {**self.looks, **dict.fromkeys(changed, time)}
        marks = (*self.marks, mark)[-TIMES :] if len(looks) <= most else (mark,)
        first = time + 1 - len(marks)
        return Past(marks, {look: changed for look, changed in looks.items() if changed > first}, first)


class BackLink(NamedTuple):
    """A record that points to another, and the field in which it does."""

    entry: Entry
    link: LinkField


class Registry:
    """Entries by id and by kind. Built once and never changed.

    `broken` holds the ids of records that could not be read: whatever points to them is not reported again.
    `past` tells of each kind what has changed in its files since they were read before; it is empty where nobody knows.
    """

    def __init__(
        self,
        entries: Iterable[Entry],
        kinds: tuple[Kind, ...],
        broken: frozenset[str] = frozenset(),
        *,
        ordered: Container[str] = (),
        past: Mapping[str, Past] | None = None,
    ) -> None:
        """`ordered` names the kinds whose entries come in natural order of their ids."""
        by_kind: dict[str, list[Entry]] = {}
        for entry in entries:
            by_kind.setdefault(entry.kind.name, []).append(entry)
        groups = sorted(by_kind.values(), key=lambda group: group[0].kind.position)
        self._by_kind = {group[0].kind.name: group if group[0].kind.name in ordered else in_order(group) for group in groups}
        self.kinds = kinds
        self.entries: Mapping[str, Entry] = {entry.id: entry for group in self._by_kind.values() for entry in group}
        self.broken = broken
        self.past: Mapping[str, Past] = past or {}

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

    def for_figures(self, of: Entry | str | None = None) -> Registry:  # noqa: ARG002  # the recorder notes it
        """The records themselves, for whoever computes the figures of an entry, or those that a text cites; None means all figures."""
        return self

    def content(self, path: str) -> bytes:
        """The content of a file of the project, empty when it cannot be read; `path` is relative to the project's root."""
        if path not in self._contents:
            root = next((entry.raw.root for entry in self.entries.values()), None)
            try:
                self._contents[path] = (root is not None and read_file(f"{root}/{path}")) or b""
            except OSError:
                self._contents[path] = b""
        return self._contents[path]

    @property
    def asked_for(self) -> Iterable[str]:
        """The files whose content somebody asked for, by their paths."""
        return self._contents.keys()

    def once(self, key: Hashable, work_out: Callable[[Registry], T]) -> T:
        """What `work_out` makes of what it looks up in the registry that it is given: worked out when it is first asked for under this key."""
        if key not in self._known:
            self._known[key] = work_out(self)
        known: T = self._known[key]
        return known

    def nearest(self, name: str, among: Iterable[str] | None = None, otherwise: str | None = None) -> str | None:
        """A hint for an id that no record has: the record that had it before, or the nearest one `among` some or all; where none is near, `otherwise`, or which ones of its form there are."""
        now = self.formers.get(name)
        if now is not None:
            return renamed(name, now[0])
        known = list(self.entries if among is None else among)
        return did_you_mean(name, known) or otherwise or those_there_are(name, known)

    @cached_property
    def formers(self) -> dict[str, list[str]]:
        """Each id that records had before, with the ids that these have now."""
        found: dict[str, list[str]] = {}
        for entry in self:
            for former in dict.fromkeys(entry.record.formerly):
                found.setdefault(former, []).append(entry.id)
        return found

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
        if entry is None or not issubclass(entry.kind.model, model):  # the record of another kind need not be built
            return None
        record = entry.record
        return record if isinstance(record, model) else None

    def links_from(self, record_id: str) -> tuple[LinkField, ...]:
        """The links of a record, in the order of its fields; empty when there is no such record."""
        entry = self.entries.get(record_id)
        return entry.extract.links if entry is not None else ()

    def links_to(self, record_id: str) -> list[BackLink]:
        """Which records point to this one, and in which field."""
        links = self._back_links
        known = links.get(record_id)
        if known is None:
            sources = self._searched(record_id) if len(links) < FEW else self._sources.get(record_id, ())
            known = links[record_id] = [BackLink(source, link) for source in sources for link in source.links_at(record_id)]
        return known

    def pointing_at(self, record_id: str, kind: str, field: str) -> list[Entry]:
        """The entries of a kind whose field names this record: `pointing_at("R1", "defect", "fixed_by")`."""
        return [b.entry for b in self.links_to(record_id) if b.entry.kind.name == kind and b.link.loc[0] == field]

    @cached_property
    def _numbered(self) -> dict[tuple[str, int], str]:
        found = {}
        for entry in self.of("reference"):
            data = entry.raw.data
            if "number" in data:
                found[(str(data.get("repository")), int(data["number"]))] = entry.id
        return found

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        """What was worked out once."""
        return {}

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        """The files that somebody asked for."""
        return {}

    @cached_property
    def _back_links(self) -> dict[str, list[BackLink]]:
        """The back-links of the records that somebody asked for."""
        return {}

    @cached_property
    def _sources(self) -> dict[str, dict[Entry, None]]:
        """The entries that point to each record, each once, in the order of the registry."""
        sources: dict[str, dict[Entry, None]] = {}
        for entry in self.entries.values():
            for target in entry.targets:
                sources.setdefault(target, {})[entry] = None
        return sources

    def _searched(self, record_id: str) -> Iterable[Entry]:
        """The same of one record."""
        if not record_id:  # it would be found everywhere
            return ()
        text, begins = self._targets
        at, found = text.find(record_id), []
        while at != -1:
            behind = at + len(record_id)
            if text[at - 1] in " \n" and text[behind] in " \n":
                found.append(bisect_right(begins, at) - 1)
            at = text.find(record_id, behind)
        entries = self._all
        return [entries[number] for number in dict.fromkeys(found)]

    @cached_property
    def _all(self) -> list[Entry]:
        return list(self.entries.values())

    @cached_property
    def _targets(self) -> tuple[str, list[int]]:
        """What the links of all entries name, in one text with a line for each, and where these begin."""
        lines = [f"{entry.target_words}\n" for entry in self.entries.values()]
        return "\n" + "".join(lines), list(accumulate(map(len, lines), initial=1))
