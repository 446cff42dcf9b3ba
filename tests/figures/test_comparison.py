"""Comparisons of few runs, held against scipy and against the table for two to five pairs of the design note on evidence."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from kvdocs.figures.comparison import Change, Order, compare_arms, order_of, rank_test_can_reject, smallest_rank_p, smallest_sign_flip_p, t_quantile
from kvdocs.figures.spread import Spread, invalid_ratio, is_invalid, pooled_spread
from kvdocs.figures.spread import _least_ratio as least_ratio

ORDERED, UNORDERED = (31.7287, 31.7165), (38.4860, 38.5025)
STORE, REMOVED = (31.7528, 31.7305), (31.7514, 31.7460)


@pytest.mark.parametrize(
    ("pairs", "sign_flip", "rank", "t", "half_width", "ranges_apart"),
    [(2, 0.50, 0.333, 12.71, 8.98, 0.33), (3, 0.25, 0.100, 4.30, 2.48, 0.10), (4, 0.125, 0.029, 3.18, 1.59, 0.028), (5, 0.0625, 0.008, 2.78, 1.24, 0.007)],
)
def test_the_table_of_few_pairs(pairs: int, sign_flip: float, rank: float, t: float, half_width: float, ranges_apart: float) -> None:
    """The smallest p of a sign-flip and of a rank test, the t quantile, the half-width in units of the spread, false alarms of "ranges do not overlap"."""
    assert smallest_sign_flip_p(pairs) == pytest.approx(sign_flip)
    assert smallest_rank_p(pairs) == pytest.approx(rank, abs=0.0005)
    assert t_quantile(pairs - 1) == pytest.approx(t, abs=0.005)
    assert t_quantile(pairs - 1) / pairs**0.5 == pytest.approx(half_width, abs=0.005)
    assert smallest_rank_p(pairs) == pytest.approx(ranges_apart, abs=0.005)
    assert smallest_rank_p(pairs) == pytest.approx(stats.mannwhitneyu(range(pairs), range(10, 10 + pairs), method="exact").pvalue)


def test_no_rank_test_where_it_cannot_reject() -> None:
    assert [rank_test_can_reject(pairs) for pairs in range(2, 8)] == [False, False, False, False, True, True]


@pytest.mark.parametrize(("repetitions", "df", "ratio"), [(3, 10, 3.86), (3, 20, 3.15), (5, 10, 3.36), (5, 20, 2.66)])
def test_the_table_of_invalid_arms(repetitions: int, df: int, ratio: float) -> None:
    """An arm is invalid from these multiples of the pooled spread on; the founding record's 1.72 against 0.06 is far beyond."""
    assert invalid_ratio(repetitions, df) == pytest.approx(ratio, abs=0.005)
    assert invalid_ratio(repetitions, df) == pytest.approx(stats.f.ppf(0.999, repetitions - 1, df) ** 0.5)
    assert [is_invalid(factor * ratio * 0.06, repetitions, Spread(0.06, df)) for factor in (0.99, 1.01)] == [False, True]
    assert is_invalid(1.72, repetitions, Spread(0.06, df))


def test_the_quick_bound_never_excuses_an_invalid_arm() -> None:
    for repetitions in (2, 3, 4, 5, 8, 10, 20, 50, 100, 1000):
        for df in (1, 2, 5, 10, 20, 100, 10_000, 10**6):
            assert least_ratio(repetitions - 1) < invalid_ratio(repetitions, df)


def test_an_arm_of_one_run_or_without_a_pool_is_not_judged() -> None:
    assert not is_invalid(9.0, 1, Spread(0.06, 10))
    assert not is_invalid(9.0, 5, Spread(0.0, 10))


def test_spreads_pool_over_arms_of_different_size() -> None:
    spread = pooled_spread([(10.0, 10.1, 10.2), (200.0, 201.0), (5.0,), (0.0, 1.0)])
    assert spread is not None
    squares = 2 * stats.tvar([log(10.0), log(10.1), log(10.2)]) + stats.tvar([log(200.0), log(201.0)])
    assert (spread.df, spread.sd) == (3, pytest.approx((squares / 3) ** 0.5))
    assert pooled_spread([(5.0,)]) is None


def test_the_change_and_the_paired_interval_are_those_of_a_t_test_on_log_ratios() -> None:
    a, b = (10.0, 10.3, 9.9, 10.1), (11.0, 11.2, 10.7, 11.3)
    result = compare_arms(a, b)
    reference = stats.ttest_1samp([log(y / x) for x, y in zip(a, b, strict=True)], 0).confidence_interval(0.95)
    assert result.paired is not None
    assert (result.paired.low, result.paired.high, result.paired.df) == (pytest.approx(exp(reference.low) - 1), pytest.approx(exp(reference.high) - 1), 3)
    assert result.change == pytest.approx((11.0 * 11.2 * 10.7 * 11.3 / (10.0 * 10.3 * 9.9 * 10.1)) ** 0.25 - 1)


