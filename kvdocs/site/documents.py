"""The stand-alone documents, put together from pieces that are made again only where something has changed."""

from __future__ import annotations

from kvdocs.cache import Scan
from kvdocs.checks.files import named_outside
from kvdocs.pages.documents import document_pages, for_documents
from kvdocs.pipeline import inspect, publication
from kvdocs.project import Project
from kvdocs.render import render_all
from kvdocs.site.incremental import salt_of
from kvdocs.site.pieces import Pieces, pieced


def document_files(project: Project) -> dict[str, bytes]:
    """The bytes of every document by its path: the documents with records, the overview, and the scripts and patches that they speak of."""
    scan = Scan(project.root, "registry", project.open_cache())
    key = [scan.whole(), salt_of(project, ())]
    kept = scan.cache.read("documents")
    if kept is not None and kept["key"] == key:
        return {path: text.encode() for path, text in kept["files"].items()}
    made = publication(inspect(project, scan))
    pieces = Pieces(project, for_documents(made), scan, key[1])
    files = render_all(document_pages(pieced(pieces)), pieces.renderer)
    pieces.save()
    if not named_outside(made.registry, project):
        scan.cache.write("documents", {"key": key, "files": {path: data.decode() for path, data in files.items()}})
    return files
