"""What one execution left behind, in the form that expectations are held against; and values known only as intervals."""

from __future__ import annotations

import math
import signal as signals
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .terminal import plain_text

RAN_TO_ITS_END = ("passed", "failed", "signalled")
"""Outcomes after which the output is all that the script had to say."""


@dataclass(frozen=True)
class Output:
    """The lines of a stream. `gap` is the number of lines before a part that was not kept; `ended` whether its writer ended by itself."""

    lines: tuple[str, ...] = ()
    gap: int | None = None
    ended: bool = True

    @property
    def complete(self) -> bool:
        """Whether what does not stand here was not printed."""
        return self.gap is None and self.ended


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
    """The lines of a kept log; `gap_at` is the byte at which a part is missing."""
    if gap_at is None:
        return Output(_lines(raw), None, ended)
    head = _lines(raw[:gap_at])
    return Output(head + _lines(raw[gap_at:]), len(head), ended)


def _lines(raw: bytes) -> tuple[str, ...]:
    """Lines as editors number them: ended by a line feed, with a carriage return before it taken off."""
    lines = plain_text(raw).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


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
