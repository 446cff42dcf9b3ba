"""Entry: a record among others, with what the others need to know of it without reading it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kvdocs.cache import decode, encode
from kvdocs.kind import Kind
from kvdocs.model import File, Formula, LinkField, Prose, Record, Ref, marked
from kvdocs.problems import Loc
from kvdocs.prose import named_words
from kvdocs.source import RawRecord
from kvdocs.work import Work, works_of


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


class Columns:
    """What is known of many records of one kind, a list for each thing: most of it is asked of all of them, or of few.

    Several words about one record are one text with `BETWEEN` between them. `links` and `work` are JSON that is read when somebody asks for it.
    """

    TEXTS = ("ids", "targets", "fields", "waits", "named", "flags")
    NUMBERS = ("titles", "lines", "indices")
    PARTS = ("links", "work")
    NAMES = (*TEXTS, *NUMBERS, *PARTS)

    def __init__(self, raw: Callable[[int], RawRecord]) -> None:
        """`raw` gives a record by its number."""
        self.raw = raw
        self.paths: list[str] = []
        """The file in which each stands."""
        self.ids: list[str] = []
        self.targets: list[str] = []
        """What the links of each name, as often as they do; `NO_ID` stands for what can be no id."""
        self.fields: list[str] = []
        """In which of its fields each of its links stands."""
        self.waits: list[str] = []
        """What each waits for."""
        self.named: list[str] = []
        """Everything in the texts of each that may name a record, each once."""
        self.flags: list[str] = []
        """A character for each, in which `CITES` and the others are bits."""
        self.titles: list[str] = []
        self.lines: list[int] = []
        self.indices: list[int | None] = []
        self.links: list[bytes] = []
        self.work: list[bytes] = []

    def add(self, entry: Entry) -> None:
        """Add what is known of an entry, which asks here from now on."""
        extract, raw = entry.extract, entry.raw
        links = extract.links
        self.ids.append(entry.id)
        self.targets.append(_words([link.target for link in links]))
        self.fields.append(_words([str(link.loc[0]) for link in links]))
        self.waits.append(_words([link.target for link in links if link.ref.orders]))
        self.named.append(_words(entry.named) if extract.mentions or extract.others else "")
        self.flags.append(chr(FLAGS | extract.cites * CITES | extract.accepts * ACCEPTS | bool(extract.files) * NAMES_FILES))
        self.titles.append(entry.title)
        self.lines.append(raw.line)
        self.indices.append(raw.index)
        self.links.append(encode([[(link.loc, _ref_words(link.ref), link.target) for link in links], extract.mentions, extract.files, extract.others]))
        self.work.append(extract.work.text() if extract.work is not None else b"")
        self.paths.append(raw.path)
        entry._columns, entry._number = self, len(self.ids) - 1

    def take(self, others: Columns, first: int, behind: int) -> None:
        """Add what others know of the records between two numbers."""
        for name in ("paths", *self.NAMES):
            getattr(self, name).extend(getattr(others, name)[first:behind])

    def entries(self, kind: Kind, first: int, behind: int) -> Iterator[Entry]:
        """The records between two numbers."""
        new = Entry.__new__
        for number, record_id, title in zip(range(first, behind), self.ids[first:behind], self.titles[first:behind], strict=True):
            entry = new(Entry)
            entry.kind, entry.id, entry.title = kind, record_id, title
            entry._columns, entry._number = self, number
            entry._raw = entry._record = entry._extract = None
            yield entry

    def extract(self, number: int) -> Extract:
        """The extract of a record."""
        links, mentions, files, others = decode(self.links[number])
        flags = ord(self.flags[number])
        return Extract(
            tuple(LinkField(tuple(loc), _ref_of(words), target) for loc, words, target in links),
            tuple((tuple(loc), word) for loc, word in mentions),
            tuple((tuple(loc), name) for loc, name in files),
            bool(flags & CITES),
            bool(flags & ACCEPTS),
            tuple(others),
            works_of([self.work[number]])[0],
        )


BETWEEN = " "
"""What stands between several words; no id holds it."""

NO_ID = "?"

FLAGS, CITES, ACCEPTS, NAMES_FILES = 0x40, 1, 2, 4
"""The bits of a flag's character; the first makes it one that can be read."""


