"""Pieces of pages from one run to the next: a row, an entry of a list, the section of a record, kept with a note of everything that was looked at to make those of one record."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import blake2b

from kvdocs import markup
from kvdocs.cache import Cache, decode, encode
from kvdocs.entry import Entry
from kvdocs.memo import BETWEEN, Look, without
from kvdocs.pages.context import Key, Make, PageContext, T
from kvdocs.render import Renderer
from kvdocs.site.looks import Looks
from kvdocs.site.piece_store import PieceStore, Places
from kvdocs.two_parts import Chunk
from kvdocs.view import ROW_END, Rows, Section

NOTHING = Places([], [], [])

FILES = (".bytes", "-since.bytes", "-looks.lines")
"""How the names of the files in the cache end that hold pieces."""


class Pieces:
    """The pieces of some pages, kept together under a name, with a line for each record that says what was looked at for its pieces.

    They are read when the first is asked for. `mark` is what `save` gave the last time; None when nothing was kept.
    """

    def __init__(self, cache: Cache, name: str, looks: Looks, renderer: Renderer, mark: str | None) -> None:
        self.cache, self.name, self.looks, self.renderer = cache, name, looks, renderer
        self.mark = mark
        self.made: list[str] = []
        """The names of what had to be made."""
        self._lines: list[bytes] = []
        self._wrong: set[str] = set()
        """The records whose pieces are not right any more."""
        self._new: dict[str, Places] = {}
        self._looked: dict[str, dict[Look, None]] = {}

    def rows(self, page: str, name: str, things: Iterable[T], make: Make[T], key: Key[T] | None = None) -> Rows:
        """What `make` gives for each thing, as cells that are laid out already."""

        # No cell holds the end of a line.
        def lines(thing: T, context: PageContext) -> bytes:
            return "".join([f"{markup.cell(value, context.dialect)}\n" for value in make(thing, context)]).encode() + ROW_END

        return Rows(b"".join(self._store.runs(self._places(page, name, things, lines, key))))

    def sections(self, page: str, name: str, entries: Iterable[Entry], make: Callable[[Entry, PageContext], tuple[Section, ...]]) -> Iterator[Chunk]:
        """What `make` gives for each record, laid out."""

        def laid_out(entry: Entry, context: PageContext) -> bytes:
            return b"".join([self.renderer.section(section, page) for section in make(entry, context)])

        return self._store.runs(self._places(page, name, entries, laid_out))

    def texts(self, page: str, name: str, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> Iterator[bytes]:
        """What `make` gives for each thing. It is made again only when its key, or anything that was looked at for the pieces of its record, has changed."""
        return self._store.read(self._places(page, name, things, make, key))

    def joined(self, page: str, name: str, between: bytes, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> list[Chunk]:
        """The same as parts of a whole, with something between one piece and the next: it is kept with each piece, so that those that lie together are one part."""

        def with_end(thing: T, context: PageContext) -> bytes:
            return make(thing, context) + between

        chunks = list(self._store.runs(self._places(page, name, things, with_end, key)))
        if chunks:
            chunks[-1] = chunks[-1][: len(chunks[-1]) - len(between)]
        return chunks

    def _places(self, page: str, name: str, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> Places:
        """The places of the pieces of these things; those that are not there, or not right any more, are made."""
        group, store, several = f"{page} {name}", self._store, list(things)
        records = [thing.id for thing in several]
        places = store.old.get(group, NOTHING).choose(records if key is None else [f"{thing.id} {_short(key(thing))}" for thing in several])
        if self._wrong:
            for number in [number for number, record in enumerate(records) if record in self._wrong]:
                places.leave_out(number)
        for number in places.missing:
            places.begins[number], places.ends[number] = store.add(self._make(page, several[number], make))
            self.made.append(f"{group} {records[number]}")
        known = self._new.get(group)
        self._new[group] = places if known is None else known.followed_by(places)
        return places

    def _make(self, page: str, thing: T, make: Callable[[T, PageContext], bytes]) -> bytes:
        """What `make` gives, with a note of everything that it looked at."""
        made, looks = self.looks.at(lambda publication: make(thing, publication.at(page)))
        self._looked.setdefault(thing.id, {thing.id: None}).update(dict.fromkeys(looks))
        return made

    @cached_property
    def _store(self) -> PieceStore:
        """The pieces of the last time; and a line with the looks of every record whose pieces are still right."""
        lines = self.cache.read_lines(f"{self.name}-looks") if self.mark is not None else None
        head = decode(lines[0]) if lines is not None else {}
        if lines is None or head["mark"] != self.mark:
            return PieceStore(self.cache, self.name, None)
        self._lines, wrong = without(self.looks.changes, lines[1:])
        self._wrong = {*wrong, *head["unsaid"]}
        return PieceStore(self.cache, self.name, head["pieces"])

    def save(self) -> str | None:
        """Keep what was asked for, and give the mark under which it is kept; None when nothing was asked for."""
        if not self._new:
            return None
        if self.made or self._new != self._store.old:
            self.mark = os.urandom(8).hex()
            lines, unsaid = self._said()
            head = encode({"mark": self.mark, "unsaid": unsaid, "pieces": self._store.save(self._new)})
            self.cache.write_lines(f"{self.name}-looks", [head, *lines])
        return self.mark

    def all_looks(self) -> set[Look]:
        """Everything that was looked at for the pieces that were asked for, now or the last time."""
        old = BETWEEN.encode().join(self._lines).decode("utf-8", "surrogatepass")
        return self.new_looks().union(old.split(BETWEEN) if old else ())

    def new_looks(self) -> set[Look]:
        """Everything that was looked at for the pieces that were made now."""
        return set().union(*self._looked.values())

    def _said(self) -> tuple[list[bytes], list[str]]:
        """A line for each record with pieces: its id, and what was looked at for them; and the records for which a line cannot say it."""
        lines, unsaid = self._lines, []
        if self._looked.keys() - self._wrong:  # some may have other pieces that are still right
            lines = []
            for line in self._lines:
                record, *looks = line.decode("utf-8", "surrogatepass").split(BETWEEN)
                if record in self._looked:
                    self._looked[record].update(dict.fromkeys(looks))
                else:
                    lines.append(line)
        for record, seen in self._looked.items():
            said = BETWEEN.join(seen)
            if said.count(BETWEEN) == len(seen) - 1 and "\n" not in said:
                lines.append(said.encode("utf-8", "surrogatepass"))
            else:
                unsaid.append(record)
        return lines, unsaid


def _short(key: str | tuple[object, ...]) -> str:
    """A key as a short text."""
    return key if isinstance(key, str) else blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
