"""Checks of links: typed fields that point to records, and ids that prose mentions."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.entry import Entry
from kvdocs.mentions import has_prefix
from kvdocs.numbered import those_there_are
from kvdocs.problems import DUPLICATE_ID, UNKNOWN_MENTION, UNKNOWN_REF, WRONG_KIND, Place, Problem, did_you_mean
from kvdocs.registry import Registry


def check_links(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Every typed link names a record that exists, of a kind that the field allows."""
    for link in registry.links_from(entry.id):
        target = registry.get(link.target)
        if target is None:
            if link.target in registry.broken:
                continue
            known = [e.id for e in registry if not link.ref.kinds or e.kind.name in link.ref.kinds]
            hint = did_you_mean(link.target, known) or those_there_are(link.target, known) or _wanted(link.ref.kinds)
            yield Problem(UNKNOWN_REF, f"`{_field(link.loc)}` of {entry.id} names {link.target!r}, which no record has", entry.raw.place_of(link.loc, value=True), entry.id, hint)
        elif link.ref.kinds and target.kind.name not in link.ref.kinds:
            message = f"`{_field(link.loc)}` of {entry.id} names {link.target}, which is a record of kind {target.kind.name}"
            yield Problem(WRONG_KIND, message, entry.raw.place_of(link.loc, value=True), entry.id, _wanted(link.ref.kinds))


def check_formers(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """No two records had the same id before: its address can lead to one of them only."""
    for position, former in enumerate(entry.record.formerly):
        first = registry.formers[former][0]
        if first != entry.id:
            yield Problem(DUPLICATE_ID, f"{entry.id} had the id {former} before, and so had {first}", entry.raw.place_of(("formerly", position), value=True), entry.id, f"take it out of one of them: its address leads to {first}")


def _wanted(kinds: tuple[str, ...]) -> str | None:
    return f"it may name a record of kind {' or '.join(kinds)}" if kinds else None


def _field(loc: tuple[str | int, ...]) -> str:
    return ".".join(str(part) for part in loc if isinstance(part, str))


def check_mentions(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Every id that prose mentions is the id of a record."""
    for loc, word in entry.extract.mentions:
        if has_prefix(word, registry) and not registry.has(word) and word not in registry.broken:
            place = _place_in(entry.raw.place_of(loc, value=True), (entry.raw.root / entry.path).read_text(encoding="utf-8-sig"), word)
            hint = did_you_mean(word, registry.entries) or "if it is not an id, put it in backticks"
            yield Problem(UNKNOWN_MENTION, f"{entry.id} mentions {word}, which no record has", place, entry.id, hint)


def _place_in(start: Place, text: str, word: str) -> Place:
    """The place of the first `word` at or after the start of a text, which may go over several lines of the file."""
    lines = text.split("\n")
    for number in range(start.line, len(lines) + 1):
        col = lines[number - 1].find(word, start.col - 1 if number == start.line else 0)
        if col >= 0:
            return Place(start.path, number, col + 1)
    return start
