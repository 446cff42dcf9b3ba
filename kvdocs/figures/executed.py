"""Figures that executions gave: what a script captured or wrote, as quantities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from kvdocs.figures.interval import Interval, written
from kvdocs.figures.names import Executions, ScopeError
from kvdocs.figures.quantity import Input, Quantity, of_input
from kvdocs.figures.sheet import Number
from kvdocs.figures.units import UnknownUnitError, unit


class ExecutedFigure(NamedTuple):
    """What one execution gave for a figure: one number, or several where the script wrote a list.

    `unit` is the one that the script wrote with it, None when it wrote none.
    `at_least`: the numbers are lower bounds, since a tool printed no more.
    """

    result: str
    numbers: tuple[Number, ...]
    unit: str | None = None
    at_least: bool = False


Gather = Callable[[Executions], Sequence[ExecutedFigure]]
"""The figures of the executions that a formula names, at least one; ScopeError when there is none."""


def none_gathered(named: Executions) -> Sequence[ExecutedFigure]:
    """For workbooks without executions."""
    raise ScopeError("executions cannot be read here")


def quantities(named: Executions, figure: ExecutedFigure) -> tuple[Quantity, ...]:
    """The numbers of a figure as quantities: whole numbers are counts and exact, others stand for their digits."""
    if named.unit and figure.unit and named.unit != figure.unit:
        raise ScopeError(f"{named.figure} is in {figure.unit} in {figure.result}, not in {named.unit}", "leave out `unit`", "units")
    try:
        measured = unit(named.unit or figure.unit or "1")
    except UnknownUnitError as error:
        raise ScopeError(str(error), error.hint, "units") from None
    found = []
    for position, number in enumerate(figure.numbers):
        interval = Interval.at_least(number) if figure.at_least else written(number, exact=isinstance(number, int))
        name = f"{named} in {figure.result}" + (f" ({position + 1})" if len(figure.numbers) > 1 else "")
        known = Input(name, Interval(interval.low * measured.factor, interval.high * measured.factor), Fraction(number) * measured.factor)
        found.append(of_input(known, measured.dimension))
    return tuple(found)
