"""Failure rates, held against scipy and against the tables of the design note on evidence."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import beta

from kvdocs.figures.failures import FailureRate, chance_of_clean, chance_of_clean_given, clean_runs, clean_runs_fisher, clean_runs_given, remaining_rate, weigh_gate


@pytest.mark.parametrize(
    ("rate", "at_5", "at_1", "at_01", "ten_clean"),
    [
        (2 / 3, 3, 5, 7, 0.00002),
        (1 / 2, 5, 7, 10, 0.001),
        (1 / 3, 8, 12, 18, 0.017),
        (1 / 4, 11, 17, 25, 0.056),
        (1 / 10, 29, 44, 66, 0.35),
        (1 / 89, 266, 408, 612, 0.89),
    ],
)
def test_the_table_of_clean_runs_for_a_known_rate(rate: float, at_5: int, at_1: int, at_01: int, ten_clean: float) -> None:
    assert [clean_runs(rate, risk) for risk in (0.05, 0.01, 0.001)] == [at_5, at_1, at_01]
    assert chance_of_clean(rate, 10) == pytest.approx(ten_clean, rel=0.2)


@pytest.mark.parametrize(
    ("failures", "runs", "low", "high", "at_low_end", "bayes", "fisher"),
    [
        (1, 3, 0.008, 0.906, 355, 18, 57),
        (2, 6, 0.043, 0.777, 68, 13, 19),  # the note says 20; at 19 clean runs p is 15 / C(25, 2), which is exactly 1/20
        (4, 9, 0.137, 0.788, 21, 7, 9),
        (2, 3, 0.094, 0.992, 31, 5, 9),
        (5, 6, 0.359, 0.996, 7, 3, 3),
        (10, 30, 0.173, 0.528, 16, 9, 9),
    ],
)
def test_the_table_of_clean_runs_for_old_evidence(failures: int, runs: int, low: float, high: float, at_low_end: int, bayes: int, fisher: int) -> None:
    old = FailureRate(failures, runs)
    assert old.interval() == (pytest.approx(low, abs=0.0005), pytest.approx(high, abs=0.0005))
    assert clean_runs(old.interval()[0]) == at_low_end
    assert clean_runs_given(old) == bayes
    assert clean_runs_fisher(old) == fisher


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_clopper_and_pearson(seen: tuple[int, int]) -> None:
    reference = stats.binomtest(*seen).proportion_ci(0.95, method="exact")
    assert FailureRate(*seen).interval() == (pytest.approx(reference.low, abs=1e-12), pytest.approx(reference.high, abs=1e-12))


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))))
def test_fishers_number_is_the_first_that_rejects(seen: tuple[int, int]) -> None:
    """By scipy's test at that number of clean runs, and not at one fewer."""
    failures, runs = seen
    clean = clean_runs_fisher(FailureRate(failures, runs))
    assert clean is not None

    def p(n: int) -> float:
        return float(stats.fisher_exact([[failures, runs - failures], [0, n]], alternative="greater").pvalue)

    assert p(clean) <= 0.05 + 1e-12
    if clean > 1:
        assert p(clean - 1) > 0.05


@given(st.integers(0, 10).flatmap(lambda k: st.tuples(st.just(k), st.integers(max(k, 1), 20))), st.integers(0, 50))
def test_the_predictive_chance_is_a_ratio_of_beta_functions(seen: tuple[int, int], clean: int) -> None:
    k, n = seen
    a, b = k + 0.5, n - k + 0.5
    assert chance_of_clean_given(FailureRate(k, n), clean) == pytest.approx(beta(a, b + clean) / beta(a, b))


@pytest.mark.parametrize(("clean", "leaves"), [(10, 0.26), (20, 0.14), (30, 0.095), (59, 0.05)])
def test_what_clean_runs_leave(clean: int, leaves: float) -> None:
    assert remaining_rate(clean) == pytest.approx(leaves, abs=0.0012)
    assert remaining_rate(clean) == pytest.approx(stats.binomtest(0, clean, alternative="less").proportion_ci(0.95, method="exact").high)


def test_a_gate_of_ten_of_ten_against_one_in_three() -> None:
    """One abort in three runs is so little evidence that 18 clean runs are needed; pooled with two more passes, 4 of 9, ten are enough."""
    weak, pooled = weigh_gate(FailureRate(1, 3), 10), weigh_gate(FailureRate(4, 9), 10)
    assert (weak.advised, weak.enough, round(weak.missed, 2), round(weak.leaves, 3)) == (18, False, 0.1, 0.259)
    assert (pooled.advised, pooled.enough, round(pooled.missed, 3)) == (8, True, 0.019)


def test_a_script_needs_eight_runs_to_show_a_defect_of_one_in_three() -> None:
    assert clean_runs(1 / 3) == 8
    assert 1 - chance_of_clean(1 / 3, 3) == pytest.approx(0.70, abs=0.005)


def test_the_words_name_what_was_left_out() -> None:
    assert FailureRate(1, 3).words == "1 of 3 runs"
    assert FailureRate(0, 1, ("no device", "time limit")).words == "0 of 1 run (2 not eligible)"


@pytest.mark.parametrize(("failures", "runs"), [(-1, 3), (4, 3), (0, 0)])
def test_what_is_no_number_of_failures_is_refused(failures: int, runs: int) -> None:
    with pytest.raises(ValueError, match="is not a number of failures"):
        FailureRate(failures, runs)


def test_without_a_failure_no_number_of_clean_runs_sets_apart() -> None:
    assert clean_runs_fisher(FailureRate(0, 5)) is None
    assert clean_runs(1.0) == 1
    with pytest.raises(ValueError, match="is not a rate"):
        clean_runs(0)


def test_the_exact_limit_is_not_lost_to_rounding() -> None:
    """1/2 and a risk of 1/32: five runs, although log(1/32) / log(1/2) may come out a little above 5."""
    assert clean_runs(0.5, float(Fraction(1, 32))) == 5
