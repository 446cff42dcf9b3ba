"""Claims: a sentence with a figure in it -> holds, fails or undecided, row by row, with the worst row named.

A published number stands for its rounding interval (`equals`, `between`); a limit (`at_most`, `at_least`) and a tolerance are exact.
The computed value stands for its rounding interval widened by 1.96 standard uncertainties.
All of it inside what is claimed: holds. All of it outside: fails. Else rounding or uncertainty does not decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import inf
from typing import NamedTuple

from kvdocs.figures import numerals
from kvdocs.figures.estimates import in_unit_outwards
from kvdocs.figures.formula import evaluate, executions, references
from kvdocs.figures.interval import Interval, written
from kvdocs.figures.names import FormulaError, Key, Reference, ScopeError
from kvdocs.figures.quantity import Quantity, describe
from kvdocs.figures.sheet import Number
from kvdocs.figures.table import COVERAGE, CellName, in_unit
from kvdocs.figures.units import PURE, Unit, UnknownUnitError, unit
from kvdocs.figures.workbook import Workbook


class Verdict(StrEnum):
    """What the record says about a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


class Relation(NamedTuple):
    """What is claimed of a value, in the claim's unit: all values from `low` to `high`; one of them may be endless (None).

    `sentence` says it, with `@` where the unit stands; `decimals` are the places after the point of the number in it.
    """

    low: Fraction | None
    high: Fraction | None
    sentence: str
    decimals: int

    def words(self, of: Unit) -> str:
        """What is claimed, as the end of a sentence: `is at most 4%`."""
        return self.sentence.replace("@", of.label)

    @classmethod
    def equals(cls, published: Number) -> Relation:
        """The value rounds to the published number: `108` is 107.5 to 108.5, and `6e+1` is 55 to 65."""
        band = written(published)
        return cls(band.low, band.high, f"rounds to {_show(published)}@", numerals.decimals_of(published))

    @classmethod
    def near(cls, value: Number, tolerance: Number) -> Relation:
        """The value is no further away than the tolerance."""
        words = f"is {_show(value)}@ ± {_show(tolerance)}@"
        return cls(Fraction(value) - Fraction(tolerance), Fraction(value) + Fraction(tolerance), words, max(map(numerals.decimals_of, (value, tolerance))))

    @classmethod
    def at_most(cls, limit: Number) -> Relation:
        return cls(None, Fraction(limit), f"is at most {_show(limit)}@", numerals.decimals_of(limit))

    @classmethod
    def at_least(cls, limit: Number) -> Relation:
        return cls(Fraction(limit), None, f"is at least {_show(limit)}@", numerals.decimals_of(limit))

    @classmethod
    def between(cls, low: Number, high: Number) -> Relation:
        """The value rounds to a number from `low` to `high`."""
        words = f"rounds to a number from {_show(low)}@ to {_show(high)}@"
        return cls(written(low).low, written(high).high, words, max(map(numerals.decimals_of, (low, high))))

    def judge(self, low: float | Fraction, high: float | Fraction) -> Verdict:
        """Whether all, none or some of the numbers from `low` to `high` are as claimed."""
        if (self.low is None or low >= self.low) and (self.high is None or high <= self.high):
            return Verdict.HOLDS
        if (self.low is not None and high < self.low) or (self.high is not None and low > self.high):
            return Verdict.FAILS
        return Verdict.UNDECIDED

    def room(self, value: float) -> float:
        """How far a value is from the nearest limit; negative outside."""
        below = inf if self.low is None else value - float(self.low)
        above = inf if self.high is None else float(self.high) - value
        return min(below, above)


class Claim(NamedTuple):
    """A claim as data: `rows` are the keys for which it is meant, empty when the expression names its rows itself."""

    id: str
    expression: str
    relation: Relation
    unit: str = "1"
    rows: tuple[Key, ...] = ()


