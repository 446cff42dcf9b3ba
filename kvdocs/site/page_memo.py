"""Units of the site's source from one build to the next: what nothing has changed for is left on disk as it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from kvdocs.cache import Scan
from kvdocs.checks.inputs import Inputs
from kvdocs.memo import ALL, State
from kvdocs.pages.context import Publication
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.pages.watched import Answers, Notes, Watched
from kvdocs.project import Project
from kvdocs.site.units import Depends, Unit

OUTPUT = "build/docs"
EVERYTHING = ("problems", "order", "history ")
"""The answers that a unit depends on which depends on everything."""


class Outcome(NamedTuple):
    """What there is of a unit: the pages and files that were made, or None where those on disk are still right; and its files with their places in the navigation."""

    made: list[Page | DataFile] | None
    files: dict[str, Nav | None]


class PageMemo:
    """The units of one publication. `salt` is everything that all of them depend on, such as the templates."""

    name = "pages"

    def __init__(self, project: Project, publication: Publication, scan: Scan, salt: str) -> None:
        self.project, self.publication, self.scan, self.salt = project, publication, scan, salt
        self.cache = scan.cache
        self.answers = Answers(publication)
        self.state = State(publication.registry, project.root, scan)
        old = self.cache.read(self.name)
        known = old is not None and old["salt"] == salt
        self._old: dict[str, Any] = old["units"] if known else {}
        self._changes = self.state.changes(old["state"]) if known else set()
        self._new: dict[str, Any] = {}
        self._kept: dict[str, bool] = {}
        self._inputs = Inputs(publication.registry)

    def is_kept(self, unit: Unit) -> bool:
        """Whether what is on disk of a unit is still right."""
        if unit.name not in self._kept:
            self._kept[unit.name] = self._is_kept(unit)
        return self._kept[unit.name]

    def _is_kept(self, unit: Unit) -> bool:
        old = self._old.get(unit.name)
        if old is None or old["key"] != self._key(unit):
            return False
        if not self._changes.isdisjoint(old["looks"]) or any(self.answers.digest(name) != digest for name, digest in old["values"].items()):
            return False
        return self._is_there(old["files"])

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
        looks: list[str] = []
        values: dict[str, str] = {}
        if unit.depends is Depends.NOTED:
            notes = Notes(self.answers)
            made = list(unit.make(Watched(self.publication, notes, self._inputs)))
            looks, values = list(notes.recorder.looks), notes.values
        else:
            made = list(unit.make(self.publication))
            if unit.depends is Depends.EVERYTHING:
                looks, values = [ALL], {name: self.answers.digest(name) for name in EVERYTHING}
        for look in looks:
            if look.startswith("/"):
                self.state.file(look[1:])
        self._new[unit.name] = {"key": self._key(unit), "looks": looks, "values": values, "files": {}}
        return Outcome(made, {page.path: page.nav if isinstance(page, Page) else None for page in made})

    def wrote(self, unit: Unit, files: Mapping[str, bytes], navs: Mapping[str, Nav | None]) -> None:
        """Take the bytes of a unit that was made, by path; they are on disk when `save` is called."""
        for path, data in files.items():
            nav = navs[path]
            self._new[unit.name]["files"][path] = [blake2b(data, digest_size=16).hexdigest(), [nav.part, nav.position, nav.title] if nav is not None else None]

    def save(self) -> None:
        """Keep what was asked for."""
        self.cache.write(self.name, {"salt": self.salt, "state": self.state.document(), "units": self._new})
        self.output.save()

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
