"""Pieces of pages from one run to the next: a row, an entry of a list, the section of a record, kept with a note of everything that was looked at to make those of one record."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate, pairwise

from kvdocs import markup
from kvdocs.cache import Scan
from kvdocs.checks.inputs import Inputs
from kvdocs.memo import State
from kvdocs.pages.context import Key, Make, PageContext, Publication, T
from kvdocs.pages.watched import Answers, Notes, Watched
from kvdocs.project import Project
from kvdocs.registry import Entry
from kvdocs.render import Renderer
from kvdocs.view import Cell, Line, Section

ANSWER = "="
"""What a look begins with that is at something computed."""

BETWEEN, LAST = "\t", "\n"
"""What stands between the looks of a record, and after them. A record that looked at a name which holds one of them is not kept."""


class Pieces:
    """The pieces of the pages of one publication. `salt` is everything that all of them depend on, such as the templates."""

    def __init__(self, project: Project, publication: Publication, scan: Scan, salt: str) -> None:
        self.publication, self.cache, self.salt = publication, scan.cache, salt
        self.renderer = Renderer.of(project, publication.addresses.dialect)
        self.answers = Answers(publication)
        self.state = State(publication.registry, project.root, scan)
        self._old: dict[str, dict[str, bytes]] = {}
        self._right: dict[str, str] = {}
        self._recall()
        self._new: dict[str, dict[str, bytes]] = {}
        self._looks: dict[str, dict[str, None]] = {}
        self.made: list[str] = []
        """The names of what had to be made."""
        self._inputs = Inputs(publication.registry)

    def _recall(self) -> None:
        """The pieces of the last time, and the looks of every record whose pieces are still right."""
        old, data, looks = self.cache.read("pieces"), self.cache.read_bytes("pieces"), self.cache.read_bytes("pieces-looks")
        if old is None or data is None or looks is None or old["salt"] != self.salt:
            return
        mark = old["mark"].encode()
        if not data.endswith(mark) or not looks.endswith(mark):
            return
        changes = self.state.changes(old["state"]) | {f"{ANSWER}{name}" for name in self.answers.changed(old["answers"])}
        for line in looks.decode("utf-8", "surrogatepass").split(LAST)[:-1]:
            seen = line.split(BETWEEN)
            if changes.isdisjoint(seen):
                self._right[seen[0]] = line
        start = 0
        for group, (names, sizes) in old["groups"].items():
            ends = list(accumulate(sizes, initial=start))
            self._old[group] = {name: data[begin:end] for name, (begin, end) in zip(names, pairwise(ends), strict=True)}
            start = ends[-1]

    def of(self, page: str, name: str, things: Iterable[T], make: Callable[[T, PageContext], bytes], key: Key[T] | None = None) -> Iterator[bytes]:
        """What `make` gives for each thing. It is made again only when its key, or anything that was looked at for the pieces of its record, has changed."""
        group = f"{page} {name}"
        old, new, right = self._old.get(group, {}), self._new.setdefault(group, {}), self._right
        for thing in things:
            record = thing.id
            known = record if key is None else f"{record} {_digest(key(thing))}"
            piece = old.get(known) if record in right else None
            if piece is None:
                piece = self._make(page, thing, make)
                self.made.append(f"{group} {record}")
            new[known] = piece
            yield piece

    def _make(self, page: str, thing: T, make: Callable[[T, PageContext], bytes]) -> bytes:
        """What `make` gives, with a note of everything that it looked at."""
        notes = Notes(self.answers)
        made = make(thing, Watched(self.publication, notes, self._inputs).at(page))
        for look in notes.recorder.looks:
            if look.startswith("/"):
                self.state.file(look[1:])
        looks = self._looks.setdefault(thing.id, {thing.id: None})
        looks.update(notes.recorder.looks)
        looks.update(dict.fromkeys(f"{ANSWER}{value}" for value in notes.values))
        return made

    def save(self) -> None:
        """Keep what was asked for."""
        mark = secrets.token_hex(8)
        groups = {group: [list(pieces), [len(piece) for piece in pieces.values()]] for group, pieces in self._new.items()}
        self.cache.write_bytes("pieces", b"".join([*(piece for pieces in self._new.values() for piece in pieces.values()), mark.encode()]))
        self.cache.write_bytes("pieces-looks", "".join([*self._lines(), mark]).encode("utf-8", "surrogatepass"))
        self.cache.write("pieces", {"salt": self.salt, "mark": mark, "state": self.state.document(), "answers": self.answers.known(), "groups": groups})

    def _lines(self) -> Iterator[str]:
        """A line for each record with pieces: its id, and what was looked at for them."""
        for record in dict.fromkeys(known.partition(" ")[0] for pieces in self._new.values() for known in pieces):
            line, looks = self._right.get(record), self._looks.get(record)
            if looks is not None:
                seen = dict.fromkeys([*(line.split(BETWEEN) if line is not None else ()), *looks])
                line = BETWEEN.join(seen)
                if line.count(BETWEEN) != len(seen) - 1 or LAST in line:
                    continue
            if line is not None:
                yield f"{line}{LAST}"


def _digest(key: object) -> str:
    return blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass(frozen=True)
class Pieced(Publication):
    """A publication whose pages are put together from pieces."""

    pieces: Pieces | None = None

    def at(self, page: str) -> PageContext:
        return PiecedContext(self, page)


def pieced(pieces: Pieces) -> Pieced:
    """The publication of the pieces, made from them."""
    made = pieces.publication
    return Pieced(made.settings, made.registry, made.problems, made.order, made.addresses, made.providers, made.workbook, pieces)


@dataclass(frozen=True)
class PiecedContext(PageContext):
    """The context of a page that is put together from pieces."""

    publication: Pieced

    @property
    def _pieces(self) -> Pieces:
        assert self.publication.pieces is not None
        return self.publication.pieces

    def rows(self, name: str, things: Iterable[T], make: Make[T], key: Key[T] | None = None) -> Iterator[tuple[Cell, ...]]:
        # No cell holds the end of a line.
        def lines(thing: T, context: PageContext) -> bytes:
            return "".join([f"{markup.cell(value, context.dialect)}\n" for value in make(thing, context)]).encode()

        for piece in self._pieces.of(self.page, name, things, lines, key):
            yield tuple(map(Line, piece.decode().split("\n")[:-1])) if piece else ()

    def sections(self, name: str, entries: Iterable[Entry], make: Callable[[Entry, PageContext], tuple[Section, ...]]) -> Iterator[Section | bytes]:
        renderer = self._pieces.renderer

        def laid_out(entry: Entry, context: PageContext) -> bytes:
            return b"\n".join([renderer.section(section, self.page) for section in make(entry, context)])

        return filter(None, self._pieces.of(self.page, name, entries, laid_out))
