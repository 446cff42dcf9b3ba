"""A pattern and the lines of a stream, which come in blocks -> what it found, in one pass and without keeping the lines.

Most patterns name a text that each of their matches holds, such as `ERROR SUMMARY: `. Only lines with that text are tried:
looking for a text is tens of times faster than trying a pattern on every line.
"""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

MOST_LINES = 50
"""How many matching lines are remembered by number."""
MOST_TEXT = 32 * 1024 * 1024
"""So much room is given to different texts that a capture found; what is found for the first time after that is not counted among them."""
TEXT_OVERHEAD = 100
AGGREGATES = ("sum", "max", "min")
_MANY = 100_000
_SHORTEST_LITERAL = 3


class Hit(NamedTuple):
    """A match and the line, from 1, that it is in."""

    line: int
    match: re.Match[str]


class PatternSearch:
    """How often a pattern matches in a stream, where the first matches are, and the first and the last of them."""

    def __init__(self, pattern: str) -> None:
        self._pattern = _compiled(pattern)
        self._literal = literal_in(pattern)
        self.found = 0
        self.lines: list[int] = []
        self.first: Hit | None = None
        self._last: tuple[int, re.Match[str]] | None = None

    @property
    def last(self) -> Hit | None:
        """The last match so far."""
        return None if self._last is None else Hit(*self._last)

    def feed(self, text: str, number: int) -> None:
        """Look at whole lines, each ended by a line feed, the last one perhaps not; `number` is that of the first."""
        if not self._literal:
            for line in text.removesuffix("\n").split("\n") if text else ():
                self._look(line.removesuffix("\r"), number)
                number += 1
            return
        counted = end = 0
        while (at := text.find(self._literal, end)) >= 0:
            begin = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            if end < 0:
                end = len(text)
            number += text.count("\n", counted, begin)
            counted = begin
            self._look(text[begin:end].removesuffix("\r"), number)

    def _look(self, line: str, number: int) -> None:
        for match in self._pattern.finditer(line):
            self.found += 1
            self._last = (number, match)
            if self.found <= MOST_LINES:
                self.lines.append(number)
                self.first = self.first or Hit(number, match)
            self.take(match)

    def take(self, match: re.Match[str]) -> None:
        """Hear of every match."""


class TotalSearch(PatternSearch):
    """A pattern whose first group is a total that a tool prints; `largest` is the largest one."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.largest = 0

    def take(self, match: re.Match[str]) -> None:
        """Note the total. ValueError when it is none."""
        self.largest = max(self.largest, int(match.group(1)))


class ValueSearch(PatternSearch):
    """A pattern that takes values from the output: how often each text was found, and the numbers when `take` is of many."""

    def __init__(self, pattern: str, take: str) -> None:
        super().__init__(pattern)
        self._aggregate = {"max": max, "min": min}.get(take)
        self._room = MOST_TEXT
        self._counts_numbers = take in AGGREGATES
        self.distinct: dict[str, int] = {}
        self.numbers = array("d")

    def take(self, match: re.Match[str]) -> None:
        """Note the text (groups joined by `:`) and the number."""
        groups = match.groups()
        if None in groups:
            groups = tuple(group for group in groups if group is not None)
        text = ":".join(groups) if groups else match[0]
        seen = self.distinct.get(text)
        if seen is not None:
            self.distinct[text] = seen + 1
        elif self._room > 0:
            self.distinct[text] = 1
            self._room -= len(text) + TEXT_OVERHEAD
        if self._counts_numbers and (number := number_in(groups[0] if groups else text)) is not None:
            self.numbers.append(number)
            if self._aggregate is not None and len(self.numbers) > _MANY:
                self.numbers = array("d", [self._aggregate(self.numbers)])


def value_of(match: re.Match[str]) -> str:
    """The first group that took part, or the whole match."""
    return next((group for group in match.groups() if group is not None), match.group(0))


def number_in(text: str) -> float | None:
    """The number that a text is; None when it is none, or not finite."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_TIMES = r"[?*+]|\{\d*,?\d*\}"
_TOKEN = re.compile(
    rf"(?P<literal>[A-Za-z0-9 _\-/:=,;!@#%&<>~`'\"]|\\[^\w\s])(?P<times>{_TIMES})?"
    rf"|(?P<open>\((?:\?(?:P<\w+>|:|[=!]|<[=!]))?)(?!\?)"
    rf"|(?P<close>\))(?P<group_times>{_TIMES})?"
    rf"|(?P<other>\[\^?\]?(?:\\.|[^\]\\])*\]|\\[AbBdDsSwWZ]|[.^$]|{_TIMES})"
    rf"|(?P<or>\|)",
    re.DOTALL,
)
"""The parts of a regular expression of the usual kind. What is not among them, such as `(?i)`, `\\1` and letters of other scripts, ends the search for a literal."""


@dataclass
class _Group:
    """A group, or the whole expression: the texts that stand in each match of it, and the one that goes on."""

    is_part: bool = True
    runs: list[str] = field(default_factory=list)
    run: str = ""

    def end_run(self) -> None:
        self.runs.append(self.run)
        self.run = ""


@lru_cache(maxsize=256)
def literal_in(pattern: str) -> str:
    """The longest text that stands in every match of a regular expression, as far as that is easily seen; else an empty one.

    What may be missing, what is one of several alternatives, and what is only looked ahead or back for is passed over.
    """
    groups, at = [_Group()], 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return ""
        at = token.end()
        if token["literal"] and token["times"] in (None, "+"):
            groups[-1].run += token["literal"].removeprefix("\\")
            if token["times"] is None:
                continue
        groups[-1].end_run()
        if token["open"]:
            groups.append(_Group(is_part=token["open"][-1] not in "=!"))
        elif token["or"]:
            groups[-1].is_part = False
        elif token["close"]:
            closed = groups.pop()
            if not groups:
                return ""
            groups[-1].runs += closed.runs if closed.is_part and token["group_times"] in (None, "+") else []
    groups[-1].end_run()
    longest = max(groups[0].runs, key=len)
    return longest if len(groups) == 1 and groups[0].is_part and len(longest) >= _SHORTEST_LITERAL else ""
