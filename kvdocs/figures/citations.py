"""Figures in prose: `{{ M3.gain[16384] }}` in a text -> the computed figure, or an error with its place in the text.

What stands between the braces is a formula and, after a bar, how to print it:

    {{ M3.gain[16384] }}                          the figure with its unit, digits as in its table
    {{ M3.gain[16384] | .0f }}                    so many places after the point; `+` before it shows the sign
    {{ M3.gain[16384] | bare }}                   without the unit
    {{ M5.host[8192] / M5.host_q8[8192] | .0f x }}  any formula, with the unit of the result
    {{ count('defect', status='confirmed') | words }}   a count in words

Code spans and fenced code are left as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from kvdocs.figures import numerals
from kvdocs.figures.formula import evaluate, parse
from kvdocs.figures.names import FormulaError
from kvdocs.figures.quantity import describe
from kvdocs.figures.table import CellName, Figure, in_unit
from kvdocs.figures.units import PURE, Unit, UnknownUnitError, unit
from kvdocs.figures.workbook import Workbook, WorkbookScope

_CODE = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^(?P=fence)[`~]*[ \t]*$|\Z)|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.MULTILINE | re.DOTALL)
_CITATION = re.compile(r"\{\{(?P<body>[^{}]*)\}\}")
_FORMAT = re.compile(r"(?P<sign>\+)?(?:\.(?P<decimals>[0-9])f)?")


class Citation(NamedTuple):
    """A figure cited in a text, from `start` to `end`: what it is replaced by, and the cells that it rests on.

    `error` is set when it cannot be computed; its offset counts from the start of the text, and the braces stay as they are.
    """

    start: int
    end: int
    text: str
    cells: tuple[CellName, ...] = ()
    error: FormulaError | None = None


def citations(text: str, workbook: Workbook) -> Iterator[Citation]:
    """The citations of a text, in its order."""
    if "{{" not in text:
        return
    code = [(found.start(), found.end()) for found in _CODE.finditer(text)]
    for found in _CITATION.finditer(text):
        if not any(start <= found.start() < end for start, end in code):
            yield _cite(found, workbook)


def cited(text: str, workbook: Workbook, show: Callable[[Citation], str] = lambda citation: citation.text) -> str:
    """The text with its citations replaced by their figures; `show` may dress them, as a link to the measurement."""
    result, end = [], 0
    for citation in citations(text, workbook):
        result += [text[end : citation.start], show(citation)]
        end = citation.end
    return "".join(result) + text[end:]


class Style(NamedTuple):
    """How a figure is printed: what stands after the bar. What is None is taken from the figure."""

    sign: bool = False
    decimals: int | None = None
    unit: Unit | None = None
    bare: bool = False
    words: bool = False


def read_style(text: str) -> Style:
    """The style of a text such as `+.1f ms/token`; UnknownUnitError when a word is no format and no unit."""
    style = Style()
    for word in text.split():
        form = _FORMAT.fullmatch(word)
        if form is not None:
            decimals = form["decimals"]
            style = style._replace(sign=style.sign or form["sign"] is not None, decimals=style.decimals if decimals is None else int(decimals))
        elif word == "bare":
            style = style._replace(bare=True)
        elif word == "words":
            style = style._replace(words=True)
        else:
            style = style._replace(unit=unit(word))
    return style


def cite(formula: str, workbook: Workbook) -> Citation:
    """The figure of a formula that is a text of its own, without braces and format; an error leaves the formula as the text."""
    scope = workbook.scope()
    try:
        return Citation(0, len(formula), _shown(formula, Style(), scope), tuple(scope.read))
    except FormulaError as error:
        return Citation(0, len(formula), formula, tuple(scope.read), error)


def _cite(found: re.Match[str], workbook: Workbook) -> Citation:
    expression, bar, style = found["body"].partition("|")
    scope = workbook.scope()
    try:
        shown = _shown(expression, read_style(style), scope)
    except FormulaError as error:
        raised = FormulaError(error.message, found.start("body") + error.offset, error.hint, error.fault)
    except UnknownUnitError as unknown:
        after_bar = found.start("body") + len(expression) + len(bar)
        raised = FormulaError(f"{unknown}, and no format", after_bar, unknown.hint or "such as `+.1f`, `bare`, `words` or a unit")
    else:
        return Citation(found.start(), found.end(), shown, tuple(scope.read))
    return Citation(found.start(), found.end(), found[0], tuple(scope.read), raised)


def _shown(expression: str, style: Style, scope: WorkbookScope) -> str:
    quantity = evaluate(expression, scope)
    figure = named_figure(expression, scope)
    measured = style.unit or (figure.unit if figure is not None else PURE)
    if measured.dimension != quantity.dimension:
        raise FormulaError(f"the figure is in {describe(quantity.dimension)}, not in {measured.text}", 0, "name its unit after a bar, such as `| ms/token`", "units")
    value = measured.from_base(quantity.value)
    within = in_unit(quantity.interval, measured)
    if style.words and not within.bound:
        return _in_words(value)
    decimals = style.decimals
    if decimals is None and figure is not None and measured == figure.unit:
        decimals = figure.decimals
    elif decimals is None:
        decimals = numerals.supported_decimals(value, within, (quantity.uncertainty or 0.0) / float(measured.factor))
    sign = style.sign or (figure is not None and figure.column.signed)
    return numerals.shown(value, within, decimals, sign=sign) + ("" if style.bare else measured.label)


def _in_words(value: Fraction) -> str:
    words = numerals.words(value)
    if words is None:
        raise FormulaError("only a count up to twenty is written in words")
    return words


def named_figure(expression: str, scope: WorkbookScope) -> Figure | None:
    """The figure that an expression names which was evaluated in this scope, when it does nothing but name one: then its unit and digits hold."""
    if isinstance(parse(expression), (ast.Attribute, ast.Subscript)) and len(scope.read) == 1:
        return scope.workbook.figure(next(iter(scope.read)))
    return None
