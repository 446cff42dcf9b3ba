"""Checks of figures: formulas, published figures, claims and comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kvdocs.checks.inputs import Inputs
from kvdocs.checks.text_place import place_in_text
from kvdocs.cited import title_of
from kvdocs.entry import Entry
from kvdocs.figures.claims import Judgement, Verdict
from kvdocs.figures.comparison import Order, order_of
from kvdocs.figures.names import Fault, FormulaError
from kvdocs.figures.table import CellName, Figure, Reproduction
from kvdocs.figures.units import UnknownUnitError, unit
from kvdocs.kinds.claim import CLAIM_FAILS, CLAIM_UNDECIDED, CLAIM_UNSUPPORTED, Claim
from kvdocs.kinds.measurement import (
    FORMULA_CYCLE,
    FORMULA_ERROR,
    INVALID_ARM,
    ORDER_DRIFTS,
    ORDER_MISCOUNTS,
    ORDER_UNKNOWN,
    PUBLISHED_DIFFERS,
    PUBLISHED_UNDECIDED,
    PUBLISHED_UNSUPPORTED,
    TEXT,
    UNIT_MISMATCH,
    UNKNOWN_UNIT,
    MeasuredCell,
    Measurement,
)
from kvdocs.ledger import Ledger, ledger_of
from kvdocs.memo import Recorder
from kvdocs.model import Loc
from kvdocs.problems import Code, Problem

_FORMULA_CODES: dict[Fault, Code] = {"form": FORMULA_ERROR, "name": FORMULA_ERROR, "undefined": FORMULA_ERROR, "units": UNIT_MISMATCH, "cycle": FORMULA_CYCLE}
"""An empty cell is no error of a formula, and what another error blocks is not reported again."""

_PUBLISHED_CODES = {Reproduction.DIFFERS: PUBLISHED_DIFFERS, Reproduction.UNDECIDED: PUBLISHED_UNDECIDED, Reproduction.UNSUPPORTED: PUBLISHED_UNSUPPORTED}


def check_figures(entry: Entry, registry: Recorder, inputs: Inputs) -> Iterator[Problem]:
    """What computing the figures of a measurement or of a claim, which the entry is, brings to light."""
    registry.note(inputs.looks(entry))
    ledger = ledger_of(inputs.registry)
    yield from _measurement(entry, ledger) if entry.kind.name == "measurement" else _claim(entry, ledger)


def _measurement(entry: Entry, ledger: Ledger) -> Iterator[Problem]:
    record = entry.record
    assert isinstance(record, Measurement)
    yield from _units(entry, record)
    yield from _formulas(entry, record, ledger)
    yield from _published(entry, record, ledger)
    yield from _order(entry, ledger.measurements[record.id])
    yield from _samples(entry, ledger.measurements[record.id])
    yield from _arms(entry, record, ledger)


def _units(entry: Entry, record: Measurement) -> Iterator[Problem]:
    for position, column in enumerate(record.columns):
        if column.unit != TEXT:
            yield from _unit(entry, ("columns", position, "unit"), column.unit)


def _unit(entry: Entry, loc: Loc, text: str) -> Iterator[Problem]:
    try:
        unit(text)
    except UnknownUnitError as error:
        yield Problem(UNKNOWN_UNIT, str(error), entry.raw.place_of(loc, value=True), entry.id, error.hint)


def _formulas(entry: Entry, record: Measurement, ledger: Ledger) -> Iterator[Problem]:
    """The errors of a column's formula, each once; one that belongs to a row names it."""
    sheet = ledger.workbook.sheets[record.id]
    for position, column in enumerate(record.columns):
        if column.compute is None or column.name not in sheet.columns:
            continue
        for row in sheet.rows:
            error = ledger.workbook.error(CellName(record.id, column.name, row))
            if error is not None:
                in_row = f" in row {row}" if error.fault == "undefined" else ""
                yield from _formula(entry, ("columns", position, "compute"), column.compute, error, f"`{column.name}`{in_row}")


def _formula(entry: Entry, loc: Loc, text: str, error: FormulaError, subject: str) -> Iterator[Problem]:
    code = _FORMULA_CODES.get(error.fault)
    if code is not None:
        yield Problem(code, f"{subject}: {error.message}", place_in_text(entry.raw, loc, text, error.offset), entry.id, error.hint)


def _published(entry: Entry, record: Measurement, ledger: Ledger) -> Iterator[Problem]:
    """Published figures that the inputs do not give; those without inputs once for a column."""
    positions = _positions(record)
    unsupported: dict[str, list[Figure]] = {}
    for figure in ledger.published_in(record.id):
        code = _PUBLISHED_CODES.get(figure.reproduction) if figure.reproduction is not None else None
        if figure.reproduction is Reproduction.UNSUPPORTED:
            unsupported.setdefault(figure.name.column, []).append(figure)
        elif code is not None:
            low, high = figure.bounds_text
            rounding = f" (with their rounding, {low} to {high})" if low != high else ""
            message = f"{figure.name}: {figure.published_text} was published, and the inputs give {figure.text}{rounding}"
            place = entry.raw.place_of(("rows", positions[figure.name.row], figure.name.column, "published"), value=True)
            yield Problem(code, message, place, entry.id, _published_hint(figure))
    for column, figures in unsupported.items():
        what = f"{figures[0].name}: {figures[0].published_text} was" if len(figures) == 1 else f"{record.id}.{column}: {len(figures)} figures were"
        place = entry.raw.place_of(("rows", positions[figures[0].name.row], column, "published"), value=True)
        yield Problem(PUBLISHED_UNSUPPORTED, f"{what} published, and the inputs are not on record", place, entry.id, _published_hint(figures[0]))


