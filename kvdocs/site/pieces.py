"""Pieces of pages from one run to the next: a row, an entry of a list, the section of a record, each kept with a note of everything that was looked at to make it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from kvdocs import markup
from kvdocs.cache import Scan
from kvdocs.checks.inputs import Inputs
from kvdocs.memo import State
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Page
from kvdocs.pages.watched import Answers, Notes, Watched
from kvdocs.project import Project
from kvdocs.render import Renderer
from kvdocs.view import Cell, Line, Md, Prose, Section

ANSWER = "="
"""What a look begins with that is at something computed."""

LAID_OUT = "documents/section.md.j2"
"""The template of what stands under the heading of a kept section."""


class Pieces:
    """The pieces of the pages of one publication. `salt` is everything that all of them depend on, such as the templates."""

    def __init__(self, project: Project, publication: Publication, scan: Scan, salt: str) -> None:
        self.publication, self.cache, self.salt = publication, scan.cache, salt
        self.renderer = Renderer.of(project, publication.addresses.dialect)
        self.answers = Answers(publication)
        self.state = State(publication.registry, project.root, scan)
        self._old: dict[str, Any] = {}
        self._lines: list[bytes] = []
        self._changes: set[str] = set()
        self._recall()
        self._new: dict[str, Any] = {}
        self._new_lines: list[bytes] = []
        self.made: list[str] = []
        """The names of what had to be made."""
        self._inputs = Inputs(publication.registry)
        self._hashes: dict[str, tuple[str, str]] = {}

    def _recall(self) -> None:
        """The pieces of the last time, and every look that may see something else than it did then."""
        old, lines = self.cache.read("pieces"), self.cache.read_lines("pieces")
        if old is not None and lines is not None and old["salt"] == self.salt and lines[-1].decode() == old["mark"]:
            self._old, self._lines = old["pieces"], lines
            answers = (f"{ANSWER}{name}" for name, digest in old["answers"].items() if self.answers.digest(name) != digest)
            self._changes = {*self.state.changes(old["state"]), *answers}

    def of(self, page: str, name: str, record: str, key: str, make: Callable[[PageContext], Any]) -> Any:
        """What `make` gives for a record, as plain data; it is made again only when the record, the key, or something that it looked at has changed."""
        name = f"{page} {name} {record}"
        old = self._old.get(name)
        if old is not None and old[0] == key and self._changes.isdisjoint(old[1]):
            line = self._lines[old[2]]
            made = json.loads(line)
            looks = old[1]
        else:
            made, looks = self._make(page, record, make)
            line = json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
            self.made.append(name)
        self._new[name] = [key, looks, len(self._new_lines)]
        self._new_lines.append(line)
        return made

    def _make(self, page: str, record: str, make: Callable[[PageContext], Any]) -> tuple[Any, list[str]]:
        """What `make` gives, and everything that it looked at."""
        notes = Notes(self.answers)
        notes.recorder.note([record])
        made = make(Watched(self.publication, notes, self._inputs, self._hashes).at(page))
        for look in notes.recorder.looks:
            if look.startswith("/"):
                self.state.file(look[1:])
        return made, [*notes.recorder.looks, *(f"{ANSWER}{value}" for value in notes.values)]

    def save(self) -> None:
        """Keep what was asked for."""
        names = {look for _, looks, _ in self._new.values() for look in looks if look.startswith(ANSWER)}
        answers = {name.removeprefix(ANSWER): self.answers.digest(name.removeprefix(ANSWER)) for name in names}
        mark = secrets.token_hex(8)
        self.cache.write_lines("pieces", [*self._new_lines, mark.encode()])
        self.cache.write("pieces", {"salt": self.salt, "mark": mark, "state": self.state.document(), "answers": answers, "pieces": self._new})


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

    def cells(self, name: str, record: str, make: Callable[[PageContext], tuple[Cell, ...]], key: tuple[object, ...] = ()) -> tuple[Cell, ...]:
        digest = blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() if key else ""
        made = self._pieces.of(self.page, name, record, digest, lambda context: [markup.cell(value, self.dialect) for value in make(context)])
        return tuple(map(Line, made))

    def sections(self, name: str, record: str, make: Callable[[PageContext], tuple[Section, ...]]) -> tuple[Section, ...]:
        made = self._pieces.of(self.page, name, record, "", lambda context: [[s.title, self._laid_out(s), s.anchor] for s in make(context)])
        return tuple(Section(title, (Prose(Md(text)),), anchor) for title, text, anchor in made)

    def _laid_out(self, section: Section) -> str:
        return self._pieces.renderer.render(Page(self.page, LAID_OUT, {"blocks": section.blocks})).rstrip("\n")
