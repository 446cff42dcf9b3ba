"""What figures rest on: executions on record, what documents report, or both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from kvdocs.figures.table import CellName
from kvdocs.figures.workbook import Workbook
from kvdocs.kinds.measurement import MeasuredCell, Measurement
from kvdocs.model import Number

REPORTED, EXECUTED, BOTH, COUNTED = "reported", "executed", "executed and reported", "counted"
"""`counted`: it rests on the records themselves, such as a number of defects, or on nothing but settings."""


class Typed:
    """What the record of a measurement types, to be asked for each of its cells: its first row of each key, and its columns that are settings."""

    def __init__(self, record: Measurement) -> None:
        self.record = record
        self.settings = _settings(record)
        self.rows: dict[Number | str, dict[str, Number | str | MeasuredCell]] = {}
        for row in record.rows:
            key = row.get(record.key)
            if key is not None and not isinstance(key, MeasuredCell):
                self.rows.setdefault(key, row)


def basis(cells: Iterable[CellName], results: Iterable[str], workbook: Workbook, typed: Callable[[str], Typed | None]) -> str:
    """What these cells and executions rest on, formulas followed back to what was measured; `typed` gives what a measurement types, by its id.

    A figure is executed when it was read from an execution, by its cell or by a formula; one that somebody typed is reported, whatever its record names.
    Settings are neither: the keys of rows, and the columns that tell which figure of an execution a row means.
    """
    found = {EXECUTED} if any(True for _ in results) else set()
    seen: set[CellName] = set()
    todo = list(cells)
    while todo:
        cell = todo.pop()
        if cell in seen:
            continue
        seen.add(cell)
        figure = workbook.figure(cell)
        todo += figure.inputs
        if figure.results:
            found.add(EXECUTED)
        elif figure.cell.is_input or (figure.cell.published is not None and figure.column.compute is None):
            found |= _of_input(cell, typed(cell.measurement))
    return BOTH if len(found) > 1 else found.pop() if found else COUNTED


def _of_input(cell: CellName, typed: Typed | None) -> set[str]:
    """What a figure rests on that no formula gives: its record types it, or it was put there from an execution when the record was read."""
    if typed is None or cell.column == typed.record.key or cell.column in typed.settings:
        return set()
    written = typed.rows.get(cell.row, {}).get(cell.column)
    is_read = written is None or (isinstance(written, MeasuredCell) and written.metric is not None)
    return {EXECUTED if is_read else REPORTED}


def _settings(record: Measurement) -> set[str]:
    """The columns that the names of metrics stand for: `{np}` in `{variant}.np{np}.errors`."""
    cells = (cell.metric for row in record.rows for cell in row.values() if isinstance(cell, MeasuredCell))
    metrics = [metric for metric in (*(column.metric for column in record.columns), *cells) if metric is not None]
    return {name for metric in metrics for name in re.findall(r"\{(\w+)\}", metric)}
