"""What everything depends on that is made from templates."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from kvdocs.project import Project
from kvdocs.render import default_templates


def salt_of(project: Project, written: Iterable[str]) -> str:
    """Everything that all pages depend on: the settings, the templates, and which pages people wrote themselves."""
    seen = blake2b(repr([project.settings, sorted(written)]).encode(), digest_size=16)
    for folder in (project.templates, default_templates()):
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.is_file():
                seen.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return seen.hexdigest()
