"""Units of the site's source from one build to the next: what nothing has changed for is left on disk as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from kvdocs.cache import Cache, Scan
from kvdocs.memo import ALL, Look
from kvdocs.pages.context import Publication
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.pages.watched import ANSWER
from kvdocs.project import Project
from kvdocs.render import Renderer
from kvdocs.site.looks import Looks
from kvdocs.site.pieces import FILES, Pieces
from kvdocs.site.units import Depends, Unit

OUTPUT = "build/docs"
EVERYTHING = (ALL, f"{ANSWER}problems", f"{ANSWER}order", f"{ANSWER}history")
"""The looks of a unit that depends on everything."""

DIGEST = 32
"""So many characters at the beginning of what is kept of a file are its digest."""

BETWEEN, LAST = "\x7f", "\x7f\x7f"
"""What stands between the looks of a unit, and before its key: what JSON need not escape is read faster. A unit that looked at a name which holds it is made each time."""

NEVER = f"{LAST}{BETWEEN}"
"""Stands for a unit that is not kept: no unit has a key like this."""


class PageMemo:
    """The units of one publication. `salt` is everything that all of them depend on, such as the templates.

    Of a unit the looks and the key are kept as one text, of a file its digest and its unit: they are read, compared and written faster than their parts.
    """

    name = "pages"

    def __init__(self, project: Project, publication: Publication, scan: Scan, salt: str) -> None:
        self.project, self.publication, self.scan, self.salt = project, publication, scan, salt
        self.cache = scan.cache
        self.pieces = Cache(self.cache.folder / self.name, enabled=self.cache.enabled)
        self.renderer = Renderer.of(project, publication.addresses.dialect)
        self.looks = Looks(project, publication, scan)
        self.output = Scan(project.root, OUTPUT, self.cache)
        """The files that the last build left, and what was written since."""
        old = self.cache.read(self.name)
        known = old is not None and old["salt"] == salt and self.looks.recall(old["looks"])
        self._old: dict[str, Any] = old["kept"] if known else {"at": None, "units": {}, "files": {}, "navs": {}, "pieces": {}}
        self.units: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.navs: dict[str, Nav] = {}
        self._pieces: dict[str, str] = {}
        self._looked: list[list[Look]] = []

    def keep(self, wanted: Sequence[Unit]) -> list[Unit]:
        """Keep those of these units that are still right on disk, and give the others, which have to be made."""
        doubtful = self._doubtful()
        to_make = [unit for unit in wanted if not self._is_right(unit) or (unit.name in doubtful and not self._are_there(doubtful[unit.name]))]
        units, made = self._old["units"], {unit.name for unit in to_make}
        self.units = {unit.name: units[unit.name] for unit in wanted if unit.name not in made}
        self.files = {path: kept for path, kept in self._old["files"].items() if kept[DIGEST:] in self.units}
        self.navs = {path: Nav(*nav) for path, nav in self._old["navs"].items() if path in self.files}
        self._pieces = {name: mark for name, mark in self._old["pieces"].items() if name in self.units}
        return to_make

    def _is_right(self, unit: Unit) -> bool:
        """Whether nothing has changed that a unit is made from."""
        looks, _, key = self._old["units"].get(unit.name, NEVER).partition(LAST)
        return key == (self._key(unit) if unit.files else unit.key) and self.looks.changes.isdisjoint(looks.split(BETWEEN))

    def _are_there(self, paths: Iterable[str]) -> bool:
        """Whether files are on disk as they were written."""
        return all(path in self.output.files and self.output.digest(path) == self._old["files"][path][:DIGEST] for path in paths)

    def _doubtful(self) -> dict[str, list[str]]:
        """By unit, the files that are not known to be on disk as they were written: they were changed, or so lately that they have to be read."""
        known, output = self._old["files"], self.output
        paths = (*output.changed, *output.removed) if output.at == self._old["at"] else known  # as they were kept together they agree
        found: dict[str, list[str]] = {}
        for path in paths:
            if path in known:
                found.setdefault(known[path][DIGEST:], []).append(path)
        return found

    def make(self, unit: Unit) -> list[Page | DataFile]:
        """What there is of a unit that has to be made."""
        pieces = Pieces(self.pieces, _name(unit.name), self.looks, self.renderer, self._old["pieces"].get(unit.name))
        if unit.depends is Depends.NOTED:
            made, looks = self.looks.at(lambda publication: list(unit.make(publication)), pieces)
            looks = [*dict.fromkeys((*looks, *pieces.all_looks()))]
        else:
            made = list(unit.make(replace(self.publication, pieces=pieces)))
            looks = [*EVERYTHING, *(look for look in pieces.all_looks() if look.startswith(ANSWER))] if unit.depends is Depends.EVERYTHING else []
        self._looked.append(looks)
        text = BETWEEN.join(looks)
        if text.count(BETWEEN) < max(len(looks), 1):
            self.units[unit.name] = f"{text}{LAST}{self._key(unit)}"
        mark = pieces.save()
        if mark is not None:
            self._pieces[unit.name] = mark
        return made

    def wrote(self, unit: Unit, made: Iterable[Page | DataFile], digests: Mapping[str, str]) -> None:
        """Take it that these files of a unit, which have these digests by their paths, are on disk when `save` is called."""
        for page in made:
            path = f"{OUTPUT}/{page.path}"
            if path in self.files:
                raise ValueError(f"two pages are written to {page.path}")
            self.files[path] = digests[page.path] + unit.name
            if isinstance(page, Page) and page.nav is not None:
                self.navs[path] = page.nav

    def digest(self, path: str) -> str:
        """The digest of a file of a unit; empty when no unit has such a file."""
        return self.files.get(f"{OUTPUT}/{path}", "")[:DIGEST]

    def looks_outside(self) -> bool:
        """Whether a file was looked at that is not one of the registry."""
        return not all(path.startswith("registry/") for path in self.looks.state.files)

    def save(self) -> None:
        """Keep what was asked for."""
        self.output.save()
        new = {"at": self.output.at, "units": self.units, "files": self.files, "navs": {path: [nav.part, nav.position, nav.title] for path, nav in self.navs.items()}, "pieces": self._pieces}
        if new != self._old or self.looks.changes:
            self.cache.write(self.name, {"salt": self.salt, "looks": self.looks.document(self._looked), "kept": new})
        self.pieces.keep_only({f"{_name(name)}{part}" for part in FILES for name in self._pieces})

    def _key(self, unit: Unit) -> str:
        """The key of a unit, with the files that it reads by itself."""
        return " ".join([unit.key, *(self._below(folder) for folder in unit.files)]) if unit.files else unit.key

    def _below(self, folder: str) -> str:
        return " ".join(self._folders.get(folder, ()))

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        """The files of the registry with their digests, by folder."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.scan.files):
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, []).append(f"{name}={self.scan.digest(path)}")
        return found


def _name(unit: str) -> str:
    """The name under which the pieces of a unit are kept."""
    return unit.replace(" ", "-")
