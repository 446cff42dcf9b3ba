"""The site's source on disk, brought up to date: only what something has changed for is made and written again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from kvdocs.cache import Scan, digest_of
from kvdocs.disk import IN_THE_WAY, clear_abandoned
from kvdocs.entry import Entry
from kvdocs.named_files import named_outside
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.data import BETWEEN, record_file, registry_file
from kvdocs.pages.graph import Surroundings
from kvdocs.pages.page import DataFile, Nav
from kvdocs.project import Project
from kvdocs.render import Renderer, Written, render_all, write_files
from kvdocs.site.files import RECORDS, navigation, needs_file
from kvdocs.site.page_memo import OUTPUT, PageMemo
from kvdocs.site.progress import Tell, untold
from kvdocs.site.salt import salt_of
from kvdocs.site.units import Commands, Depends, Unit, units
from kvdocs.site.written import assets, written_files


@dataclass(frozen=True, slots=True)
class SourceOnDisk:
    """What `build/docs` holds now: how many pages, which of them the navigation shows, and what writing it did.

    `digest` is that of all its files; None when they depend on more than the registry, its history, and what people wrote for the site.
    `scanned` is when the scan of it was made that is kept.
    """

    pages: int
    nav: tuple[tuple[Nav, str], ...]
    wrote: Written
    digest: str | None
    scanned: int


def update_source(project: Project, publication: Publication, commands: Commands, scan: Scan, tell: Tell = untold) -> SourceOnDisk:
    """Bring `build/docs` to what `site_source` gives; `scan` is the look at the registry that the publication was made from, and `tell` is told how far it is."""
    update = _Update(project, publication, scan)
    wanted = [
        *units(project, publication, commands),
        Unit("registry", Depends.EVERYTHING, update.registry_file),
        Unit("needs", Depends.EVERYTHING, lambda p: [needs_file(p)]),
    ]
    to_make = update.memo.keep(wanted)
    update.draw(to_make)
    for number, unit in enumerate(to_make):
        tell(f"writing {OUTPUT}", number, len(to_make))
        update.make(unit)
    return update.finish()


class _Update:
    """Makes unit after unit, writes what was made, and in the end removes what no unit has."""

    def __init__(self, project: Project, publication: Publication, scan: Scan) -> None:
        self.project, self.publication = project, publication
        self.written = written_files(project)
        self.renderer = Renderer.of(project, publication.addresses.dialect)
        self.memo = PageMemo(project, publication, scan, salt_of(project, self.written))
        self.changed: list[str] = []
        for name in self.memo.output.odd:
            (project.root / name).unlink()
        clear_abandoned([*self.memo.output.hidden, *map(str, project.build.parent.glob(".*.tmp"))])

    def draw(self, units: Iterable[Unit]) -> None:
        """Draw the surroundings of all records whose page is to be made, in one go."""
        around = self.publication.providers.get("surroundings")
        if isinstance(around, Surroundings):
            around.draw([unit.name.removeprefix("record ") for unit in units if unit.name.startswith("record ")])

    def make(self, unit: Unit) -> None:
        """Make a unit, and write its files."""
        pages = [page for page in self.memo.make(unit) if page.path not in self.written]
        self.memo.wrote(unit, pages, self._write(render_all(pages, self.renderer)))

    def registry_file(self, publication: Publication) -> list[DataFile]:
        """All records in one file, each as in the file that was made for it."""
        return [registry_file(publication, publication.at("api/registry.json").joined("document", BETWEEN, publication.registry, self._document, self._made))]

    def _made(self, entry: Entry) -> str:
        """The digest of the file that was made for a record; empty where people wrote it."""
        return self.memo.digest(f"{RECORDS}{entry.id}.json")

    def _document(self, entry: Entry, context: PageContext) -> bytes:
        if not self._made(entry):
            return record_file(entry, context.publication).data.rstrip()
        return (self.project.build / RECORDS / f"{entry.id}.json").read_bytes().rstrip()

    def finish(self) -> SourceOnDisk:
        """Write what people wrote, remove what is left over, and keep everything for the next time."""
        by_people = assets() | {name: path.read_bytes() for name, path in self.written.items()}
        self._write(by_people)
        memo = self.memo
        wanted = memo.files.keys() | {f"{OUTPUT}/{path}" for path in by_people}
        removed = self._remove(memo.output.files.keys() - wanted)
        memo.save()
        nav = navigation({path.removeprefix(f"{OUTPUT}/"): nav for path, nav in memo.navs.items()}, self.written)
        digest = None if named_outside(self.publication.registry, self.project) or memo.looks_outside() else memo.output.whole()
        wrote = Written(tuple(self.changed), len(wanted) - len(self.changed), tuple(removed))
        return SourceOnDisk(sum(path.endswith(".md") for path in wanted), nav, wrote, digest, memo.output.at)

    def _write(self, files: Mapping[str, bytes]) -> dict[str, str]:
        """Write what differs; the digests of all by path."""
        digests = {path: digest_of(data) for path, data in files.items()}
        differing = {path for path, data in files.items() if self.memo.output.size(f"{OUTPUT}/{path}") != len(data)}
        done = write_files(files, self.project.build, remove_stale=False, differing=differing, make_way=True)
        self.changed += done.written
        for path in done.written:
            self.memo.output.wrote(f"{OUTPUT}/{path}", digests[path])
        return digests

    def _remove(self, paths: Iterable[str]) -> list[str]:
        removed = []
        for path in sorted(paths):
            target = self.project.root / path
            with suppress(*IN_THE_WAY):  # what was written now is in its place, or in that of its folder
                target.unlink(missing_ok=True)
            self.memo.output.forget(path)
            removed.append(path.removeprefix(f"{OUTPUT}/"))
            for folder in target.parents:
                if folder == self.project.build or not folder.is_dir() or any(os.scandir(folder)):
                    break
                folder.rmdir()
        return removed