class RowVerdict(NamedTuple):
    """The verdict in one row. `low` and `high` bound the value in the claim's unit, with rounding and uncertainty; `room` is negative outside the claim."""

    row: Key | None
    quantity: Quantity
    unit: Unit
    low: float
    high: float
    verdict: Verdict
    room: float
    decimals: int

    @property
    def value(self) -> Fraction:
        return self.unit.from_base(self.quantity.value)

    @property
    def text(self) -> str:
        """The value with one digit more than the claim has, and its unit; `≥ 100` where only a bound is known."""
        return numerals.shown(self.value, in_unit(self.quantity.interval, self.unit), self.decimals) + self.unit.label

    @property
    def range_text(self) -> str:
        """Both bounds, with digits enough to tell them apart; empty when they are one, or when the value is a bound itself."""
        if self.low == self.high or in_unit(self.quantity.interval, self.unit).bound:
            return ""
        return " to ".join(numerals.bounds(Fraction(self.low), Fraction(self.high), self.decimals, self.unit.label))


class Judgement(NamedTuple):
    """What the record says about a claim. `error` stands when the expression cannot be computed; then nothing is decided.

    `unsupported` are the figures that it rests on and that were published without their inputs:
    agreement with such a figure decides nothing, disagreement does. `results` are the executions that it reads.
    """

    claim: Claim
    verdict: Verdict
    rows: tuple[RowVerdict, ...] = ()
    unsupported: tuple[str, ...] = ()
    cells: tuple[CellName, ...] = ()
    results: tuple[str, ...] = ()
    error: FormulaError | None = None

    @property
    def worst(self) -> RowVerdict | None:
        """The row that is furthest outside the claim, or nearest to its limits."""
        return min(self.rows, key=lambda row: (row.verdict is not Verdict.FAILS, row.room)) if self.rows else None

    @property
    def claimed(self) -> str:
        """What is claimed, as the end of a sentence: `is at most 4%`."""
        try:
            return self.claim.relation.words(unit(self.claim.unit))
        except UnknownUnitError:
            return self.claim.relation.words(PURE)

    @property
    def reason(self) -> str:
        """One sentence: the worst row's value against the claim, and what keeps it from being decided."""
        worst = self.worst
        if self.error is not None:
            return f"cannot be computed: {self.error.message}"
        assert worst is not None
        at = f" at {numerals.text(Fraction(worst.row), 0) if isinstance(worst.row, int) else worst.row}" if worst.row is not None else ""
        bounds = f" ({worst.range_text})" if worst.range_text and worst.verdict is Verdict.UNDECIDED else ""
        sentence = f"the value{at} is {worst.text}{bounds}, and the claim is that it {self.claimed}"
        if self.verdict is Verdict.UNDECIDED and self.unsupported and worst.verdict is Verdict.HOLDS:
            return f"{sentence}; but what was published for {', '.join(self.unsupported)} has no inputs on record"
        return sentence


def judge(claim: Claim, workbook: Workbook) -> Judgement:
    """The verdict of a claim over all its rows: fails if one fails, else undecided if one is, else holds."""
    rows: list[RowVerdict] = []
    cells: dict[CellName, None] = {}
    results: dict[str, None] = {}
    try:
        measured = unit(claim.unit)
        for row in claim.rows or (None,):
            scope = workbook.scope(row)
            try:
                quantity = evaluate(claim.expression, scope)
            finally:
                cells |= scope.read
                results |= scope.results
            rows.append(_judge_row(claim, row, quantity, measured))
    except UnknownUnitError as error:
        return Judgement(claim, Verdict.UNDECIDED, error=FormulaError(str(error), hint=error.hint, fault="blocked"))
    except FormulaError as error:
        return Judgement(claim, Verdict.UNDECIDED, cells=tuple(cells), results=tuple(results), error=error)
    unsupported = tuple(dict.fromkeys(name for row in rows for name in row.quantity.unsupported))
    verdicts = {row.verdict for row in rows}
    undecided = bool(unsupported) or Verdict.UNDECIDED in verdicts
    verdict = Verdict.FAILS if Verdict.FAILS in verdicts else Verdict.UNDECIDED if undecided else Verdict.HOLDS
    return Judgement(claim, verdict, tuple(rows), unsupported, tuple(cells), tuple(results))


