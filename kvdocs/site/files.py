"""All files of the site's source: pages, hand-written pages, assets, data for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kvdocs.disk import read_text
from kvdocs.entry import Entry
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.data import BETWEEN, registry_file
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.project import Project
from kvdocs.render import Renderer, render_all
from kvdocs.site.units import Commands, units
from kvdocs.site.written import assets, written_files

RECORDS = "api/records/"

PARTS = ("Record", "Reports", "Tutorial", "How-to", "Explanation", "Reference")
"""The parts of the navigation in their order; a folder of `site_src/` belongs to the part of its name."""


@dataclass(frozen=True, slots=True)
class SiteSource:
    """The files of the site's source by path, and the pages that the navigation shows."""

    files: dict[str, bytes]
    nav: tuple[tuple[Nav, str], ...]

    @property
    def pages(self) -> int:
        return sum(path.endswith(".md") for path in self.files)


def generated_pages(project: Project, publication: Publication, commands: Commands) -> list[Page | DataFile]:
    """Everything that is made from the registry and from the program itself."""
    made = [page for unit in units(project, publication, commands) for page in unit.make(publication)]
    documents = [page.data.rstrip() for page in made if page.path.startswith(RECORDS) and isinstance(page, DataFile)]
    made.append(registry_file(publication, [BETWEEN.join(documents)]))
    made.append(needs_file(publication))
    return made


def site_source(project: Project, publication: Publication, commands: Commands) -> SiteSource:
    """The whole source of the site; a project's own page or asset wins over a made or shipped one of the same path."""
    made = generated_pages(project, publication, commands)
    written = written_files(project)
    files = assets()
    files |= render_all((page for page in made if page.path not in written), Renderer.of(project, publication.addresses.dialect))
    files |= {name: path.read_bytes() for name, path in written.items()}
    navs = {page.path: page.nav for page in made if isinstance(page, Page)}
    return SiteSource(files, navigation(navs, written))


def navigation(navs: Mapping[str, Nav | None], written: Mapping[str, Path]) -> tuple[tuple[Nav, str], ...]:
    """The pages that the navigation shows, in its order: made ones, and those that people wrote."""
    nav = [(nav, path) for path, nav in navs.items() if nav is not None and path not in written]
    nav += [(_written_nav(name, path), name) for name, path in written.items() if name.endswith(".md")]
    return tuple(sorted(nav, key=lambda pair: (PARTS.index(pair[0].part) if pair[0].part in PARTS else len(PARTS), pair[0].position, pair[1])))


def _written_nav(name: str, path: Path) -> Nav:
    """The place of a hand-written page: the part of its folder; `position` and `title` of its front matter, else 50 and its first heading."""
    folder = name.partition("/")[0] if "/" in name else "record"
    part = next((p for p in PARTS if p.lower() == folder), folder.replace("-", " ").capitalize())
    title, position = path.stem.replace("-", " ").capitalize(), 50
    for line in read_text(path).splitlines()[:20]:
        key, _, value = line.partition(":")
        if key == "position" and value.strip().isdigit():
            position = int(value)
        elif key == "title":
            title = value.strip().strip("\"'")
        elif line.startswith("# "):
            title = line[2:].strip()
            break
    return Nav(part, position, title)


def needs_file(publication: Publication) -> DataFile:
    """`api/needs.json` as `kvdocs export needs` writes it, less the time at which it was made: the same records give the same bytes."""
    from kvdocs.exchange.record_exports import needs_frame

    context = publication.at("api/needs.json")
    head, tail = needs_frame(len(publication.registry), publication.settings.title)
    needs = context.joined("need", BETWEEN, publication.registry, _need)
    return DataFile("api/needs.json", b"".join([head.encode(), *needs, f"{tail}\n".encode()]))


def _need(entry: Entry, context: PageContext) -> bytes:
    from kvdocs.exchange.record_exports import need_of

    return json.dumps({entry.id: need_of(entry, context.registry)}, ensure_ascii=False)[1:-1].encode()
