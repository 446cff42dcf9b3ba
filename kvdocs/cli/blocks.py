"""The blocks of a record's view as lines for the terminal: what the site lays out as a page, laid out in columns of characters.

Prose is wrapped, commands and outputs never are, so that both can be copied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

from kvdocs import markup
from kvdocs.cli.columns import fits, fitted, hanging, pairs, said_alike, side_by_side, turned
from kvdocs.cli.output import paint
from kvdocs.view import Badge, Block, Cards, Cell, Code, CodeBlock, Fact, Facts, Folded, Inline, Items, Link, Md, Notice, Prose, Section, Table, values_in

DASH = "–"

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
            yield from hanging(f"{number}. " if block.numbered else "- ", text_of(item), columns)
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
            yield from hanging(mark[0] if mark else "", written(line[mark.end() if mark else 0 :]), columns)


def fact_lines(facts: Sequence[Fact], columns: int) -> list[str]:
    """Labels and values in two columns; facts without a value are left out."""
    known = [fact for fact in facts if text_of(fact.value) != DASH]
    return pairs([f.label for f in known], [text_of(f.value) for f in known], [tone_of(f.value) for f in known], columns)


def table_lines(table: Table, columns: int) -> list[str]:
    """The rows under their headings; where the columns are too many, a table of numbers on its side, or without what each row says alike, or a row each in a paragraph of its own."""
    if not table.rows:
        return []
    used = [i for i in range(len(table.headings)) if any(text_of(row[i]) != DASH for row in table.rows)]
    headings = [text_of(table.headings[i]) for i in used]
    cells = [[text_of(row[i]) for i in used] for row in table.rows]
    tones = [[tone_of(row[i]) for i in used] for row in table.rows]
    right = [i in table.numeric for i in used]
    if fits([headings, *cells], columns):
        return fitted(headings, cells, tones, columns, right)
    if all(right[1:]) and (on_its_side := turned(headings, cells, tones, columns)) is not None:
        return on_its_side
    alike = said_alike(cells)
    beside = [i for i in alike if not isinstance(table.rows[0][used[i]], Badge)]  # a verdict stands beside what it is about, as long as it can
    for told in (beside, alike):
        rest = [i for i in range(len(used)) if i not in told]
        parts = ([headings[i] for i in rest], [[row[i] for i in rest] for row in cells], [[row[i] for i in rest] for row in tones], columns, [right[i] for i in rest])
        if (lines := side_by_side(*parts)) is not None:
            break
    once = hanging("", f"The same in each row: {'; '.join(f'{headings[i]} {cells[0][i]}' for i in told)}", columns) if told else ()
    return [*(lines or fitted(*parts)), *(paint(line, "off") for line in once)]


def text_of(cell: Cell) -> str:
    """A cell in one line of text."""
    if cell is None or cell in ((), ""):
        return DASH
    parts = values_in(cell)
    sentences = sum(isinstance(part, Md) for part in parts) > 1
    return ("; " if sentences else ", ").join(text for part in parts if (text := _inline(part))) or DASH


def _inline(part: Inline) -> str:
    if isinstance(part, Md):
        return written(markup.flat(part).replace("<br>", " "))
    text = part.text if isinstance(part, Link | Code | Badge) else part
    return "" if text == markup.DASH else " ".join(text.split())


def tone_of(cell: Cell) -> str:
    """The tone of a cell that is nothing but badges of one tone, or ids that `kvdocs show` takes."""
    parts = values_in(cell)
    tones = {part.tone if isinstance(part, Badge) else "wait" if isinstance(part, Link) else "plain" for part in parts}
    return tones.pop() if len(tones) == 1 else "plain"


def written(markdown: str) -> str:
    """Inline Markdown as its author wrote it, without what only makes links and escapes."""
    text = re.sub(r"!?\[((?:\\.|[^\]\\])*)\]\((?:[^()\s]|\([^()]*\))*(?: \"[^\"]*\")?\)", r"\1", markdown)
    text = re.sub(r"</?del>", "~~", re.sub(r"<span[^>]*>|</span>|</?code>", "", text)).replace("**", "")
    return unescape(re.sub(r"\\([\\`*\[\]<>|_#+.-])", r"\1", text))
