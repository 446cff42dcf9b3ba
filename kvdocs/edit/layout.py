"""The stable form of a record file: fields in the order of the model, two spaces an indent, long prose in blocks.

Values, quotes and comments are kept, and a list or mapping in one line stays in one line while it fits.
A comment on lines of its own belongs to the field below it, or, when it is indented deeper, to the one above; it moves with its field.
A comment above the first field with a blank line below it belongs to the file and stays on top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kvdocs.edit.fields import Slot, field_order
from kvdocs.edit.text import EditError, YamlText, comments, content_end, skip_blank
from kvdocs.edit.values import STEP, WIDTH, folded, literal, same, text_value
from kvdocs.kind import Kind
from kvdocs.source import SourceError, load_yaml, plain_scalar


def formatted(file: YamlText, kind: Kind) -> YamlText:
    """The file in its stable form; formatting it again changes nothing.

    SourceError when it is no YAML that records use. EditError when it could not be formatted without changing a value or losing a comment.
    """
    text = file.text.replace("\r\n", "\n")
    load_yaml(text.encode())  # what records do not use (aliases, keys that are no text) has no stable form
    result = _Layout(text, kind).run()
    if not _kept(text, result):
        raise EditError("it is written in a way that cannot be formatted without touching its values or comments")
    return YamlText(result.replace("\n", file.newline), file.newline, file.bom)


def _kept(before: str, after: str) -> bool:
    try:
        return same(load_yaml(before.encode()), load_yaml(after.encode())) and _remarks(before) == _remarks(after)
    except SourceError:
        return False


def _remarks(text: str) -> Counter[str]:
    root = YamlText(text).root()
    return Counter(text[start:end].rstrip() for start, end in comments(text, root)) if root is not None else Counter()


BLANK = "\0"
"""A blank line between fields, while the lines are put together: unlike an empty line, it is no part of a text."""


class Remark(NamedTuple):
    """A comment: where it is, its column, and whether it has the line for itself."""

    start: int
    end: int
    column: int
    own_line: bool


class _Layout:
    """One file being laid out. Positions are in its text, which has `\\n` line ends only."""

    def __init__(self, text: str, kind: Kind) -> None:
        self.text, self.kind = text, kind
        self.root = YamlText(text).root()
        self.remarks = [self._remark(start, end) for start, end in comments(text, self.root)] if self.root is not None else []

    def _remark(self, start: int, end: int) -> Remark:
        line = self.text.rfind("\n", 0, start) + 1
        return Remark(start, end, start - line, not self.text[line:start].strip())

    def run(self) -> str:
        if self.root is None or self.root.id == "scalar" or self.root.flow_style or not self.root.value:
            return self.text if self.text.endswith("\n") or not self.text else self.text + "\n"
        first = self.root.start_mark.index
        head_end = self._head_end(first)
        end = content_end(self.text, self.root)
        slot = Slot((self.kind.model,))
        column = self.root.start_mark.column
        inside = [r for r in self.remarks if r.start > end and r.own_line and r.column > column]
        tail_start = max([end, *(r.end for r in inside)])
        lines = list(self._block(self.root, 0, slot, head_end, inside))
        head = [line.rstrip() for line in self.text[:head_end].split("\n")[:-1]]
        rest = [line.rstrip() for _, line in self._rows(tail_start, len(self.text))]
        while rest and not rest[-1]:
            rest.pop()
        return "\n".join([*head, *_spaced([*lines, *(line or BLANK for line in rest)])]) + "\n"

    def _head_end(self, first: int) -> int:
        """Where the head of the file ends: markers, and comments with a blank line below them."""
        before = self.text[: self.text.rfind("\n", 0, first) + 1]
        lines = before.split("\n")[:-1]
        keep = 0
        for number, line in enumerate(lines):
            following = lines[number + 1] if number + 1 < len(lines) else "key"
            if line.startswith(("---", "%", "# yaml-language-server:")) or (line.startswith("#") and not following.strip()):
                keep = number + 1
        return sum(len(line) + 1 for line in lines[:keep])

    def _block(self, node: Any, column: int, slot: Slot | None, start: int, tail: list[Remark]) -> Iterator[str]:
        """The lines of a block mapping or list; `start` is behind what comes before it, `tail` are the deeper comments after it."""
        yield from (self._mapping if node.id == "mapping" else self._sequence)(node, column, slot, start, tail)
        yield from self._pads([r for r in tail if r.column <= node.start_mark.column], column)

    def _mapping(self, node: Any, column: int, slot: Slot | None, start: int, tail: list[Remark]) -> Iterator[str]:
        keys = {k.value: None for k, _ in node.value}
        model = slot.model(keys) if slot is not None else None
        order = field_order(model) if model is not None else []
        pieces: list[tuple[str, list[str]]] = []
        for number, (key, value, position, behind) in enumerate(self._entries(node, start, tail)):
            lead = self._lead(position, key.start_mark.index, node.start_mark.column if number else -1)
            child = slot.child(key.value, keys) if slot is not None else None
            pieces.append((key.value, [*self._pads(lead, column), *self._entry(key, value, column, child, behind)]))
        for _, lines in sorted(pieces, key=lambda piece: order.index(piece[0]) if piece[0] in order else len(order)):
            yield from lines

    def _sequence(self, node: Any, column: int, slot: Slot | None, start: int, tail: list[Remark]) -> Iterator[str]:
        item = slot if node is self.root else slot.item if slot is not None else None
        for number, (_, value, position, behind) in enumerate(self._entries(node, start, tail)):
            dash = skip_blank(self.text, position)
            lead = self._lead(position, dash, node.start_mark.column if number else -1)
            between = [r for r in self.remarks if dash < r.start < value.start_mark.index]
            yield from self._pads([*lead, *between], column)
            if _is_block(value):
                lines = list(self._block(value, column + STEP, item, value.start_mark.index, behind))
                head = next(n for n, line in enumerate(lines) if line != BLANK and not line.lstrip().startswith("#"))
                yield from (line if line == BLANK else line[STEP:] for line in lines[:head])  # a comment above the first field stands above the dash
                yield " " * column + "- " + lines[head].lstrip()
                yield from lines[head + 1 :]
            else:
                yield from self._leaf(value, column, item, behind, "-")

    def _entries(self, node: Any, start: int, tail: list[Remark]) -> Iterator[tuple[Any, Any, int, list[Remark]]]:
        """Key (None in a list), value, the end of what comes before, and the deeper comments behind it, for each entry."""
        pairs = node.value if node.id == "mapping" else [(None, value) for value in node.value]
        own, position = node.start_mark.column, start
        for number, (key, value) in enumerate(pairs):
            end = content_end(self.text, value)
            behind = [r for r in tail if r.column > own]
            if number + 1 < len(pairs):
                following = skip_blank(self.text, end)  # the next key, or the next dash
                behind = [r for r in self.remarks if r.own_line and end <= r.start < following and r.column > own]
            yield key, value, position, behind
            position = max([end, *(r.end for r in behind)])

    def _entry(self, key: Any, value: Any, column: int, slot: Slot | None, behind: list[Remark]) -> list[str]:
        head = self.text[key.start_mark.index : key.end_mark.index] + ":"
        if _is_block(value):
            remark = self._remark_of_line(key.end_mark.index)
            begin = remark.end if remark is not None else key.end_mark.index
            return [" " * column + head + self._behind(remark), *self._block(value, column + STEP, slot, begin, behind)]
        above = [r for r in self.remarks if key.end_mark.index <= r.start < value.start_mark.index]
        return [*self._pads(above, column), *self._leaf(value, column, slot, behind, head)]

    def _leaf(self, node: Any, column: int, slot: Slot | None, behind: list[Remark], head: str) -> list[str]:
        """The lines of a scalar, or of a collection in brackets, behind `key:` or `-`."""
        if node.id == "scalar":
            block = node.style in ("|", ">")
            remark = self._remark_of_line(node.start_mark.index if block else content_end(self.text, node))
            first, *rest = (head + self._scalar(node, column, slot)).split("\n")
            lines = [first.rstrip() + self._behind(remark), *rest]
        else:
            lines = self._flow_lines(node, column, head, self._remark_of_line(content_end(self.text, node)))
        return [" " * column + lines[0], *lines[1:], *self._pads(behind, column + STEP)]

    def _behind(self, remark: Remark | None) -> str:
        return f"  {self._words(remark)}" if remark is not None else ""

    def _scalar(self, node: Any, column: int, slot: Slot | None) -> str:
        """A scalar with the blank before it: as it is written, unless it has lines or is long prose."""
        source = self.text[node.start_mark.index : node.end_mark.index]
        value = node.value if node.style else plain_scalar(node.value)
        if not isinstance(value, str) or not source:
            return f" {source}" if source else ""
        if "\n" not in value:
            if node.style == "|" and len(value) + column + STEP <= WIDTH:
                return " " + self._or_quoted(literal(value, column), value, column)
            if node.style in ("|", ">") or (slot is not None and slot.is_prose and len(value) > WIDTH):
                return " " + self._or_quoted(folded(value, column) if slot is None or slot.is_prose else literal(value, column), value, column)
            if "\n" not in source:
                return " " + source
        return " " + text_value(value, column, prose=slot is not None and slot.is_prose, quote=node.style if node.style in ("'", '"') else "")

    @staticmethod
    def _or_quoted(candidate: str, value: str, column: int) -> str:
        try:
            if load_yaml(f"{' ' * column}k: {candidate}\n".encode()) == {"k": value}:
                return candidate
        except SourceError:
            pass
        return text_value(value, column)

    def _flow_lines(self, node: Any, column: int, head: str, remark: Remark | None) -> list[str]:
        """A list or mapping in brackets: in one line while it fits, else filled lines; with a comment inside it keeps its lines."""
        start, end = node.start_mark.index, node.end_mark.index
        behind = self._behind(remark)
        pad = " " * (column + STEP + (STEP if head == "-" else 0))
        if any(start < r.start < end for r in self.remarks):
            first, *rest = (line.strip() for line in self.text[start:end].split("\n") if line.strip())
            lines = [f"{head} {first}", *(pad + line for line in rest)]
            return [*lines[:-1], lines[-1] + behind]
        parts = self._parts(node)
        opening, closing = ("[", "]") if node.id == "sequence" else ("{", "}")
        lines, line = [], f"{head} {opening}"
        for number, part in enumerate(parts):
            piece = part + ("," if number + 1 < len(parts) else closing)
            if number and len(line) + 1 + len(piece) + (0 if lines else column) > WIDTH:
                lines.append(line)
                line = pad + piece
            else:
                line += (" " if number else "") + piece
        return [*lines, (line if parts else line + closing) + behind]

    def _parts(self, node: Any) -> list[str]:
        """The entries of a collection in brackets, as they are written."""
        if node.id == "sequence":
            return [self._in_flow(child) for child in node.value]
        return [f"{self._in_flow(k)}: {self._in_flow(v)}".rstrip() for k, v in node.value]

    def _in_flow(self, node: Any) -> str:
        if node.id == "scalar":
            return " ".join(self.text[node.start_mark.index : node.end_mark.index].split("\n")) if node.style is None or node.style == "" else self._quoted_in_flow(node)
        opening, closing = ("[", "]") if node.id == "sequence" else ("{", "}")
        return opening + ", ".join(self._parts(node)) + closing

    def _quoted_in_flow(self, node: Any) -> str:
        source = self.text[node.start_mark.index : node.end_mark.index]
        return source if "\n" not in source else text_value(node.value, 0, quote='"')

    def _remark_of_line(self, position: int) -> Remark | None:
        """The comment behind a position on its line."""
        end = self._line_end(position)
        return next((r for r in self.remarks if position <= r.start < end and not r.own_line), None)

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def _lead(self, start: int, end: int, column: int) -> list[Remark | None]:
        """The comments above an entry, and a None for a blank line; those to the right of `column` belong to the entry before."""
        line = self.text.rfind("\n", 0, end) + 1
        found: list[Remark | None] = []
        blank = False
        for row_start, row in self._rows(start, line):
            remark = next((r for r in self.remarks if r.own_line and row_start <= r.start < row_start + len(row) + 1), None)
            if remark is not None and (column < 0 or remark.column <= column):
                found += [None, remark] if blank else [remark]
            blank = not row.strip()
        return [*found, None] if blank else found

    def _rows(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        position = self._line_end(start) + 1 if start and self.text[start - 1 : start] != "\n" else start
        while position < end:
            stop = self._line_end(position)
            yield position, self.text[position:stop]
            position = stop + 1

    def _pads(self, remarks: Sequence[Remark | None], column: int) -> list[str]:
        return [BLANK if remark is None else " " * column + self._words(remark) for remark in remarks]

    def _words(self, remark: Remark) -> str:
        return self.text[remark.start : remark.end].rstrip()


def _is_block(node: Any) -> bool:
    return node.id != "scalar" and not node.flow_style and bool(node.value)


def _spaced(lines: Sequence[str]) -> Iterator[str]:
    """The lines with one blank line at most between fields: none at the start, and none behind a text that ends with blank lines of its own."""
    previous = ""
    for line in lines:
        if line != BLANK:
            yield line
        elif previous != "":
            yield ""
        previous = "" if line == BLANK else line
