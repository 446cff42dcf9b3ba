"""Numbers as text: the rounding that all printed figures have."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures.numerals import rounded


@given(st.fractions(), st.integers(-30, 30))
def test_a_number_is_rounded_to_the_nearest_one_with_halves_away_from_zero(value: Fraction, decimals: int) -> None:
    steps = floor(abs(value) * Fraction(10) ** decimals + Fraction(1, 2))
    assert rounded(value, decimals).as_tuple() == Decimal((int(value < 0), tuple(map(int, str(steps))), -decimals)).as_tuple()


@pytest.mark.parametrize(("value", "decimals", "printed"), [("0.125", 2, "0.13"), ("-0.125", 2, "-0.13"), ("1250", -2, "1.3E+3"), ("-0.001", 2, "-0.00"), ("1" * 40, 0, "1" * 40)])
def test_every_digit_stands_however_long_the_number_is(value: str, decimals: int, printed: str) -> None:
    assert str(rounded(Fraction(value), decimals)) == printed
