"""What figures rest on: executions on record, what documents report, or both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kvdocs.figures.table import CellName
from kvdocs.figures.workbook import Workbook
from kvdocs.registry import Registry

REPORTED, EXECUTED, BOTH, COUNTED = "reported", "executed", "executed and reported", "counted"
"""`counted`: it rests on the records themselves, such as a number of defects."""


def basis(cells: Iterable[CellName], results: Iterable[str], workbook: Workbook, registry: Registry) -> str:
    """What these cells and executions rest on, formulas followed back to what was measured.

    A figure is executed when its measurement names the executions that it comes from, or when its formula reads them; else it is reported.
    """
    found = {EXECUTED} if any(True for _ in results) else set()
    seen: set[CellName] = set()
    todo = list(cells)
    while todo:
        cell = todo.pop()
        if cell in seen or cell.column == workbook.sheets[cell.measurement].key:
            continue
        seen.add(cell)
        figure = workbook.figure(cell)
        todo += figure.inputs
        if figure.results:
            found.add(EXECUTED)
        elif figure.cell.is_input or (figure.cell.published is not None and figure.column.compute is None):
            entry = registry.get(cell.measurement)
            found.add(basis_of_record(entry.record if entry is not None else None))
    return BOTH if len(found) > 1 else found.pop() if found else COUNTED


def basis_of_record(record: Any) -> str:
    """What the figures that a measurement or an experiment types come from: executions that it names, or a document."""
    return EXECUTED if getattr(record, "results", None) else REPORTED
