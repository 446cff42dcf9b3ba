"""A record file as text that can be cut and put together again: same byte order mark, same line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kvdocs.model import Loc
from kvdocs.source import compose, decode

_BOM = b"\xef\xbb\xbf"
_REMARK_LINES = re.compile(r"(?:[ \t]*\r?\n)*(?P<indent> *)#[^\n]*(?:\n|\Z)")
_COMMENT = re.compile(r"(?:(?<=\s)|\A)#[^\r\n]*")


class EditError(Exception):
    """An edit that cannot be made; the message says why, the hint what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True, slots=True)
class YamlText:
    """The characters of a YAML file. Positions in it are those of the parser's marks."""

    text: str
    newline: str = "\n"
    bom: bool = False

    @classmethod
    def read(cls, data: bytes) -> YamlText:
        """From the bytes of a file; SourceError when they are no text. Lines are added with the end that most lines have."""
        text = decode(data)
        windows = text.count("\r\n")
        return cls(text, "\r\n" if windows > text.count("\n") - windows else "\n", data.startswith(_BOM))

    def encode(self) -> bytes:
        """The bytes to write."""
        return (_BOM if self.bom else b"") + self.text.encode()

    def spliced(self, start: int, end: int, new: str) -> YamlText:
        """With `new` in the place of some characters; its line ends become those of the file."""
        return replace(self, text=self.text[:start] + new.replace("\n", self.newline) + self.text[end:])

    def root(self, index: int | None = None) -> Any:
        """The node of the file, or of its record at a position; SourceError when it is no YAML."""
        node = compose(self.text.encode())
        return node if index is None else node.value[index]

    def line_start(self, position: int) -> int:
        """The first character of the line that holds a position."""
        return self.text.rfind("\n", 0, position) + 1

    def next_line(self, position: int) -> int:
        """The first character of the line after the one that holds a position; the end of the text when it is the last."""
        if position > 0 and self.text[position - 1 : position] == "\n":
            return position
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end + 1

    def below(self, position: int, column: int) -> int:
        """The first character of the line after a value, where a new entry at a column may stand: comments to the right of it belong to the value."""
        place = self.next_line(position)
        for match in _REMARK_LINES.finditer(self.text, place):
            if match.start() != place or len(match["indent"]) <= column:
                break
            place = match.end()
        return place

    def with_lines(self, position: int, lines: str) -> YamlText:
        """With whole lines put in at the start of a line. At the end of a file without a last line end, none is added."""
        if position == len(self.text) and position > 0 and not self.text.endswith("\n"):
            return self.spliced(position, position, "\n" + lines.removesuffix("\n"))
        return self.spliced(position, position, lines)


def content_end(text: str, node: Any) -> int:
    """Where the last character of a node's value is behind: comments and blank lines after it are not part of it."""
    if node.id == "scalar":
        if node.style in ("|", ">"):
            return _block_end(text, node)
        return int(node.end_mark.index)
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return content_end(text, last if node.id == "sequence" else last[1])


def _block_end(text: str, node: Any) -> int:
    start, end = node.start_mark.index, node.end_mark.index
    header = text[start:end].split("\n", 1)[0].split("#", 1)[0]
    if "+" in header:  # every line end after it belongs to the value
        return int(end)
    return int(start) + len(text[start:end].rstrip())


def skip_blank(text: str, position: int) -> int:
    """The first character at or after a position that is neither space, line end nor comment."""
    while position < len(text):
        if text[position] in " \t\r\n":
            position += 1
        elif text[position] == "#":
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        else:
            break
    return position


def entry(mapping: Any, key: str) -> tuple[Any, Any] | None:
    """The key node and the value node of a key, or None."""
    return next(((k, v) for k, v in mapping.value if k.value == key), None) if mapping.id == "mapping" else None


def node_at(root: Any, loc: Loc) -> Any:
    """The node at a place in a record, or None when there is none."""
    node = root
    for part in loc:
        if node.id == "mapping":
            found = entry(node, str(part))
            if found is None:
                return None
            node = found[1]
        elif node.id == "sequence" and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        else:
            return None
    return node


def scalars(node: Any) -> Iterator[Any]:
    """Every scalar node below a node, keys included, in the order of the text."""
    if node.id == "scalar":
        yield node
    for child in node.value if node.id != "scalar" else ():
        for part in child if isinstance(child, tuple) else (child,):
            yield from scalars(part)


def comments(text: str, root: Any) -> list[tuple[int, int]]:
    """Where the comments of a file are: from the `#` to the end of the line."""
    found: list[tuple[int, int]] = []
    position = 0
    for node in scalars(root):
        found += _comments_between(text, position, node.start_mark.index)
        if node.style in ("|", ">"):
            header = text.find("\n", node.start_mark.index)
            found += _comments_between(text, node.start_mark.index, len(text) if header < 0 else header)
        position = node.end_mark.index
    return [*found, *_comments_between(text, position, len(text))]


def _comments_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _COMMENT.finditer(text, start, end):
        yield match.start(), match.end()