def _words(words: Sequence[str]) -> str:
    """Words in one text."""
    if not words:
        return ""
    text = BETWEEN.join(words)
    return text if text.split() == words else BETWEEN.join([word if word.split() == [word] else NO_ID for word in words])


_ORDERS = "+"


@lru_cache(maxsize=256)
def _ref_words(ref: Ref) -> str:
    return ",".join(ref.kinds) + (_ORDERS if ref.orders else "")


@lru_cache(maxsize=256)
def _ref_of(words: str) -> Ref:
    kinds = words.rstrip(_ORDERS)
    return Ref(*(kinds.split(",") if kinds else ()), orders=words.endswith(_ORDERS))


class Entry:
    """A record, its kind, and where it came from. The record is built from its data when somebody asks for it."""

    __slots__ = ("_columns", "_extract", "_number", "_raw", "_record", "id", "kind", "title")

    def __init__(self, kind: Kind, raw: RawRecord, record: Record | None = None, extract: Extract | None = None) -> None:
        """`raw` is known to be valid. What was validated before comes from `Columns.entries`."""
        self.kind = kind
        self.id: str = raw.data["id"]
        self.title: str = raw.data["title"]
        self._raw: RawRecord | None = raw
        self._record = record
        self._extract = extract
        self._columns: Columns | None = None
        self._number = 0

    @property
    def raw(self) -> RawRecord:
        """The record as it was read."""
        if self._raw is None:
            assert self._columns is not None
            self._raw = self._columns.raw(self._number)
        return self._raw

    @property
    def path(self) -> str:
        """The file in which it stands, relative to the project."""
        return self._columns.paths[self._number] if self._columns is not None else self.raw.path

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
            self._extract = _extract_of(self.record, self.kind) if self._columns is None else self._columns.extract(self._number)
        return self._extract

    @property
    def targets(self) -> list[str]:
        """The ids that its links name, as often as they stand there; `NO_ID` for what can be no id."""
        return self.target_words.split(BETWEEN) if self.target_words else []

    @property
    def target_words(self) -> str:
        """The same with `BETWEEN` between them."""
        return self._columns.targets[self._number] if self._columns is not None else _words([link.target for link in self.extract.links])

    @property
    def waits(self) -> str:
        """The ids that it names as what it waits for, with `BETWEEN` between them."""
        if self._columns is not None:
            return self._columns.waits[self._number]
        return _words([link.target for link in self.extract.links if link.ref.orders])

    def links_at(self, target: str) -> list[LinkField]:
        """Its links to one record."""
        return [link for link in self.extract.links if link.target == target]

    def links_in(self, fields: Container[str]) -> list[tuple[str, str]]:
        """Each of these fields in which it names a record, with the id that it names there."""
        named = self._columns.fields[self._number].split() if self._columns is not None else [str(link.loc[0]) for link in self.extract.links]
        return [(field, target) for field, target in zip(named, self.targets, strict=True) if field in fields]

    @property
    def work(self) -> Work | None:
        """What the order of work has to know of it; None when it stands in no order."""
        if self._columns is not None and self._extract is None:  # most entries are asked for nothing else
            return works_of([self._columns.work[self._number]])[0]
        return self.extract.work

    @property
    def work_text(self) -> bytes:
        """A text that is another one whenever its work is; empty when it stands in no order."""
        if self._columns is not None:
            return self._columns.work[self._number]
        return self.extract.work.text() if self.extract.work is not None else b""

    @property
    def accepts(self) -> bool:
        """Whether the record acknowledges a problem."""
        return self._is(ACCEPTS) if self._columns is not None else self.extract.accepts

    @property
    def named(self) -> list[str]:
        """Everything in its texts that may name a record, each once."""
        if self._columns is not None:
            return self._columns.named[self._number].split()
        return list(dict.fromkeys([*(word for _, word in self.extract.mentions), *self.extract.others]))

    @property
    def names_files(self) -> bool:
        """Whether it names files beside itself."""
        return self._is(NAMES_FILES) if self._columns is not None else bool(self.extract.files)

    @property
    def cites(self) -> bool:
        """Whether its texts or fields cite figures."""
        return self._is(CITES) if self._columns is not None else self.extract.cites

    def _is(self, flag: int) -> bool:
        assert self._columns is not None
        return ord(self._columns.flags[self._number]) & flag > 0

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
