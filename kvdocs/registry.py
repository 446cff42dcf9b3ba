"""Registry: all records, read-only, with the links between them in both directions."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from kvdocs.disk import read_file
from kvdocs.kind import Kind
from kvdocs.model import File, Formula, LinkField, Prose, Record, Ref, marked
from kvdocs.problems import Loc, did_you_mean, renamed
from kvdocs.prose import named_words
from kvdocs.source import RawRecord, natural_key
from kvdocs.work import Work

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class Extract(NamedTuple):
    """What other records need to know of one: it is worked out once for each content, and kept in the cache.

    `mentions` are words of the form of a prefixed id; `others` is what else its texts may name, without its place.
    """

    links: tuple[LinkField, ...]
    mentions: tuple[tuple[Loc, str], ...]
    files: tuple[tuple[Loc, str], ...]
    cites: bool
    accepts: bool
    others: tuple[str, ...]
    work: Work | None = None

    def document(self) -> list[Any]:
        """The extract as plain data; `Extract.of` is the inverse, of this or of what JSON makes of it."""
        links = [(link.loc, _ref_words(link.ref), link.target) for link in self.links]
        return [links, self.mentions, self.files, self.cites, self.accepts, self.others, None if self.work is None else self.work.document()]

    @staticmethod
    def of(document: list[Any]) -> Extract:
        """An extract from its plain data."""
        links, mentions, files, cites, accepts, others, work = document
        return Extract(
            tuple(LinkField(tuple(loc), _ref_of(words), target) for loc, words, target in links),
            tuple((tuple(loc), word) for loc, word in mentions),
            tuple((tuple(loc), name) for loc, name in files),
            cites,
            accepts,
            tuple(others),
            None if work is None else Work.of(work),
        )


_ORDERS = "+"


def _ref_words(ref: Ref) -> str:
    return ",".join(ref.kinds) + (_ORDERS if ref.orders else "")


@lru_cache(maxsize=256)
def _ref_of(words: str) -> Ref:
    kinds = words.rstrip(_ORDERS)
    return Ref(*(kinds.split(",") if kinds else ()), orders=words.endswith(_ORDERS))


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
        self._extract: Extract | list[Any] | None = extract
        self._digest = _entry_digest(raw, file_digest) if file_digest else ""

    @classmethod
    def known(cls, kind: Kind, raw: RawRecord, record_id: str, title: str, extract: list[Any], file_digest: str) -> Entry:
        """An entry that was validated before; its data and the document of its extract are not looked at."""
        entry = cls.__new__(cls)
        entry.kind, entry.raw, entry.id, entry.title = kind, raw, record_id, title
        entry._record, entry._extract = None, extract
        entry._digest = _entry_digest(raw, file_digest)
        return entry

    @property
    def digest(self) -> str:
        """A digest that changes when anything about the record does, its place included."""
        if not self._digest:
            self._digest = blake2b(json.dumps([self.raw.path, self.raw.line, self.raw.data], default=repr).encode(), digest_size=12).hexdigest()
        return self._digest

    @property
    def record(self) -> Record:
        """The validated record."""
        if self._record is None:
            self._record = self.kind.model.model_validate(self.raw.data)
        return self._record

    @property
    def extract(self) -> Extract:
        """Links, mentioned ids, named files, and whether its texts or fields cite figures."""
        if self._extract is None:
            self._extract = _extract_of(self.record, self.kind)
        elif isinstance(self._extract, list):
            self._extract = Extract.of(self._extract)
        return self._extract

    @property
    def targets(self) -> list[str]:
        """The ids that its links name, as often as they stand there."""
        extract = self._extract
        if isinstance(extract, list):  # most entries are asked for nothing else
            return [target for _, _, target in extract[0]]
        return [link.target for link in self.extract.links]

    @property
    def blockers(self) -> list[tuple[Loc, str]]:
        """Where it names what it waits for, and the ids that it names there."""
        extract = self._extract
        if isinstance(extract, list):  # as above
            return [(tuple(loc), target) for loc, words, target in extract[0] if words.endswith(_ORDERS)]
        return [(link.loc, link.target) for link in self.extract.links if link.ref.orders]

    def links_at(self, target: str) -> list[LinkField]:
        """Its links to one record."""
        extract = self._extract
        if isinstance(extract, list):  # as above
            return [LinkField(tuple(loc), _ref_of(words), name) for loc, words, name in extract[0] if name == target]
        return [link for link in self.extract.links if link.target == target]

    def links_in(self, fields: Container[str]) -> list[tuple[Loc, str]]:
        """Where it names records in one of these fields, and the ids that it names there."""
        extract = self._extract
        if isinstance(extract, list):  # as above
            return [(tuple(loc), target) for loc, _, target in extract[0] if loc[0] in fields]
        return [(link.loc, link.target) for link in self.extract.links if link.loc[0] in fields]

    @property
    def work(self) -> Work | None:
        """What the order of work has to know of it; None when it stands in no order."""
        extract = self._extract
        if isinstance(extract, list):  # as above
            return None if extract[6] is None else Work.of(extract[6])
        return self.extract.work

    @property
    def accepts(self) -> bool:
        """Whether the record acknowledges a problem."""
        return bool(self._extract[4]) if isinstance(self._extract, list) else self.extract.accepts

    @property
    def named(self) -> list[str]:
        """Everything in its texts that may name a record, each once."""
        extract = self._extract
        if isinstance(extract, list):  # as above
            words = [word for _, word in extract[1]] + extract[5]
            return list(dict.fromkeys(words)) if len(words) > 1 else words
        return list(dict.fromkeys([*(word for _, word in self.extract.mentions), *self.extract.others]))

    @property
    def names_files(self) -> bool:
        """Whether it names files beside itself."""
        return bool(self._extract[2]) if isinstance(self._extract, list) else bool(self.extract.files)

    @property
    def cites(self) -> bool:
        """Whether its texts or fields cite figures."""
        return bool(self._extract[3]) if isinstance(self._extract, list) else self.extract.cites

    def __repr__(self) -> str:
        return f"Entry({self.kind.name} {self.id})"


def _extract_of(record: Record, kind: Kind) -> Extract:
    links: list[LinkField] = []
    prose: list[tuple[Loc, str]] = []
    files: list[tuple[Loc, str]] = []
    cites = False
    for loc, marker, value in marked(record, (Ref, Prose, File, Formula)):
        if isinstance(marker, Ref):
            links.append(LinkField(loc, marker, str(value)))
        elif isinstance(marker, Prose):
            prose.append((loc, str(value)))
        elif isinstance(marker, File):
            files.append((loc, str(value)))
        else:
            cites = cites or marker.shown
    prose.append((("title",), record.title))
    mentions: list[tuple[Loc, str]] = []
    others: dict[str, None] = {}
    for loc, text in prose:
        prefixed, other = named_words(text)
        mentions += [(loc, word) for word in prefixed]
        others.update(dict.fromkeys(other))
        cites = cites or "{{" in text
    return Extract(tuple(links), tuple(mentions), tuple(files), cites, bool(record.acknowledged), tuple(others), kind.work(record) if kind.work is not None else None)


def _entry_digest(raw: RawRecord, file_digest: str) -> str:
    """By the content of the file and the place in it: what is moved is something else, since problems name its place."""
    return f"{file_digest} {raw.path}:{raw.line}"


def _in_order(entries: list[Entry]) -> list[Entry]:
    """The entries of one kind in natural order of their ids: where these are a prefix and a number, that of the numbers."""
    prefix = entries[0].kind.prefix
    if prefix is None:
        return sorted(entries, key=lambda entry: natural_key(entry.id))
    behind = len(prefix)
    return sorted(entries, key=lambda entry: int(entry.id[behind:]))


class BackLink(NamedTuple):
    """A record that points to another, and the field in which it does."""

    entry: Entry
    link: LinkField


class Registry:
    """Entries by id and by kind. Built once and never changed.

    `broken` holds the ids of records that could not be read: whatever points to them is not reported again.
    """

    def __init__(self, entries: Iterable[Entry], kinds: tuple[Kind, ...], broken: frozenset[str] = frozenset()) -> None:
        by_kind: dict[str, list[Entry]] = {}
        for entry in entries:
            by_kind.setdefault(entry.kind.name, []).append(entry)
        ordered = [entry for group in sorted(by_kind.values(), key=lambda group: group[0].kind.position) for entry in _in_order(group)]
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

    def once(self, key: Hashable, work_out: Callable[[Registry], T]) -> T:
        """What `work_out` makes of what it looks up in the registry that it is given: worked out when it is first asked for under this key."""
        if key not in self._known:
            self._known[key] = work_out(self)
        known: T = self._known[key]
        return known

    def nearest(self, name: str, among: Iterable[str] | None = None) -> str | None:
        """A hint for an id that no record has: the record that had it before, or the nearest one `among` some or all."""
        now = self.formers.get(name)
        return renamed(name, now[0]) if now is not None else did_you_mean(name, self.entries if among is None else among)

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
            sources = self._sources.get(record_id, ())
            known = links[record_id] = [BackLink(source, link) for source in sources for link in source.links_at(record_id)]
        return known

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
