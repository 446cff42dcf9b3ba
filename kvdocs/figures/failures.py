"""Failure rates: k failures in n eligible runs, and how many clean runs it takes to believe a repair.

Runs that ended for another reason (no device, out of time, another crash signature) are not eligible: they are named and not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, log
from typing import NamedTuple

from kvdocs.figures.special import special

CONFIDENCE = 0.95
RISK = 0.05
"""How likely it may be that a defect that is still there shows nothing in all of the clean runs."""
LEAST_CLEAN_RUNS = 8
"""What is asked for even where the old evidence would allow fewer: enough to show a defect of one run in three."""
MOST_CLEAN_RUNS = 100_000


@dataclass(frozen=True, slots=True)
class FailureRate:
    """What was seen: `failures` of `runs` eligible runs, and the others with the reason why they do not count."""

    failures: int
    runs: int
    ineligible: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.failures <= self.runs or self.runs == 0:
            raise ValueError(f"{self.failures} of {self.runs} is not a number of failures in a number of runs")

    @property
    def words(self) -> str:
        """`1 of 3 runs`, and how many were left out."""
        left_out = f" ({len(self.ineligible)} not eligible)" if self.ineligible else ""
        return f"{self.failures} of {self.runs} run{'' if self.runs == 1 else 's'}{left_out}"

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The exact (Clopper-Pearson) interval of the rate."""
        betaincinv = special().betaincinv
        k, n, tail = self.failures, self.runs, (1 - confidence) / 2
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return low, high


def clean_runs(rate: float, risk: float = RISK) -> int:
    """How many clean runs in a row a defect of this rate shows with at most this probability: the classical answer, for a rate that is known.

    It is also how many runs a script needs to show such a defect with probability 1 - risk.
    """
    if not 0 < rate <= 1:
        raise ValueError(f"{rate} is not a rate at which something fails")
    # A rounding error of the quotient must not cost a run.
    return 1 if rate == 1 else max(1, ceil(log(risk) / log(1 - rate) - 1e-12))


def chance_of_clean(rate: float, runs: int) -> float:
    """The probability that a defect of this rate shows nothing in so many runs."""
    return float((1 - rate) ** runs)


def chance_of_clean_given(old: FailureRate, runs: int) -> float:
    """The same when the rate is known only from old runs: Bayes, predictive, with the prior of Jeffreys."""
    chance = 1.0
    for run in range(runs):
        # B(a, b + N) / B(a, b) as a product, with a = k + 1/2 and b = n - k + 1/2.
        good = old.runs - old.failures + 0.5 + run
        chance *= good / (good + old.failures + 0.5)
    return chance


def clean_runs_given(old: FailureRate, risk: float = RISK) -> int:
    """The smallest number of clean runs for which `chance_of_clean_given` is at most the risk."""
    chance, runs = 1.0, 0
    while chance > risk and runs < MOST_CLEAN_RUNS:
        good = old.runs - old.failures + 0.5 + runs
        chance *= good / (good + old.failures + 0.5)
        runs += 1
    return runs


def clean_runs_fisher(old: FailureRate, risk: float = RISK) -> int | None:
    """The smallest number of clean runs that Fisher's exact test, one-sided, sets apart from the old runs; None when no number does."""
    if not old.failures:
        return None
    runs = 1
    ways, limit = comb(old.runs, old.failures), Fraction(str(risk))
    while ways > limit * comb(old.runs + runs, old.failures):
        runs += 1
        if runs > MOST_CLEAN_RUNS:
            return None
    return runs


def remaining_rate(clean: int, confidence: float = CONFIDENCE) -> float:
    """The largest rate that so many clean runs and no failure leave possible: 10 leave 26%, 59 leave 5%."""
    return float(1 - (1 - confidence) ** (1 / clean)) if clean else 1.0


class Gate(NamedTuple):
    """What a gate of `required` clean runs is worth against what was seen before.

    `leaves` is the largest rate that it does not exclude; `missed` how likely an unrepaired defect passes it; `advised` how many runs to ask for.
    """

    old: FailureRate
    required: int
    leaves: float
    missed: float
    advised: int

    @property
    def enough(self) -> bool:
        return self.required >= self.advised


def weigh_gate(old: FailureRate, required: int, risk: float = RISK) -> Gate:
    """Weighs a gate such as "10 of 10 runs complete" against the old rate."""
    return Gate(old, required, remaining_rate(required), chance_of_clean_given(old, required), max(LEAST_CLEAN_RUNS, clean_runs_given(old, risk)))


class RatePool(NamedTuple):
    """Runs that are counted together. `where` is their machine and source in words, `basis` is `reported` or `executed`.

    `at_home` marks the pool of the environment and commit that the defect's record names.
    """

    defect: str
    where: str
    basis: str
    rate: FailureRate
    at_home: bool = False


class GateWorth(NamedTuple):
    """What a gate of clean runs is worth against one pool of earlier runs."""

    gate: str
    pool: RatePool
    worth: Gate
