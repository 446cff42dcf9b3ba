"""Patterns over the output of an execution -> counts and values, each as exact as the output allows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .observation import UNKNOWN, Observation, Range, at_least, exactly
from .pattern_search import MOST_LINES, Hit, PatternSearch, number_in, value_of

MOST_DISTINCT = 20
TAKES = ("first", "last", "count", "sum", "max", "min")


@dataclass(frozen=True)
class Captured:
    """A value from the output: as a number when it is one, as text, the lines it was found in, and how often each text was found.

    `complete` is whether what was not found was not printed.
    """

    number: Range | None
    text: str | None
    lines: tuple[tuple[str, int], ...]
    distinct: dict[str, int]
    complete: bool
    groups: tuple[tuple[str, str], ...] = ()

    def as_record(self) -> dict[str, Any]:
        """The value as the result record keeps it."""
        number = self.number
        return {
            "value": _plain(number.low) if number is not None and number.exact else None if number is not None else self.text,
            "low": None if number is None or math.isinf(number.low) else _plain(number.low),
            "high": None if number is None or math.isinf(number.high) else _plain(number.high),
            "groups": dict(self.groups),
            "distinct": self.distinct,
            "lines": lines_record(self.lines),
        }


@dataclass(frozen=True)
class Count:
    """How many matches there are, and in which lines (stream, number from 1; at most 50)."""

    number: Range
    lines: tuple[tuple[str, int], ...]


def count(how: Mapping[str, Any], seen: Observation) -> Count:
    """The number of matches of `how["pattern"]`, with `capped_at` and `total` taken into account.

    Of several totals the largest counts: compute-sanitizer prints `ERROR SUMMARY: 151 errors` and then
    `ERROR SUMMARY: 51 errors were not printed`.
    """
    outputs = seen.streams(how.get("stream", "any"))
    searches = {name: output.search(how["pattern"]) for name, output in outputs.items()}
    totals = [output.total_search(how["total"]) for output in outputs.values()] if how.get("total") else []
    found = sum(search.found for search in searches.values())
    lines = _lines(searches)
    if any(search.found for search in totals):
        return Count(exactly(max(found, *(search.largest for search in totals))), lines)
    if not all(output.complete for output in outputs.values()) or (how.get("capped_at") is not None and found >= how["capped_at"]):
        return Count(at_least(found), lines)
    return Count(exactly(found), lines)


def capture(how: Mapping[str, Any], seen: Observation) -> Captured:
    """The value that `how` (pattern, stream, take, capped_at, total) takes from the output."""
    take, outputs = how.get("take", "first"), seen.streams(how.get("stream", "any"))
    complete = all(output.complete for output in outputs.values())
    searches = {name: output.value_search(how["pattern"], take) for name, output in outputs.items()}
    counted = count(how, seen) if take == "count" else None
    distinct = _most_frequent([search.distinct for search in searches.values()])
    if counted is not None:
        return Captured(counted.number, None, counted.lines, distinct, complete)
    if not distinct:
        return Captured(None, None, (), {}, complete)
    if take in ("first", "last"):
        return _one(seen, searches, take, distinct, complete)
    numbers = [number for search in searches.values() for number in search.numbers]
    if not numbers:
        return Captured(None, None, _lines(searches), distinct, complete)
    return Captured(_many(numbers, take, complete), None, _lines(searches), distinct, complete)


def _one(seen: Observation, searches: Mapping[str, PatternSearch], take: str, distinct: dict[str, int], complete: bool) -> Captured:
    """The first or last value; unknown when something before or behind it may be missing."""
    stream, hit = _hits(searches, "first")[0] if take == "first" else _hits(searches, "last")[-1]
    output = seen.streams(stream)[stream]
    certain = complete or (output.whole_before(hit.line) if take == "first" else output.whole_after(hit.line))
    text = value_of(hit.match)
    number = number_in(text)
    groups = tuple((name, value) for name, value in hit.match.groupdict().items() if value is not None)
    if not certain:
        return Captured(UNKNOWN, None, ((stream, hit.line),), distinct, complete)
    return Captured(exactly(number) if number is not None else None, text, ((stream, hit.line),), distinct, True, groups)


def _hits(searches: Mapping[str, PatternSearch], which: str) -> list[tuple[str, Hit]]:
    """The first or the last hit of each stream that has one."""
    return [(stream, hit) for stream, search in searches.items() if (hit := getattr(search, which)) is not None]


def _many(numbers: list[float], take: str, complete: bool) -> Range:
    if take == "sum":
        return exactly(sum(numbers)) if complete else UNKNOWN
    if take == "max":
        return exactly(max(numbers)) if complete else at_least(max(numbers))
    if take == "min":
        return exactly(min(numbers)) if complete else Range(-math.inf, min(numbers))
    raise ValueError(f"a capture takes one of {', '.join(TAKES)}, not {take!r}")


def _lines(searches: Mapping[str, PatternSearch]) -> tuple[tuple[str, int], ...]:
    """The lines of the first hits."""
    every = [(stream, line) for stream, search in searches.items() for line in search.lines]
    return tuple(dict.fromkeys(every[:MOST_LINES]))


def lines_record(lines: Iterable[tuple[str, int]]) -> list[str]:
    """Lines as a record names them: `stdout:12`."""
    return [f"{stream}:{line}" for stream, line in lines]


def _most_frequent(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """How often each text was found, the most frequent first; at most 20."""
    every: Counter[str] = Counter()
    for each in counts:
        every.update(each)
    return dict(sorted(every.items(), key=lambda item: (-item[1], item[0]))[:MOST_DISTINCT])


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value
