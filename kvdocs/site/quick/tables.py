"""Tables of Python-Markdown written as HTML at once, where every cell is made of plain text, links and spans; all others go the long way.

The long way makes an element for each cell, which a dozen steps then look at. Most of what kvdocs writes is such tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from kvdocs.site.quick.steps import is_quick

PLAIN = r"[^\\`\[\]<>&*_{}\x02\x03\n]+"
VALUE = r'[^\\`\[\]<>&"\x02\x03\n]'
PIECE = re.compile(
    rf"(?P<text>{PLAIN})"
    rf"|\[(?P<label>{PLAIN})\]\((?P<href>[\w./#?=%-]+)(?: \"(?P<title>(?![\s'])(?:{VALUE})*(?!\s){VALUE})\")?\)"
    rf"|(?P<raw></span>|<span(?: [a-z-]+=\"{VALUE}*\")*>)"
)
"""What a cell may be made of: none of it means anything else to an inline pattern, and all of it is written as it stands."""

Part = str | tuple[str, str]
"""A piece of HTML, or the address of a link and the HTML after it."""


def tables_by(processor: Any) -> Callable[[Any, Any, list[str]], None]:
    """`TableProcessor.run` that takes the short way where it can."""
    plain = processor.run
    atomic: Any = import_module("markdown.util").AtomicString
    etree: Any = import_module("xml.etree.ElementTree")
    known: dict[str, tuple[Part, ...] | None] = {}

    def run(self: Any, parent: Any, blocks: list[str]) -> None:
        rows = _rows(self, blocks[0].split("\n"), known) if is_quick(self.parser.md) else None
        if rows is None:
            plain(self, parent, blocks)
            return
        del blocks[0]
        html = _html(rows, [_style(mark.strip(" ")) for mark in self.separator], self.parser.md.treeprocessors["relpath"].path_to_url)
        etree.SubElement(parent, "table").text = atomic(self.parser.md.htmlStash.store(html))

    return run


def split_by(plain: Callable[[Any, str], list[str]]) -> Callable[[Any, str], list[str]]:
    """The cells of a row: where no pipe is escaped or in code, each of them ends one."""

    def split(processor: Any, row: str) -> list[str]:
        return plain(processor, row) if "`" in row or "\\" in row else row.split("|")

    return split


def _rows(processor: Any, lines: Sequence[str], known: dict[str, tuple[Part, ...] | None]) -> list[list[tuple[Part, ...]]] | None:
    """The cells of the head and of each row; None when one of them needs the long way."""
    if len(lines) < 3 or processor.config["use_align_attribute"]:
        return None
    rows = []
    for line in (lines[0], *lines[2:]):
        if "\\" in line or "`" in line:
            return None
        row = []
        for cell in _cells(line.strip(" "), bool(processor.border))[: len(processor.separator)]:
            if cell not in known:
                known[cell] = _parts(cell)
            parts = known[cell]
            if parts is None:
                return None
            row.append(parts)
        rows.append(row)
    return rows


def _cells(row: str, border: bool) -> list[str]:
    """The cells of a row in which no pipe is escaped or in code."""
    if border:
        row = row.removeprefix("|").removesuffix("|")
    return [cell.strip(" ") for cell in row.split("|")]


def _parts(cell: str) -> tuple[Part, ...] | None:
    """The HTML of a cell, split at its links, whose addresses depend on the page; None when it may hold anything else."""
    parts: list[Part] = [""]
    at = 0
    for piece in PIECE.finditer(cell):
        if piece.start() != at:
            return None
        at = piece.end()
        if piece["href"] is None:
            parts[-1] = _after(parts[-1], piece[0])
        else:
            title = f' title="{piece["title"]}"' if piece["title"] is not None else ""
            parts[-1] = _after(parts[-1], '<a href="')
            parts.append((piece["href"], f'"{title}>{piece["label"]}</a>'))
    return tuple(parts) if at == len(cell) else None


def _after(part: Part, html: str) -> Part:
    return part + html if isinstance(part, str) else (part[0], part[1] + html)


def _style(mark: str) -> str:
    """The alignment of a column, as the line below its head tells it."""
    left, right = mark.startswith(":"), mark.endswith(":")
    side = "center" if left and right else "left" if left else "right" if right else ""
    return f' style="text-align: {side};"' if side else ""


def _html(rows: Sequence[Sequence[tuple[Part, ...]]], styles: Sequence[str], path_to_url: Callable[[str], str]) -> str:
    """What stands within the element of the table."""
    escaped: Any = import_module("markdown.serializers")._escape_attrib_html
    out: list[str] = []

    def write(row: Sequence[tuple[Part, ...]], tag: str) -> None:
        out.append("<tr>\n")
        for number, style in enumerate(styles):
            out.append(f"<{tag}{style}>")
            for part in row[number] if number < len(row) else ():
                if isinstance(part, str):
                    out.append(part)
                else:
                    out.extend((escaped(path_to_url(part[0])), part[1]))
            out.append(f"</{tag}>\n")
        out.append("</tr>\n")

    out.append("\n<thead>\n")
    write(rows[0], "th")
    out.append("</thead>\n<tbody>\n")
    for row in rows[1:]:
        write(row, "td")
    out.append("</tbody>\n")
    return "".join(out)
