"""Estimates: floats that prove of a cell or a formula that the exact way gives a figure, and between which numbers it lies.

What a figure is, the exact way says: fractions, intervals, slopes. Often less is asked: has the cell an error, can it be that number, does the claim surely hold.
That is answered here in floats, rounded outwards by more than they can be wrong, or not at all: None means that the exact way has to say.
`tests/figures/test_estimates.py` holds the two together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from kvdocs.figures.formula import constant, parse, references
from kvdocs.figures.interval import LARGEST_EXPONENT, UndefinedError
from kvdocs.figures.names import FormulaError, Key, Reference, is_executed, reference_of
from kvdocs.figures.quantity import NUMBER, Dimension, multiplied, raised
from kvdocs.figures.sheet import Number, Sheet
from kvdocs.figures.table import CellName
from kvdocs.figures.units import Unit, UnknownUnitError, unit

Bounds = tuple[float, float, float]
"""Of a quantity: all values that rounding allows lie from `low` to `high`, in base units; the last is no less than the sum of all its slopes."""

LARGEST_INPUT = 10**50
LARGEST_ESTIMATE = 1e80
"""The exact way fails beyond 1e300, and takes what is beyond 1e90 for endless: with values and slopes below this no product of two comes near."""
SMALLEST_DIVISOR = 1e-80
MARGIN = 2.0**-48
"""A float is wrong by 2^-53 of itself after each step, and the exact way rounds outwards by 2^-160 at most."""
TINY = 1e-250
"""The exact way rounds what is smaller than 2^-1000 to zero."""
LONGEST_CHAIN = 40
"""Formulas that lean on formulas are followed so far: each takes some of Python's stack."""


class _UnprovenError(Exception):
    """The exact way has to say."""


_Step = Callable[[Sequence[Bounds]], Bounds]
"""From the bounds of the cells that a formula names to those of a part of it."""


class Program(NamedTuple):
    """A formula for cells of certain dimensions: the cells that it names, its own dimension, and how it is computed."""

    references: tuple[Reference, ...]
    dimension: Dimension
    run: _Step


class Estimates:
    """The estimates of the cells of some sheets, each made when it is first asked for."""

    def __init__(self, sheets: Mapping[str, Sheet]) -> None:
        self._sheets = sheets
        self._known: dict[CellName, Bounds | None] = {}
        self._programs: dict[tuple[str, str | None], Program | None] = {}
        self._chain = 0

    def of(self, name: CellName) -> Bounds | None:
        """Of a cell that exists; None also where its figure is a mere bound, or rests on samples or on what was published without inputs."""
        if name in self._known:
            return self._known[name]
        if self._chain >= LONGEST_CHAIN:
            return None
        self._known[name] = None  # what is still open when it is needed belongs to a circle
        self._chain += 1
        try:
            found = self._known[name] = self._bounds(name)
        finally:
            self._chain -= 1
        return found

    def value(self, expression: str, dimension: Dimension, row: Key | None, measurement: str | None = None) -> Bounds | None:
        """Of a formula that stands in a row of a measurement, or outside of any, when it has this dimension."""
        program = self._program(expression, measurement)
        if program is None or program.dimension != dimension:
            return None
        cells = []
        for reference in program.references:
            cell = self._cell(reference, row, measurement)
            bounds = self.of(cell) if cell is not None else None
            if bounds is None:
                return None
            cells.append(bounds)
        try:
            return program.run(cells)
        except (_UnprovenError, OverflowError):
            return None

    def _bounds(self, name: CellName) -> Bounds | None:
        sheet = self._sheets[name.measurement]
        column = sheet.columns[name.column]
        try:
            measured = unit(column.unit)
        except UnknownUnitError:
            return None
        if column.name == sheet.key:
            return _written(name.row, measured, exact=True) if isinstance(name.row, int) else None
        if column.compute is not None:
            return self.value(column.compute, measured.dimension, name.row, sheet.id)
        cell = sheet.rows[name.row].get(name.column)
        if cell is None or cell.value is None or cell.samples or cell.at_least:
            return None
        return _written(cell.value, measured, exact=column.exact)

    def _cell(self, reference: Reference, row: Key | None, measurement: str | None) -> CellName | None:
        """The cell that a reference names, whose sheet and column exist; None when its row does not."""
        sheet = self._sheets[reference.measurement or measurement or ""]
        key = row if reference.row is None else reference.row
        if key is None and len(sheet.rows) == 1:
            key = next(iter(sheet.rows))
        return CellName(sheet.id, reference.column, key) if key is not None and key in sheet.rows else None

    def _program(self, expression: str, measurement: str | None) -> Program | None:
        place = (expression, measurement)
        if place not in self._programs:
            try:
                named = references(expression)
                self._programs[place] = program(expression, tuple(self._dimension(reference, measurement) for reference in named))
            except (FormulaError, UnknownUnitError, _UnprovenError):
                self._programs[place] = None
        return self._programs[place]

    def _dimension(self, reference: Reference, measurement: str | None) -> Dimension:
        sheet = self._sheets.get(reference.measurement or measurement or "")
        column = sheet.columns.get(reference.column) if sheet is not None and not reference.whole else None
        if column is None:
            raise _UnprovenError
        return unit(column.unit).dimension


