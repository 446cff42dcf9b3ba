"""Estimates in floats say only what the exact way says."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kvdocs.figures import numerals
from kvdocs.figures.claims import Claim, Verdict, judge, relation_of, surely_holds
from kvdocs.figures.sheet import Cell, Column, Sheet
from kvdocs.figures.table import CellName
from kvdocs.figures.typed import TypedNumber, figure_of, is_figure
from kvdocs.figures.units import unit
from kvdocs.figures.workbook import Workbook

numbers = st.one_of(
    st.integers(-60, 60),
    st.integers(-(10**20), 10**20),
    st.decimals(-1000, 1000, places=2),
    st.builds(lambda digits, exponent: Decimal(f"{digits}e{exponent}"), st.integers(-9999, 9999), st.integers(-64, 64)),
)
cells = st.one_of(
    numbers.map(Cell),
    st.builds(lambda value, published: Cell(value, published=published), st.one_of(numbers, st.none()), numbers),
    st.tuples(numbers, numbers).map(lambda samples: Cell(samples=samples)),
    numbers.map(lambda value: Cell(value, at_least=True)),
    st.just(Cell()),
)
formulas = st.recursive(
    st.sampled_from(["a", "b", "a", "b", "depth", "c", "d", "M1.a", "M1.b[2]", "M1.a[9]", "0", "1", "2.5", "1e-3", "1e40", "nothing"]),
    lambda inner: st.one_of(
        st.builds(lambda left, sign, right: f"({left} {sign} {right})", inner, st.sampled_from("+-*/*/"), inner),
        st.builds(lambda argument: f"-{argument}", inner),
        st.builds(lambda argument: f"abs({argument})", inner),
        st.builds(lambda argument: f"{argument} ** 2", inner),
        st.builds(lambda argument: f"max({argument}, a[:])", inner),
    ),
    max_leaves=6,
)
units = st.sampled_from(["1", "1", "1", "ms/token", "token/s", "%", "B", "no unit"])


@st.composite
def books(draw: st.DrawFn) -> Workbook:
    """One measurement of two rows, with formulas that lean on inputs and on each other, circles among them."""
    columns = [
        Column("depth", draw(st.sampled_from(["1", "token"]))),
        Column("a", draw(units), exact=draw(st.booleans())),
        Column("b", draw(units)),
        Column("c", draw(units), compute=draw(formulas)),
        Column("d", draw(units), compute=draw(formulas)),
    ]
    rows = {key: {name: draw(cells) for name in "abcd"} for key in (1, 2)}
    return Workbook([Sheet("M1", "depth", {column.name: column for column in columns}, rows)])


def book(a: str, b: str, c: str, unit_of_c: str = "1") -> Workbook:
    columns = {"depth": Column("depth"), "a": Column("a"), "b": Column("b"), "c": Column("c", unit_of_c, compute=c)}
    return Workbook([Sheet("M1", "depth", columns, {1: {"a": Cell(Decimal(a)), "b": Cell(Decimal(b))}})])


NAMES = [CellName("M1", column, row) for row in (1, 2) for column in ("depth", "a", "b", "c", "d")]


@settings(max_examples=400, deadline=None)
@given(books())
def test_where_an_estimate_is_made_the_exact_figure_has_no_error_and_lies_inside(book: Workbook) -> None:
    for name in NAMES:
        bounds = book.estimates.of(name)
        if bounds is None:
            continue
        low, high, steep = bounds
        figure = book.figure(name)
        assert figure.error is None
        assert figure.quantity is not None
        interval = figure.quantity.interval
        assert low <= interval.low <= interval.high <= high
        assert low <= figure.quantity.value <= high
        assert sum(max(abs(slope.low), abs(slope.high)) for slope in figure.quantity.slopes.values()) <= Fraction(steep) * (1 + Fraction(1, 10**9))
        assert (interval.bound, figure.quantity.uncertainty, figure.quantity.unsupported) == ("", None, ())


@settings(deadline=None)
@given(books())
def test_the_error_of_a_cell_is_that_of_its_figure(book: Workbook) -> None:
    short = [repr(book.error(name)) for name in NAMES]
    exact = Workbook(book.sheets.values())
    assert short == [repr(exact.figure(name).error) for name in NAMES]


@settings(deadline=None)
@given(books(), formulas, units, st.sampled_from([(), (1,), (1, 2), (9,)]), numbers)
@example(book("2.0", "4.0", "a"), "b / a", "1", (1,), Decimal(1))
def test_a_claim_that_surely_holds_is_judged_to_hold(book: Workbook, expression: str, unit_text: str, rows: tuple[int, ...], limit: Decimal) -> None:
    for relation in (relation_of(at_least=limit), relation_of(at_most=limit), relation_of(equals=limit, tolerance=abs(limit))):
        claim = Claim("K1", expression, relation, unit_text, rows)
        if surely_holds(claim, book):
            judged = judge(claim, book)
            assert (judged.verdict, judged.error, judged.unsupported) == (Verdict.HOLDS, None, ())


@settings(deadline=None)
@given(books(), st.data())
def test_a_typed_number_is_found_where_comparing_it_with_every_figure_finds_it(book: Workbook, data: st.DataObject) -> None:
    figures = [figure for figure in book.figures() if figure.name.column != "depth"]
    near = [figure.value for figure in figures if figure.value is not None and abs(figure.value) < 10**15]
    value = abs(data.draw(st.sampled_from(near or [Fraction(1)]))) + data.draw(st.sampled_from([0, 0, Fraction(1, 10**3), Fraction(1, 2)]))
    decimals = data.draw(st.integers(0, 9))
    text = numerals.text(value, decimals, thousands=False)
    typed = TypedNumber(0, text, Fraction(text), decimals, data.draw(st.sampled_from([None, *map(unit, ("%", "ms/token", "token/s", "B", "kB"))])))
    found = figure_of(typed, "M1", Workbook(book.sheets.values()))
    assert (found.name if found is not None else None) == next((figure.name for figure in figures if is_figure(typed, figure)), None)


@pytest.mark.parametrize(
    ("a", "b", "c"),
    [
        ("1.5", "2.25", "(a - b) / (a + 2 * b)"),
        ("31.72", "39.5148", "1000 / a - 1000 / b"),
        ("-4", "0.125", "-a * a / b"),
    ],
)
def test_what_measurements_compute_is_estimated(a: str, b: str, c: str) -> None:
    bounds = book(a, b, c).estimates.of(CellName("M1", "c", 1))
    exact = book(a, b, c).figure(CellName("M1", "c", 1)).quantity
    assert bounds is not None
    assert exact is not None
    assert bounds[0] <= exact.interval.low <= exact.interval.high <= bounds[1]


@pytest.mark.parametrize(
    ("a", "c"),
    [
        ("0.0", "b / a"),
        ("0.4", "b / (a - 0.4)"),
        ("1e-70", "1 / a"),
        ("1e45", "a * a"),
        ("4.0", "a ** 2"),
        ("4.0", "sqrt(a)"),
        ("4.0", "max(a[:])"),
        ("4.0", "results('run').error"),
        ("4.0", "a +"),
        ("4.0", "True + a"),
        ("4.0", "c"),
        ("4.0", "M2.a"),
        ("4.0", "a[7]"),
    ],
)
def test_of_the_rest_the_exact_way_has_to_say(a: str, c: str) -> None:
    assert book(a, "2.0", c).estimates.of(CellName("M1", "c", 1)) is None


def test_a_formula_of_another_dimension_than_its_column_has_no_estimate() -> None:
    assert book("4.0", "2.0", "a / b", "token").estimates.of(CellName("M1", "c", 1)) is None


def test_a_long_chain_of_formulas_does_not_overflow_the_stack() -> None:
    columns = [Column("depth"), *(Column(f"c{i}", compute=f"c{i + 1} + 1") for i in range(3000)), Column("c3000")]
    chain = Workbook([Sheet("M1", "depth", {column.name: column for column in columns}, {1: {"c3000": Cell(Decimal("1.0"))}})])
    assert {chain.error(CellName("M1", f"c{i}", 1)) for i in range(3000)} == {None}
