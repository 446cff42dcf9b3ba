"""All files of the site's source: pages, hand-written pages, assets, data for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kvdocs.history.page import history_files
from kvdocs.judge import judge_of
from kvdocs.ledger import ledger_of
from kvdocs.pages.codes import codes_page
from kvdocs.pages.context import Publication
from kvdocs.pages.counts import counts_page
from kvdocs.pages.data import data_files
from kvdocs.pages.evidence import evidence_page
from kvdocs.pages.faults import problems_page
from kvdocs.pages.fields import fields_page
from kvdocs.pages.graph import graph_page
from kvdocs.pages.home import home_page
from kvdocs.pages.json_page import json_page
from kvdocs.pages.lists import list_pages
from kvdocs.pages.logs import log_files
from kvdocs.pages.ordering import order_page
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.pages.program import CommandHelp, commands_page, modules_page
from kvdocs.pages.published import published_page
from kvdocs.pages.record import record_pages
from kvdocs.pages.search_data import search_file
from kvdocs.project import Project
from kvdocs.render import Renderer, render_all

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


def generated_pages(project: Project, publication: Publication, commands: Sequence[CommandHelp]) -> Iterator[Page | DataFile]:
    """Everything that is made from the registry and from the program itself."""
    yield home_page(publication)
    yield graph_page(publication)
    yield from list_pages(publication)
    yield from record_pages(publication)
    yield evidence_page(publication, judge_of(publication.registry, project.root))
    yield published_page(publication, ledger_of(publication.registry))
    yield problems_page(publication)
    yield counts_page(publication)
    yield order_page(publication)
    yield from history_files(project, publication)
    yield fields_page(publication)
    yield commands_page(commands)
    examples = project.root / "tests" / "problems"
    yield codes_page(publication, examples if examples.is_dir() else None)
    documents = project.root / "tests" / "docs" / "documents"
    yield json_page(documents if documents.is_dir() else None)
    yield modules_page()
    yield from log_files(publication)
    yield from data_files(publication)
    yield search_file(publication)
    yield needs_file(publication)


def site_source(project: Project, publication: Publication, commands: Sequence[CommandHelp]) -> SiteSource:
    """The whole source of the site; a project's own page or asset wins over a made or shipped one of the same path."""
    made = list(generated_pages(project, publication, commands))
    written = {path.relative_to(project.site_src).as_posix(): path for path in _tree(project.site_src)}
    files = {f"assets/{path.relative_to(assets).as_posix()}": path.read_bytes() for assets in (default_assets(),) for path in _tree(assets)}
    files |= render_all((page for page in made if page.path not in written), Renderer.of(project, publication.addresses.dialect))
    files |= {name: path.read_bytes() for name, path in written.items()}
    nav = [(page.nav, page.path) for page in made if isinstance(page, Page) and page.nav is not None and page.path not in written]
    nav += [(_written_nav(name, path), name) for name, path in written.items() if name.endswith(".md")]
    return SiteSource(files, tuple(sorted(nav, key=lambda pair: (PARTS.index(pair[0].part) if pair[0].part in PARTS else len(PARTS), pair[0].position, pair[1]))))


def default_assets() -> Path:
    """The style sheets and scripts that kvdocs ships: inside the package, or beside it in a source checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "site_src" / "assets"


def _tree(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.is_file() and not any(part.startswith(".") for part in p.relative_to(folder).parts)) if folder.is_dir() else []


def _written_nav(name: str, path: Path) -> Nav:
    """The place of a hand-written page: the part of its folder; `position` and `title` of its front matter, else 50 and its first heading."""
    folder = name.partition("/")[0] if "/" in name else "record"
    part = next((p for p in PARTS if p.lower() == folder), folder.replace("-", " ").capitalize())
    title, position = path.stem.replace("-", " ").capitalize(), 50
    for line in path.read_text(encoding="utf-8").splitlines()[:20]:
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
    from kvdocs.exchange.record_exports import export_needs

    made = export_needs(publication.registry, list(publication.registry), publication.settings.title, datetime(1970, 1, 1, tzinfo=UTC))
    document = json.loads(made.files["needs.json"])
    for part in (document, *document["versions"].values()):
        part.pop("created", None)
    return DataFile("api/needs.json", json.dumps(document, ensure_ascii=False) + "\n")
