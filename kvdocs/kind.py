"""Kind: all that the program needs to know of one kind of record, and what a kind's view may ask for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kvdocs.model import Record
from kvdocs.problems import Code, Problem
from kvdocs.view import Cell, Link, Md, RecordView, Section
from kvdocs.work import Work

if TYPE_CHECKING:
    from kvdocs.entry import Entry
    from kvdocs.registry import Registry

Check = Callable[["Entry", "Registry"], Iterator[Problem]]
"""A kind's own rule: reads one entry and yields problems; it never changes anything."""


class Context(Protocol):
    """What a view may ask for: the records, addresses of pages, and what was computed from them."""

    @property
    def registry(self) -> Registry:
        """All records, read-only."""

    def link(self, target: str, text: str | None = None) -> Link:
        """A link to a record's page, relative to the page being made; plain text when there is no such record."""

    def prose(self, text: str, record: str | None = None) -> Md:
        """Free text of a record with ids turned into links and citations into figures."""

    def source_link(self, path: str, line: int | None = None, *, repository: str | None = None, commit: str | None = None) -> Link:
        """A link to a line of source at the project's host; text alone when the repository is not known."""

    def file(self, entry: Entry, name: str) -> Link:
        """A link to a file that a record names, relative to the record; text alone when it is not there."""

    def computed(self, kind: str, target: str) -> Any:
        """What a stage computed for a record: `order` and of it the `state` alone, `evidence`, `figures`, `history`; None when there is nothing."""


class Column(NamedTuple):
    """A column of a kind's list: its heading, the cell of an entry, and whether the list can be filtered by its values."""

    heading: str
    cell: Callable[[Entry, Context], Cell]
    filter: bool = False


@cache
def _numbered(prefix: str) -> Callable[[str], re.Match[str] | None]:
    """Matches ids of this prefix and a number; every record is asked for it."""
    return re.compile(rf"{prefix}[1-9][0-9]*").fullmatch


class Kind(NamedTuple):
    """One kind of record.

    `folder` is both the folder under `registry/` and the folder of the list page.
    `prefix` gives ids of the form PREFIX + number, which prose may mention (`D2`); None allows any id.
    `pattern` is the file name pattern of its records.
    `view` and `columns` say how an entry looks on its page and in the list.
    `hub` gives sections that stand above the table of its list page.
    `work` gives of a record what the order of work has to know; None for kinds that stand in no order.
    `document` names the stand-alone document that carries its records (`roadmap`, `defects`, `measurements`, `repro`, `probes`).
    """

    name: str
    plural: str
    folder: str
    position: int
    model: type[Record]
    view: Callable[[Entry, Context], RecordView]
    prefix: str | None = None
    pattern: str = "*.yaml"
    columns: tuple[Column, ...] = ()
    checks: tuple[Check, ...] = ()
    codes: tuple[Code, ...] = ()
    template: str = "record.md.j2"
    document: str = ""
    hub: Callable[[Context], tuple[Section, ...]] | None = None
    work: Callable[[Any], Work] | None = None
    hidden: frozenset[str] = frozenset({"acknowledged", "formerly"})

    @property
    def title(self) -> str:
        """The heading of the kind's list: the plural with a capital."""
        return self.plural[0].upper() + self.plural[1:]

    @property
    def about(self) -> str:
        """One sentence that says what such a record is: the first line of the kind's module."""
        first = (sys.modules[self.model.__module__].__doc__ or "").partition("\n")[0]
        text = first.removeprefix(f"{self.name}: ")
        return text[:1].upper() + text[1:]

    def accepts_id(self, record_id: str) -> bool:
        """Whether an id has the form of this kind."""
        return self.prefix is None or _numbered(self.prefix)(record_id) is not None
