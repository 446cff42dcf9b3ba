"""The beta distribution, which the exact interval of a rate and the quantiles of t and F come from.

scipy has it too, and a test holds these values against it; to load scipy takes a third of a second, which is more than most commands take.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p

EXACT = 2.0**-53
TERMS = 100_000


@lru_cache(maxsize=1024)
def beta_quantile(p: float, a: float, b: float) -> float:
    """Below which value a variable of the beta distribution (a, b) lies with probability p: found by halving, up to what a float tells apart."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if beta_below(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return high


def beta_below(x: float, a: float, b: float) -> float:
    """The probability that a variable of the beta distribution (a, b) is at most x, for 0 < x < 1: the regularized incomplete beta function (DLMF 8.17.22)."""
    if x > (a + 1) / (a + b + 2):  # on this side the fraction takes many more terms
        return 1 - beta_below(1 - x, b, a)
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / (a * _fraction(x, a, b))


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction 1 + d1/(1 + d2/(1 + ...)) of DLMF 8.17.23, from its front (Lentz, DLMF 3.10)."""
    value, above, below = 1.0, 1.0, 0.0
    for number in range(1, TERMS):
        m = number // 2
        part = m * (b - m) * x / ((a + number - 1) * (a + number)) if number % 2 == 0 else -(a + m) * (a + b + m) * x / ((a + number - 1) * (a + number))
        above, below = 1 + part / above, 1 / (1 + part * below)
        value *= above * below
        if abs(above * below - 1) <= EXACT:
            break
    return value
