"""Page: a file to be written, the template that lays it out, and what the template may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kvdocs.two_parts import Chunk
from kvdocs.view import Section

Value = object
"""A type of `kvdocs.view`, text, a number, a truth value, None, or a tuple of these; `tests/pages` walks every context."""


class Nav(NamedTuple):
    """Where a page stands in the navigation: a part of the site, a position in it, and the words shown."""

    part: str
    position: int
    title: str


class Page(NamedTuple):
    """`path` is relative to the folder of pages, with `/`.

    `parts` are sections that are laid out one by one, each on its own, and those that were laid out before.
    The template says with `{{ parts }}` where they stand.
    """

    path: str
    template: str
    context: Mapping[str, Value]
    nav: Nav | None = None
    parts: tuple[Section | Chunk, ...] | None = None


class DataFile(NamedTuple):
    """A file that no template makes: JSON for programs, a redirect, a copy of a record's source."""

    path: str
    data: bytes
