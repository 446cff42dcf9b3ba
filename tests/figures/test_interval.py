"""Interval arithmetic: whatever the writer meant lies in the interval of what was written, and stays in it through every operation."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures.interval import EXACT_BITS, Interval, UndefinedError, hull, maximum, minimum, written

numbers = st.fractions(min_value=-1000, max_value=1000, max_denominator=10_000)
shares = st.fractions(min_value=0, max_value=1, max_denominator=1000)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    ends = sorted([draw(numbers), draw(numbers)])
    return Interval(ends[0], ends[1])


@st.composite
def with_a_point(draw: st.DrawFn, positive: bool = False) -> tuple[Interval, Fraction]:
    """An interval and a number in it."""
    interval = draw(intervals())
    if positive:
        interval = Interval(abs(interval).low + Fraction(1, 7), abs(interval).high + Fraction(1, 7))
    return interval, interval.low + draw(shares) * interval.width


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("31.5", "31.45", "31.55"),
        ("31.50", "31.495", "31.505"),
        ("-0.85", "-0.855", "-0.845"),
        ("60", "59.5", "60.5"),
        ("6e+1", "55", "65"),
        ("1.150e3", "1149.5", "1150.5"),
        ("0", "-0.5", "0.5"),
        ("0.00", "-0.005", "0.005"),
    ],
)
def test_a_number_is_open_by_half_a_unit_of_its_last_digit(text: str, low: str, high: str) -> None:
    assert written(Decimal(text)) == Interval(Fraction(low), Fraction(high))


def test_a_whole_number_is_open_too_unless_it_is_exact() -> None:
    assert written(1264) == Interval(Fraction("1263.5"), Fraction("1264.5"))
    assert written(1264, exact=True) == Interval.exact(1264)
    assert written(Decimal("31.50"), exact=True) == Interval.exact(Fraction(63, 2))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e61", "1e-61", "1e999999", "1" + "0" * 70])
def test_what_cannot_be_measured_is_refused(text: str) -> None:
    with pytest.raises(UndefinedError):
        written(Decimal(text))


@given(with_a_point(), with_a_point())
def test_sums_differences_and_products_hold_those_of_their_points(a: tuple[Interval, Fraction], b: tuple[Interval, Fraction]) -> None:
    (x, p), (y, q) = a, b
    assert p + q in x + y
    assert p - q in x - y
    assert p * q in x * y
    assert -p in -x
    assert abs(p) in abs(x)


@given(with_a_point(), with_a_point())
def test_a_quotient_holds_those_of_its_points_or_is_undefined(a: tuple[Interval, Fraction], b: tuple[Interval, Fraction]) -> None:
    (x, p), (y, q) = a, b
    if 0 in y:
        with pytest.raises(UndefinedError, match="zero"):
            x / y
    else:
        assert p / q in x / y


@given(with_a_point(), st.integers(-16, 16))
def test_a_power_holds_those_of_its_points(a: tuple[Interval, Fraction], exponent: int) -> None:
    x, p = a
    if exponent < 0 and 0 in x:
        with pytest.raises(UndefinedError):
            x.power(exponent)
    else:
        assert p**exponent in x.power(exponent)


@given(with_a_point(positive=True))
def test_roots_logarithms_and_exponentials_hold_those_of_their_points(a: tuple[Interval, Fraction]) -> None:
    x, p = a
    with localcontext(prec=60):
        exact = Decimal(p.numerator) / Decimal(p.denominator)
        tolerance = Fraction(1, 10**40)
        root, log = Fraction(exact.sqrt()), Fraction(exact.ln())
        assert x.sqrt().low - tolerance <= root <= x.sqrt().high + tolerance
        assert x.log().low - tolerance <= log <= x.log().high + tolerance
        if x.high <= 600:
            exp = Fraction(exact.exp())
            assert x.exp().low * (1 - tolerance) <= exp <= x.exp().high * (1 + tolerance)


@given(st.fractions(min_value=0, max_value=10**6))
def test_a_root_is_enclosed_exactly_and_tightly(value: Fraction) -> None:
    root = Interval.exact(value).sqrt()
    assert root.low**2 <= value <= root.high**2
    assert root.width < Fraction(1, 10**30)


@given(st.lists(with_a_point(), min_size=1, max_size=5))
def test_the_smallest_and_the_largest_hold_those_of_the_points(several: list[tuple[Interval, Fraction]]) -> None:
    boxes, points = [box for box, _ in several], [point for _, point in several]
    assert min(points) in minimum(boxes)
    assert max(points) in maximum(boxes)
    assert all(point in hull(boxes) for point in points)


@given(with_a_point(), st.integers(1, 40))
def test_long_fractions_are_rounded_outwards(a: tuple[Interval, Fraction], rounds: int) -> None:
    """Repeated division makes fractions of thousands of digits; the bounds stay short and never cut off the point."""
    x, p = a
    for divisor in range(rounds):
        x, p = x / Interval.exact(10**9 + 7 + divisor) + Interval.exact(Fraction(1, 3)), p / (10**9 + 7 + divisor) + Fraction(1, 3)
    assert p in x
    assert max(x.low.denominator.bit_length(), x.high.numerator.bit_length()) <= 2 * EXACT_BITS


@pytest.mark.parametrize(
    ("calculate", "why"),
    [
        (lambda: Interval.exact(1) / Interval.exact(0), "divides by zero"),
        (lambda: Interval.exact(1) / written(0), r"divides by a number that may be zero (-0.5 to 0.5)"),
        (lambda: written(0).sqrt(), "takes the root of a number that may be negative (-0.5)"),
        (lambda: written(0).log(), "takes the logarithm of a number that may not be positive (-0.5)"),
        (lambda: Interval.exact(601).exp(), "takes the exponential of a number beyond 600 (601)"),
        (lambda: Interval.exact(2).power(17), "the power 17 is beyond 16"),
        (lambda: Interval.exact(10**300) * Interval.exact(10), "is larger than 1e300"),
    ],
)
def test_a_result_that_does_not_exist_says_why(calculate: object, why: str) -> None:
    with pytest.raises(UndefinedError) as raised:
        calculate()  # type: ignore[operator]
    assert str(raised.value) == why