def _written(number: Number, measured: Unit, *, exact: bool) -> Bounds | None:
    """Of a number by its digits, as `interval.written` has it, in a unit."""
    exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
    if not isinstance(exponent, int) or abs(exponent) > LARGEST_EXPONENT or not -LARGEST_INPUT < number < LARGEST_INPUT:
        return None
    value, factor = float(number), float(measured.factor)
    half = 0.0 if exact else 0.5 * 10.0**exponent
    try:
        return _outward((value - half) * factor, (value + half) * factor, 0.0 if exact else 1.0)
    except _UnprovenError:
        return None


def in_unit_outwards(bounds: Bounds, measured: Unit) -> tuple[float, float]:
    """Between which numbers of a unit the values lie."""
    factor = float(measured.factor)
    low, high = bounds[0] / factor, bounds[1] / factor
    return low - abs(low) * MARGIN, high + abs(high) * MARGIN


def _outward(low: float, high: float, steep: float) -> Bounds:
    low -= abs(low) * MARGIN + TINY
    high += abs(high) * MARGIN + TINY
    if -LARGEST_ESTIMATE < low <= high < LARGEST_ESTIMATE and steep < LARGEST_ESTIMATE:  # false for what is no number
        return low, high, steep
    raise _UnprovenError


@lru_cache(maxsize=1024)
def program(expression: str, dimensions: tuple[Dimension, ...]) -> Program | None:
    """The program of a formula whose references have these dimensions, in the order of `formula.references`; None when the exact way has to say."""
    named = references(expression)
    try:
        run, dimension = _Compiler(expression, dict(zip(named, dimensions, strict=True)), named).compiled(parse(expression))
    except (FormulaError, UndefinedError, _UnprovenError):
        return None
    return Program(named, dimension, run)


class _Compiler(NamedTuple):
    """Numbers, references to single cells, and + - * /; of everything else the exact way has to say."""

    expression: str
    dimensions: Mapping[Reference, Dimension]
    named: tuple[Reference, ...]

    def compiled(self, node: ast.expr) -> tuple[_Step, Dimension]:
        if isinstance(node, ast.Constant):
            return _constant(float(constant(node, self.expression))), NUMBER
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            run, dimension = self.compiled(node.operand)
            return _negated(run), dimension
        if isinstance(node, ast.BinOp):
            return self._operation(node)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not is_executed(node):
            reference = reference_of(node, self.expression)
            return _cell_at(self.named.index(reference)), self.dimensions[reference]
        raise _UnprovenError

    def _operation(self, node: ast.BinOp) -> tuple[_Step, Dimension]:
        (left, of_left), (right, of_right) = self.compiled(node.left), self.compiled(node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)) and of_left == of_right:
            return (_sum if isinstance(node.op, ast.Add) else _difference)(left, right), of_left
        if isinstance(node.op, ast.Mult):
            return _product(left, right), multiplied(of_left, of_right)
        if isinstance(node.op, ast.Div):
            return _quotient(left, right), multiplied(of_left, raised(of_right, -1))
        raise _UnprovenError


def _constant(value: float) -> _Step:
    bounds = _outward(value, value, 0.0)
    return lambda cells: bounds


def _cell_at(position: int) -> _Step:
    return lambda cells: cells[position]


def _negated(run: _Step) -> _Step:
    def step(cells: Sequence[Bounds]) -> Bounds:
        low, high, steep = run(cells)
        return -high, -low, steep

    return step


def _sum(left: _Step, right: _Step) -> _Step:
    def step(cells: Sequence[Bounds]) -> Bounds:
        low, high, steep = left(cells)
        low2, high2, steep2 = right(cells)
        return _outward(low + low2, high + high2, steep + steep2)

    return step


def _difference(left: _Step, right: _Step) -> _Step:
    return _sum(left, _negated(right))


def _product(left: _Step, right: _Step) -> _Step:
    def step(cells: Sequence[Bounds]) -> Bounds:
        low, high, steep = left(cells)
        low2, high2, steep2 = right(cells)
        corners = (low * low2, low * high2, high * low2, high * high2)
        return _outward(min(corners), max(corners), max(-low, high) * steep2 + max(-low2, high2) * steep)

    return step


def _quotient(left: _Step, right: _Step) -> _Step:
    def step(cells: Sequence[Bounds]) -> Bounds:
        low, high, steep = left(cells)
        low2, high2, steep2 = right(cells)
        nearest = max(low2, -high2)  # of the divisor to zero; negative where it may be zero
        if nearest < SMALLEST_DIVISOR:
            raise _UnprovenError
        corners = (low / low2, low / high2, high / low2, high / high2)
        least, most = min(corners), max(corners)
        return _outward(least, most, (steep + max(-least, most) * steep2) / nearest)

    return step
