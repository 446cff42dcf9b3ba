"""Quantities: intervals stay true and narrow when an input occurs twice; uncertainties take into account what terms share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures.interval import Interval, UndefinedError
from kvdocs.figures.quantity import Input, MixedUnitsError, Quantity, describe, exact, largest, mean, of_input, smallest, total

TOKEN = (("token", 1),)
SECOND = (("second", 1),)
RATE = (("second", -1), ("token", 1))


def known(name: str, value: str, half_width: str, uncertainty: float | None = None, dimension: tuple[tuple[str, int], ...] = ()) -> Quantity:
    middle, half = Fraction(value), Fraction(half_width)
    return of_input(Input(name, Interval(middle - half, middle + half), middle, uncertainty), dimension)


Formula = Callable[[list[Fraction]], Fraction]
Build = Callable[[list[Quantity]], Quantity]


@st.composite
def formulas(draw: st.DrawFn, depth: int = 3) -> tuple[Build, Formula]:
    """A formula over three inputs, once for quantities and once for plain fractions."""
    kind = draw(st.sampled_from(["input", "number"] if depth == 0 else ["input", "add", "sub", "mul", "div", "abs", "min", "max", "square"]))
    if kind == "input":
        i = draw(st.integers(0, 2))
        return (lambda q: q[i]), (lambda x: x[i])
    if kind == "number":
        number = draw(st.integers(1, 9))
        return (lambda q: exact(number)), (lambda x: Fraction(number))
    a, f = draw(formulas(depth=depth - 1))
    if kind == "abs":
        return (lambda q: abs(a(q))), (lambda x: abs(f(x)))
    if kind == "square":
        return (lambda q: a(q).power(2)), (lambda x: f(x) ** 2)
    b, g = draw(formulas(depth=depth - 1))
    return {
        "add": ((lambda q: a(q) + b(q)), (lambda x: f(x) + g(x))),
        "sub": ((lambda q: a(q) - b(q)), (lambda x: f(x) - g(x))),
        "mul": ((lambda q: a(q) * b(q)), (lambda x: f(x) * g(x))),
        "div": ((lambda q: a(q) / b(q)), (lambda x: f(x) / g(x))),
        "min": ((lambda q: smallest([a(q), b(q)])), (lambda x: min(f(x), g(x)))),
        "max": ((lambda q: largest([a(q), b(q)])), (lambda x: max(f(x), g(x)))),
    }[kind]


@given(formulas(), st.lists(st.tuples(st.integers(1, 50), st.integers(0, 20), st.fractions(0, 1, max_denominator=50)), min_size=3, max_size=3))
def test_no_value_that_the_rounding_allows_is_outside(formula: tuple[Build, Formula], inputs: list[tuple[int, int, Fraction]]) -> None:
    """Any formula, at any point of the box of its inputs, gives a number of the interval; the nominal value is one of them."""
    build, plain = formula
    quantities = [known(f"x{i}", str(value), f"{half}/10") for i, (value, half, _) in enumerate(inputs)]
    point = [Fraction(value) - Fraction(half, 10) + share * Fraction(2 * half, 10) for value, half, share in inputs]
    try:
        result = build(quantities)
    except UndefinedError:
        return
    assert plain(point) in result.interval
    assert result.value == result.interval.clamp(plain([Fraction(value) for value, _, _ in inputs]))


def test_an_input_that_occurs_twice_does_not_widen_the_interval() -> None:
    """x / (x + 1) for x in 9.99 to 10.01 is 0.16 thousandths wide; plain interval arithmetic would say 3.5 thousandths."""
    x = known("x", "10", "1/100")
    share = (x / (x + exact(1))).interval
    low, high = Fraction(999, 1099), Fraction(1001, 1101)
    assert Interval(low, high).within(share)
    assert share.width < (high - low) * Fraction(11, 10)


def test_a_difference_of_the_same_input_is_zero() -> None:
    x = known("x", "31.72", "1/200", 0.01)
    assert (x - x).interval == Interval.exact(0)
    assert (x - x).uncertainty == 0.0


def test_independent_uncertainties_add_as_squares() -> None:
    x, y = known("x", "3", "0", 0.3), known("y", "4", "0", 0.4)
    assert (x + y).uncertainty == pytest.approx(0.5)
    assert (x - y).uncertainty == pytest.approx(0.5)
    assert (x * y).uncertainty == pytest.approx(sqrt((4 * 0.3) ** 2 + (3 * 0.4) ** 2))
    assert (x / y).uncertainty == pytest.approx(0.75 * sqrt((0.3 / 3) ** 2 + (0.4 / 4) ** 2))
    assert mean([x, y]).uncertainty == pytest.approx(0.25)
    assert total([x, y]).uncertainty == pytest.approx(0.5)


def test_shared_uncertainties_add_before_they_are_squared() -> None:
    x = known("x", "3", "0", 0.3)
    assert (x + x).uncertainty == pytest.approx(0.6)
    assert (x * x).uncertainty == pytest.approx(2 * 3 * 0.3)
    assert x.power(2).uncertainty == pytest.approx(2 * 3 * 0.3)
    assert (x / x).uncertainty == pytest.approx(0.0)


def test_roots_logarithms_and_exponentials_carry_the_uncertainty() -> None:
    x = known("x", "4", "0", 0.1)
    assert x.sqrt().uncertainty == pytest.approx(0.1 / (2 * 2))
    assert x.log().uncertainty == pytest.approx(0.1 / 4)
    assert isclose(float(x.exp().uncertainty or 0), 0.1 * 54.598150033144236)


def test_what_has_no_uncertainty_is_named() -> None:
    x, y = known("x", "3", "1/2"), known("y", "4", "0", 0.4)
    assert (x.uncertainty, (x + y).uncertainty, (x + y).without_uncertainty) == (None, pytest.approx(0.4), ("x",))


def test_dimensions_multiply_and_cancel() -> None:
    tokens, seconds = known("n", "64", "0", dimension=TOKEN), known("t", "2", "0", dimension=SECOND)
    rate = tokens / seconds
    assert rate.dimension == RATE
    assert (rate * seconds / tokens).dimension == ()
    assert (seconds * seconds).sqrt().dimension == SECOND
    assert describe((exact(1) / rate).dimension) == "second / token"


@pytest.mark.parametrize(
    ("calculate", "why"),
    [
        (lambda n, t: n + t, "adds token and second"),
        (lambda n, t: n - t, "subtracts token and second"),
        (lambda n, t: largest([n, t]), "compares token and second"),
        (lambda n, t: (n / t).log(), "takes the logarithm of token / second"),
        (lambda n, t: t.exp(), "takes the exponential of second"),
        (lambda n, t: t.sqrt(), "takes the root of second"),
        (lambda n, t: n + exact(1), "adds token and a pure number"),
    ],
)
def test_units_do_not_mix(calculate: Callable[[Quantity, Quantity], Quantity], why: str) -> None:
    with pytest.raises(MixedUnitsError) as raised:
        calculate(known("n", "64", "0", dimension=TOKEN), known("t", "2", "0", dimension=SECOND))
    assert str(raised.value) == why