def test_two_pairs_decide_with_a_noise_floor_and_not_without() -> None:
    """A gain of 3% in two pairs that scatter by 0.3%: the pairs alone say nothing, ten degrees of freedom of the same machine do."""
    a, b = (100.0, 100.3), (103.3, 103.0)
    alone, with_floor = compare_arms(a, b), compare_arms(a, b, floor=Spread(0.003, 10))
    assert (alone.basis, alone.verdict) == ("paired", Change.NONE_SHOWN)
    assert (with_floor.basis, with_floor.verdict) == ("pooled", Change.GAIN)
    assert compare_arms(a, b, floor=Spread(0.003, 7)).basis == "paired"


def test_the_founding_records_arms() -> None:
    floor = pooled_spread(
        [ORDERED, UNORDERED, STORE, REMOVED, (19.7025, 19.6820), (34.8800, 34.8439), (13.0142, 13.0137), (20.8258, 20.8300), (13.0294, 13.0275), (13.0524, 13.0518)]
    )
    overlap, store = compare_arms(ORDERED, UNORDERED, floor=floor), compare_arms(STORE, REMOVED, floor=floor)
    assert (overlap.words, f"{overlap.change:.1%}") == ("gain", "21.3%")
    assert (store.words, f"{store.change:.2%}") == ("equivalent within 0.09%", "0.02%")


@pytest.mark.parametrize(
    ("b", "better", "verdict"),
    [
        ((110.0, 110.1), "higher", Change.GAIN),
        ((90.0, 90.1), "higher", Change.LOSS),
        ((110.0, 110.1), "lower", Change.LOSS),
        ((90.0, 90.1), "lower", Change.GAIN),
        ((100.1, 100.0), "higher", Change.EQUIVALENT),
        ((100.9, 101.0), "higher", Change.NONE_SHOWN),
    ],
)
def test_the_verdict_needs_the_whole_interval(b: tuple[float, float], better: str, verdict: Change) -> None:
    assert compare_arms((100.0, 100.1), b, better=better, floor=Spread(0.003, 10)).verdict is verdict  # type: ignore[arg-type]


def test_one_run_in_each_arm_shows_nothing_without_a_noise_floor() -> None:
    result = compare_arms((100.0,), (150.0,))
    assert (result.basis, result.verdict, result.paired, result.pooled, result.equivalent_within) == ("none", Change.NONE_SHOWN, None, None, None)


def test_equivalence_is_two_one_sided_tests() -> None:
    """The 90% interval is inside ± x exactly when both one-sided t tests against x reject at 5%."""
    a, b = (100.0, 100.2, 99.9, 100.1), (100.1, 100.3, 100.2, 99.9)
    within = compare_arms(a, b).equivalent_within
    assert within is not None
    ratios = [log(y / x) for x, y in zip(a, b, strict=True)]
    for bound, rejects in ((within * 1.01, True), (within * 0.99, False)):
        upper = stats.ttest_1samp(ratios, log(1 + bound), alternative="less").pvalue
        lower = stats.ttest_1samp(ratios, log(1 - bound), alternative="greater").pvalue
        assert bool(max(upper, lower) < 0.05) is rejects


samples = st.lists(st.floats(1, 1000), min_size=2, max_size=5)


@given(samples, st.floats(0.5, 2))
def test_swapping_the_arms_swaps_gain_and_loss(a: list[float], factor: float) -> None:
    b = [factor * x for x in reversed(a)]
    there, back = compare_arms(a, b, floor=Spread(0.01, 10)), compare_arms(b, a, floor=Spread(0.01, 10))
    assert (1 + there.change) * (1 + back.change) == pytest.approx(1)
    opposite = {Change.GAIN: Change.LOSS, Change.LOSS: Change.GAIN}
    if abs(there.change) > 0.05:
        assert back.verdict is opposite.get(there.verdict, there.verdict)


@pytest.mark.parametrize(
    ("arms", "order"),
    [
        ("abba", Order.CANCELS),
        ("baab", Order.CANCELS),
        ("abbaabba", Order.CANCELS),
        ("abab", Order.DRIFTS),
        ("ab", Order.DRIFTS),
        ("aabb", Order.DRIFTS),
        ("abb", Order.DRIFTS),
        ("aba", Order.CANCELS),
        ("abcabbacba", Order.CANCELS),
        ("aaaa", Order.DRIFTS),
        ("", Order.UNKNOWN),
    ],
)
def test_the_order_cancels_a_steady_drift_or_does_not(arms: str, order: Order) -> None:
    assert order_of(list(arms)) is order


@given(st.permutations(["a", "a", "a", "b", "b", "b"]))
def test_an_order_cancels_exactly_when_a_steady_drift_leaves_both_arms_alike(arms: list[str]) -> None:
    means = [sum(i for i, arm in enumerate(arms) if arm == name) for name in "ab"]
    assert (order_of(arms) is Order.CANCELS) is (means[0] == means[1])


@pytest.mark.parametrize(("a", "b"), [((), (1.0,)), ((1.0,), ()), ((0.0,), (1.0,)), ((1.0,), (-1.0,))])
def test_arms_need_positive_samples(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="positive"):
        compare_arms(a, b)
