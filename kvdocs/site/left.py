"""How the engine left a site: what each file in it was made from, and what is known of the pages. Their HTML is in the site and nowhere else.

It is kept as lines: first everything that every build needs, in columns; then what only pages need that something has changed for, a line each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kvdocs.cache import Cache, encode

NAME = "engine"

BETWEEN_NAMES = "//"
"""Stands in no path, and no path begins or ends with a part of it. Nothing between two of them is the name itself."""

BETWEEN = ","
"""Stands in no stamp and no digest."""

NOTHING = b"null"

FIRST = 5
"""The number of the first line of a page: before it stand the names, and the columns of what stands beside them."""


@dataclass(frozen=True, slots=True)
class PageLines:
    """What is known of the pages, in their order, each as JSON: facts that other pages may ask for, entries of the search index, and what a page links to."""

    facts: list[bytes]
    search: list[bytes]
    targets: list[bytes]


@dataclass(slots=True)
class Left:
    """What one build left. Paths are those of the site, names those of its source.

    `levels` says of each file of the source, in MkDocs' order, whether it belongs to the site, and `outputs` under which path.
    `stamps` tells by path how the file was left, and `made` from what; `folders` how the folders looked when all that they hold was known.
    `links` are those of pages to headings of other pages.
    """

    salt: str = ""
    nav: str = ""
    theme: list[str] = field(default_factory=list)
    levels: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    links: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: PageLines = field(default_factory=lambda: PageLines([], [], []))

    def pages(self) -> list[str]:
        """The names of the pages of the site, in their order."""
        return pages_of(self.levels, self.outputs)

    def without_pages(self) -> Left:
        """What of it is true whatever the settings are: which files are there, and from what those that are no pages were made."""
        rendered = {self.outputs[name] for name in self.pages()}
        return Left(stamps=self.stamps, folders=self.folders, made={path: made for path, made in self.made.items() if path not in rendered})


def pages_of(levels: Mapping[str, int], outputs: Mapping[str, str]) -> list[str]:
    """The names of files of the source that become pages: alone these get another name in the site."""
    return [name for name, path in outputs.items() if path != name and levels[name] > DRAFT]


DRAFT = -2
"""MkDocs' number for what is no part of the site; what has a smaller one is neither."""


def read_left(cache: Cache) -> Left | None:
    """What the last build left; None where that is not known."""
    lines = cache.read_lines(NAME)
    if lines is None:
        return None
    head = json.loads(lines[0])
    names, paths, folders = _names(head["names"]), _names(head["paths"]), _names(head["folders"])
    outputs = head["outputs"].split(BETWEEN_NAMES) if names else ()
    levels, stamps, made, seen = map(_column, lines[1:FIRST], (names, paths, paths, folders))
    number = head["pages"]
    return Left(
        head["salt"], head["nav"], head["theme"],
        dict(zip(names, map(int, levels), strict=True)), {name: path or name for name, path in zip(names, outputs, strict=True)},
        dict(zip(paths, stamps, strict=True)), dict(zip(paths, made, strict=True)), dict(zip(folders, seen, strict=True)),
        head["links"], PageLines(*(lines[FIRST + number * part : FIRST + number * (part + 1)] for part in range(3))),
    )  # fmt: skip


def keep_left(cache: Cache, left: Left) -> None:
    """Keep it for the next build."""
    head = {
        "salt": left.salt, "nav": left.nav, "theme": left.theme, "links": left.links, "pages": len(left.lines.facts),
        "names": BETWEEN_NAMES.join(left.levels), "outputs": BETWEEN_NAMES.join("" if path == name else path for name, path in left.outputs.items()),
        "paths": BETWEEN_NAMES.join(left.stamps), "folders": BETWEEN_NAMES.join(left.folders),
    }  # fmt: skip
    columns = (map(str, left.levels.values()), left.stamps.values(), map(left.made.__getitem__, left.stamps), left.folders.values())
    cache.write_lines(NAME, [encode(head), *(BETWEEN.join(column).encode() for column in columns), *left.lines.facts, *left.lines.search, *left.lines.targets])


def _column(line: bytes, names: Sequence[str]) -> Sequence[str]:
    """What stands beside names."""
    return line.decode().split(BETWEEN) if names else ()


def _names(text: str) -> Sequence[str]:
    return text.split(BETWEEN_NAMES) if text else ()
