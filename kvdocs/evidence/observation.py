"""What one execution left behind, in the form that expectations are held against; and values known only as intervals."""

from __future__ import annotations

import math
import signal as signals
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .pattern_search import PatternSearch, TotalSearch, ValueSearch
from .terminal import plain_text

_ASearch = TypeVar("_ASearch", bound=PatternSearch)

RAN_TO_ITS_END = ("passed", "failed", "signalled")
"""Outcomes after which the output is all that the script had to say."""


class Output:
    """The lines of a stream, which come in blocks. `gap` is the number of lines before a part that was not kept; `ended` whether its writer ended by itself.

    A search that is asked for twice is the same one. With `keep=False` a block is gone when it has been fed, and a search sees those that come after it was first asked for.
    """

    def __init__(self, *, ended: bool = True, keep: bool = True) -> None:
        self.gap: int | None = None
        self.ended = ended
        self._keep = keep
        self._count = 0
        self._blocks: list[tuple[int, str]] = []
        self._searches: dict[tuple[object, ...], Any] = {}

    @property
    def complete(self) -> bool:
        """Whether what does not stand here was not printed."""
        return self.gap is None and self.ended

    def whole_before(self, line: int) -> bool:
        """Whether all that was printed before this line is there."""
        return self.gap is None or line <= self.gap

    def whole_after(self, line: int) -> bool:
        """Whether all that was printed after this line is there."""
        return self.ended and (self.gap is None or line > self.gap)

    def feed(self, text: str) -> None:
        """The next lines, each ended by a line feed; the last one of the stream, or before the gap, perhaps not."""
        number = self._count + 1
        for search in self._searches.values():
            search.feed(text, number)
        if self._keep:
            self._blocks.append((number, text))
        self._count += text.count("\n") + bool(text and not text.endswith("\n"))

    def part(self) -> None:
        """A part of the stream is missing here."""
        self.gap = self._count

    def search(self, pattern: str) -> PatternSearch:
        """The matches of a pattern."""
        return self._search(PatternSearch, pattern)

    def total_search(self, pattern: str) -> TotalSearch:
        """The matches of a pattern whose first group is a total."""
        return self._search(TotalSearch, pattern)

    def value_search(self, pattern: str, take: str) -> ValueSearch:
        """The matches of a pattern that takes a value."""
        return self._search(ValueSearch, pattern, take)

    def _search(self, kind: Callable[..., _ASearch], *words: str) -> _ASearch:
        key = (kind, *words)
        if key not in self._searches:
            self._searches[key] = search = kind(*words)
            for number, text in self._blocks:
                search.feed(text, number)
        found: _ASearch = self._searches[key]
        return found


@dataclass(frozen=True)
class Observation:
    """One execution: its outcome (see `record.OUTCOMES`), why, its end, its output and the numbers that it wrote."""

    outcome: str
    reason: str = ""
    exit_code: int | None = None
    signal: str | None = None
    stdout: Output = field(default_factory=Output)
    stderr: Output = field(default_factory=Output)
    metrics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether the script was executed at all."""
        return self.outcome != "unavailable"

    def streams(self, where: str) -> dict[str, Output]:
        """The streams meant by `stdout`, `stderr` or `any`."""
        both = {"stdout": self.stdout, "stderr": self.stderr}
        return both if where == "any" else {where: both[where]}


def output_of(raw: bytes, *, gap_at: int | None = None, ended: bool = True) -> Output:
    """The lines of a kept log, as editors number them; `gap_at` is the byte at which a part is missing."""
    output = Output(ended=ended)
    if gap_at is not None:
        output.feed(plain_text(raw[:gap_at]))
        output.part()
    output.feed(plain_text(raw[gap_at or 0 :]))
    return output


@dataclass(frozen=True)
class Range:
    """A number known to lie between two bounds; both are the same when it is known exactly."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether the number is known."""
        return self.low == self.high

    def words(self) -> str:
        """`100`, `at least 100`, `at most 3`, or `unknown`."""
        if self.exact:
            return _number(self.low)
        if math.isinf(self.high) and math.isinf(self.low):
            return "unknown"
        return f"at least {_number(self.low)}" if math.isinf(self.high) else f"at most {_number(self.high)}"

    def holds(self, relation: str, bound: float) -> bool | None:
        """Whether the relation holds for every number in the range (True), for none (False), or depends (None)."""
        if relation == "equals":
            return (True if self.exact else None) if self.low <= bound <= self.high else False
        if relation == "at_least":
            return True if self.low >= bound else False if self.high < bound else None
        if relation == "at_most":
            return True if self.high <= bound else False if self.low > bound else None
        if relation == "above":
            return True if self.low > bound else False if self.high <= bound else None
        if relation == "below":
            return True if self.high < bound else False if self.low >= bound else None
        raise ValueError(f"unknown relation {relation!r}")


RELATIONS = ("equals", "at_least", "at_most", "above", "below")
UNKNOWN = Range(-math.inf, math.inf)


def exactly(number: float) -> Range:
    """A number that is known."""
    return Range(number, number)


def at_least(number: float) -> Range:
    """A number of which only the lower bound is known."""
    return Range(number, math.inf)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(value)


def ended_with(observation: Observation, wanted: object) -> bool | None:
    """Whether the script ended with this exit code or signal; None when it did not end by itself.

    `wanted` is a number, `nonzero`, a signal's name, or a list of these. A shell reports death by signal N as exit code 128 + N,
    so the two are taken for the same.
    """
    if observation.outcome not in RAN_TO_ITS_END:
        return None
    code = observation.exit_code
    if observation.signal is not None:
        code = 128 + _signal_number(observation.signal)
    choices = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    return any(_is_end(code, choice) for choice in choices)


def _is_end(code: int | None, wanted: object) -> bool:
    if wanted == "nonzero":
        return code != 0
    if isinstance(wanted, str):
        return code == 128 + _signal_number(wanted)
    return code == wanted


def _signal_number(name: str) -> int:
    try:
        return int(signals.Signals[name])
    except KeyError:
        return int(name[3:]) if name[3:].isdigit() else -1
