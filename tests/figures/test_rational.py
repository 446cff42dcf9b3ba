"""Arithmetic with fewer checks gives what Python's own fractions give, in lowest terms."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures import rational

fractions = st.fractions() | st.integers(-4, 4).map(Fraction)


@given(fractions, fractions)
def test_every_operation_is_that_of_python(a: Fraction, b: Fraction) -> None:
    results = {
        "plus": (rational.plus(a, b), a + b),
        "minus": (rational.minus(a, b), a - b),
        "times": (rational.times(a, b), a * b),
        "negative": (rational.negative(a), -a),
        "smaller": (rational.smaller(a, b), min(a, b)),
        "larger": (rational.larger(a, b), max(a, b)),
    }
    if b:
        results["over"] = (rational.over(a, b), a / b)
    for name, (ours, theirs) in results.items():
        assert (name, ours.numerator, ours.denominator, hash(ours)) == (name, theirs.numerator, theirs.denominator, hash(theirs))
    assert rational.at_most(a, b) is (a <= b)
