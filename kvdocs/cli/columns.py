"""Cells in columns that fit the terminal: wrapped inside their cells where they are too long, and each row by itself where the columns are too many.

Words stay whole, so that ids, paths and addresses can be copied, and a number stays with its unit.
A table of numbers is turned on its side first, so that each row becomes a column; in any other, what each row says alike is told once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap

from kvdocs.cli.output import cell_width, paint

SHORT = 16
"""A column that is no wider than this keeps its width as long as others can give way."""

LONGEST_WORD = 40
"""A longer word, such as an address, does not decide how wide its column is where it would leave too little to the others."""

NARROWEST = 20
"""Text is not wrapped to fewer columns, however narrow the terminal is."""


MANY = 3
"""Of so many rows it is told once what they say alike."""

GAP = "  "
"""What stands between two columns."""

NO_BREAK = "\xa0"
"""A space at which no line is broken."""


def fitted(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int, right: Sequence[bool] = ()) -> list[str]:
    """The rows under their headings, in at most so many columns. `tones` has the shape of `rows`; `right` says which columns are aligned to the right."""
    return side_by_side(headings, rows, tones, columns, right) or _rows_apart(headings, rows, tones, columns)


def side_by_side(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int, right: Sequence[bool] = (), notes: Sequence[tuple[str, str]] = (), under: int = 0) -> list[str] | None:
    """The same where cells that are too long can be wrapped; None where there are too many of them. Below each row stands its note in its tone, where there is one."""
    aligned = right or [False] * len(headings)
    kept = [[_kept_together(cell) if to_right else cell for cell, to_right in zip(row, aligned, strict=True)] for row in rows]
    widths = _widths([headings, *kept], columns)
    if widths is None:
        return None
    indent = " " * (sum(widths[:under]) + len(GAP) * under)
    lines = _row(headings, ["head"] * len(headings), widths, aligned)
    for row, row_tones, (note, tone) in zip(kept, tones, notes or [("", "")] * len(kept), strict=True):
        lines += _row(row, row_tones, widths, aligned)
        lines += [paint(line, tone) for line in hanging(indent, note, columns)] if note else []
    return [line.replace(NO_BREAK, " ") for line in lines]


def noted(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int, under: int) -> list[str] | None:
    """The same with the last cell of each row below it, from the column with the number `under` on."""
    notes = [(row[-1], row_tones[-1]) for row, row_tones in zip(rows, tones, strict=True)]
    return side_by_side(headings[:-1], [row[:-1] for row in rows], [row_tones[:-1] for row_tones in tones], columns, notes=notes, under=under)


def fits(rows: Sequence[Sequence[str]], columns: int) -> bool:
    """Whether rows stand side by side in so many columns as they are."""
    return sum(_wanted(rows)) + len(GAP) * (len(rows[0]) - 1) <= columns


def turned(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int) -> list[str] | None:
    """The same on its side: the cells of the first column as headings, and a line for each of the others; None where that does not fit either."""
    across = list(zip(headings, *rows, strict=True))
    if not fits(across, columns):
        return None
    widths, aligned = _wanted(across), [False, *(True for _ in rows)]
    lines = _row(across[0], ["head"] * len(across[0]), widths, aligned)
    for row, *row_tones in zip(across[1:], *([row_tones[i] for i in range(1, len(headings))] for row_tones in tones), strict=True):
        lines += _row(row, ["head", *row_tones], widths, aligned)
    return lines


def said_alike(rows: Sequence[Sequence[str]]) -> list[int]:
    """The columns behind the first in which each of many rows says the same."""
    return [i for i in range(1, len(rows[0])) if len({row[i] for row in rows}) == 1] if len(rows) >= MANY else []


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


def _wanted(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(cell_width(row[i]) for row in rows) for i in range(len(rows[0]))]


def _kept_together(cell: str) -> str:
    """A cell whose numbers are not parted from their units."""
    return re.sub(r"(?<=[0-9]) (?=[^\s0-9])", NO_BREAK, cell)


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int] | None:
    """How wide each column is: as wide as it wants, or the widest ones less; None when even the longest words do not fit."""
    wanted = _wanted(rows)
    space = columns - len(GAP) * (len(wanted) - 1)
    for longest in (columns, LONGEST_WORD):
        words = [max(min(cell_width(word), longest) for row in rows for word in row[i].split(" ")) for i in range(len(wanted))]
        for least in (wanted, [w if w <= SHORT else word for w, word in zip(wanted, words, strict=True)], words):
            if sum(least) <= space:
                cap = max(limit for limit in range(columns + 1) if sum(min(w, max(low, limit)) for w, low in zip(wanted, least, strict=True)) <= space)
                widths = [min(w, max(low, cap)) for w, low in zip(wanted, least, strict=True)]
                if longest == LONGEST_WORD or all(width >= min(w, NARROWEST) for width, w in zip(widths, wanted, strict=True)):
                    return widths
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
