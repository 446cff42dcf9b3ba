"""Figures that were typed: the numbers of a text with their units, and whether one of them is what a measurement gives.

A typed figure stays as it is when its measurement changes; one that is cited follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from kvdocs.figures import numerals
from kvdocs.figures.estimates import in_unit_outwards
from kvdocs.figures.sheet import Sheet
from kvdocs.figures.table import CellName, Figure
from kvdocs.figures.units import PURE, Unit, UnknownUnitError, unit
from kvdocs.figures.workbook import Workbook
from kvdocs.prose import INERT, has_numbers

_UNIT = r"(?:[kKMGT]i?B|GB|B|ms|µs|us|ns|s|t|tok|token)(?:/(?:s|token|tok))?"
_NUMBER = r"[+\N{MINUS SIGN}-]? (?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+) (?:\.[0-9]+)?"
_TYPED = re.compile(
    rf"""{INERT}
    | (?<![\w.,/:#-]) (?P<low> {_NUMBER} ) (?: \ ?[\N{{EN DASH}}-]\ ? | \ (?:to|and)\  ) (?P<high> {_NUMBER} )
      (?P<unit_of_both> \ ?% | [x×](?!\w) | \ {_UNIT}(?![\w/]) )
    | (?<![\w.,/:#-]) (?P<number> {_NUMBER} )
      (?: \ ?(?P<percent>%) | (?P<ratio>[x×])(?!\w) | \ (?P<unit>{_UNIT})(?![\w/]) | (?![\w/]|[.,-][0-9]) )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_SPELLINGS = {"t/s": "token/s", "tok/s": "token/s", "t": "token", "tok": "token"}
FEWEST_DIGITS = 2
"""A number with fewer digits is too common to be a figure of a measurement, whatever its unit."""
FEWEST_BARE_DIGITS = 4
"""A number without a unit needs so many, and a decimal point."""


EXACT_ENOUGH = 10**12
"""Floats tell a number of so many units of its last digit from its neighbours; a longer one is compared exactly."""


class TypedNumber(NamedTuple):
    """A number in a text: `unit` is None where the text gives none."""

    offset: int
    text: str
    value: Fraction
    decimals: int
    unit: Unit | None

    @property
    def digits(self) -> int:
        """The significant digits; zeros at the end of a whole number are none."""
        written = re.sub(r"[^0-9]", "", self.text).lstrip("0")
        return len(written if self.decimals else written.rstrip("0"))

    @property
    def is_telling(self) -> bool:
        """Whether it has digits enough to be a figure of a measurement, and not any number."""
        return self.digits >= FEWEST_DIGITS if self.unit else bool(self.decimals) and self.digits >= FEWEST_BARE_DIGITS


def typed_numbers(text: str) -> Iterator[TypedNumber]:
    """The numbers of a Markdown text that may be figures; both ends of a range have its unit. Code, links and citations are left alone."""
    if not has_numbers(text):
        return
    for found in _TYPED.finditer(text):
        if found["number"] is not None:
            yield _number(found)
        elif found["low"] is not None:
            yield from _ends(found)


def typed_number(text: str, unit_text: str) -> TypedNumber:
    """A number that a field holds, in the unit of the field; one without a unit that is known stands alone."""
    digits = text.replace("-", numerals.MINUS)
    try:
        measured = unit(unit_text)
    except UnknownUnitError:
        measured = None
    return TypedNumber(0, digits, Fraction(text), _decimals(text), measured)


def _number(found: re.Match[str]) -> TypedNumber:
    symbol = "%" if found["percent"] else "x" if found["ratio"] else found["unit"]
    return _typed(found, "number", found[0], _unit_of(symbol) if symbol else None)


def _ends(found: re.Match[str]) -> Iterator[TypedNumber]:
    """Both numbers of a range such as `96–99 %`, each as it would stand alone."""
    symbol = found["unit_of_both"].strip()
    for end in ("low", "high"):
        yield _typed(found, end, found[end] + found["unit_of_both"], _unit_of("x" if symbol == "×" else symbol))


def _typed(found: re.Match[str], group: str, shown: str, measured: Unit | None) -> TypedNumber:
    plain = found[group].replace(",", "").replace(numerals.MINUS, "-")
    return TypedNumber(found.start(group), shown, Fraction(plain), _decimals(plain), measured)


def _decimals(plain: str) -> int:
    return len(plain.partition(".")[2])


def _unit_of(symbol: str) -> Unit:
    return unit(_SPELLINGS.get(symbol, re.sub("^KB", "kB", symbol)))


def is_figure(number: TypedNumber, figure: Figure) -> bool:
    """Whether a typed number is what a figure is, computed or published, rounded to the digits that were typed."""
    if not number.is_telling or figure.value is None:
        return False
    amounts = [figure.value] + ([Fraction(figure.cell.published)] if figure.cell.published is not None else [])
    factor = _factor_to(number, figure.unit)
    return factor is not None and any(numerals.rounded(abs(amount) * factor, number.decimals) == abs(numerals.rounded(number.value, number.decimals)) for amount in amounts)


def figure_of(number: TypedNumber, measurement: str, workbook: Workbook) -> Figure | None:
    """The first figure of a measurement that exists, keys of rows left out, that a typed number is; one that is surely another number is not computed for it."""
    sheet = workbook.sheets[measurement]
    columns = dict(_comparable(number, sheet)) if number.is_telling else {}
    for row, cells in sheet.rows.items():
        for column, (measured, factor) in columns.items():
            name = CellName(measurement, column, row)
            cell, bounds = cells.get(column), workbook.estimates.of(name)
            if bounds is not None and (cell is None or cell.published is None) and not _can_be(number, *in_unit_outwards(bounds, measured), float(factor)):
                continue
            figure = workbook.figure(name)
            if is_figure(number, figure):
                return figure
    return None


def _comparable(number: TypedNumber, sheet: Sheet) -> Iterator[tuple[str, tuple[Unit, Fraction]]]:
    """The columns whose figures a typed number can be by its unit: their unit, and what a figure in it is multiplied by to be compared."""
    for column in sheet.columns.values():
        try:
            measured = unit(column.unit)
        except UnknownUnitError:
            continue
        factor = _factor_to(number, measured)
        if factor is not None and column.name != sheet.key:
            yield column.name, (measured, factor)


def _can_be(number: TypedNumber, low: float, high: float, factor: float) -> bool:
    """Whether a number from `low` to `high` times `factor` can be a typed one when it is rounded to its digits."""
    if abs(number.value) * 10**number.decimals > EXACT_ENOUGH:
        return True
    typed, off = abs(float(number.value)), 10.0**-number.decimals  # half of it is enough, and floats are wrong by far less than the other half
    nearest = 0.0 if low < 0 < high else min(abs(low), abs(high))
    return nearest * factor <= typed + off and max(-low, high) * factor >= typed - off


def _factor_to(number: TypedNumber, measured: Unit) -> Fraction | None:
    """What a figure in a unit is multiplied by to be compared with a typed number; None when they do not fit."""
    return _factor(measured, number.unit) if number.unit is not None else Fraction(1)


@lru_cache(maxsize=512)
def _factor(measured: Unit, typed: Unit) -> Fraction | None:
    """What a number in one unit is multiplied by in the other; prose says `34.8 kB` of what a column has per token. None when they do not fit."""
    if (measured.dimension, typed.dimension) == (PURE.dimension, PURE.dimension):
        return Fraction(1) if measured.text == typed.text else None
    if measured.dimension == typed.dimension:
        return measured.factor / typed.factor
    once = unit(measured.text.removesuffix("/token"))
    return once.factor / typed.factor if once.dimension == typed.dimension else None
