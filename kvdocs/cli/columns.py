"""Cells in columns that fit the terminal: wrapped inside their cells where they are too long, and each row by itself where the columns are too many.

Words stay whole, so that ids, paths and addresses can be copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from kvdocs.cli.output import cell_width, paint

SHORT = 16
"""A column that is no wider than this keeps its width as long as others can give way."""

LONGEST_WORD = 40
"""A longer word, such as an address, does not decide how wide its column is."""

NARROWEST = 20
"""Text is not wrapped to fewer columns, however narrow the terminal is."""


def fitted(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int, right: Sequence[bool] = ()) -> list[str]:
    """The rows under their headings, in at most so many columns. `tones` has the shape of `rows`; `right` says which columns are aligned to the right."""
    widths = _widths([headings, *rows], columns)
    if widths is None:
        return _rows_apart(headings, rows, tones, columns)
    aligned = right or [False] * len(headings)
    lines = _row(headings, ["head"] * len(headings), widths, aligned)
    for row, row_tones in zip(rows, tones, strict=True):
        lines += _row(row, row_tones, widths, aligned)
    return lines


def pairs(labels: Sequence[str], texts: Sequence[str], tones: Sequence[str], columns: int) -> list[str]:
    """Labels and texts in two columns."""
    widest = max(map(cell_width, labels), default=0)
    lines = []
    for label, text, tone in zip(labels, texts, tones, strict=True):
        first, *more = hanging("", text, columns - widest - 2)
        lines.append(f"{paint(label, 'off')}{' ' * (widest - cell_width(label))}  {paint(first, tone)}")
        lines += [f"{' ' * widest}  {paint(line, tone)}" for line in more]
    return lines


def hanging(mark: str, text: str, columns: int) -> list[str]:
    """Wrapped text after a mark, whose further lines stand below the first one's text."""
    return wrap(text, max(columns, NARROWEST), initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False) or [mark.rstrip()]


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int] | None:
    """How wide each column is: as wide as it wants, or the widest ones less; None when even the longest words do not fit."""
    wanted = [max(cell_width(row[i]) for row in rows) for i in range(len(rows[0]))]
    words = [max(min(cell_width(word), LONGEST_WORD) for row in rows for word in row[i].split() or [""]) for i in range(len(wanted))]
    space = columns - 2 * (len(wanted) - 1)
    for least in (wanted, [w if w <= SHORT else word for w, word in zip(wanted, words, strict=True)], words):
        if sum(least) <= space:
            cap = max(limit for limit in range(columns + 1) if sum(min(w, max(low, limit)) for w, low in zip(wanted, least, strict=True)) <= space)
            return [min(w, max(low, cap)) for w, low in zip(wanted, least, strict=True)]
    return None


def _row(cells: Sequence[str], tones: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """One row, in as many lines as its longest cell needs."""
    parts = [[cell] if cell_width(cell) <= width else wrap(cell, width, break_long_words=False, break_on_hyphens=False) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for number in range(max(map(len, parts))):
        line = ""
        for part, tone, width, to_right in zip(parts, tones, widths, right, strict=True):
            text = part[number] if number < len(part) else ""
            gap = " " * (width - cell_width(text))
            line += f"{gap if to_right else ''}{paint(text, tone) if text else ''}{'' if to_right else gap}  "
        lines.append(line.rstrip())
    return lines


def _rows_apart(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Each row by itself: its first cell, or its number and its id, then what it has under the other headings."""
    lead = 2 if headings[0] == "#" else 1
    lines: list[str] = []
    for row, row_tones in zip(rows, tones, strict=True):
        head = "  ".join(row[:lead]) if lead > 1 else f"{headings[0]} {row[0]}"
        lines += [*([""] if lines else []), *(paint(line, "plain", bold=True) for line in hanging("", head, columns))]
        lines += [f"  {line}" for line in pairs(headings[lead:], row[lead:], row_tones[lead:], columns - 2)]
    return lines
