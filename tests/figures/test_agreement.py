"""Agreement of two routes, with what they share taken into account."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kvdocs.figures.agreement import agreement
from kvdocs.figures.claims import Verdict
from kvdocs.figures.interval import Interval
from kvdocs.figures.quantity import Input, Quantity, of_input


def route(name: str, value: str, uncertainty: float | None = None) -> Quantity:
    middle, half = Fraction(value), Fraction(1, 200)
    return of_input(Input(name, Interval(middle - half, middle + half), middle, uncertainty), ())


@pytest.mark.parametrize(("limit", "verdict"), [("4/100", Verdict.HOLDS), ("355/10000", Verdict.UNDECIDED), ("3/100", Verdict.FAILS)])
def test_the_distance_is_held_against_the_limit(limit: str, verdict: Verdict) -> None:
    """|23.20 - 24.05| / 24.05 is 3.53%, and the rounding of both leaves 3.49% to 3.58%."""
    measured = route("measured", "24.05")
    assert agreement(route("implied", "23.20"), measured, measured, Fraction(limit)).verdict is verdict


def test_uncertainties_widen_the_distance_and_give_the_error_number() -> None:
    a, b = route("a", "10", 0.3), route("b", "11", 0.4)
    result = agreement(a, b, b, Fraction(1, 10))
    assert result.error_number == pytest.approx(1 / (2 * 0.5))
    assert result.verdict is Verdict.UNDECIDED


def test_shared_inputs_are_named() -> None:
    host, device, copy = route("host", "50"), route("device", "27"), route("copy", "24")
    assert agreement(host - device, copy, copy, Fraction(1)).shared == ()
    assert agreement(host - device, host - copy, copy, Fraction(1)).shared == ("host",)
