"""The stand-alone documents, put together from pieces that are made again only where something has changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from kvdocs.cache import Scan
from kvdocs.disk import read_file
from kvdocs.project import Project
from kvdocs.site.salt import salt_of


def documents_for(project: Project, folder: Path) -> dict[str, bytes | None]:
    """Every document by its path: its bytes, or None where the folder has it already.

    There are the documents with records, the overview, and the scripts and patches that they speak of.
    """
    scan = Scan(project.root, "registry", project.open_cache())
    key = [scan.whole(), salt_of(project, ())]
    index: dict[str, Any] | None = scan.cache.read("documents")
    if index is not None and index["key"] == key and _holds(folder, index["digests"]):
        if scan.aged:
            scan.save()
        return dict.fromkeys(index["digests"])
    return {path: None if read_file(str(folder / path)) == data else data for path, data in _put_together(project, scan, key).items()}


def _holds(folder: Path, digests: Mapping[str, str]) -> bool:
    """Whether a folder has files with these digests."""
    return all((data := read_file(str(folder / path))) is not None and _digest(data) == digest for path, digest in digests.items())


def _put_together(project: Project, scan: Scan, key: list[str]) -> dict[str, bytes]:
    """The documents from their pieces. Their digests are kept, unless they depend on more than the registry."""
    from kvdocs.checks.files import named_outside
    from kvdocs.pages.documents import document_pages, for_documents
    from kvdocs.pipeline import inspect, publication
    from kvdocs.render import Renderer, render_all
    from kvdocs.site.looks import Looks
    from kvdocs.site.pieces import Pieces

    made = publication(inspect(project, scan))
    looks = Looks(project, for_documents(made), scan)
    old = scan.cache.read("pieces")
    known = old is not None and old["salt"] == key[1]
    if known:
        looks.recall(old["looks"])
    pieces = Pieces(scan.cache, "pieces", looks, Renderer.of(project, looks.publication.addresses.dialect), old["mark"] if known else None)
    files = render_all(document_pages(replace(looks.publication, pieces=pieces)), pieces.renderer)
    mark = pieces.save()
    scan.cache.write("pieces", {"salt": key[1], "mark": mark, "looks": looks.document([pieces.all_looks()])})
    if not named_outside(made.registry, project):
        scan.cache.write("documents", {"key": key, "digests": {path: _digest(data) for path, data in files.items()}})
    return files


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
