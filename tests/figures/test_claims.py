"""Claims: holds, fails or undecided, row by row, by the rounding and the uncertainty of the figures."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures.claims import Claim, Judgement, Relation, Verdict, all_rows, judge, relation_of
from kvdocs.figures.sheet import Cell, Column, Number, Sheet
from kvdocs.figures.workbook import Workbook


def two_routes() -> Workbook:
    columns = [Column("depth", "token"), Column("a", "ms/token"), Column("b", "ms/token"), Column("rate", "token/s"), Column("reported", "%")]
    rows = {
        4096: {"a": Cell(Decimal("6.31")), "b": Cell(Decimal("6.22")), "rate": Cell(samples=(Decimal("10.0"), Decimal("10.2")))},
        16384: {"a": Cell(Decimal("24.05")), "b": Cell(Decimal("23.20")), "reported": Cell(published=Decimal("11.59"))},
    }
    return Workbook([Sheet("M1", "depth", {c.name: c for c in columns}, rows)])


def judged(expression: str, unit: str, all_of_them: bool = True, **relation: Number | list[Number]) -> Judgement:
    book = two_routes()
    rows = all_rows(expression, book) if all_of_them else ()
    return judge(Claim("K1", expression, relation_of(**relation), unit, rows), book)  # type: ignore[arg-type]


ROUTES = "abs(M1.a - M1.b) / M1.a"


@pytest.mark.parametrize(
    ("relation", "verdict", "reason"),
    [
        ({"at_most": 4}, "holds", "the value at 16,384 is 3.5%, and the claim is that it is at most 4%"),
        ({"at_most": 3}, "fails", "the value at 16,384 is 3.5%, and the claim is that it is at most 3%"),
        ({"at_most": Decimal("3.55")}, "undecided", "the value at 16,384 is 3.534% (3.493% to 3.575%), and the claim is that it is at most 3.55%"),
        ({"at_least": 1}, "holds", "the value at 4,096 is 1.4%, and the claim is that it is at least 1%"),
        ({"at_least": 2}, "fails", "the value at 4,096 is 1.4%, and the claim is that it is at least 2%"),
        ({"between": [1, 4]}, "holds", "the value at 4,096 is 1.4%, and the claim is that it rounds to a number from 1% to 4%"),
        ({"equals": Decimal("3.5")}, "fails", "the value at 4,096 is 1.43%, and the claim is that it rounds to 3.5%"),
        ({"equals": 2, "tolerance": 2}, "holds", "the value at 16,384 is 3.5%, and the claim is that it is 2% ± 2%"),
    ],
)
def test_the_worst_row_decides_and_is_named(relation: dict[str, Number | list[Number]], verdict: str, reason: str) -> None:
    judgement = judged(ROUTES, "%", **relation)
    assert (judgement.verdict, judgement.reason) == (verdict, reason)


def test_a_published_number_stands_for_its_digits() -> None:
    """107.6 rounds to 108 and not to 108.0; 63 rounds to 6e+1."""
    assert relation_of(equals=108).judge(Fraction("107.6"), Fraction("107.6")) is Verdict.HOLDS
    assert relation_of(equals=Decimal("108.0")).judge(Fraction("107.6"), Fraction("107.6")) is Verdict.FAILS
    assert relation_of(equals=Decimal("6e+1")).judge(Fraction(63), Fraction(63)) is Verdict.HOLDS


def test_a_claim_outside_of_any_row_names_its_rows_itself() -> None:
    judgement = judged("M1.a[16384] / M1.a[4096]", "x", all_of_them=False, equals=Decimal("3.8"))
    assert (judgement.verdict, [row.row for row in judgement.rows], [str(cell) for cell in judgement.cells]) == ("holds", [None], ["M1.a[16384]", "M1.a[4096]"])


def test_uncertainty_widens_the_interval() -> None:
    """Samples 10.0 and 10.2 have a mean of 10.1 with a standard uncertainty of 0.1: 1.96 of them, and 0.05 of rounding, to both sides."""
    row = judged("M1.rate[4096]", "token/s", all_of_them=False, at_most=10).rows[0]
    assert (row.low, row.high, row.verdict) == (pytest.approx(10.05 - 0.196), pytest.approx(10.15 + 0.196), "undecided")
    assert judged("M1.rate[4096]", "token/s", all_of_them=False, at_most=Decimal("10.5")).verdict == "holds"
    assert judged("M1.rate[4096]", "token/s", all_of_them=False, at_most=Decimal("9.5")).verdict == "fails"


def test_agreement_with_an_unsupported_figure_decides_nothing_and_disagreement_does() -> None:
    agrees = judged("M1.reported[16384]", "%", all_of_them=False, equals=Decimal("11.59"))
    assert (agrees.verdict, agrees.reason) == (
        "undecided",
        "the value is 11.590%, and the claim is that it rounds to 11.59%; but what was published for M1.reported[16384] has no inputs on record",
    )
    assert judged("M1.reported[16384]", "%", all_of_them=False, at_least=20).verdict == "fails"


@pytest.mark.parametrize(
    ("expression", "unit", "message", "fault"),
    [
        ("M1.a[4096]", "GB", "the expression gives second / token, and the claim is in GB (bit)", "units"),
        ("M1.a[4096]", "nonsense", "'nonsense' is not a unit", "blocked"),
        ("M1.c[4096]", "1", "M1 has no column 'c'", "name"),
        ("M1.a", "ms/token", "M1.a names no row", "name"),
        ("M1.a[4096] / (M1.a[4096] - M1.a[4096])", "1", "divides by zero", "undefined"),
        ("M1.reported[4096]", "%", "M1.reported[4096] is empty", "absent"),
    ],
)
def test_a_claim_that_cannot_be_computed_says_why(expression: str, unit: str, message: str, fault: str) -> None:
    judgement = judged(expression, unit, all_of_them=False, at_most=1)
    assert judgement.error is not None
    assert (judgement.verdict, judgement.error.message, judgement.error.fault) == ("undecided", message, fault)
    assert judgement.reason == f"cannot be computed: {message}"


bounds = st.fractions(-10, 10, max_denominator=20)


@given(bounds, bounds, bounds, bounds)
def test_the_verdict_is_what_all_points_say(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    """It holds if every point of the interval is as claimed, fails if none is."""
    low, high, least, most = *sorted((a, b)), *sorted((c, d))
    verdict = Relation(least, most, "", 0).judge(low, high)
    points = [low + (high - low) * Fraction(i, 40) for i in range(41)] + [p for p in (least, most) if low <= p <= high]
    inside = [least <= point <= most for point in points]
    assert verdict is (Verdict.HOLDS if all(inside) else Verdict.UNDECIDED if any(inside) else Verdict.FAILS)
