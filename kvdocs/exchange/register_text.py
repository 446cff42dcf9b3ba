"""A register written as a document -> its tables, headed sections and list points, with their lines.

Tables are Markdown's, or lines with tabs between the cells, as a rendered page gives when it is copied.
In the latter a heading is a short line of its own without a full stop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its line and its cells by the headings in lower case."""

    line: int
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the line of its headings, the headings as written, its rows."""

    line: int
    headings: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of prose: the heading it stands under, its text and its line.

    `form` is `heading` for a heading itself, `point` for a point of a list, `paragraph` otherwise.
    """

    form: str
    heading: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """What a register consists of, in the order of the text."""

    tables: tuple[Table, ...]
    passages: tuple[Passage, ...]


_MARKED_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)\s*#*$")
_POINT = re.compile(r"^\s{0,3}(?:[-*+•]|\d+[.)])\s+(?P<text>\S.*)$")
_LINK = re.compile(r"!?\[(?P<words>(?:[^\[\]]|\\.)*)\]\([^()\s]*\)")
_LINK_WITHIN = re.compile(r"!?\[(?P<words>(?:[^\[\]]|\\.)*)\]\((?!https?:)[^()\s]*\)")
_ANCHOR = re.compile(r"^<a id=\"[^\"]*\"></a>\s*$")
_RULE = re.compile(r"^[\s|:-]*-[\s|:-]*$")


def read_document(text: str) -> Document:
    """The tables and passages of a text. Every line that is not blank belongs to a table, a passage or a heading.

    Comments and anchors are passed over, and a link to another place of the same documents is taken for its words.
    """
    cleaned = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"), flags=re.DOTALL)
    lines = ["" if _ANCHOR.match(line) else _LINK_WITHIN.sub(r"\g<words>", line) for line in cleaned.split("\n")]
    bare = not any(_MARKED_HEADING.match(line) for line in lines)
    tables: list[Table] = []
    passages: list[Passage] = []
    heading = ""
    for start, block in _blocks(lines):
        table = _table(start, block)
        marked = _MARKED_HEADING.match(block[0])
        if table is not None:
            tables.append(table)
        elif marked is not None or (bare and _is_bare_heading(block)):
            heading = _plain(marked["text"] if marked else block[0])
            passages.append(Passage("heading", heading, heading, start))
            if len(block) > 1:
                passages += _prose(start + 1, block[1:], heading)
        else:
            passages += _prose(start, block, heading)
    return Document(tuple(tables), tuple(passages))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """(first line, lines) of each stretch between blank lines; tables and marked headings stand alone."""
    block: list[str] = []
    start = 1
    fenced = False
    for number, line in enumerate([*lines, ""], start=1):
        kind_changes = block and not fenced and (_is_row(line) != _is_row(block[-1]) or _MARKED_HEADING.match(line) or _MARKED_HEADING.match(block[0]))
        if block and not fenced and (not line.strip() or kind_changes):
            yield start, block
            block = []
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if line.strip() or fenced:
            start = number if not block else start
            block.append(line)
    if block:
        yield start, block


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") or "\t" in line.strip()


def _table(start: int, block: Sequence[str]) -> Table | None:
    if len(block) < 2 or not all(_is_row(line) for line in block):
        return None
    grid = [_cells(line) for line in block]
    headings = tuple(grid[0])
    if block[0].strip().startswith("|") and not _RULE.match(block[1]):
        return None
    rows = [Row(start + offset, dict(zip((h.lower() for h in headings), cells, strict=False))) for offset, cells in enumerate(grid[1:], start=1) if not _RULE.match(block[offset])]
    return Table(start, headings, tuple(rows))


def _cells(line: str) -> list[str]:
    """The cells of a row, with the words of a link in the place of the link."""
    line = _LINK.sub(r"\g<words>", line)
    if line.strip().startswith("|"):
        inner = line.strip().removeprefix("|").removesuffix("|")
        return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]
    return [cell.strip() for cell in line.split("\t")]


def _is_bare_heading(block: Sequence[str]) -> bool:
    line = block[0].strip()
    return len(block) == 1 and len(line) <= 90 and not line.endswith((".", ",", ";", ":", ")")) and not _POINT.match(line) and not line.startswith("[")


def _prose(start: int, block: Sequence[str], heading: str) -> Iterator[Passage]:
    """A block as a paragraph, as the points of a list, or as a paragraph with a list directly below it."""
    form, part, at = "paragraph", list[str](), start
    for number, line in enumerate(block, start=start):
        match = _POINT.match(line)
        if match is not None and (form == "point" or number == start or not line.lstrip()[0].isdigit()):
            if part:
                yield Passage(form, heading, "\n".join(part), at)
            form, part, at = "point", [match["text"]], number
        else:
            part.append(line.strip() if form == "point" else line)
    yield Passage(form, heading, "\n".join(part).strip("\n"), at)


def _plain(text: str) -> str:
    return text.strip().strip("*").strip()
