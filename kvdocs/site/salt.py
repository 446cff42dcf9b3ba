"""What everything depends on that is made from templates, and digests of whole folders."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from kvdocs.disk import files_below
from kvdocs.project import Project
from kvdocs.render import default_templates


def salt_of(project: Project, written: Iterable[str]) -> str:
    """Everything that all pages depend on: the settings, the templates, and which pages people wrote themselves."""
    seen = blake2b(repr([project.settings, sorted(written)]).encode(), digest_size=16)
    for folder in (project.templates, default_templates()):
        for path in files_below(folder):
            seen.update(f"{path.relative_to(folder)}\n".encode("utf-8", "surrogateescape") + path.read_bytes())
    return seen.hexdigest()


def contents_of(folder: Path) -> str:
    """A digest of the files of a folder; empty when it is not there."""
    if not folder.is_dir():
        return ""
    seen = repr([(path.as_posix(), path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()])
    return blake2b(seen.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
