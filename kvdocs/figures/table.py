"""Tables of figures: what a measurement's cells are worth, each with its interval, its formula and what was published for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from kvdocs.figures import numerals
from kvdocs.figures.interval import Interval, UndefinedError, written
from kvdocs.figures.names import FormulaError, Key
from kvdocs.figures.quantity import Quantity
from kvdocs.figures.sheet import Cell, Column, Number
from kvdocs.figures.units import Unit

COVERAGE = 1.96
"""How many standard uncertainties an interval for 95% reaches to both sides."""


class Reproduction(StrEnum):
    """Whether a published figure follows from the inputs on record.

    REPRODUCED: computed from the inputs as written, it rounds to what was published.
    UNDECIDED: it does not, but other numbers that round to the same inputs would.
    DIFFERS: no numbers that round to the inputs give it.
    UNSUPPORTED: what it was computed from is not on record.
    """

    REPRODUCED = "reproduced"
    UNDECIDED = "undecided"
    DIFFERS = "not reproduced"
    UNSUPPORTED = "no inputs on record"


class CellName(NamedTuple):
    """The name of a cell, `M3.gain[16384]`."""

    measurement: str
    column: str
    row: Key

    def __str__(self) -> str:
        return f"{self.measurement}.{self.column}[{self.row!r}]"


@dataclass(frozen=True)
class Figure:
    """What a cell is worth. `quantity` is None when it is empty or has an error.

    `inputs` are the cells that its formula reads, and `results` the executions.
    """

    name: CellName
    column: Column
    unit: Unit
    cell: Cell
    quantity: Quantity | None = None
    inputs: tuple[CellName, ...] = ()
    results: tuple[str, ...] = ()
    error: FormulaError | None = None

    @cached_property
    def value(self) -> Fraction | None:
        """The nominal value in the column's unit."""
        return None if self.quantity is None else self.unit.from_base(self.quantity.value)

    @cached_property
    def interval(self) -> Interval | None:
        """What rounding allows, in the column's unit."""
        return None if self.quantity is None else in_unit(self.quantity.interval, self.unit)

    @cached_property
    def uncertainty(self) -> float | None:
        """The standard uncertainty in the column's unit, when samples give one."""
        if self.quantity is None or self.quantity.uncertainty is None:
            return None
        return self.quantity.uncertainty / float(self.unit.factor)

    @cached_property
    def coverage(self) -> tuple[float, float] | None:
        """The interval of rounding widened by 1.96 standard uncertainties: where the true value is, in the column's unit."""
        if self.interval is None:
            return None
        reach = COVERAGE * (self.uncertainty or 0.0)
        return float(self.interval.low) - reach, float(self.interval.high) + reach

    @cached_property
    def decimals(self) -> int:
        """How many places after the point the figure is printed with: those of its publication, or of its digits, or what its interval supports."""
        if self.cell.published is not None:
            return numerals.decimals_of(self.cell.published)
        if self.cell.is_input:
            return max(numerals.decimals_of(number) for number in (*self.cell.samples, self.cell.value) if number is not None)
        if self.column.decimals is not None:
            return self.column.decimals
        if self.value is None or self.interval is None:
            return 0
        return numerals.supported_decimals(self.value, self.interval, self.uncertainty or 0.0)

    @cached_property
    def text(self) -> str:
        """The figure with its unit; a dash when there is none. A gain or a loss shows its sign."""
        return f"{self.bare_text}{self.unit.label}" if self.value is not None else "—"

    @cached_property
    def bare_text(self) -> str:
        """The figure without its unit; only for one that has a value."""
        assert self.value is not None
        assert self.interval is not None
        return numerals.shown(self.value, self.interval, self.decimals, sign=self.column.signed)

    @cached_property
    def bounds_text(self) -> tuple[str, str]:
        """Both ends of the interval with their unit, and digits enough to tell them apart; only for a figure that has a value."""
        assert self.interval is not None
        if self.interval.bound:
            return self.text, self.text
        return numerals.bounds(self.interval.low, self.interval.high, self.decimals + 1, self.unit.label, sign=self.column.signed)

    @cached_property
    def published_text(self) -> str:
        """What was published, as it was written; empty when nothing was."""
        published = self.cell.published
        if published is None:
            return ""
        return numerals.text(Fraction(published), numerals.decimals_of(published), sign=self.column.signed) + self.unit.label

    @cached_property
    def reproduction(self) -> Reproduction | None:
        """Whether the published figure follows from the inputs; None when nothing was published, or when an error keeps it from being computed."""
        if self.cell.published is None or (self.error is not None and not self.error.is_empty):
            return None
        if self.quantity is None or self.interval is None or self.value is None or (self.column.compute is None and not self.cell.is_input):
            return Reproduction.UNSUPPORTED
        return compare(self.value, self.interval, self.cell.published)


class Table(NamedTuple):
    """The figures of a measurement by row and column, in the order of its record."""

    id: str
    key: str
    columns: Mapping[str, Column]
    rows: Mapping[Key, Mapping[str, Figure]]

    def figures(self) -> Iterator[Figure]:
        """All figures, row by row."""
        for row in self.rows.values():
            yield from row.values()

    def column(self, name: str) -> tuple[Figure, ...]:
        """The figures of a column, in the order of the rows."""
        return tuple(row[name] for row in self.rows.values())


def in_unit(interval: Interval, unit: Unit) -> Interval:
    """An interval of base units in another unit."""
    return Interval(unit.from_base(interval.low), unit.from_base(interval.high))


def compare(value: Fraction, interval: Interval, published: Number) -> Reproduction:
    """Whether a computed value agrees with a published one, given the digits of both. A mere bound never confirms a number."""
    try:
        band = written(published)
    except UndefinedError:
        return Reproduction.UNSUPPORTED
    if value in band and not interval.bound:
        return Reproduction.REPRODUCED
    return Reproduction.UNDECIDED if interval.meets(band) else Reproduction.DIFFERS
