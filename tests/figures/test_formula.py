"""Formulas: what they can say, what each error says and where, and that nothing leads out of the data."""

from __future__ import annotations

import string
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kvdocs.figures.formula import evaluate, references
from kvdocs.figures.names import FormulaError, Reference, ScopeError
from kvdocs.figures.quantity import Quantity, exact


class Rows:
    """A scope with the column x = 3, and with M3.gain = 1, 2, 5 in the rows 1, 2 and 'last'."""

    gains: Mapping[int | str, int] = {1: 1, 2: 2, "last": 5}

    def resolve(self, reference: Reference) -> Quantity | tuple[Quantity, ...]:
        if reference == Reference(None, "x"):
            return exact(3)
        if reference.measurement == "M3" and reference.column == "gain":
            if reference.whole:
                return tuple(exact(value) for value in self.gains.values())
            if reference.row in self.gains:
                return exact(self.gains[reference.row])
        raise ScopeError(f"there is no {reference}", "look again")

    def count(self, kind: str, where: Mapping[str, str]) -> int:
        return 10 - len(where)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * x", "7"),
        ("-(x - 10) / 2", "7/2"),
        ("0.1 + 0.2", "3/10"),
        ("1.50e3", "1500"),
        ("x ** 2 - +x", "6"),
        ("2 ** -3", "1/8"),
        ("abs(1 - x)", "2"),
        ("M3.gain[1] + M3.gain['last']", "6"),
        ("mean(M3.gain[:])", "8/3"),
        ("max(M3.gain[:], 7) - min(x, 4, M3.gain[2])", "5"),
        ("sum(M3.gain[:]) / count(M3.gain[:])", "8/3"),
        ("sqrt(9) + log(1) + exp(0)", "4"),
        ("count('defect') - count('defect', status='confirmed', owner='us')", "2"),
        ("\n  x\n  + 1\n", "4"),
    ],
)
def test_a_formula_has_a_value(text: str, value: str) -> None:
    assert abs(evaluate(text, Rows()).value - Fraction(value)) < Fraction(1, 10**40)


@pytest.mark.parametrize(
    ("text", "message", "points_at"),
    [
        ("1 / (x - 3)", "divides by zero", "x - 3)"),
        ("2 ** 0.5", "takes a power that is not a whole number", "** 0.5"),
        ("x + y", "there is no y", "y"),
        ("x * M3.gian[1]", "there is no M3.gian[1]", "M3.gian[1]"),
        ("x + M3.gain[7]", "there is no M3.gain[7]", "M3.gain[7]"),
        ("x + M3.gain[:]", "a whole column stands where one number is needed", "M3.gain[:]"),
        ("M3.gain[:]", "the formula gives a whole column", "M3.gain[:]"),
        ("x + (1", "not a formula: '(' was never closed", "(1"),
        ("x x", "not a formula: invalid syntax", "x"),
        ("", "the formula is empty", ""),
        ("1 < x", "a formula cannot have a comparison", "1 < x"),
        ("x % 2", "a formula cannot have the operator %", "% 2"),
        ("x // 2", "a formula cannot have the operator //", "// 2"),
        ("1, 2", "a formula cannot have a comma outside a function", "1, 2"),
        ("median(x)", "there is no function 'median'", "median(x)"),
        ("abs(1, 2)", "abs takes one number, not 2", "abs(1, 2)"),
        ("max()", "max takes at least one number", "max()"),
        ("x[1][2]", "a cell has one row", "2]"),
        ("M3.gain[1:2]", "a row is named by its key", "1:2]"),
        ("1_000 + x", "a number is written with decimal digits, not '1_000'", "1_000 + x"),
        ("x + 0x10", "a number is written with decimal digits, not '0x10'", "0x10"),
        ("'text'", "a formula has numbers, and no str", "'text'"),
        ("True", "a formula has numbers, and no bool", "True"),
        ("1j", "a formula has numbers, and no complex", "1j"),
        ("é + z", "there is no é", "é + z"),
        ("x + é + z", "there is no é", "é + z"),
    ],
)
def test_an_error_says_what_and_points_at_it(text: str, message: str, points_at: str) -> None:
    with pytest.raises(FormulaError) as raised:
        evaluate(text, Rows())
    assert (raised.value.message, text[raised.value.offset :][: len(points_at)]) == (message, points_at)


HOSTILE = [
    "__import__('os').system('true')",
    "x.__class__",
    "().__class__.__bases__[0].__subclasses__()",
    "M3.gain.__init__.__globals__['os']",
    "M3.__dict__",
    "_x",
    "open('/etc/passwd')",
    "eval('1')",
    "getattr(x, 'value')",
    "x.value",
    "M3.gain.interval.low",
    "(lambda: 1)()",
    "[y for y in M3.gain[:]]",
    "{y for y in M3.gain[:]}",
    "sum(y for y in M3.gain[:])",
    "f'{x}'",
    "'{0.__class__}'.format(x)",
    "'a' * 10 ** 9",
    "9 ** 9 ** 9",
    "10 ** 10 ** 10 ** 10",
    "(10 ** 16) ** 16 ** 16",
    "1e999999999",
    "1e50 ** 16",
    "9" * 200,
    "exp(exp(exp(exp(9))))",
    "(x := 5)",
    "x = 5",
    "import os",
    "x; x",
    "x\nx",
    "yield x",
    "await x",
    "x if x else x",
    "x and x",
    "not x",
    "~x",
    "x << 100000",
    "x @ x",
    "x is x",
    "x in x",
    "*x",
    "abs(*M3.gain[:])",
    "abs(**x)",
    "count('defect', **x)",
    "count('defect', status=x)",
    "count(kind='defect')",
    "print(x)",
    "x()",
    "M3.gain()",
    "M3.gain[x]",
    "M3.gain[__import__('os')]",
    "...",
    "None",
    "x\0",
    "x #" + "a" * 1000,
    "-" * 300 + "1",
    "(" * 150 + "1" + ")" * 150 + "]",
    "1" + "+1" * 199,
    "[" * 190,
    "max(" * 80 + "1" + ")" * 80,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_leads_out_of_the_data(text: str) -> None:
    with pytest.raises(FormulaError) as raised:
        evaluate(text, Rows())
    assert 0 <= raised.value.offset <= len(text)


_PIECES = st.sampled_from(
    [*"+-*/().,[]:'x1_", " ", "**", "M3", ".gain", "[1]", "[:]", "max(", "abs(", "1e9", "0.5", "count('defect')", "__class__", "lambda", "if", "else", "for", "in"]
)


@given(st.lists(_PIECES, max_size=30).map("".join) | st.text(string.printable, max_size=60) | st.text(max_size=40))
@example("x\\")
@example("#")
@settings(max_examples=300)
def test_any_text_has_a_value_or_an_error_with_a_place(text: str) -> None:
    """Nothing else is raised, whatever is written."""
    offset = 0
    try:
        value = evaluate(text, Rows()).value
    except FormulaError as error:
        value, offset = Fraction(0), error.offset
    assert isinstance(value, Fraction)
    assert 0 <= offset <= max(len(text), 1)


def test_references_are_listed_in_the_order_of_the_text() -> None:
    found = references("max(M3.gain[:]) - M2.copy['last'] / (copy + M3.gain[4096] + copy) + count('defect')")
    assert [str(reference) for reference in found] == ["M3.gain[:]", "M2.copy['last']", "copy", "M3.gain[4096]"]