def _positions(record: Measurement) -> dict[object, int]:
    """Where the row of each key stands; the first one when a key stands twice."""
    return {row.get(record.key): position for position, row in reversed(list(enumerate(record.rows)))}


def _published_hint(figure: Figure) -> str | None:
    return f"{figure.name.column} = {figure.column.compute}" if figure.column.compute else None


def _order(entry: Entry, record: Measurement) -> Iterator[Problem]:
    """Compared arms ran in an order that is known and cancels drift."""
    if not record.comparisons:
        return
    order = order_of(record.order if isinstance(record.order, list) else None)
    if order is Order.UNKNOWN:
        message = f"{record.id} compares arms, and the order in which they ran is not on record"
        yield Problem(ORDER_UNKNOWN, message, entry.raw.place_of(("order",)), record.id, "write the arms in `order` as they ran")
    elif order is Order.DRIFTS:
        assert isinstance(record.order, list)
        message = f"in the order {' '.join(record.order)} a steady drift does not cancel"
        yield Problem(ORDER_DRIFTS, message, entry.raw.place_of(("order_metric" if record.order_metric else "order",)), record.id, "run A B B A")


def _samples(entry: Entry, record: Measurement) -> Iterator[Problem]:
    """Compared arms have a sample for each time that the order names them, less those that were left out."""
    if not isinstance(record.order, list) or record.order_metric is not None:  # an order of executions says nothing of samples that were typed
        return
    ran = Counter(record.order)
    compared = dict.fromkeys(arm for pair in record.comparisons for arm in (pair.a, pair.b) if arm in ran)
    for position, row in enumerate(record.rows):
        for arm in compared:
            cell = row.get(arm)
            if not isinstance(cell, MeasuredCell) or not cell.samples:
                continue
            kept = len(cell.samples)
            if kept != ran[arm] and not _is_of_exclusions(record, row.get(record.key), arm, ran[arm] - kept):
                message = f"{record.id}.{arm}[{row.get(record.key)}] has {kept} sample{'s' * (kept != 1)}, and in the order {' '.join(record.order)} it ran {_times(ran[arm])}"
                yield Problem(ORDER_MISCOUNTS, message, entry.raw.place_of(("rows", position, arm)), record.id, "write a sample for each run, or the order as it was")


def _is_of_exclusions(record: Measurement, key: object, arm: str, lacking: int) -> bool:
    """Whether so many samples are lacking because they were left out; of those that were not kept, nobody knows how many they are."""
    excluded = [x for x in record.exclusions if x.arm in (None, arm) and x.row in (None, key)]
    known = sum(len(x.values) for x in excluded)
    return lacking > 0 and (lacking == known or (lacking > known and any(not x.values for x in excluded)))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _arms(entry: Entry, record: Measurement, ledger: Ledger) -> Iterator[Problem]:
    positions = _positions(record)
    for arm in ledger.invalid_arms(record.id):
        place = entry.raw.place_of(("rows", positions[arm.name.row], arm.name.column))
        message = f"{arm.name} spreads {arm.ratio:.1f} times as much as the noise floor, and {arm.limit:.1f} times is the most"
        yield Problem(INVALID_ARM, message, place, record.id, "leave the whole block out, keep its data under `exclusions`, and run it again")


def _claim(entry: Entry, ledger: Ledger) -> Iterator[Problem]:
    record = entry.record
    assert isinstance(record, Claim)
    yield from _unit(entry, ("unit",), record.unit)
    name = f"{record.id} ({title_of(entry, ledger.registry)})"
    if record.expression is None:
        yield Problem(CLAIM_UNSUPPORTED, f"{name}: nothing on record decides it", entry.raw.place_of(("unsupported",)), record.id)
        return
    if ledger.surely_holds(record):
        return
    judgement = ledger.judgements[record.id]
    if judgement.error is not None:
        yield from _formula(entry, ("expression",), record.expression, judgement.error, name)
        if judgement.error.fault == "unexecuted":
            yield Problem(CLAIM_UNSUPPORTED, f"{name}: {judgement.error.message}", entry.raw.place_of(("expression",)), record.id)
        elif judgement.error.fault == "absent":
            yield Problem(FORMULA_ERROR, f"{name}: {judgement.error.message}", place_in_text(entry.raw, ("expression",), record.expression, judgement.error.offset), record.id)
        return
    code = _claim_code(judgement)
    if code is not None:
        yield Problem(code, f"{name} {judgement.verdict}: {judgement.reason}", entry.raw.place_of(("expression",)), record.id)


def _claim_code(judgement: Judgement) -> Code | None:
    if judgement.verdict is Verdict.HOLDS:
        return None
    if judgement.verdict is Verdict.FAILS:
        return CLAIM_FAILS
    worst = judgement.worst
    return CLAIM_UNSUPPORTED if judgement.unsupported and worst is not None and worst.verdict is Verdict.HOLDS else CLAIM_UNDECIDED
