"""Numbers as text: the rounding that all printed figures have."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures.interval import Interval
from kvdocs.figures.numerals import MAX_DECIMALS, below, rounded, supported_decimals


@given(st.fractions(), st.integers(-30, 30))
def test_a_number_is_rounded_to_the_nearest_one_with_halves_away_from_zero(value: Fraction, decimals: int) -> None:
    steps = floor(abs(value) * Fraction(10) ** decimals + Fraction(1, 2))
    assert rounded(value, decimals).as_tuple() == Decimal((int(value < 0), tuple(map(int, str(steps))), -decimals)).as_tuple()


@pytest.mark.parametrize(("value", "decimals", "printed"), [("0.125", 2, "0.13"), ("-0.125", 2, "-0.13"), ("1250", -2, "1.3E+3"), ("-0.001", 2, "-0.00"), ("1" * 40, 0, "1" * 40)])
def test_every_digit_stands_however_long_the_number_is(value: str, decimals: int, printed: str) -> None:
    assert str(rounded(Fraction(value), decimals)) == printed


@pytest.mark.parametrize(
    ("value", "low", "high", "printed"),
    [
        ("24.057", "24.03", "24.08", "24.06"),  # to one place it would be 24.1, beside an interval that ends before it
        ("24.04", "24.00", "24.08", "24.0"),
        ("0.4277", "0.4265", "0.4289", "0.428"),
        ("12345.6", "12000", "12700", "12346"),
        ("1.23456", "1.23456", "1.23456", "1.235"),
    ],
)
def test_a_figure_has_as_many_places_as_its_interval_supports_and_lies_in_it(value: str, low: str, high: str, printed: str) -> None:
    figure, interval = Fraction(value), Interval(Fraction(low), Fraction(high))
    assert str(rounded(figure, supported_decimals(figure, interval))) == printed


@given(st.fractions(-1000, 1000), st.fractions(0, 10), st.fractions(0, 10), st.floats(0, 5))
def test_no_figure_is_printed_outside_its_interval(value: Fraction, down: Fraction, up: Fraction, uncertainty: float) -> None:
    decimals = supported_decimals(value, Interval(value - down, value + up), uncertainty)
    printed, reach = Fraction(rounded(value, decimals)), Fraction(uncertainty)
    is_inside = min(value - down, value - reach) <= printed <= max(value + up, value + reach)
    assert is_inside or decimals == MAX_DECIMALS or not (down or up or uncertainty)


@given(st.fractions(), st.integers(-10, 10))
def test_a_lower_bound_is_never_rounded_up(bound: Fraction, decimals: int) -> None:
    shown = below(bound, decimals)
    assert shown <= bound + Fraction(1, 10**20)
    assert bound - shown < Fraction(10) ** -decimals
