"""The stand-alone documents, put together from pieces that are made again only where something has changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kvdocs.cache import Scan
from kvdocs.disk import file_parts
from kvdocs.problems import Severity, count_by_severity
from kvdocs.project import Project
from kvdocs.site.salt import salt_of

if TYPE_CHECKING:
    from kvdocs.two_parts import Chunk


class Documents(NamedTuple):
    """Documents by their paths: the bytes of each, or None where the folder has it already. `errors` are those of the registry, which can keep records out of them."""

    files: dict[str, bytes | None]
    errors: int


def documents_for(project: Project, folder: Path) -> Documents:
    """Every document.

    There are the documents with records, the overview, and the scripts and patches that they speak of.
    """
    scan = Scan(project.root, "registry", project.open_cache())
    key = [scan.state(), salt_of(project, ())]
    index: dict[str, Any] | None = scan.cache.read("documents")
    if index is not None and index["key"] == key and all(_digest_of(f"{folder}/{path}") == digest for path, digest in index["digests"].items()):
        if scan.aged:
            scan.save()
        return Documents(dict.fromkeys(index["digests"]), index["errors"])
    chunks_of, errors = _put_together(project, scan, key)
    return Documents({path: None if _holds(f"{folder}/{path}", chunks) else b"".join(chunks) for path, chunks in chunks_of.items()}, errors)


def _holds(path: str, chunks: Iterable[Chunk]) -> bool:
    """Whether a file holds these bytes, one after the other."""
    parts = file_parts(path)
    if parts is None:
        return False
    part, at = b"", 0
    for chunk in chunks:
        left = memoryview(chunk)
        while left:
            if at == len(part):
                part, at = next(parts, b""), 0
            count = min(len(left), len(part) - at)
            if not count or not part.startswith(left[:count], at):
                return False
            left, at = left[count:], at + count
    return at == len(part) and next(parts, None) is None


def _put_together(project: Project, scan: Scan, key: list[str]) -> tuple[dict[str, list[Chunk]], int]:
    """The documents from their pieces, and the number of errors in the registry. Their digests are kept, unless they depend on more than the registry."""
    from kvdocs.named_files import named_outside
    from kvdocs.pages.documents import document_pages, for_documents
    from kvdocs.pipeline import inspect, publication
    from kvdocs.render import Renderer, render_chunks
    from kvdocs.site.looks import Looks
    from kvdocs.site.pieces import Pieces

    inspection = inspect(project, scan)
    errors = count_by_severity(inspection.problems)[Severity.ERROR]
    made = publication(inspection)
    looks = Looks(project, for_documents(made), scan)
    old = scan.cache.read("pieces")
    mark = old["mark"] if old is not None and old["salt"] == key[1] and looks.recall(old["looks"]) else None
    pieces = Pieces(scan.cache, "pieces", looks, Renderer.of(project, looks.publication.addresses.dialect), mark)
    files = dict(render_chunks(document_pages(replace(looks.publication, pieces=pieces)), pieces.renderer))
    mark = pieces.save()
    scan.cache.write("pieces", {"salt": key[1], "mark": mark, "looks": looks.document([pieces.new_looks()])})
    if not named_outside(made.registry, project):
        scan.cache.write("documents", {"key": key, "digests": {path: _digest(chunks) for path, chunks in files.items()}, "errors": errors})
    return files, errors


def _digest(chunks: Iterable[Chunk]) -> str:
    digest = sha256()  # processors have instructions for it
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _digest_of(path: str) -> str | None:
    """The digest of what a file holds; None when there is none."""
    parts = file_parts(path)
    return _digest(parts) if parts is not None else None
