"""The stand-alone documents, put together from pieces that are made again only where something has changed."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from kvdocs.cache import Cache, Scan
from kvdocs.project import Project
from kvdocs.site.salt import salt_of


def document_files(project: Project) -> dict[str, bytes]:
    """The bytes of every document by its path: the documents with records, the overview, and the scripts and patches that they speak of."""
    scan = Scan(project.root, "registry", project.open_cache())
    key = [scan.whole(), salt_of(project, ())]
    kept = _recall(scan.cache, key)
    if kept is None:
        return _put_together(project, scan, key)
    if scan.aged:
        scan.save()
    return kept


def _put_together(project: Project, scan: Scan, key: list[str]) -> dict[str, bytes]:
    """The documents from their pieces; they are kept whole unless they depend on more than the registry."""
    from kvdocs.checks.files import named_outside
    from kvdocs.pages.documents import document_pages, for_documents
    from kvdocs.pipeline import inspect, publication
    from kvdocs.render import render_all
    from kvdocs.site.pieces import Pieces, pieced

    made = publication(inspect(project, scan))
    pieces = Pieces(project, for_documents(made), scan, key[1])
    files = render_all(document_pages(pieced(pieces)), pieces.renderer)
    pieces.save()
    if not named_outside(made.registry, project):
        _keep(scan.cache, key, files)
    return files


def _keep(cache: Cache, key: list[str], files: Mapping[str, bytes]) -> None:
    """Keep the documents of a key: their sizes in one file, their bytes in another that ends with the same mark."""
    mark = secrets.token_hex(8)
    cache.write_bytes("documents", b"".join([*files.values(), mark.encode()]))
    cache.write("documents", {"key": key, "mark": mark, "sizes": {path: len(data) for path, data in files.items()}})


def _recall(cache: Cache, key: list[str]) -> dict[str, bytes] | None:
    """The documents that were kept under a key; None when there are none."""
    index: dict[str, Any] | None = cache.read("documents")
    data = cache.read_bytes("documents") if index is not None and index["key"] == key else None
    if index is None or data is None or not data.endswith(index["mark"].encode()):
        return None
    files, start = {}, 0
    for path, size in index["sizes"].items():
        files[path] = data[start : start + size]
        start += size
    return files
