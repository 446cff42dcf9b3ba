"""The site: built without a warning, the same pages whatever the engine, no dead link, no request to another host."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import venv
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from kvdocs.scaffold import make_project
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.slow
Run = Callable[..., Any]
ENGINES = {"properdocs": ("properdocs==1.6.7", "mkdocs-material>=9.8.2,<10"), "zensical": ("zensical==0.0.73",)}


class Page(HTMLParser):
    """The addresses that a page asks for or leads to, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in ("script", "img", "iframe", "source") and "src" in values:
            self.asked.append(values["src"])
        elif tag == "link" and "href" in values and values.get("rel") not in ("canonical", "next", "prev"):
            self.asked.append(values["href"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    return {"/" + p.relative_to(site).as_posix(): Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html") if p.name != "404.html"}


def file_of(site: Path, address: str) -> Path:
    path = site / unquote(address).lstrip("/")
    return path / "index.html" if path.is_dir() else path


def dead(site: Path, pages: dict[str, Page]) -> Iterator[str]:
    """Every address inside the site that leads nowhere, with the page that has it."""
    for where, page in pages.items():
        for link in (*page.links, *page.asked):
            parts = urlsplit(urljoin(f"http://site{where}", link))
            if parts.netloc != "site" or parts.scheme != "http":
                continue
            target = file_of(site, parts.path)
            if not target.is_file():
                yield f"{where}: {link}"
            elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages["/" + target.relative_to(site).as_posix()].anchors:
                yield f"{where}: {link} (no such place)"


def test_no_link_or_anchor_is_dead(site: Path, pages: dict[str, Page]) -> None:
    assert list(dead(site, pages)) == []


def test_a_dead_link_would_be_found(site: Path, pages: dict[str, Page]) -> None:
    broken = Page('<a href="../records/NONE/">x</a><a href="../#nowhere">y</a><a href="../">z</a>')
    assert list(dead(site, {**pages, "/x/index.html": broken})) == ["/x/index.html: ../records/NONE/", "/x/index.html: ../#nowhere (no such place)"]


def test_no_page_asks_another_host(site: Path, pages: dict[str, Page]) -> None:
    foreign = [f"{where}: {address}" for where, page in pages.items() for address in page.asked if urlsplit(address).netloc]
    styles = [f"{p.name}: {found}" for p in site.rglob("*.css") for found in re.findall(r"(?:url\(|@import\s)[\"']?((?:https?:)?//[^)\"']+)", p.read_text(encoding="utf-8"))]
    assert foreign + styles == []


def test_every_record_has_a_page_and_its_data(site: Path, this_registry: Any) -> None:
    missing = [entry.id for entry in this_registry.registry if not (site / "records" / entry.id / "index.html").is_file() or not (site / "api" / "records" / f"{entry.id}.json").is_file()]
    assert missing == []


def weight(paths: Iterable[Path]) -> tuple[int, int]:
    """KB of some files, and KB of them as a server sends them."""
    found = [path.read_bytes() for path in paths]
    return round(sum(map(len, found)) / 1000), round(sum(len(gzip.compress(data)) for data in found) / 1000)


def test_a_page_is_as_light_as_the_documentation_says(site: Path) -> None:
    page = site / "records" / "D2" / "index.html"
    loaded = [site / "records" / "D2" / address for address in Page(page.read_text(encoding="utf-8")).asked if address.partition("?")[0].endswith((".css", ".js"))]
    engine = [site / "search" / "search_index.json", *(site / "assets" / "javascripts" / "workers").glob("search.*.js")]
    records = [site / "api" / "search.json"]
    told = (Path(__file__).parents[2] / "site_src" / "reference" / "site.md").read_text(encoding="utf-8")
    stated = [(int(size), int(wire)) for size, wire in re.findall(r"\| ([0-9]+) KB \| ([0-9]+) KB \|", told)]
    assert [weight(paths) for paths in ([page], loaded, engine, records)] == [(pytest.approx(size, rel=0.25), pytest.approx(wire, rel=0.25)) for size, wire in stated]


@pytest.mark.parametrize("engine", ENGINES)
def test_other_engines_make_the_same_pages(engine: str, kvdocs: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same folder, three engines, one list of pages."""
    programs = engine_programs(engine, tmp_path_factory)
    project = tmp_path / "project"
    make_project(project)
    lists = {}
    for name, env in (("mkdocs", None), (engine, {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"})):
        done = kvdocs("build", "--engine", name, *(["--strict"] if name != "zensical" else []), at=project, env=env)
        assert done.code == 0, done.out + done.err
        lists[name] = sorted(p.relative_to(project / "site").as_posix() for p in (project / "site").rglob("*.html") if p.name != "404.html")
    assert lists[engine] == lists["mkdocs"]
    assert len(lists[engine]) > 15


def engine_programs(engine: str, factory: pytest.TempPathFactory) -> Path:
    """The programs of an engine in an environment of its own: next to ours, ProperDocs would change what other tools do."""
    found = shutil.which(engine)
    if found:
        return Path(found).parent
    folder = factory.mktemp(engine)
    venv.create(folder, with_pip=True)
    done = subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *ENGINES[engine]], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{engine} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
    return folder / "bin"


def test_nothing_weighs_more_than_the_documentation_says(site: Path) -> None:
    """Each row of its table: as it is, and compressed, in thousands of bytes."""
    page = (site / "records/D2/index.html").read_text(encoding="utf-8")
    assets = re.findall(r'(?:src|href)="\.\./\.\./(assets/[^"]+\.(?:js|css))"', page)
    assert len(assets) > 5
    files = {
        "The page of D2": ["records/D2/index.html"],
        "Its styles and scripts, loaded once for all pages": sorted(set(assets)),
        "The engine's search, its script and its index, loaded once": [*(path.relative_to(site).as_posix() for path in site.glob("assets/javascripts/workers/search.*.js")), "search/search_index.json"],
        "The records for the search, loaded when it is first used": ["api/search.json"],
    }
    told = (REPOSITORY / "site_src/reference/site.md").read_text(encoding="utf-8")
    rows = {name: (int(size), int(wire)) for name, size, wire in re.findall(r"^\| ([^|]+) \| (\d+) KB \| (\d+) KB \|$", told, re.MULTILINE)}
    assert rows.keys() == files.keys()
    weights = {name: (sum(len(data) for data in datas) / 1000, sum(len(gzip.compress(data)) for data in datas) / 1000) for name, paths in files.items() if (datas := [(site / path).read_bytes() for path in paths])}
    assert {name: weight for name, weight in weights.items() if weight[0] > rows[name][0] or weight[1] > rows[name][1]} == {}
