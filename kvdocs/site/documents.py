"""The stand-alone documents, made again only where something has changed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kvdocs.cache import Scan
from kvdocs.pages.address import DOCUMENTS
from kvdocs.pages.context import Publication
from kvdocs.pages.data import source_file
from kvdocs.pages.documents import document, for_documents
from kvdocs.pages.overview import overview_page
from kvdocs.project import Project
from kvdocs.render import Renderer, render_all
from kvdocs.site.incremental import salt_of
from kvdocs.site.page_memo import TextMemo
from kvdocs.site.units import Depends, Unit


def document_files(project: Project, publication: Publication, scan: Scan) -> dict[str, bytes]:
    """The bytes of every document by its path; `scan` is the look at the registry that the publication was made from."""
    outside = for_documents(publication)
    memo = TextMemo(project, outside, scan, salt_of(project, outside, ()))
    renderer = Renderer.of(project, outside.addresses.dialect)
    files: dict[str, bytes] = {}
    for unit in document_units(outside):
        outcome = memo.of(unit)
        if outcome.made is not None:
            memo.wrote(unit, render_all(outcome.made, renderer), outcome.files)
        files |= memo.texts(unit)
    memo.save()
    return files


def document_units(outside: Publication) -> Iterator[Unit]:
    """The documents, the overview, and the scripts and patches that they speak of."""
    for name in DOCUMENTS:
        yield Unit(name, Depends.NOTED, partial(document, name))
    yield Unit("overview", Depends.NOTED, lambda p: [overview_page(p)])
    for path in sorted(outside.source_paths):
        yield Unit(f"source {path}", Depends.NOTED, partial(source_file, path))
