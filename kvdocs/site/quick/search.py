"""Material's search plugin with the same index for less work: pictures and tables that are left out of it are not read, and elements are strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from kvdocs.site.quick.stand_in import standing_in

LEFT_OUT = re.compile(r"(<svg [^<>]*data-search-exclude[^<>]*>)(?:(?!<svg ).)*?</svg>", re.DOTALL)
"""A picture that says that it is not to be searched."""

TABLE = re.compile(r'<div class="kv-table"[^<>]* data-search-exclude="[^<>]*>')
"""The start of a table that says so."""

TAG = re.compile(r"""<(/?)([a-z][a-z0-9]*)(?=[\s/>])(?:[^<>"']+|"[^"]*"|'[^']*')*>""")
"""A tag with its name."""

APART = {"div", "script", "style", "object", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Elements in a table that begin or end something for the plugin."""


class Tag(str):
    """An element as the plugin keeps it: equal to the name of its tag. A string compares itself without a call of Python's."""

    __slots__ = ("attrs",)
    attrs: dict[str, Any]

    def __new__(cls, tag: str, attrs: dict[str, Any] | None = None) -> Tag:
        self = super().__new__(cls, tag)
        self.attrs = attrs or {}
        return self

    @property
    def tag(self) -> str:
        """The name of the tag."""
        return self

    def is_excluded(self) -> bool:
        """Whether it says that it is not to be searched."""
        return "data-search-exclude" in self.attrs


@contextmanager
def quick_search() -> Iterator[None]:
    """Put the shorter way in place for one build."""
    plugin: Any = import_module("material.plugins.search.plugin")
    plain = plugin.Parser.feed

    def feed(self: Any, text: str) -> None:
        plain(self, _without_tables(LEFT_OUT.sub(r"\1</svg>", text)) if "data-search-exclude" in text else text)

    with standing_in((plugin.Parser, "feed", feed), (plugin, "Element", Tag)):
        yield


def _without_tables(text: str) -> str:
    """The text with nothing in the tables that are left out. One whose tags do not close as they open stays: what is left out of it is the parser's to say."""
    parts, at = [], 0
    for start in TABLE.finditer(text):
        end = _end_of(text, start.end())
        if start.start() >= at and end is not None:
            parts.append(text[at : start.end()])
            at = end
    return "".join([*parts, text[at:]])


def _end_of(text: str, at: int) -> int | None:
    """Where the end tag of an element begins whose inside begins here; None where its tags do not match, or it holds what the parser treats apart."""
    void: Any = import_module("material.plugins.search.plugin").void
    opened = ["div"]
    while (begin := text.find("<", at)) >= 0 and (tag := TAG.match(text, begin)) is not None:
        at = tag.end()
        closes, name = tag.groups()
        if closes:
            if opened.pop() != name:
                return None
            if not opened:
                return tag.start()
        elif name in APART:
            return None
        elif name not in void and text[at - 2] != "/":
            opened.append(name)
    return None
