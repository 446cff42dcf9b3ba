"""Units: pint is the authority, and the table of common units agrees with it."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures import units
from kvdocs.figures.units import COMMON, COUNTED, UnknownUnitError, _from_pint, unit


@pytest.mark.parametrize("text", [*COMMON, "ms/token", "GB/s", "token/s", "MiB/token", "1/token", "kB*s/token"])
def test_the_table_of_common_units_agrees_with_pint(text: str) -> None:
    assert units._from_table(text) == units._from_pint(text)


@pytest.mark.parametrize(
    ("text", "factor", "dimension", "label"),
    [
        ("ms/token", Fraction(1, 1000), (("second", 1), ("token", -1)), " ms/token"),
        ("GB/s", Fraction(8 * 10**9), (("bit", 1), ("second", -1)), " GB/s"),
        ("%", Fraction(1, 100), (), "%"),
        ("x", Fraction(1), (), "×"),
        ("1", Fraction(1), (), ""),
        ("", Fraction(1), (), ""),
        ("W", Fraction(1), (("kilogram", 1), ("meter", 2), ("second", -3)), " W"),
        ("W*h", Fraction(3600), (("kilogram", 1), ("meter", 2), ("second", -2)), " W·h"),
        ("MHz", Fraction(10**6), (("second", -1),), " MHz"),
        ("s**2", Fraction(1), (("second", 2),), " s^2"),
    ],
)
def test_a_unit_has_a_size_a_dimension_and_a_label(text: str, factor: Fraction, dimension: tuple[tuple[str, int], ...], label: str) -> None:
    found = unit(text)
    assert (found.factor, found.dimension, found.label) == (factor, dimension, label)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("t/s", "write `token` (pint reads `t` as the metric ton)"),
        ("KB", "write `kB` for 1000 bytes or `KiB` for 1024"),
        ("tokens/s", "write `token`"),
        ("degC", "a unit with a zero point of its own cannot be multiplied"),
        ("mstoken", "did you mean 'ms/token'?"),
        ("m**0.5", "a unit has whole powers"),
        ("ms/token/", None),
        ("__import__('os')", None),
        ("s**999999999", None),
        ("s" * 100, None),
    ],
)
def test_what_is_no_unit_is_refused_with_advice(text: str, hint: str | None) -> None:
    with pytest.raises(UnknownUnitError) as raised:
        unit(text)
    assert str(raised.value) == f"{text!r} is not a unit"
    if hint is not None:
        assert raised.value.hint == hint


def test_names_under_which_scripts_count_are_no_units() -> None:
    """The table that spares loading pint agrees with pint; `runs` is no misspelt unit, though `us` is near."""
    for word in sorted(COUNTED):
        with pytest.raises(UnknownUnitError) as from_table:
            unit(word)
        with pytest.raises(UnknownUnitError) as from_pint:
            _from_pint(word)
        assert str(from_table.value) == str(from_pint.value)
        assert from_table.value.hint is None


@given(st.text("msktoekenBGiM%x1*/() .^-", max_size=20) | st.text(max_size=20))
def test_any_text_is_a_unit_or_is_refused(text: str) -> None:
    """Nothing else is raised, whatever is written."""
    try:
        found = unit(text)
    except UnknownUnitError:
        return
    assert found.factor > 0


def test_no_heavy_library_is_loaded_for_common_work() -> None:
    """A check of the record computes figures, claims and citations without pint, scipy or numpy."""
    code = """
import sys
from decimal import Decimal
from kvdocs.figures.citations import cited
from kvdocs.figures.claims import Claim, judge, relation_of
from kvdocs.figures.comparison import order_of
from kvdocs.figures.failures import weigh_gate, FailureRate
from kvdocs.figures.sheet import Cell, Column, Sheet
from kvdocs.figures.spread import Spread, is_invalid
from kvdocs.figures.workbook import Workbook
book = Workbook([Sheet("M1", "depth", {c.name: c for c in (Column("depth", "token"), Column("rate", "token/s"), Column("time", "ms/token", compute="1 / rate"))}, {4096: {"rate": Cell(Decimal("31.72"))}})])
assert cited("{{ M1.time[4096] | .1f }}", book) == "31.5 ms/token"
assert str(judge(Claim("K1", "M1.time[4096]", relation_of(equals=Decimal("31.5")), "ms/token"), book).verdict) == "holds"
assert is_invalid(0.01, 5, Spread(0.02, 10)) is False
weigh_gate(FailureRate(1, 3), 10)
print(*sorted({name.split(".")[0] for name in sys.modules} & {"pint", "scipy", "numpy", "pandas", "pydantic", "networkx", "jinja2"}))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("text", ["ms**9**9**9**9", "9^9^9^9", "9**(9**(9**9))", "(ms**9)**9", "9 ** 9 ** 9", "9²²²²²²²²", "9⁹⁹ ⁹⁹**99", "ms**999999999"])
def test_a_unit_whose_power_is_raised_again_was_computed_without_end(text: str) -> None:
    with pytest.raises(UnknownUnitError):
        unit(text)


@pytest.mark.parametrize("text", ["ms²", "m**2 s**-2", "B**2*s**2", "kg*m^2/s^2"])
def test_a_unit_with_plain_powers_is_one(text: str) -> None:
    assert unit(text).factor > 0
