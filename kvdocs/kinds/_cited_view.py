"""How the figure of a field is shown: the computed one as a link to where it comes from, and what was published where that differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvdocs.figures.units import after_number
from kvdocs.kind import Context
from kvdocs.model import Loc, Number
from kvdocs.view import Badge, Inline, Link

if TYPE_CHECKING:
    from kvdocs.figures.field_figure import FieldFigure


def field_figure_of(record_id: str, loc: Loc, context: Context) -> FieldFigure | None:
    """The figure that a payoff or outcome cites; None when it cites none, or where nothing is computed."""
    figures = context.computed("cited", record_id) or {}
    figure: FieldFigure | None = figures.get(loc)
    return figure


def number_text(number: Number | None, unit: str) -> str:
    """A number that a field gives itself, with the sign of a change; a dash when it gives none."""
    return "—" if number is None else f"{'+' if unit == '%' and number > 0 else ''}{number}".replace("-", "−")


def figure_text(figure: FieldFigure | None, number: Number | None, unit: str) -> str:
    """The number in words: the computed one, and after it what was published where that differs."""
    if figure is None or figure.value is None:
        return f"{number_text(number, unit)}{after_number(unit)}"
    return f"{figure.text}{after_number(unit)}" + (f" (published {figure.published_text}{after_number(unit)})" if figure.differs else "")


def figure_cells(figure: FieldFigure | None, number: Number | None, unit: str, context: Context) -> tuple[Inline, ...]:
    """The same for a table; `unit` is empty where the heading has it."""
    after = after_number(unit) if unit else ""
    if figure is None or figure.value is None:
        broken = (Badge("error", "bad"),) if figure is not None else ()
        return (f"{number_text(number, figure.unit.text if figure is not None else unit)}{after}", *broken)
    shown = f"{figure.text}{after}"
    link: Inline = context.link(figure.cells[0].measurement, shown) if figure.cells else Link(shown)
    return (link, Badge(f"published {figure.published_text}{after}", "bad")) if figure.differs else (link,)
