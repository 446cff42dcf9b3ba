"""The settings that the engine reads: the project's `mkdocs.yml`, with the folders and the navigation added."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape

from kvdocs import markup
from kvdocs.disk import read_text
from kvdocs.pages.page import Nav
from kvdocs.project import Project

PATH = "build/mkdocs.yml"


INSIDE = "build/site"
"""Where Zensical writes: it refuses a folder that is not below its settings."""


def engine_settings(project: Project, nav: Iterable[tuple[Nav, str]], site_url: str = "", *, engine: str = "mkdocs") -> str:
    """`build/mkdocs.yml`: it inherits the project's file, so that MkDocs, ProperDocs and Zensical read one and the same.

    The name and the description are those of `registry/project.yaml`. What the project's own file says of these or of `nav` stays as it is.
    """
    own = read_text(project.root / "mkdocs.yml")
    lines = ["# Made by `kvdocs build`; edit ../mkdocs.yml.", "INHERIT: ../mkdocs.yml", "docs_dir: docs", f"site_dir: {'site' if engine == 'zensical' else '../site'}"]
    # The theme prints both as HTML, the description between double quotes.
    said = {"site_name": project.settings.title.replace("<", "&lt;"), "site_description": escape(markup.plain(project.settings.summary))}
    lines += [f"{name}: {_quoted(text)}" for name, text in said.items() if text and not _has(own, name)]
    address = site_url or project.settings.site_url
    if address:
        lines.append(f"site_url: {_quoted(address)}")
    if not _has(own, "nav"):
        lines += ["nav:", *nav_lines(nav)]
    return "\n".join(lines) + "\n"


_NOT_IN_YAML = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _quoted(text: str) -> str:
    """A text as YAML between double quotes: JSON leaves characters as they are that YAML takes as escapes only."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _has(settings: str, name: str) -> bool:
    """Whether the text of a `mkdocs.yml` has a setting of this name."""
    return re.search(rf"^{name}:", settings, re.MULTILINE) is not None


def nav_lines(nav: Iterable[tuple[Nav, str]]) -> list[str]:
    """The navigation as YAML: a part for each heading, its pages below it."""
    lines, part = [], None
    for place, path in nav:
        if place.part != part:
            part = place.part
            lines.append(f"  - {_quoted(part)}:")
        lines.append(f"      - {_quoted(place.title)}: {path}")
    return lines
