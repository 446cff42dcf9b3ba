"""Spread between processes: pooled over replicated arms, the noise floor of a machine; and the rule for an arm whose own spread is too large.

All spreads are of logarithms, hence relative: throughputs of different sizes pool into one figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import NamedTuple

from kvdocs.figures.special import special

ENOUGH_DEGREES = 8
"""A pooled spread with fewer degrees of freedom decides nothing by itself."""
ARM_RISK = 0.001
"""How often the rule for an invalid arm may strike a valid one."""


class Spread(NamedTuple):
    """A standard deviation of logarithms and its degrees of freedom."""

    sd: float
    df: int


def pooled_spread(arms: Iterable[Sequence[float]]) -> Spread | None:
    """The spread within arms, pooled over them: the root of summed squares over summed degrees of freedom.

    An arm with one sample, or with one that is not positive, adds nothing. None when no arm adds anything.
    """
    squares, df = 0.0, 0
    for samples in arms:
        if len(samples) > 1 and min(samples) > 0:
            logs = [log(sample) for sample in samples]
            middle = sum(logs) / len(logs)
            squares += sum((one - middle) ** 2 for one in logs)
            df += len(logs) - 1
    return Spread(sqrt(squares / df), df) if df else None


def spread_of(samples: Sequence[float]) -> float:
    """The standard deviation of the samples' own values; at least two."""
    middle = sum(samples) / len(samples)
    return sqrt(sum((one - middle) ** 2 for one in samples) / (len(samples) - 1))


def invalid_ratio(repetitions: int, df: int, risk: float = ARM_RISK) -> float:
    """How many times the pooled spread an arm of so many repetitions may have: the root of the F quantile at 1 - risk."""
    return sqrt(float(special().fdtri(repetitions - 1, df, 1 - risk)))


def is_invalid(arm: float, repetitions: int, pool: Spread, risk: float = ARM_RISK) -> bool:
    """Whether an arm's spread is too large for the pool: its block (both arms) is run again, and the data are kept with the rule.

    A quiet arm can still be wrong as a whole: other jobs on the GPU, clocks and throttling are separate gates.
    """
    if repetitions < 2 or pool.sd <= 0:
        return False
    ratio = arm / pool.sd
    # The quantile is never below its limit for a pool without end; most arms are below that, and scipy need not be loaded.
    return ratio >= _least_ratio(repetitions - 1) and ratio > invalid_ratio(repetitions, pool.df, risk)


def _least_ratio(df: int) -> float:
    """A bound below the root of the F quantile at 0.999 for any pool (Wilson-Hilferty, less a tenth)."""
    part = 2 / (9 * df)
    return sqrt(max(0.0, (1 - part + 3.0902 * sqrt(part)) ** 3 * 0.9))
