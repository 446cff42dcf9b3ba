"""The blocks of a record's view as lines for the terminal: what the site lays out as a page, laid out in columns of characters.

Prose is wrapped, commands and outputs never are, so that both can be copied.
A table whose cells do not fit is wrapped inside its cells; one with too many columns gets a paragraph for each row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from textwrap import wrap

from kvdocs import markup
from kvdocs.cli.output import cell_width, paint
from kvdocs.view import Badge, Block, Cards, Cell, Code, CodeBlock, Fact, Facts, Folded, Inline, Items, Link, Md, Notice, Prose, Section, Table

DASH = "–"

SHORT = 16
"""A column that is no wider than this keeps its width as long as others can give way."""

LONGEST_WORD = 40
"""A longer word, such as an address, does not decide how wide its column is."""

NOTICE_TONES = {"danger": "bad", "warning": "warn", "success": "good", "question": "warn"}


def section_lines(section: Section, columns: int, *, everything: bool = False) -> list[str]:
    """A heading and its blocks below it; nothing when no block has anything for a terminal. `everything` unfolds what is folded."""
    found = [lines for block in section.blocks if (lines := list(block_lines(block, columns - 2, everything=everything)))]
    body = [line for number, lines in enumerate(found) for line in ([""] * (number > 0) + lines)]
    return [paint(section.title, "plain", bold=True), *(f"  {line}".rstrip() for line in body)] if body else []


def block_lines(block: Block, columns: int, *, everything: bool = False) -> Iterator[str]:
    """The lines of a block; pictures and what only moves other blocks have none."""
    if isinstance(block, Prose):
        yield from prose_lines(block.text, columns)
    elif isinstance(block, Facts):
        yield from fact_lines(block.facts, columns)
    elif isinstance(block, Table):
        yield from _captioned(block.caption, table_lines(block, columns))
    elif isinstance(block, CodeBlock):
        yield from _captioned(block.title, block.text.rstrip("\n").split("\n"))
    elif isinstance(block, Notice):
        yield from notice_lines(block, columns)
    elif isinstance(block, Items):
        for number, item in enumerate(block.items, 1):
            yield from _hanging(f"{number}. " if block.numbered else "- ", text_of(item), columns)
    elif isinstance(block, Cards):
        yield from fact_lines([Fact(card.label, Badge(card.value, card.tone)) for card in block.cards], columns)
    elif isinstance(block, Folded):
        yield from _captioned(block.title, [line for inner in block.blocks for line in block_lines(inner, columns)] if everything else ["… --all shows them"])


def _captioned(caption: str, lines: Sequence[str]) -> Iterator[str]:
    if caption and lines:
        yield paint(caption, "off")
    yield from lines


def notice_lines(notice: Notice, columns: int) -> Iterator[str]:
    """The title in the colour of the notice, then its text."""
    yield paint(text_of(notice.title), NOTICE_TONES.get(notice.tone, "wait"))
    yield from (f"  {line}" for line in prose_lines(notice.text, columns - 2))


def prose_lines(text: str, columns: int) -> Iterator[str]:
    """Paragraphs, with a line for each line of the source, wrapped; fenced code stays as it is."""
    fenced = False
    for line in text.strip("\n").split("\n") if text.strip() else []:
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif fenced:
            yield line
        else:
            mark = re.match(r"\s*(?:[-*]|\d+\.)\s+", line)
            yield from _hanging(mark[0] if mark else "", written(line[mark.end() if mark else 0 :]), columns)


def _hanging(mark: str, text: str, columns: int) -> list[str]:
    """Wrapped text whose further lines stand below the first one's text. Long words stay whole, so that they can be copied."""
    return wrap(text, max(columns, 20), initial_indent=mark, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False) or [mark.rstrip()]


def fact_lines(facts: Sequence[Fact], columns: int) -> Iterator[str]:
    """Labels and values in two columns."""
    known = [(fact.label, fact.value) for fact in facts if text_of(fact.value) != DASH]
    widest = max((cell_width(label) for label, _ in known), default=0)
    for label, value in known:
        first, *more = wrap(text_of(value), max(columns - widest - 2, 20), break_long_words=False, break_on_hyphens=False)
        yield f"{paint(label, 'off')}{' ' * (widest - cell_width(label))}  {paint(first, tone_of(value))}"
        yield from (f"{' ' * widest}  {paint(line, tone_of(value))}" for line in more)


def table_lines(table: Table, columns: int) -> list[str]:
    """The rows under their headings; a row each in a paragraph of its own where the columns are too many."""
    if not table.rows:
        return []
    used = [i for i in range(len(table.headings)) if any(text_of(row[i]) != DASH for row in table.rows)]
    headings = [text_of(table.headings[i]) for i in used]
    cells = [[text_of(row[i]) for i in used] for row in table.rows]
    tones = [[tone_of(row[i]) for i in used] for row in table.rows]
    widths = _widths([headings, *cells], columns)
    if widths is None:
        return _rows_apart(headings, cells, tones, columns)
    right = [i in table.numeric for i in used]
    lines = _row(headings, ["head"] * len(used), widths, right)
    for row, row_tones in zip(cells, tones, strict=True):
        lines += _row(row, row_tones, widths, right)
    return lines


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


def _rows_apart(headings: Sequence[str], cells: Sequence[Sequence[str]], tones: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Each row by itself: its first cell, then what it has under the other headings."""
    lines: list[str] = []
    for row, row_tones in zip(cells, tones, strict=True):
        facts = [Fact(heading, Badge(cell, tone)) for heading, cell, tone in zip(headings[1:], row[1:], row_tones[1:], strict=True)]
        first, *more = _hanging("", f"{headings[0]} {row[0]}", columns)
        lines += [*([""] if lines else []), paint(first, "plain", bold=True), *(paint(line, "plain", bold=True) for line in more)]
        lines += [f"  {line}" for line in fact_lines(facts, columns - 2)]
    return lines


def text_of(cell: Cell) -> str:
    """A cell in one line of text."""
    if cell is None or cell in ((), ""):
        return DASH
    parts = cell if isinstance(cell, tuple) else (cell,)
    sentences = sum(isinstance(part, Md) for part in parts) > 1
    return ("; " if sentences else ", ").join(text for part in parts if (text := _inline(part))) or DASH


def _inline(part: Inline) -> str:
    if isinstance(part, Md):
        return written(markup.flat(part).replace("<br>", " "))
    text = part.text if isinstance(part, Link | Code | Badge) else part
    return "" if text == markup.DASH else " ".join(text.split())


def tone_of(cell: Cell) -> str:
    """The tone of a cell that is nothing but badges of one tone, or ids that `kvdocs show` takes."""
    parts = cell if isinstance(cell, tuple) else (cell,)
    tones = {part.tone if isinstance(part, Badge) else "wait" if isinstance(part, Link) else "plain" for part in parts}
    return tones.pop() if len(tones) == 1 else "plain"


def written(markdown: str) -> str:
    """Inline Markdown as its author wrote it, without what only makes links and escapes."""
    text = re.sub(r"!?\[((?:\\.|[^\]\\])*)\]\((?:[^()\s]|\([^()]*\))*(?: \"[^\"]*\")?\)", r"\1", markdown)
    text = re.sub(r"</?del>", "~~", re.sub(r"<span[^>]*>|</span>|</?code>", "", text)).replace("**", "")
    return unescape(re.sub(r"\\([\\`*\[\]<>|_#+.-])", r"\1", text))
