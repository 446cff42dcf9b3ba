"""Pages of a small registry, each compared with its whole expected Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from posixpath import dirname, relpath

import pytest

from kvdocs.kinds.result import Result, source_cell
from kvdocs.markup import Dialect
from kvdocs.pages.address import relative
from kvdocs.pages.context import Publication
from kvdocs.pages.documents import document_pages
from kvdocs.pages.home import waiting_table
from kvdocs.pages.page import Page
from kvdocs.pipeline import Inspection, publication
from kvdocs.project import Project
from kvdocs.render import Renderer, default_templates
from kvdocs.site.files import generated_pages
from kvdocs.view import Link, values_in
from tests.pages.conftest import SMALL

Compare = Callable[[str, str], None]


def site_page(publication: Publication, path: str) -> Page:
    pages = generated_pages(Project(next(iter(publication.registry)).raw.root), publication, lambda: ())
    return next(p for p in pages if isinstance(p, Page) and p.path == path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("records/D1.md", "defect.md"),
        ("records/R1.md", "item-in-review.md"),
        ("records/ours-7.md", "reference.md"),
        ("records/ann.md", "owner.md"),
        ("roadmap/index.md", "list.md"),
        ("index.md", "home.md"),
        ("counts.md", "counts.md"),
        ("problems.md", "problems.md"),
        ("explanation/order.md", "order.md"),
    ],
)
def test_pages_of_the_site(path: str, name: str, small: Publication, as_expected: Compare) -> None:
    as_expected(name, Renderer((default_templates(),), Dialect.SITE).render(site_page(small, path)))


@pytest.mark.parametrize("path", ["record-defects.md", "record-roadmap.md", "overview.md"])
def test_documents(path: str, small: Publication, as_expected: Compare) -> None:
    page = next(p for p in document_pages(small) if p.path == path)
    as_expected(path, Renderer((default_templates(),), Dialect.PLAIN).render(page))


def test_a_record_names_its_former_address(small: Publication) -> None:
    """The page of a renamed record is found under its old address too."""
    entry = small.registry.get("D1")
    assert entry is not None
    from kvdocs.entry import Entry
    from kvdocs.kinds.defect import Defect
    from kvdocs.pages.data import redirects
    from kvdocs.registry import Registry

    assert isinstance(entry.record, Defect)
    renamed = Entry(entry.kind, entry.raw, entry.record.model_copy(update={"formerly": ["D9"]}))
    registry = Registry([renamed], small.registry.kinds)
    [file] = redirects(replace(small, registry=registry))
    assert file.path == "records/D9/index.html"
    assert '<meta http-equiv="refresh" content="0; url=../D1/">' in file.data.decode()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"dirty": False}, "[0123abcde](https://github.com/us/ours/commit/0123abcdef)"),
        ({"dirty": True, "diff_sha256": "1a2b"}, "with changes"),
        ({"dirty": True, "diff_sha256": None}, "with untracked files"),
        ({"dirty": True, "diff_sha256": "1a2b", "patches": [{"id": "P6"}], "only_patches": True}, "with these patches and nothing else"),
    ],
)
def test_an_execution_tells_what_its_source_was_beyond_the_commit(small: Publication, source: Mapping[str, object], words: str) -> None:
    cell = source_cell(Result.model_construct(source={"commit": "0123abcdef", **source}), small.at("index.md"))
    *_, last = values_in(cell)
    assert (f"[{last.text.partition('@')[2]}]({last.href})" if isinstance(last, Link) else last) == words


def test_a_commit_of_a_source_without_a_repository_stands_alone(small: Publication) -> None:
    homeless = replace(small, settings=small.settings._replace(repository=""))
    assert homeless.at("index.md").source_link("", commit="0123abcdef") == Link("0123abcde")


def test_a_defect_without_a_command_is_seen_with_its_script(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    script = {
        "registry/scripts/sum.sh": "python3 scan.py\n",
        "registry/scripts/sum.yaml": "id: sum\ntitle: Sums nothing\npurpose: measurement\nfile: sum.sh\n",
    }
    defect = SMALL["registry/defects/D1.yaml"].replace("        command: python3 scan.py\n", "        script: sum\n")
    made = publication(inspect_files({**SMALL, **script, "registry/defects/D1.yaml": defect}))
    text = Renderer((default_templates(),), Dialect.SITE).render(site_page(made, "records/D1.md"))
    assert "\n## How to see it\n\nWith its script, [sum](sum.md \"Sums nothing\"), which says" in text


@pytest.mark.parametrize("page", ["index.md", "records/R1.md", "a/b/c.md", "records/a/b.md"])
@pytest.mark.parametrize("target", ["index.md", "records/R2.md", "record/R2.md", "a/b/d.md", "a/c.md", "a/b/c/d.md", "records/R1.md"])
def test_an_address_is_the_shortest_way_from_the_folder_of_the_page(page: str, target: str) -> None:
    assert relative(page, target) == relpath(target, dirname(page) or ".")
    assert relative(page, f"{target}#part") == ("#part" if page == target else f"{relpath(target, dirname(page) or '.')}#part")


def test_what_waits_for_an_id_that_no_record_has_says_so_on_the_home_page(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    made = publication(inspect_files({"registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\nblocked_by: [R9]\n"}))
    rows = list(waiting_table(made.order.of("waiting"), made.at("index.md")).rows)
    assert [row[4] for row in rows] == ["waits for R9 (no such record)"]
