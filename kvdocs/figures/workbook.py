"""Workbook: all measurements of a record -> every figure, computed when it is first asked for, and what depends on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import pi, sqrt

from kvdocs.figures.estimates import Estimates
from kvdocs.figures.executed import Gather, none_gathered, quantities
from kvdocs.figures.formula import evaluate, references
from kvdocs.figures.interval import Interval, UndefinedError, written
from kvdocs.figures.names import EMPTY, Executions, FormulaError, Key, Reference, ScopeError
from kvdocs.figures.quantity import Input, Quantity, describe, of_input
from kvdocs.figures.rational import times
from kvdocs.figures.sheet import Cell, Number, Sheet
from kvdocs.figures.spread import ENOUGH_DEGREES, Spread, pooled_spread, spread_of
from kvdocs.figures.table import CellName, Figure, Table
from kvdocs.figures.units import PURE, Unit, UnknownUnitError, unit
from kvdocs.numbered import those_there_are
from kvdocs.problems import did_you_mean

Count = Callable[[str, Mapping[str, str]], int]
"""How many records of a kind have these fields; ScopeError when there is no such kind or field."""

MEDIAN_SPREAD = sqrt(pi / 2)
"""The standard error of a median over that of a mean, for many samples of a normal distribution."""


def _no_records(kind: str, where: Mapping[str, str]) -> int:
    raise ScopeError("records cannot be counted here")


class Workbook:
    """The figures of all measurements. Computing never changes what was read; each figure is computed once.

    `broken` are measurements that exist and could not be read: a formula that names one is blocked, not wrong.
    """

    def __init__(self, sheets: Iterable[Sheet] | Mapping[str, Sheet], count: Count = _no_records, broken: frozenset[str] = frozenset(), gather: Gather = none_gathered) -> None:
        self.sheets = sheets if isinstance(sheets, Mapping) else {sheet.id: sheet for sheet in sheets}
        self.broken = broken
        self.count, self.gather = count, gather
        self.estimates = Estimates(self.sheets)
        self._figures: dict[CellName, Figure] = {}
        self._open: dict[CellName, None] = {}
        self._readers: dict[CellName, dict[CellName, None]] | None = None

    def figure(self, name: CellName) -> Figure:
        """The figure of a cell. Its sheet, column and row exist.

        What its formula needs is computed first, from a list of what is still to do and not by recursion:
        a long chain of formulas cannot overflow the stack, and what is still open when it is read belongs to a circle.
        """
        todo = [name]
        while todo:
            current = todo[-1]
            if current in self._figures:
                todo.pop()
            elif current in self._open:
                self._figures[current] = self._compute(current)
                self._open.pop(current)
            else:
                self._open[current] = None
                todo += [needed for needed in self._needs(current) if needed not in self._open]
        return self._figures[name]

    def error(self, name: CellName) -> FormulaError | None:
        """What keeps a cell from having a figure. Where an estimate proves that nothing does, the figure is not computed."""
        return None if self.estimates.of(name) is not None else self.figure(name).error

    def table(self, measurement: str) -> Table:
        """All figures of a measurement that exists."""
        sheet = self.sheets[measurement]
        rows = {row: {column: self.figure(CellName(sheet.id, column, row)) for column in sheet.columns} for row in sheet.rows}
        return Table(sheet.id, sheet.key, sheet.columns, rows)

    def figures(self) -> Iterator[Figure]:
        """Every figure of every measurement."""
        for measurement in self.sheets:
            yield from self.table(measurement).figures()

    def dependents(self, name: CellName) -> tuple[CellName, ...]:
        """Every cell whose figure changes when this one does, nearest first."""
        if self._readers is None:
            self._readers = {}
            for figure in self.figures():
                for read in figure.inputs:
                    self._readers.setdefault(read, {})[figure.name] = None
        found: dict[CellName, None] = {}
        todo = [name]
        while todo:
            for reader in self._readers.get(todo.pop(0), ()):
                if reader not in found:
                    found[reader] = None
                    todo.append(reader)
        return tuple(found)

    def scope(self, row: Key | None = None, measurement: str | None = None) -> WorkbookScope:
        """What a formula may name that stands in this row of this measurement, or outside of any."""
        return WorkbookScope(self, measurement, row)

    def noise_floor(self, measurement: str, of: Unit) -> Spread | None:
        """The spread between processes, pooled over the replicated arms that a measurement names and that have the same dimension."""
        sheet = self.sheets[measurement]
        arms = []
        for floor in (self.sheets[name] for name in sheet.noise_floor if name in self.sheets):
            for column in floor.columns.values():
                try:
                    same = unit(column.unit).dimension == of.dimension
                except UnknownUnitError:
                    continue
                arms += [[float(s) for s in row[column.name].samples] for row in floor.rows.values() if same and column.name in row]
        return pooled_spread(arms)

    def _needs(self, name: CellName) -> Iterator[CellName]:
        """The cells that the formula of a cell names, as far as they exist; what is wrong with the others, computing will say."""
        formula = self.sheets[name.measurement].columns[name.column].compute
        scope = self.scope(name.row, name.measurement)
        for reference in _references(formula) if formula is not None else ():
            try:
                yield from scope.names(reference)
            except ScopeError:
                continue

    def _compute(self, name: CellName) -> Figure:
        sheet = self.sheets[name.measurement]
        column = sheet.columns[name.column]
        cell = sheet.rows[name.row].get(name.column, Cell())
        scope = self.scope(name.row, sheet.id)
        measured = PURE
        try:
            measured = unit(column.unit)
            if column.name == sheet.key:
                quantity = _key(name, measured)
            elif column.compute is not None:
                quantity = evaluate(column.compute, scope)
                _require(quantity, measured)
            else:
                quantity = self._input(name, cell, measured)
        except UnknownUnitError as error:
            return Figure(name, column, measured, cell, error=FormulaError(str(error), hint=error.hint, fault="blocked"))
        except UndefinedError as error:
            return Figure(name, column, measured, cell, error=FormulaError(str(error), fault="undefined"))
        except ScopeError as error:
            return Figure(name, column, measured, cell, error=FormulaError(error.message, hint=error.hint, fault=error.fault))
        except FormulaError as error:
            return Figure(name, column, measured, cell, inputs=tuple(scope.read), results=tuple(scope.results), error=error)
        return Figure(name, column, measured, cell, quantity, tuple(scope.read), tuple(scope.results))

    def _input(self, name: CellName, cell: Cell, measured: Unit) -> Quantity:
        column = self.sheets[name.measurement].columns[name.column]
        numbers = cell.samples or tuple(number for number in (cell.value if cell.value is not None else cell.published,) if number is not None)
        if not numbers:
            raise ScopeError(f"{name} is empty", fault="absent")
        if cell.at_least:
            bound = times(Fraction(numbers[0]), measured.factor)
            return of_input(Input(str(name), Interval.at_least(bound), bound), measured.dimension)
        intervals = [written(number, exact=column.exact) for number in numbers]
        middle = _median if column.centre == "median" else _mean
        known = Input(
            str(name),
            Interval(times(middle([i.low for i in intervals]), measured.factor), times(middle([i.high for i in intervals]), measured.factor)),
            times(middle([Fraction(number) for number in numbers]), measured.factor),
            self._uncertainty(name, cell.samples, measured, MEDIAN_SPREAD if column.centre == "median" else 1.0),
            unsupported=not cell.is_input,
        )
        return of_input(known, measured.dimension)

    def _uncertainty(self, name: CellName, samples: tuple[Number, ...], measured: Unit, widened: float) -> float | None:
        """Of the centre of samples, in base units: by the noise floor when it has degrees of freedom enough, else by their own spread.

        `widened` is how much wider it is than that of a mean.
        """
        values = [float(sample) for sample in samples]
        if not values:
            return None
        floor = self.noise_floor(name.measurement, measured)
        if floor is not None and floor.df >= ENOUGH_DEGREES:
            return widened * floor.sd * abs(sum(values)) / len(values) / sqrt(len(values)) * float(measured.factor)
        return widened * spread_of(values) / sqrt(len(values)) * float(measured.factor) if len(values) > 1 else None


@dataclass(slots=True)
class WorkbookScope:
    """The names of a formula in a workbook; `read` collects the cells that it read, and `results` the executions."""

    workbook: Workbook
    measurement: str | None
    row: Key | None
    read: dict[CellName, None] = field(default_factory=dict)
    results: dict[str, None] = field(default_factory=dict)

    def resolve(self, reference: Reference) -> Quantity | tuple[Quantity, ...]:
        names = self.names(reference)
        return self._whole(reference, names) if reference.whole else self._cell(names[0])

    def names(self, reference: Reference) -> tuple[CellName, ...]:
        """The cells that a reference means: one, or those of a whole column."""
        sheet = self._sheet(reference)
        if reference.column not in sheet.columns:
            hint = did_you_mean(reference.column, sheet.columns) or f"{sheet.id} has {', '.join(sheet.columns)}"
            raise ScopeError(f"{sheet.id} has no column {reference.column!r}", hint)
        rows = tuple(sheet.rows) if reference.whole else (self._row(sheet, reference),)
        return tuple(CellName(sheet.id, reference.column, row) for row in rows)

    def count(self, kind: str, where: Mapping[str, str]) -> int:
        return self.workbook.count(kind, where)

    def executed(self, named: Executions) -> Quantity | tuple[Quantity, ...]:
        """The figures of the executions, or of the one that is the row of the formula: a claim may be judged execution by execution."""
        found = self.workbook.gather(named)
        here = [figure for figure in found if figure.result == self.row]
        self.results |= dict.fromkeys(figure.result for figure in here or found)
        several = tuple(quantity for figure in here or found for quantity in quantities(named, figure))
        return several[0] if here and len(several) == 1 else several

    def _sheet(self, reference: Reference) -> Sheet:
        sheets = self.workbook.sheets
        name = reference.measurement or self.measurement
        if name is None:
            if (sheet := sheets.get(reference.column)) is not None:
                column = next((column for column in sheet.columns if column != sheet.key), sheet.key)
                raise ScopeError(f"{sheet.id} is a measurement, and a figure is in one of its columns", f"such as `{Reference(sheet.id, column, reference.row or next(iter(sheet.rows), None))}`")
            hint = did_you_mean(reference.column, sheets)
            raise ScopeError(f"{reference.column!r} is not a column of a measurement", hint or "such as `M3.gain[16384]`")
        if name not in sheets:
            raise ScopeError(f"there is no measurement {name!r}", did_you_mean(name, sheets) or those_there_are(name, sheets), "blocked" if name in self.workbook.broken else "name")
        return sheets[name]

    def _row(self, sheet: Sheet, reference: Reference) -> Key:
        row = self.row if reference.row is None else reference.row
        if row is None:
            if len(sheet.rows) == 1:
                return next(iter(sheet.rows))
            raise ScopeError(f"{reference} names no row", f"name one, such as `{reference}[{next(iter(sheet.rows), 1)!r}]`, or all with `[:]`")
        if row in sheet.rows:
            return row
        rows = ", ".join(map(str, sheet.rows))
        raise ScopeError(f"{sheet.id} has no row {row!r}", f"its rows are {rows}", "absent" if reference.row is None else "name")

    def _whole(self, reference: Reference, names: tuple[CellName, ...]) -> tuple[Quantity, ...]:
        """The figures of a column; empty cells are left out."""
        found = []
        for name in names:
            try:
                found.append(self._cell(name))
            except ScopeError as error:
                if error.fault not in EMPTY:
                    raise
        if not found:
            raise ScopeError(f"{reference} has no figures", fault="absent")
        return tuple(found)

    def _cell(self, name: CellName) -> Quantity:
        self.read[name] = None
        open_cells = list(self.workbook._open)
        if name in open_cells:
            circle = [*open_cells[open_cells.index(name) :], name]
            raise ScopeError("needs itself: " + " → ".join(map(str, circle)), fault="cycle")
        figure = self.workbook.figure(name)
        if figure.error is not None:
            if figure.error.is_empty:
                raise ScopeError(figure.error.message, fault=figure.error.fault)
            raise ScopeError(f"{name} cannot be computed", fault="blocked")
        assert figure.quantity is not None
        return figure.quantity


def _median(numbers: list[Fraction]) -> Fraction:
    from statistics import median

    return median(numbers)


def _mean(numbers: list[Fraction]) -> Fraction:
    return numbers[0] if len(numbers) == 1 else sum(numbers, Fraction(0)) / len(numbers)


def _references(formula: str) -> tuple[Reference, ...]:
    """The cells that a formula names; none when it cannot be read."""
    try:
        return references(formula)
    except FormulaError:
        return ()


def _key(name: CellName, measured: Unit) -> Quantity:
    """A row's key as a number, exact."""
    if isinstance(name.row, str):
        raise ScopeError(f"{name} holds text", fault="absent")
    value = written(Decimal(name.row), exact=True).low * measured.factor
    return of_input(Input(str(name), Interval.exact(value), value), measured.dimension)


def _require(quantity: Quantity, measured: Unit) -> None:
    if quantity.dimension != measured.dimension:
        raise FormulaError(f"the formula gives {describe(quantity.dimension)}, and the column is in {measured.text} ({describe(measured.dimension)})", fault="units")
