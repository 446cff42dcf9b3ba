"""Operations carried out on the text of a record: only the characters of the value are replaced, everything else stays as it is."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from kvdocs.edit.fields import Slot, field_order, slot_at
from kvdocs.edit.operations import Append, Assign, Operation, Unset, applied, changes, present, spelled
from kvdocs.edit.text import EditError, YamlText, content_end, entry, node_at, scalars, skip_blank
from kvdocs.edit.values import STEP, after_key, entry_lines, flow, item_lines, quoted, same
from kvdocs.model import Loc
from kvdocs.source import SourceError, load_yaml


def edited(text: YamlText, index: int | None, model: type[BaseModel], operation: Operation) -> YamlText:
    """The text with an operation carried out on its record (the one at `index`, when the file holds a list).

    An operation that makes no difference gives the same text. A comment goes only with the line whose value goes.
    The result is read again and compared with what the operation does to the data; EditError when a file is written
    in a way in which that fails, and it then has to be edited by hand.
    """
    data = _data(text, index)
    if not changes(data, operation):
        return text
    wanted = applied(data, operation)
    for start in (text, _with_last_block_stripped(text)):
        result = start
        for step in _steps(data, operation):
            result = _Splicer(result, index, model).run(step)
        try:
            if same(_data(result, index), wanted):
                return result
        except (SourceError, IndexError):
            continue
    raise EditError(f"`{spelled(operation.loc)}` is written in a way that cannot be edited without touching the rest", "change it by hand")


def _data(text: YamlText, index: int | None) -> Any:
    value = load_yaml(text.text.encode())
    return value if index is None else value[index]


def _with_last_block_stripped(text: YamlText) -> YamlText:
    """The text, with a block at the end of a file that has no last line end marked as having none: what is added behind it would give it one."""
    last = list(scalars(text.root()))[-1]
    if text.text.endswith("\n") or last.style not in ("|", ">"):
        return text
    head = re.match(r"[|>]([1-9]?)[+-]?", text.text[last.start_mark.index :])
    assert head is not None
    start = last.start_mark.index
    return text.spliced(start, start + len(head[0]), last.style + head[1] + "-")


def _steps(data: Any, operation: Operation) -> list[Operation]:
    """The operation as smaller ones that touch less.

    Where its way leads through absent mappings, the first of them is added whole.
    A list that loses some entries and gains others at its end is changed entry by entry.
    """
    if isinstance(operation, Unset):
        return [operation]
    for depth in range(1, len(operation.loc)):
        if present(data, operation.loc[:depth]) is None:
            inner = operation.loc[depth:]
            return [Assign(operation.loc[:depth], applied({}, Append(inner, operation.value) if isinstance(operation, Append) else Assign(inner, operation.value)))]
    old = present(data, operation.loc)
    if isinstance(operation, Append):
        return [operation] if old else [Assign(operation.loc, [operation.value])]
    if isinstance(old, list) and isinstance(operation.value, list):
        kept = [position for position, value in enumerate(old) if value in operation.value]
        if kept and same([old[position] for position in kept], operation.value[: len(kept)]):
            gone: list[Operation] = [Unset((*operation.loc, position)) for position in reversed(range(len(old))) if position not in kept]
            return gone + [Append(operation.loc, value) for value in operation.value[len(kept) :]]
    return [operation]


class _Splicer:
    """One operation on one text, in which its place exists."""

    def __init__(self, text: YamlText, index: int | None, model: type[BaseModel]) -> None:
        self.file, self.text, self.model = text, text.text, model
        self.data = _data(text, index)
        self.root = text.root(index)

    def run(self, operation: Operation) -> YamlText:
        holder = node_at(self.root, operation.loc[:-1])
        if isinstance(operation, Unset):
            return self._remove(holder, operation.loc)
        slot = slot_at(self.model, operation.loc, self.data)
        if isinstance(operation, Append):
            return self._append(node_at(self.root, operation.loc), operation.value, slot.item if slot is not None else None)
        return self._assign(holder, operation, slot)

    def _assign(self, holder: Any, operation: Assign, slot: Slot | None) -> YamlText:
        last = operation.loc[-1]
        if holder.id == "mapping":
            pair = entry(holder, str(last))
            if pair is None:
                return self._add_key(holder, operation, slot)
            node, column = pair[1], pair[0].start_mark.column
            start = skip_blank(self.text, pair[0].end_mark.index) + 1
        else:
            node = holder.value[last]
            start = self._dash(holder, int(last)) + 1
            column = start - 1 - self.file.line_start(start)
        if holder.flow_style:
            return self._replace_in_flow(node, operation.value)
        return self._replace(start, column, node, operation.value, slot)

    def _replace_in_flow(self, node: Any, value: Any) -> YamlText:
        quote = _quote(node)
        new = quoted(value, quote) if quote and isinstance(value, str) and value.isprintable() else flow(value)
        begin = node.start_mark.index
        return self.file.spliced(begin, content_end(self.text, node), (" " if self.text[begin - 1] in ":-" else "") + new)

    def _replace(self, start: int, column: int, node: Any, value: Any, slot: Slot | None) -> YamlText:
        """A value for another, behind a colon or dash that ends at `start`."""
        begin, end = node.start_mark.index, content_end(self.text, node)
        new = after_key(value, column, slot, quote=_quote(node))
        if isinstance(value, str) and "\n" in new and self.file.below(end, column + STEP - 1) > self.file.next_line(end):
            new = " " + quoted(value, '"')  # a block would swallow the comment below it
        in_line = (node.id == "scalar" and node.style not in ("|", ">")) or (node.id != "scalar" and (node.flow_style or not node.value))
        in_line = in_line and "\n" not in self.text[start:begin]
        if in_line and "\n" not in new:
            return self.file.spliced(begin, end, ("" if begin > start else " ") + new.strip(" "))
        first, _, rest = new.partition("\n")
        if in_line:
            line_end = self._line_end(end)
            remark, stop = _comment(self.text[end:line_end]), line_end
        else:
            head = begin if node.id == "scalar" and node.style in ("|", ">") else start
            remark, stop = _comment(self.text[head : self._line_end(head)]), end
        tail = "\n" if self.text[stop - 1] == "\n" else ""  # a block that kept its last line ends took this one with it
        return self.file.spliced(start, stop, first + remark + ("\n" + rest if "\n" in new else "") + tail)

    def _line_end(self, position: int) -> int:
        """The end of the line that holds a position, without its line end."""
        end = self.text.find("\n", position)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    def _add_key(self, holder: Any, operation: Assign, slot: Slot | None) -> YamlText:
        key = str(operation.loc[-1])
        if holder.flow_style or not holder.value:
            return self._insert_in_flow(holder, f"{flow(key)}: {flow(operation.value)}")
        before = self._value_before(holder, operation.loc)
        column = holder.value[0][0].start_mark.column
        lines = " " * column + entry_lines(key, operation.value, column, slot) + "\n"
        if before is None:
            return self.file.with_lines(self.file.line_start(holder.value[0][0].start_mark.index), lines)
        return self.file.with_lines(self.file.below(content_end(self.text, before), column), lines)

    def _value_before(self, holder: Any, loc: Loc) -> Any:
        """The value behind which a new key belongs: that of the nearest field before it in the model; None when it comes first."""
        slot = slot_at(self.model, loc[:-1], self.data)
        model = slot.model(present(self.data, loc[:-1])) if slot is not None else None
        order = field_order(model) if model is not None else []
        if loc[-1] not in order:
            return holder.value[-1][1]
        values = {k.value: v for k, v in holder.value}
        earlier = [name for name in order[: order.index(str(loc[-1]))] if name in values]
        if earlier:
            return values[earlier[-1]]
        first = holder.value[0][0].start_mark.index
        starts_line = not self.text[self.file.line_start(first) : first].strip()
        return None if starts_line else holder.value[0][1]

    def _append(self, node: Any, value: Any, slot: Slot | None) -> YamlText:
        if node.flow_style:
            return self._insert_in_flow(node, flow(value))
        dash = self._dash(node, 0)
        column = dash - self.file.line_start(dash)
        return self.file.with_lines(self.file.below(content_end(self.text, node), column), " " * column + item_lines(value, column, slot) + "\n")

    def _insert_in_flow(self, node: Any, new: str) -> YamlText:
        """An entry at the end of `[…]` or `{…}`."""
        if not node.value:
            return self.file.spliced(node.start_mark.index + 1, node.start_mark.index + 1, new)
        end = content_end(self.text, _last_node(node, len(node.value) - 1))
        return self.file.spliced(end, end, ", " + new)

    def _dash(self, sequence: Any, position: int) -> int:
        """Where the dash of an entry of a block list stands."""
        if sequence.flow_style:
            return int(sequence.value[position].start_mark.index) - 1
        before = sequence.start_mark.index if position == 0 else content_end(self.text, sequence.value[position - 1])
        return skip_blank(self.text, before)

    def _remove(self, holder: Any, loc: Loc) -> YamlText:
        position = int(loc[-1]) if holder.id == "sequence" else [k.value for k, _ in holder.value].index(loc[-1])
        if len(holder.value) == 1:
            return self._empty(holder, loc[:-1])
        if holder.flow_style:
            return self._remove_in_flow(holder, position)
        start = self._dash(holder, position) if holder.id == "sequence" else holder.value[position][0].start_mark.index
        end = self.file.next_line(content_end(self.text, _last_node(holder, position)))
        if position and _keeps_line_ends(self.text, _last_node(holder, position - 1)):
            end = _behind_blank_lines(self.text, end)  # they would become part of the text above
        begin = self.file.line_start(start)
        if not self.text[begin:start].strip():
            return self.file.spliced(begin, end, "")
        # The first key of an entry shares its line with the dash: the next key moves up, comments between go above the dash.
        following = _first_node(holder, position + 1).start_mark.index
        remarks = "".join(line for line in self.text[end:following].splitlines(keepends=True) if line.lstrip().startswith("#"))
        return self.file.spliced(start, following, "").spliced(begin, begin, remarks.replace("\r\n", "\n"))

    def _remove_in_flow(self, holder: Any, position: int) -> YamlText:
        if position + 1 < len(holder.value):
            return self.file.spliced(_first_node(holder, position).start_mark.index, _first_node(holder, position + 1).start_mark.index, "")
        return self.file.spliced(content_end(self.text, _last_node(holder, position - 1)), content_end(self.text, _last_node(holder, position)), "")

    def _empty(self, node: Any, loc: Loc) -> YamlText:
        """A collection whose only entry goes."""
        empty: Any = {} if node.id == "mapping" else []
        if node.flow_style or not loc:
            return self.file.spliced(node.start_mark.index, content_end(self.text, node), flow(empty))
        return self._assign(node_at(self.root, loc[:-1]), Assign(loc, empty), None)


def _quote(node: Any) -> str:
    return node.style if node.id == "scalar" and node.style in ("'", '"') else ""


def _first_node(holder: Any, position: int) -> Any:
    return holder.value[position] if holder.id == "sequence" else holder.value[position][0]


def _last_node(holder: Any, position: int) -> Any:
    return holder.value[position] if holder.id == "sequence" else holder.value[position][1]


def _comment(rest_of_line: str) -> str:
    """The comment of a line, with two blanks before it; empty when there is none."""
    position = rest_of_line.find(" #")
    return "  " + rest_of_line[position + 1 :].rstrip() if position >= 0 else ""


def _keeps_line_ends(text: str, node: Any) -> bool:
    """Whether a value ends with a block that takes the blank lines below it as its own."""
    last = list(scalars(node))[-1:]
    return bool(last) and last[0].style in ("|", ">") and "+" in text[last[0].start_mark.index :][:3]


def _behind_blank_lines(text: str, position: int) -> int:
    match = re.compile(r"(?:[ \t]*\r?\n)*").match(text, position)
    return match.end() if match is not None else position