def surely_holds(claim: Claim, workbook: Workbook) -> bool:
    """Whether estimates prove that `judge` finds that a claim holds; False means that it has to be asked."""
    try:
        measured = unit(claim.unit)
    except UnknownUnitError:
        return False
    for row in claim.rows or (None,):
        found = workbook.estimates.value(claim.expression, measured.dimension, row)
        low, high = in_unit_outwards(found, measured) if found is not None else (-inf, inf)
        if claim.relation.judge(low, high) is not Verdict.HOLDS:
            return False
    return True


def all_rows(expression: str, workbook: Workbook) -> tuple[Key, ...]:
    """The rows of a claim that is meant for all: those in which no cell is empty that the expression names without a row.

    An expression over executions alone is judged execution by execution.
    """
    left_open = [r for r in references(expression) if r.row is None and not r.whole and r.measurement in workbook.sheets]
    if not left_open:
        try:
            return tuple(dict.fromkeys(figure.result for named in executions(expression) for figure in workbook.gather(named)))
        except ScopeError:
            return ()
    return tuple(row for row in workbook.sheets[str(left_open[0].measurement)].rows if all(_has_figure(workbook, r, row) for r in left_open))


def _has_figure(workbook: Workbook, reference: Reference, row: Key) -> bool:
    """Whether the cell is not empty; one with an error is not, and the claim will say so."""
    sheet = workbook.sheets[str(reference.measurement)]
    if row not in sheet.rows or reference.column not in sheet.columns:
        return row in sheet.rows
    error = workbook.error(CellName(sheet.id, reference.column, row))
    return error is None or not error.is_empty


def _judge_row(claim: Claim, row: Key | None, quantity: Quantity, measured: Unit) -> RowVerdict:
    if quantity.dimension != measured.dimension:
        raise FormulaError(f"the expression gives {describe(quantity.dimension)}, and the claim is in {measured.text} ({describe(measured.dimension)})", fault="units")
    interval = in_unit(quantity.interval, measured)
    low: float | Fraction = interval.low
    high: float | Fraction = interval.high
    if quantity.uncertainty is not None:
        low, high = widened(interval, quantity.uncertainty / float(measured.factor))
    room = claim.relation.room(float(interval.middle))
    decimals = 0 if (low == high or interval.bound) and interval.low.denominator == 1 else max(0, claim.relation.decimals + 1)
    return RowVerdict(row, quantity, measured, float(low), float(high), claim.relation.judge(low, high), room, decimals)


def widened(interval: Interval, uncertainty: float) -> tuple[float, float]:
    """Both bounds moved outwards by 1.96 standard uncertainties."""
    return float(interval.low) - COVERAGE * uncertainty, float(interval.high) + COVERAGE * uncertainty


def _show(number: Number) -> str:
    return numerals.text(Fraction(number), numerals.decimals_of(number))


def relation_of(
    equals: Number | None = None,
    tolerance: Number | None = None,
    at_most: Number | None = None,
    at_least: Number | None = None,
    between: Sequence[Number] | None = None,
) -> Relation:
    """The relation that one of these gives. ValueError when none is given, UndefinedError when a number is out of all bounds."""
    if equals is not None:
        return Relation.near(equals, tolerance) if tolerance is not None else Relation.equals(equals)
    if at_most is not None:
        return Relation.at_most(at_most)
    if at_least is not None:
        return Relation.at_least(at_least)
    if between is not None:
        return Relation.between(*between)
    raise ValueError("a claim has one of equals, at_most, at_least, between")
