"""The beta distribution and the quantiles that come from it, held against scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from kvdocs.figures.beta import beta_below, beta_quantile
from kvdocs.figures.comparison import t_quantile
from kvdocs.figures.failures import FailureRate
from kvdocs.figures.spread import invalid_ratio

HALVES = st.integers(1, 2000).map(lambda number: number / 2)
CHANCES = st.floats(0.0005, 0.9995)


@given(CHANCES, HALVES, HALVES)
def test_quantiles_of_the_beta_distribution(p: float, a: float, b: float) -> None:
    assert beta_quantile(p, a, b) == pytest.approx(special.betaincinv(a, b, p), rel=1e-10)


@given(CHANCES, HALVES, HALVES)
def test_a_quantile_has_its_probability_below_it(p: float, a: float, b: float) -> None:
    assert beta_below(beta_quantile(p, a, b), a, b) == pytest.approx(p, rel=1e-10)


@given(st.integers(1, 500), st.sampled_from([0.8, 0.9, 0.95, 0.99, 0.999]))
def test_quantiles_of_t(df: int, confidence: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(stats.t.ppf((1 + confidence) / 2, df), rel=1e-11)


@given(st.integers(2, 100), st.integers(1, 500))
def test_the_limit_for_an_arm_comes_from_the_quantile_of_f(repetitions: int, df: int) -> None:
    assert invalid_ratio(repetitions, df) == pytest.approx(stats.f.isf(0.001, repetitions - 1, df) ** 0.5, rel=1e-11)


@given(st.integers(1, 3000), st.floats(0, 1))
def test_the_interval_of_a_rate(runs: int, share: float) -> None:
    failures = round(runs * share)
    found = stats.binomtest(failures, runs).proportion_ci(confidence_level=0.95, method="exact")
    assert FailureRate(failures, runs).interval() == pytest.approx((found.low, found.high), rel=1e-9)
