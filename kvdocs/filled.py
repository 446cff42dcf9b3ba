"""Measurements whose cells are figures of executions -> the same measurements with these figures in their cells.

A column's `metric` fills each empty cell, a cell's own wins. Numbers are brought from the unit that the script wrote with them
into the column's, and rounded to the column's `decimals`; a list of the script is the samples of the cell, and so are the single
numbers of several executions, in the order in which the record names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from kvdocs.figures.numerals import rounded
from kvdocs.figures.units import UnknownUnitError, unit
from kvdocs.kinds.measurement import TEXT, MeasuredCell, MeasuredColumn, Measurement
from kvdocs.kinds.result import Result
from kvdocs.kinds.withdrawal import standing
from kvdocs.model import Loc
from kvdocs.problems import did_you_mean
from kvdocs.registry import Registry

Row = dict[str, int | Decimal | str | MeasuredCell]
DIGITS = 12
"""How many places after the point are kept of a number that has more in another unit, where the column does not say."""

NOTHING_WRITTEN = MeasuredCell.model_construct()
"""The cell that an execution fills where none is written."""


class Unfilled(NamedTuple):
    """A cell, or the order, that no execution fills: the place in the record, why, and what to do."""

    loc: Loc
    message: str
    hint: str | None = None


class _MetricError(Exception):
    """Why a figure cannot be had."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def filled(record: Measurement, registry: Registry) -> tuple[Measurement, tuple[Unfilled, ...]]:
    """The measurement with the figures of its executions, and what could not be filled. One that reads no executions is given back as it is."""
    if not record.reads_executions:
        return record, ()
    reader = _Reader(record, [result for name in standing(record.results, registry) if (result := registry.record(name, Result)) is not None])
    rows = [reader.row(position, row) for position, row in enumerate(record.rows)]
    order = reader.order(rows) if record.order_metric is not None else record.order
    return record.model_copy(update={"rows": rows, "order": order}), tuple(reader.unfilled)


class _Reader:
    """Reads figures of the executions of one measurement, and notes those that are not there."""

    def __init__(self, record: Measurement, results: Sequence[Result]) -> None:
        self.record, self.results = record, results
        self.unfilled: list[Unfilled] = []

    def row(self, position: int, row: Row) -> Row:
        """A row with its cells filled, in the order of the columns."""
        cells = dict(row)
        for number, column in enumerate(self.record.columns):
            written = row.get(column.name)
            own = written.metric if isinstance(written, MeasuredCell) else None
            metric = own or (column.metric if written is None else None)
            if metric is None:
                continue
            loc: Loc = ("rows", position, column.name) if own else ("columns", number, "metric")
            try:
                cells[column.name] = self._cell(_named(metric, row), column, written if isinstance(written, MeasuredCell) else NOTHING_WRITTEN)
            except _MetricError as error:
                cells.pop(column.name, None)
                self._note(Unfilled(loc, error.message, error.hint))
        return cells

    def order(self, rows: Sequence[Row]) -> list[str] | None:
        """The arms in the order in which they ran, the same in every row; None when that cannot be had."""
        known = {column.name for column in self.record.columns}
        found: list[list[str]] = []
        try:
            for row in rows:
                values = [value for _, value, _ in self._values(_named(self.record.order_metric or "", row))]
                arms = [name for name in values if name in known]
                if arms not in found:
                    found.append(arms)
            if len(found) != 1:
                raise _MetricError("the rows ran in different orders", "name one in `order`, or measure the rows apart")
        except _MetricError as error:
            self._note(Unfilled(("order_metric",), error.message, error.hint))
            return None
        return found[0]

    def _note(self, fault: Unfilled) -> None:
        if fault not in self.unfilled:
            self.unfilled.append(fault)

    def _cell(self, metric: str, column: MeasuredColumn, written: MeasuredCell) -> str | MeasuredCell:
        if len(self.results) == 1 and (bound := self.results[0].bound(metric)) is not None:
            return written.model_copy(update={"at_least": _converted(metric, bound, self.results[0].unit_of(metric), column), "metric": None})
        values = list(self._values(metric))
        if column.unit == TEXT:
            return ", ".join(str(value) for _, value, _ in values)
        numbers = [_converted(metric, value, told, column) for _, value, told in values]
        if len(numbers) == 1:
            return written.model_copy(update={"value": numbers[0], "samples": [], "metric": None})
        return written.model_copy(update={"samples": numbers, "value": None, "metric": None})

    def _values(self, metric: str) -> Iterator[tuple[str, Any, str | None]]:
        """Each value of a figure with the execution that gave it and the unit that its script wrote."""
        if not self.results and self.record.results:
            raise _MetricError(f"{metric} is a figure of an execution, and those that {self.record.id} names were withdrawn", "execute the script again and name the new one in `results`")
        if not self.results:
            raise _MetricError(f"{metric} is a figure of an execution, and {self.record.id} names none", "name one in `results`")
        for result in self.results:
            value = result.figure(metric)
            if value is None and (bound := result.bound(metric)) is not None:
                raise _MetricError(f"{metric} is at least {bound} in {result.id}, and several executions give one figure only where each is known", "name one execution in `results`")
            if value is None:
                raise _MetricError(f"{result.id} gives no figure {metric!r}", did_you_mean(metric, result.figure_names()))
            told = result.unit_of(metric)
            yield from ((result.id, one, told) for one in (value if isinstance(value, list) else [value]))


def _named(metric: str, row: Row) -> str:
    """The name of a figure with what the row has for each `{column}`."""

    def cell(found: re.Match[str]) -> str:
        value = row.get(found[1])
        if not isinstance(value, (int, str)):
            raise _MetricError(f"{found[0]} stands for a whole number or a text of the row, and the row has none")
        return str(value)

    return re.sub(r"\{(\w+)\}", cell, metric)


def _converted(metric: str, value: Any, told: str | None, column: MeasuredColumn) -> int | Decimal:
    """A number in the column's unit. What a script counts under a name that is no unit, such as `errors`, is a pure number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _MetricError(f"{metric} is {value!r}, which is no number", "write `unit: text` for a column of words")
    number = Decimal(repr(value)) if isinstance(value, float) else value
    try:
        wanted = unit(column.unit)
    except UnknownUnitError:  # reported with the column
        return number
    try:
        given = unit(told or "1")
    except UnknownUnitError:
        given = unit("1")
    if given.dimension != wanted.dimension:
        raise _MetricError(f"{metric} is in {told or 'no unit'}, and `{column.name}` in {column.unit}")
    factor = given.factor / wanted.factor
    if column.decimals is None and factor == 1:
        return number
    exact = Fraction(number) * factor
    if exact.denominator == 1 and isinstance(number, int):
        return int(exact)
    if column.decimals is not None:
        return rounded(exact, column.decimals)
    short = rounded(exact, DIGITS).normalize()
    return short if short.as_tuple().exponent < 0 else short.quantize(Decimal(1))  # type: ignore[operator]  # a rounded number is finite
