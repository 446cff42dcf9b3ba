"""A/B comparisons of few interleaved runs: the gain from log ratios, two intervals for it, and what they allow to say.

The unit is the process: the mean over the repetitions inside one process is one sample.
With two or three pairs a paired t interval is so wide that it decides nothing (a factor of 12.7 at two pairs).
The spread between processes, pooled over many arms of the same machine and metric, is known much better; with it two pairs are enough.
No rank test is offered where even the clearest data could not reject: at five pairs a sign-flip test cannot go below 0.0625.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import comb, exp, log, sqrt
from typing import Literal, NamedTuple

from kvdocs.figures.special import special
from kvdocs.figures.spread import ENOUGH_DEGREES, Spread

CONFIDENCE = 0.95
THRESHOLD = 0.01
"""A change below one per cent is of no practical use, unless a measurement says otherwise."""


class Change(StrEnum):
    """What a comparison shows."""

    GAIN = "gain"
    LOSS = "loss"
    EQUIVALENT = "equivalent"
    NONE_SHOWN = "no difference shown"


class Order(StrEnum):
    """What the realised order of the arms does to drift."""

    CANCELS = "cancels drift"
    DRIFTS = "does not cancel drift"
    UNKNOWN = "unknown"


class Range(NamedTuple):
    """An interval for the change, as a fraction: 0.213 is +21.3%. `df` are the degrees of freedom behind it."""

    low: float
    high: float
    df: int


class Comparison(NamedTuple):
    """Arm b against arm a. `change` is the geometric mean of b / a, less one.

    `paired` rests on the pairs alone (None with one pair or unequal arms), `pooled` on the noise floor (None without one that has degrees enough).
    `basis` names the one that decided; `equivalent_within` is the smallest bound within which the arms are shown to be equivalent (two one-sided tests at 5%).
    """

    pairs: int
    change: float
    paired: Range | None
    pooled: Range | None
    basis: Literal["pooled", "paired", "none"]
    equivalent_within: float | None
    threshold: float
    verdict: Change
    order: Order

    @property
    def words(self) -> str:
        """The verdict in words: `gain`, `equivalent within 0.3%`."""
        if self.verdict is Change.EQUIVALENT and self.equivalent_within is not None:
            return f"equivalent within {self.equivalent_within:.2%}"
        return str(self.verdict)


def compare_arms(
    a: Sequence[float],
    b: Sequence[float],
    *,
    better: Literal["higher", "lower", "neither"] = "higher",
    floor: Spread | None = None,
    threshold: float = THRESHOLD,
    order: Sequence[str] | None = None,
) -> Comparison:
    """Compares two arms of positive samples, paired by position when they are equally many.

    The verdict needs the whole 95% interval beyond the threshold for a gain or a loss, and the whole 90% interval within it for equivalence.
    ValueError when an arm is empty or has a sample that is not positive.
    """
    if not a or not b or min(*a, *b) <= 0:
        raise ValueError("both arms need samples, all of them positive")
    logs_a, logs_b = [log(x) for x in a], [log(x) for x in b]
    middle = sum(logs_b) / len(b) - sum(logs_a) / len(a)
    pooled_error = (floor.sd * sqrt(1 / len(a) + 1 / len(b)), floor.df) if floor is not None and floor.df >= ENOUGH_DEGREES else None
    paired_error = _paired_error(logs_a, logs_b)
    basis: Literal["pooled", "paired", "none"] = "pooled" if pooled_error else "paired" if paired_error else "none"
    error = pooled_error or paired_error
    within = max(abs(bound) for bound in _bounds(middle, error, 2 * CONFIDENCE - 1)) if error else None
    verdict = _verdict(_bounds(middle, error, CONFIDENCE), within, threshold, better) if error else Change.NONE_SHOWN
    return Comparison(
        pairs=min(len(a), len(b)),
        change=exp(middle) - 1,
        paired=_range(middle, paired_error),
        pooled=_range(middle, pooled_error),
        basis=basis,
        equivalent_within=within,
        threshold=threshold,
        verdict=verdict,
        order=order_of(order),
    )


def order_of(arms: Sequence[str] | None) -> Order:
    """Whether a steady drift cancels in the order in which the arms ran: every arm has the same mean position (ABBA does, ABAB does not), however often it ran."""
    if not arms:
        return Order.UNKNOWN
    positions: dict[str, list[int]] = {}
    for position, arm in enumerate(arms):
        positions.setdefault(arm, []).append(position)
    middles = {Fraction(sum(where), len(where)) for where in positions.values()}
    return Order.CANCELS if len(positions) > 1 and len(middles) == 1 else Order.DRIFTS


def smallest_sign_flip_p(pairs: int) -> float:
    """The smallest two-sided p that a sign-flip test of so many pairs can give."""
    return float(2 / 2**pairs)


def smallest_rank_p(samples: int) -> float:
    """The smallest two-sided p that a Mann-Whitney test of two arms with so many samples each can give."""
    return 2 / comb(2 * samples, samples)


def rank_test_can_reject(pairs: int, risk: float = 0.05) -> bool:
    """Whether a test on ranks or signs of so many pairs could reject at all."""
    return smallest_sign_flip_p(pairs) <= risk


def t_quantile(df: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors a two-sided interval reaches to each side."""
    return float(special().stdtrit(df, (1 + confidence) / 2))


_Error = tuple[float, int]
"""The standard error of a mean log ratio, and its degrees of freedom."""


def _paired_error(logs_a: Sequence[float], logs_b: Sequence[float]) -> _Error | None:
    n = len(logs_a)
    if n < 2 or n != len(logs_b):
        return None
    ratios = [y - x for x, y in zip(logs_a, logs_b, strict=True)]
    middle = sum(ratios) / n
    return sqrt(sum((ratio - middle) ** 2 for ratio in ratios) / (n - 1) / n), n - 1


def _bounds(middle: float, error: _Error, confidence: float) -> tuple[float, float]:
    reach = t_quantile(error[1], confidence) * error[0]
    return exp(middle - reach) - 1, exp(middle + reach) - 1


def _range(middle: float, error: _Error | None) -> Range | None:
    return Range(*_bounds(middle, error, CONFIDENCE), error[1]) if error else None


def _verdict(bounds: tuple[float, float], within: float | None, threshold: float, better: str) -> Change:
    if bounds[0] > threshold:
        return Change.LOSS if better == "lower" else Change.GAIN
    if bounds[1] < -threshold:
        return Change.GAIN if better == "lower" else Change.LOSS
    return Change.EQUIVALENT if within is not None and within <= threshold else Change.NONE_SHOWN
