"""What views may ask for while a page is made: links relative to that page, prose with its links, what was computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from posixpath import dirname, join, normpath, relpath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kvdocs import markup
from kvdocs.cited import title_of
from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.markup import Dialect
from kvdocs.mentions import find_mentions, named_records
from kvdocs.order import Order
from kvdocs.pages.address import Addresses, SiteAddresses, relative
from kvdocs.problems import Problem
from kvdocs.project import Settings
from kvdocs.registry import Registry
from kvdocs.two_parts import Chunk
from kvdocs.view import Cell, Link, Md, Row, Section

if TYPE_CHECKING:
    from kvdocs.figures.citations import Citation
    from kvdocs.figures.workbook import Workbook

Provider = Callable[[str], Any]
"""What one stage computed, by record id; None where it has nothing to say."""


class Identified(Protocol):
    """A record, or its row in the order of work."""

    @property
    def id(self) -> str:
        """The id of the record."""


T = TypeVar("T", bound=Identified)
Make = Callable[[T, "PageContext"], tuple[Cell, ...]]
Key = Callable[[T], str | tuple[object, ...]]
"""All that the cells of something depend on beside its record and what is looked at. Where it is a text, it is a short one."""


class Keeper(Protocol):
    """Keeps parts of pages from one run to the next; `page` is the path of the page, and the rest as in `PageContext`."""

    def rows(self, page: str, name: str, things: Iterable[T], make: Make[T], key: Key[T] | None = None) -> Sequence[Row]:
        """The cells that `make` gives for each thing."""

    def sections(self, page: str, name: str, entries: Iterable[Entry], make: Callable[[Entry, PageContext], tuple[Section, ...]]) -> Iterator[Chunk]:
        """The sections that `make` gives for each record, laid out."""

    def texts(self, page: str, name: str, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> Iterator[bytes]:
        """The text that `make` gives for each thing."""

    def joined(self, page: str, name: str, between: bytes, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> list[Chunk]:
        """The texts that `make` gives, in few parts that follow each other, with something between one text and the next."""


@dataclass(frozen=True)
class Publication:
    """All that the pages are made from: records, problems, the order, and what other stages computed.

    `providers` answer `Context.computed` by name: `evidence`, `figures`, `history`; `order` is always there.
    `workbook` gives the figures that prose cites; without it the braces stay as they are.
    `pieces` keeps parts of pages; without it each is made.
    """

    settings: Settings
    registry: Registry
    problems: tuple[Problem, ...]
    order: Order
    addresses: Addresses = field(default_factory=SiteAddresses)
    providers: Mapping[str, Provider] = field(default_factory=dict)
    workbook: Callable[[], Workbook] | None = None
    pieces: Keeper | None = None

    def at(self, page: str) -> PageContext:
        """The context for a page."""
        return PageContext(self, page)

    @cached_property
    def problems_of(self) -> Mapping[str, tuple[Problem, ...]]:
        """The problems of each record that has some."""
        found: dict[str, list[Problem]] = {}
        for problem in self.problems:
            if problem.record is not None:
                found.setdefault(problem.record, []).append(problem)
        return {record: tuple(problems) for record, problems in found.items()}

    @cached_property
    def source_paths(self) -> Set[str]:
        """The files of the registry that pages speak of, as far as they exist."""
        root = next((entry.raw.root for entry in self.registry), None)
        read = {entry.path for entry in self.registry}
        named = {problem.place.path for problem in self.problems} | {beside(entry, name) for entry in self.registry if entry.names_files for _, name in entry.extract.files}
        return frozenset(read | {path for path in named - read if root is not None and os.path.isfile(f"{root}/{path}")})  # noqa: PTH113  # a Path for each of thousands

    @cached_property
    def mentioned_by(self) -> Mapping[str, tuple[Entry, ...]]:
        """Which records name a record in their prose, itself left out."""
        found: dict[str, dict[str, Entry]] = {}
        for entry, target in named_records(self.registry, self.registry, self.settings.repository):
            found.setdefault(target, {})[entry.id] = entry
        return {target: tuple(entries.values()) for target, entries in found.items()}


@dataclass(frozen=True)
class PageContext:
    """The `Context` of one page; `page` is its path in the output."""

    publication: Publication
    page: str

    @property
    def registry(self) -> Registry:
        return self.publication.registry

    @property
    def dialect(self) -> Dialect:
        return self.publication.addresses.dialect

    def link(self, target: str, text: str | None = None) -> Link:
        """As `Context.link`; without a text, by the name that people use for the record."""
        publication, addresses = self.publication, self.publication.addresses
        entry = publication.registry.get(target)
        if entry is None:
            return Link(text or target)
        is_plain = addresses.dialect is Dialect.PLAIN
        if is_plain and entry.kind.name == "reference":
            # A document in another repository speaks of the thing itself, not of our record of it.
            outside = getattr(entry.record, "address", "")
            return Link(text if text and text != target else name_of(entry), f"{publication.settings.host}/{outside}")
        address = addresses.record(entry)
        shown = text or name_of(entry)
        title = "" if is_plain else markup.plain(title_of(entry, publication.registry))
        return Link(shown, relative(self.page, address) if address else "", title if title != shown else "")

    def list_of(self, kind: Kind, text: str | None = None) -> Link:
        """A link to the list of a kind."""
        address = self.publication.addresses.kind(kind)
        return Link(text or kind.title, relative(self.page, address) if address else "")

    def to(self, path: str, text: str) -> Link:
        """A link to another page of the output by its path."""
        return Link(text, relative(self.page, path))

    def built(self, path: str) -> str:
        """The address of another page as the built site has it, for HTML that the engine leaves as it is; it works from a file too."""
        folder = path.removesuffix("index.md") if path.endswith("index.md") else path.removesuffix(".md") + "/"
        return self.built_file(folder + "index.html")

    def built_file(self, path: str) -> str:
        """The address of a file of the site, as seen from this page once it is built."""
        here = self.page.removesuffix("index.md") if self.page.endswith("index.md") else self.page.removesuffix(".md") + "/"
        return relpath(path, here or ".")

    def prose(self, text: str, record: str | None = None) -> Md:
        """As `Context.prose`; a record does not link to itself."""
        cited = markup.harmless(self._with_figures(text))
        parts, end = [], 0
        for mention in find_mentions(cited, self.registry, self.publication.settings.repository):
            if mention.target is None or mention.target == record:
                continue
            parts += [cited[end : mention.start], markup.link(self._mention(mention.target, mention.text))]
            end = mention.end
        return Md("".join(parts) + cited[end:])

    def _mention(self, target: str, text: str) -> Link:
        """A link in prose. Who writes the id of a reference means `owner/name#34`."""
        entry = self.registry.get(target)
        by_id = entry is not None and entry.kind.name == "reference" and text == target
        return self.link(target, None if by_id else text)

    def title(self, entry: Entry) -> Md:
        """The title of a record with its links."""
        return self.prose(entry.title, entry.id)

    def _with_figures(self, text: str) -> str:
        workbook = self.publication.workbook
        if workbook is None or "{{" not in text:
            return text
        from kvdocs.figures.citations import cited

        return cited(text, workbook(), self._figure)

    def _figure(self, citation: Citation) -> str:
        """A cited figure as a link to the measurement that it comes from."""
        if not citation.cells or citation.error is not None:
            return citation.text
        return markup.link(self.link(citation.cells[0].measurement, citation.text))

    def source_link(self, path: str, line: int | None = None, *, repository: str | None = None, commit: str | None = None) -> Link:
        """As `Context.source_link`."""
        where = repository or self.publication.settings.repository
        text = f"{path}:{line}" if path and line else path or "@".join(part for part in (where, commit and commit[:9]) if part)
        if not where:
            return Link(text)
        base = f"{self.publication.settings.host}/{where}"
        if not path:
            return Link(text, f"{base}/commit/{commit}" if commit else base)
        return Link(text, f"{base}/blob/{commit or 'HEAD'}/{path}" + (f"#L{line}" if line else ""))

    def record_source(self, entry: Entry) -> Link:
        """A link to the YAML of a record: at its host when the settings name one, else to the copy in the output."""
        return self.file_link(entry.path, entry.raw.line)

    def file_link(self, path: str, line: int = 1) -> Link:
        """A link to a line of a file of the registry."""
        text = f"{path}:{line}"
        if self.publication.settings.source_url:
            return Link(text, self.publication.settings.source_url.replace("{line}", str(line)).replace("{path}", path))
        copy = self.publication.addresses.source(path) if path in self.publication.source_paths else None
        return Link(text, relative(self.page, copy) if copy else "")

    def file(self, entry: Entry, name: str) -> Link:
        """As `Context.file`."""
        return self.file_link(beside(entry, name))._replace(text=name)

    def computed(self, kind: str, target: str) -> Any:
        """As `Context.computed`."""
        if kind in ("order", "state"):
            row = self.publication.order.rows.get(target)
            return row.state if row is not None and kind == "state" else row
        provider = self.publication.providers.get(kind)
        return provider(target) if provider is not None else None

    def rows(self, name: str, things: Iterable[T], make: Make[T], key: Key[T] | None = None) -> Sequence[Row]:
        """The cells that `make` gives for each record, or row of the order: they depend on nothing but the record, the key and what is looked at through the context, so that they can be kept under the name."""
        pieces = self.publication.pieces
        return tuple(make(thing, self) for thing in things) if pieces is None else pieces.rows(self.page, name, things, make, key)

    def sections(self, name: str, entries: Iterable[Entry], make: Callable[[Entry, PageContext], tuple[Section, ...]]) -> Iterator[Section] | Iterator[Chunk]:
        """The sections that `make` gives for each record, or what they were laid out as; as `rows`."""
        pieces = self.publication.pieces
        return (section for entry in entries for section in make(entry, self)) if pieces is None else pieces.sections(self.page, name, entries, make)

    def texts(self, name: str, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> Iterator[bytes]:
        """The text that `make` gives for each record; as `rows`."""
        pieces = self.publication.pieces
        return (make(thing, self) for thing in things) if pieces is None else pieces.texts(self.page, name, things, make, key)

    def joined(self, name: str, between: bytes, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> list[Chunk]:
        """Those texts one after the other, with `between` between them, as parts of a whole: of most that were kept there is one part, and nothing is copied."""
        pieces = self.publication.pieces
        return [between.join([make(thing, self) for thing in things])] if pieces is None else pieces.joined(self.page, name, between, things, make, key)


def beside(entry: Entry, name: str) -> str:
    """The path from the project's root of a file that a record names."""
    return normpath(join(dirname(entry.path), name))


def name_of(entry: Entry) -> str:
    """What people call a record: its number, the title of an owner or a machine, `owner/name#34` for a reference."""
    if entry.kind.name in ("owner", "environment"):
        return markup.plain(entry.title)
    if entry.kind.name == "reference":
        return str(getattr(entry.record, "short", entry.id))
    return entry.id


def id_of(entry: Entry) -> str:
    """The id as lists show it; of a result, whose id is a hash, the eight digits by which the pages speak of it."""
    return entry.id[:8] if entry.kind.name == "result" else entry.id
