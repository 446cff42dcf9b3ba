"""Patterns over the output of an execution -> counts and values, each as exact as the output allows."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from .observation import UNKNOWN, Observation, Output, Range, at_least, exactly

MOST_LINES = 50
"""How many matching lines are remembered by number."""
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
class _Hit:
    stream: str
    line: int
    match: re.Match[str]
    before_gap: bool
    after_gap: bool


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
    where = how.get("stream", "any")
    found, lines = 0, []
    for hit in _hits(how["pattern"], where, seen):
        found += 1
        if found <= MOST_LINES:
            lines.append(hit)
    complete = all(output.complete for output in seen.streams(where).values())
    number = exactly(found) if complete else at_least(found)
    if how.get("total"):
        totals = [int(hit.match.group(1)) for hit in _hits(how["total"], where, seen)]
        if totals:
            return Count(exactly(max(found, *totals)), _where(lines))
    if how.get("capped_at") is not None and found >= how["capped_at"]:
        number = at_least(found)
    return Count(number, _where(lines))


def capture(how: Mapping[str, Any], seen: Observation) -> Captured:
    """The value that `how` (pattern, stream, take, capped_at, total) takes from the output."""
    take, where = how.get("take", "first"), how.get("stream", "any")
    outputs = seen.streams(where).values()
    complete = all(output.complete for output in outputs)
    distinct = _distinct(_hits(how["pattern"], where, seen))
    if take == "count":
        counted = count(how, seen)
        return Captured(counted.number, None, counted.lines, distinct, complete)
    if not distinct:
        return Captured(None, None, (), {}, complete)
    if take in ("first", "last"):
        return _one(_hits(how["pattern"], where, seen), take, distinct, complete)
    lines = _where(list(islice(_hits(how["pattern"], where, seen), MOST_LINES)))
    numbers = [value for hit in _hits(how["pattern"], where, seen) if (value := _as_number(_value(hit))) is not None]
    if not numbers:
        return Captured(None, None, lines, distinct, complete)
    return Captured(_many(numbers, take, complete), None, lines, distinct, complete)


def _one(hits: Iterator[_Hit], take: str, distinct: dict[str, int], complete: bool) -> Captured:
    """The first or last value; unknown when something before or behind it may be missing."""
    hit = next(hits) if take == "first" else deque(hits, maxlen=1)[0]
    certain = complete or (hit.before_gap if take == "first" else hit.after_gap)
    text = _value(hit)
    number = _as_number(text)
    groups = tuple((name, value) for name, value in hit.match.groupdict().items() if value is not None)
    if not certain:
        return Captured(UNKNOWN, None, ((hit.stream, hit.line),), distinct, complete)
    return Captured(exactly(number) if number is not None else None, text, ((hit.stream, hit.line),), distinct, True, groups)


def _many(numbers: list[float], take: str, complete: bool) -> Range:
    if take == "sum":
        return exactly(sum(numbers)) if complete else UNKNOWN
    if take == "max":
        return exactly(max(numbers)) if complete else at_least(max(numbers))
    if take == "min":
        return exactly(min(numbers)) if complete else Range(-math.inf, min(numbers))
    raise ValueError(f"a capture takes one of {', '.join(TAKES)}, not {take!r}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _hits(pattern: str, where: str, seen: Observation) -> Iterator[_Hit]:
    compiled = _compiled(pattern)
    for stream, output in seen.streams(where).items():
        for number, line in enumerate(output.lines, 1):
            for match in compiled.finditer(line):
                yield _Hit(stream, number, match, _before_gap(output, number), _after_gap(output, number))


def _before_gap(output: Output, number: int) -> bool:
    """Whether all that was printed before this line is there."""
    return output.gap is None or number <= output.gap


def _after_gap(output: Output, number: int) -> bool:
    """Whether all that was printed after this line is there."""
    return output.ended and (output.gap is None or number > output.gap)


def _where(hits: list[_Hit]) -> tuple[tuple[str, int], ...]:
    return tuple(dict.fromkeys((hit.stream, hit.line) for hit in hits[:MOST_LINES]))


def lines_record(lines: Iterable[tuple[str, int]]) -> list[str]:
    """Lines as a record names them: `stdout:12`."""
    return [f"{stream}:{line}" for stream, line in lines]


def _value(hit: _Hit) -> str:
    """The first group that took part, or the whole match."""
    return next((group for group in hit.match.groups() if group is not None), hit.match.group(0))


def _distinct(hits: Iterable[_Hit]) -> dict[str, int]:
    """How often each text was found (groups joined by `:`), the most frequent first; at most 20."""
    counts: dict[str, int] = {}
    for hit in hits:
        groups = [group for group in hit.match.groups() if group is not None]
        text = ":".join(groups) if groups else hit.match.group(0)
        counts[text] = counts.get(text, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_DISTINCT])


def _as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value
