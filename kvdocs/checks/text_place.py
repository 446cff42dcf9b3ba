"""The place in a file of a character of a text that stands there as a YAML scalar."""

from __future__ import annotations

from kvdocs.model import Loc
from kvdocs.problems import Place
from kvdocs.source import RawRecord

_SNIPPET = 12


def place_in_text(raw: RawRecord, loc: Loc, text: str, offset: int) -> Place:
    """Where the character at `offset` of the text at `loc` stands.

    Exact for a text on one line and for a block with `|`; in other forms, the first place behind the start where the same characters stand.
    """
    start = raw.place_of(loc, value=True)
    lines = (raw.root / raw.path).read_text(encoding="utf-8-sig").split("\n")
    first = lines[start.line - 1][start.col - 1 :]
    quoted = first[:1] in ("'", '"')
    if "\n" not in text and first[quoted:].startswith(text):
        return Place(start.path, start.line, start.col + quoted + offset)
    if first.startswith("|"):
        before, column = text[:offset].count("\n"), offset - text.rfind("\n", 0, offset) - 1
        number = start.line + 1 + before
        wanted = text.split("\n")[before]
        if number <= len(lines) and (indent := lines[number - 1].find(wanted)) >= 0:
            return Place(start.path, number, indent + column + 1)
    return _search(start, lines, text, offset)


def _search(start: Place, lines: list[str], text: str, offset: int) -> Place:
    snippet = text[offset : offset + _SNIPPET].split("\n", maxsplit=1)[0].rstrip()
    if snippet:
        for number in range(start.line, len(lines) + 1):
            column = lines[number - 1].find(snippet, start.col - 1 if number == start.line else 0)
            if column >= 0:
                return Place(start.path, number, column + 1)
    return start
