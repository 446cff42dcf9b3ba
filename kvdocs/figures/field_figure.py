"""What a field of a record gives by a formula, and the number that it gives beside it: the payoff of an item, the outcome of an experiment."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from kvdocs.figures import numerals
from kvdocs.figures.citations import named_figure
from kvdocs.figures.formula import evaluate
from kvdocs.figures.interval import Interval
from kvdocs.figures.names import FormulaError
from kvdocs.figures.quantity import Quantity, describe
from kvdocs.figures.sheet import Number
from kvdocs.figures.table import CellName, Reproduction, compare, in_unit
from kvdocs.figures.units import PURE, Unit, UnknownUnitError, unit
from kvdocs.figures.workbook import Workbook, WorkbookScope


class FieldFigure(NamedTuple):
    """The figure of a field. `value` is in `unit`, and None when the formula has an error.

    `published` is the number that stands beside the formula, and `reproduction` says whether it follows from it.
    `cells` and `results` are the cells and executions that the formula reads. `is_change` is whether it is a gain or loss.
    """

    expression: str
    unit: Unit
    value: Fraction | None = None
    decimals: int = 0
    published: Number | None = None
    reproduction: Reproduction | None = None
    cells: tuple[CellName, ...] = ()
    results: tuple[str, ...] = ()
    error: FormulaError | None = None
    is_change: bool = True
    interval: Interval | None = None

    @property
    def text(self) -> str:
        """The figure with its sign and without its unit; a dash when there is none."""
        if self.value is None:
            return "\N{EM DASH}"
        return numerals.shown(self.value, self.interval or Interval.exact(self.value), self.decimals, sign=self.signed)

    @property
    def published_text(self) -> str:
        """What the field says beside it, in the same form; empty when it says nothing."""
        return "" if self.published is None else numerals.text(Fraction(self.published), numerals.decimals_of(self.published), sign=self.signed)

    @property
    def signed(self) -> bool:
        """Whether a plus belongs before it: per cent are taken for a change, but where the formula names a figure that is none."""
        return self.unit.text == "%" and self.is_change

    @property
    def differs(self) -> bool:
        """Whether what was published is not what is computed."""
        return self.reproduction in (Reproduction.DIFFERS, Reproduction.UNDECIDED)


def field_figure(expression: str, unit_text: str, published: Number | None, workbook: Workbook) -> FieldFigure:
    """Computes the figure of a field in the field's unit; what is wrong with the formula stands in `error`."""
    scope = workbook.scope()
    measured = PURE
    try:
        measured = unit(unit_text)
        quantity = evaluate(expression, scope)
        if quantity.dimension != measured.dimension:
            raise FormulaError(f"the figure is in {describe(quantity.dimension)}, not in {measured.text}", 0, fault="units")
    except UnknownUnitError as unknown:
        return FieldFigure(expression, measured, published=published, error=FormulaError(str(unknown), 0, unknown.hint, "units"))
    except FormulaError as error:
        return FieldFigure(expression, measured, published=published, cells=tuple(scope.read), results=tuple(scope.results), error=error)
    value = measured.from_base(quantity.value)
    decimals = _decimals(expression, quantity, measured, scope, published)
    named = named_figure(expression, scope)
    verdict = _verdict(quantity, measured, published)
    return FieldFigure(expression, measured, value, decimals, published, verdict, tuple(scope.read), tuple(scope.results), is_change=named is None or named.column.signed, interval=in_unit(quantity.interval, measured))


def _decimals(expression: str, quantity: Quantity, measured: Unit, scope: WorkbookScope, published: Number | None) -> int:
    """Places after the point: those of the figure that the formula names, else those of the number beside it, else what the interval supports."""
    figure = named_figure(expression, scope)
    if figure is not None and figure.unit == measured:
        return figure.decimals
    if published is not None:
        return numerals.decimals_of(published)
    return numerals.supported_decimals(measured.from_base(quantity.value), in_unit(quantity.interval, measured), (quantity.uncertainty or 0.0) / float(measured.factor))


def _verdict(quantity: Quantity, measured: Unit, published: Number | None) -> Reproduction | None:
    """Agreement with a figure that was itself published without its inputs says nothing; disagreement does."""
    if published is None:
        return None
    found = compare(measured.from_base(quantity.value), in_unit(quantity.interval, measured), published)
    return Reproduction.UNSUPPORTED if quantity.unsupported and found is Reproduction.REPRODUCED else found
