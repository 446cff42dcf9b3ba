"""Ids that prose mentions, resolved to records: reported by the checks, turned into links by the pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from kvdocs.entry import Entry
from kvdocs.prose import is_prefixed, names_in
from kvdocs.registry import Registry


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
    for word in names_in(text):
        target = None
        if word.form == "prefixed":
            if not has_prefix(word.text, registry):
                continue
            target = word.text if registry.has(word.text) else None
        elif word.form == "number":
            target = registry.reference(word.repository or repository, int(word.text.rpartition("#")[2]))
            if target is None:
                continue
        elif registry.has_slug(word.text):
            target = word.text
        else:
            continue
        yield Mention(word.start, word.end, word.text, target)


def named_records(entries: Iterable[Entry], registry: Registry, repository: str = "") -> Iterator[tuple[Entry, str]]:
    """Each record with the id of each other one that its texts name, as `find_mentions` finds them."""
    named = cache(lambda word: _named(word, registry, repository))
    for entry in entries:
        for word in entry.named:
            target = named(word)
            if target is not None and target != entry.id:
                yield entry, target


def _named(word: str, registry: Registry, repository: str) -> str | None:
    """The id of the record that a word names."""
    where, sign, number = word.rpartition("#")
    if sign:
        return registry.reference(where or repository, int(number))
    if is_prefixed(word):
        return word if has_prefix(word, registry) and registry.has(word) else None
    return word if registry.has_slug(word) else None


def has_prefix(word: str, registry: Registry) -> bool:
    """Whether a word such as `D2` begins with the prefix of a kind."""
    return word.rstrip("0123456789") in registry.prefixes

