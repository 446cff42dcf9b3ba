"""What the figures of a record rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from kvdocs.entry import Entry
from kvdocs.memo import ALL, Look
from kvdocs.registry import Registry

_NAMES = re.compile(r"""\bM[1-9][0-9]*\b|\bresults(?=\s*\()|\bcount(?=\s*\()(?:\s*\(\s*(?P<quote>['"])(?P<kind>[a-z]+)(?P=quote)(?=\s*[,)]))?""").finditer

_MEASUREMENT = re.compile("M[1-9]").search


def names_in_formula(text: str) -> Iterator[str]:
    """The measurements that a text names, `results` when it may read executions, and `#KIND` or, where the kind is not plain, `count` when it may count records."""
    if "results" not in text and "count" not in text and not _MEASUREMENT(text):  # most texts hold none, and to see that is much faster
        return
    for found in _NAMES(text):
        yield f"#{found['kind']}" if found["kind"] else found[0]


class Inputs:
    """Which records the figures of a record rest on: those that its formulas and citations name, and so on from there."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._named: dict[str, frozenset[str]] = {}

    def of(self, what: Entry | str) -> list[Look]:
        """Everything that the figures of an entry, or those that a text cites, can depend on."""
        return self.looks_of(what) if isinstance(what, str) else self.looks(what)

    def looks(self, entry: Entry, also: Iterable[str] = ()) -> list[Look]:
        """Everything that the figures of an entry, and those of the measurements in `also`, can depend on.

        A count depends on all records of a kind, and what executions gave on all executions and scripts, and on what withdraws them.
        """
        return self._from([entry.id], also)

    def looks_of(self, text: str) -> list[Look]:
        """Everything that the figures which a text cites can depend on."""
        return self._from([], names_in_formula(text))

    def _from(self, starts: list[str], also: Iterable[str]) -> list[Look]:
        reached: set[str] = set(also)
        todo = [*starts, *reached]
        while todo:
            for name in self._names(todo.pop()) - reached:
                reached.add(name)
                todo.append(name)
        if "count" in reached:
            return [ALL]
        executions = [f">{name}" for name in sorted(reached) if (entry := self.registry.get(name)) is not None and entry.kind.name == "result"]
        return [*sorted(reached - {"results"}), *executions, *(("#result", "#script", "#withdrawal") if "results" in reached else ())]

    def _names(self, record_id: str) -> frozenset[str]:
        """What the texts of a record name, and the executions of a measurement."""
        known = self._named.get(record_id)
        if known is None:
            known = self._named[record_id] = frozenset(_named(self.registry.get(record_id)))
        return known


def _named(entry: Entry | None) -> Iterator[str]:
    if entry is None or entry.kind.name == "result":  # an execution rests on no other record
        return
    yield from names_in_formula("\n".join(_texts(entry.raw.data)))
    if entry.kind.name == "measurement":
        results = entry.raw.data.get("results")
        yield from (name for name in (results if isinstance(results, list) else ()) if isinstance(name, str))


def _texts(value: Any) -> Iterator[str]:
    """Every text in the data of a record, keys of mappings left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
