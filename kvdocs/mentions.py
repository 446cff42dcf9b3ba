"""Ids that prose mentions: found once here, reported by the checks, and turned into links by the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kvdocs.registry import Registry

_INERT = r"""
    (?P<inert> ^(?P<fence>```+|~~~+).*?^(?P=fence)     # fenced code
    | (?P<ticks>`+).+?(?P=ticks)                         # code inside a line
    | !?\[[^\]]*\]\([^)]*\)                              # a link or picture that is written out
    | <[^>\s][^>]*>                                      # HTML and autolinks
    | https?://\S+
    | \{\{.*?\}\}                                        # a citation of a figure
    )"""


class Mention(NamedTuple):
    """A stretch of prose that names a record: `target` is its id, or None when no record has it."""

    start: int
    end: int
    text: str
    target: str | None


def find_mentions(text: str, registry: Registry, repository: str = "") -> Iterator[Mention]:
    """Every mention in a Markdown text, from left to right.

    Three forms count: an id with the prefix of a kind (`D2`), known or not;
    `owner/name#34`, or `#34` in the project's own repository, when a reference has that number;
    and an id without a prefix that holds a digit (`d2-barrier`, `h200`), when a record has it.
    Code, links, HTML and citations are left alone.
    """
    numbered = _numbered(registry)
    for match in _pattern(registry).finditer(text):
        if match["inert"] is not None:
            continue
        word = match[0]
        if match["prefixed"] is not None:
            yield Mention(match.start(), match.end(), word, word if registry.get(word) is not None else None)
        elif match["number"] is not None:
            target = numbered.get((match["repository"] or repository, int(match["number"])))
            if target is not None:
                yield Mention(match.start(), match.end(), word, target)
        else:
            yield Mention(match.start(), match.end(), word, word)


@lru_cache(maxsize=4)
def _numbered(registry: Registry) -> dict[tuple[str, int], str]:
    """References by repository and number."""
    found = {}
    for entry in registry.of("reference"):
        repository, number = getattr(entry.record, "repository", None), getattr(entry.record, "number", None)
        if repository is not None and number is not None:
            found[(repository, number)] = entry.id
    return found


@lru_cache(maxsize=4)
def _pattern(registry: Registry) -> re.Pattern[str]:
    prefixes = "|".join(sorted((k.prefix for k in registry.kinds if k.prefix), key=len, reverse=True)) or r"(?!)"
    slugs = sorted((re.escape(e.id) for e in registry if e.kind.prefix is None and e.kind.name != "result" and any(c.isdigit() for c in e.id)), key=len, reverse=True)
    return re.compile(
        rf"""{_INERT}
        | (?<![\w#.-]) (?P<prefixed> (?:{prefixes})[1-9][0-9]* ) (?![\w-]|\.\w)
        | (?<![\w/#.-]) (?P<repository> [\w.-]+/[\w.-]+ )? \# (?P<number> [1-9][0-9]* ) (?!\w)
        | (?<![\w/#.-]) (?P<slug> {"|".join(slugs) or "(?!)"} ) (?![\w-]|[./]\w)
        """,
        re.VERBOSE | re.MULTILINE | re.DOTALL,
    )
