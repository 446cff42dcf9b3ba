"""Units of the site's source from one build to the next: what nothing has changed for is left on disk as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from kvdocs.cache import Cache, Scan
from kvdocs.memo import ALL, Look
from kvdocs.pages.context import Publication
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.pages.watched import ANSWER
from kvdocs.project import Project
from kvdocs.render import Renderer
from kvdocs.site.looks import Looks
from kvdocs.site.pieces import BETWEEN, FILES, Pieces
from kvdocs.site.units import Depends, Unit

OUTPUT = "build/docs"
EVERYTHING = (ALL, f"{ANSWER}problems", f"{ANSWER}order", f"{ANSWER}history")
"""The looks of a unit that depends on everything."""


class Outcome(NamedTuple):
    """What there is of a unit: the pages and files that were made, or None where those on disk are still right; and its files with their places in the navigation."""

    made: list[Page | DataFile] | None
    files: dict[str, Nav | None]


class PageMemo:
    """The units of one publication. `salt` is everything that all of them depend on, such as the templates.

    The looks of a unit are kept as one text. A unit that looked at a name which holds what stands between them is made each time.
    """

    name = "pages"

    def __init__(self, project: Project, publication: Publication, scan: Scan, salt: str) -> None:
        self.project, self.publication, self.scan, self.salt = project, publication, scan, salt
        self.cache = scan.cache
        self.pieces = Cache(self.cache.folder / self.name, enabled=self.cache.enabled)
        self.renderer = Renderer.of(project, publication.addresses.dialect)
        self.looks = Looks(project, publication, scan)
        old = self.cache.read(self.name)
        known = old is not None and old["salt"] == salt
        self._old: dict[str, Any] = old["units"] if known else {}
        if known:
            self.looks.recall(old["looks"])
        self._new: dict[str, Any] = {}
        self._looked: list[list[Look]] = []
        self._kept: dict[str, bool] = {}

    def is_kept(self, unit: Unit) -> bool:
        """Whether what is on disk of a unit is still right."""
        if unit.name not in self._kept:
            self._kept[unit.name] = self._is_kept(unit)
        return self._kept[unit.name]

    def _is_kept(self, unit: Unit) -> bool:
        old = self._old.get(unit.name)
        if old is None or old["looks"] is None or old["key"] != self._key(unit):
            return False
        return self.looks.changes.isdisjoint(old["looks"].split(BETWEEN)) and self._is_there(old["files"])

    @cached_property
    def output(self) -> Scan:
        """The files that the last build left."""
        return Scan(self.project.root, OUTPUT, self.cache)

    def _is_there(self, files: Mapping[str, Any]) -> bool:
        """Whether the files of a unit are on disk as they were written."""
        return all(f"{OUTPUT}/{path}" in self.output.files and self.output.digest(f"{OUTPUT}/{path}") == digest for path, (digest, _) in files.items())

    def of(self, unit: Unit) -> Outcome:
        """The unit, made only when it has to be."""
        if self.is_kept(unit):
            old = self._new[unit.name] = self._old[unit.name]
            return Outcome(None, {path: Nav(*nav) if nav else None for path, (_, nav) in old["files"].items()})
        pieces = self._pieces(unit)
        if unit.depends is Depends.NOTED:
            made, looks = self.looks.at(lambda publication: list(unit.make(publication)), pieces)
            looks = [*dict.fromkeys((*looks, *pieces.all_looks()))]
        else:
            made = list(unit.make(replace(self.publication, pieces=pieces)))
            looks = [*EVERYTHING, *(look for look in pieces.all_looks() if look.startswith(ANSWER))] if unit.depends is Depends.EVERYTHING else []
        self._looked.append(looks)
        text = BETWEEN.join(looks)
        self._new[unit.name] = {"key": self._key(unit), "looks": text if text.count(BETWEEN) < max(len(looks), 1) else None, "files": {}, "pieces": pieces.save()}
        return Outcome(made, {page.path: page.nav if isinstance(page, Page) else None for page in made})

    def _pieces(self, unit: Unit) -> Pieces:
        """The pieces of the files of a unit."""
        old = self._old.get(unit.name)
        return Pieces(self.pieces, _name(unit.name), self.looks, self.renderer, old["pieces"] if old is not None else None)

    def wrote(self, unit: Unit, digests: Mapping[str, str], navs: Mapping[str, Nav | None]) -> None:
        """Take the digests of the files of a unit that was made, by path; they are on disk when `save` is called."""
        for path, digest in digests.items():
            nav = navs[path]
            self._new[unit.name]["files"][path] = [digest, [nav.part, nav.position, nav.title] if nav is not None else None]

    def digest(self, unit: str, path: str) -> str:
        """The digest of a file of a unit that was taken; empty when the unit has no such file."""
        known = self._new[unit]["files"].get(path)
        return known[0] if known is not None else ""

    def looks_outside(self) -> bool:
        """Whether a file was looked at that is not one of the registry."""
        return not all(path.startswith("registry/") for path in self.looks.state.files)

    def save(self) -> None:
        """Keep what was asked for."""
        if self._new != self._old or self.looks.changes:
            self.cache.write(self.name, {"salt": self.salt, "looks": self.looks.document(self._looked), "units": self._new})
        self.output.save()
        wanted = {f"{_name(name)}{part}.bytes" for part in FILES for name, unit in self._new.items() if unit["pieces"] is not None}
        for kept in self.pieces.folder.iterdir() if self.pieces.folder.is_dir() else ():
            if kept.name not in wanted:
                kept.unlink(missing_ok=True)

    def _key(self, unit: Unit) -> str:
        """The key of a unit, with the files that it reads by itself."""
        return " ".join([unit.key, *(self._below(folder) for folder in unit.files)])

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
