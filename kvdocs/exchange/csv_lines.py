"""Lines of csv that may have been cut short."""

from __future__ import annotations

import csv


def whole_cells(line: str) -> list[str] | None:
    """The cells of a line of csv, or None when its last quote is open."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return None
