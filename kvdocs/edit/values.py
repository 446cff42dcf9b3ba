"""Values as YAML text, in the style of a record: lists of short words in one line, prose in blocks, quotes where YAML needs them.

ruamel.yaml decides what has to be quoted.
Whatever is written is read again by the strict reader, and a style that would give another value is passed over for the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from typing import Any

from kvdocs.edit.fields import Slot, field_order
from kvdocs.edit.text import EditError
from kvdocs.source import SourceError, load_yaml

WIDTH = 160
"""The widest line of prose, and of a list in one line."""

STEP = 2
"""Spaces by which an inner line stands to the right of its key."""


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same to the letter: equal, of the same type, numbers with the same digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and (str(a) == str(b) if isinstance(a, Decimal | float) else bool(a == b))


def after_key(value: Any, column: int, slot: Slot | None = None, *, quote: str = "") -> str:
    """What stands behind `key:` or `-` in a block: a blank and the value, or lines of their own.

    `column` is that of the key; line ends are `\\n`, and there is none at the end.
    `slot` says which texts are prose; `quote` is the quotation mark that a text has now, which it keeps where it can.
    """
    pad = "\n" + " " * (column + STEP)
    if isinstance(value, str):
        return " " + text_value(value, column, prose=slot is not None and slot.is_prose, quote=quote)
    if isinstance(value, dict) and value:
        return "".join(pad + entry_lines(k, v, column + STEP, slot and slot.child(k, value)) for k, v in in_field_order(value, slot))
    if isinstance(value, list) and value and not _fits_one_line(value, column, slot):
        return "".join(pad + item_lines(v, column + STEP, slot and slot.item) for v in value)
    return " " + flow(value)


def entry_lines(key: str, value: Any, column: int, slot: Slot | None = None) -> str:
    """`key: value` at a column, without the spaces before the key; `slot` is that of the value."""
    return f"{flow(key)}:{after_key(value, column, slot)}"


def item_lines(value: Any, column: int, slot: Slot | None = None) -> str:
    """`- value` with its dash at a column, without the spaces before the dash."""
    if isinstance(value, dict) and value:
        lines = [entry_lines(k, v, column + STEP, slot and slot.child(k, value)) for k, v in in_field_order(value, slot)]
        return "- " + ("\n" + " " * (column + STEP)).join(lines)
    return "-" + after_key(value, column, slot)


def in_field_order(value: dict[str, Any], slot: Slot | None) -> list[tuple[str, Any]]:
    """The entries of a mapping in the order of its model, unknown ones last."""
    model = slot.model(value) if slot is not None else None
    order = field_order(model) if model is not None else []
    return sorted(value.items(), key=lambda pair: order.index(pair[0]) if pair[0] in order else len(order))


def _fits_one_line(value: list[Any], column: int, slot: Slot | None) -> bool:
    if slot is not None and slot.item is not None and slot.item.is_prose:
        return False
    return all(not isinstance(v, dict | list) and not (isinstance(v, str) and ("\n" in v or len(v) > 40)) for v in value) and len(flow(value)) + column <= WIDTH


def text_value(text: str, column: int, *, prose: bool = False, quote: str = "") -> str:
    """A text behind a key at a column: plain, in its quotes, or as a block when it has lines or is long prose."""
    for candidate in _styles(text, column, prose, quote):
        try:
            if load_yaml(f"k: {candidate}\n".encode()) == {"k": text}:
                return candidate
        except SourceError:
            continue
    raise EditError(f"this text has no form in YAML: {text[:40]!r}")


def _styles(text: str, column: int, prose: bool, quote: str) -> Iterator[str]:
    if "\n" in text and not text.endswith("\n\n"):  # a block that keeps several last line ends would keep what is written below it too
        yield literal(text, column)
    elif prose and len(text) > WIDTH:
        yield folded(text, column)
    if "\n" not in text and text.isprintable():
        if quote:
            yield quoted(text, quote)
        elif _stays_plain(text, in_flow=False):
            yield text
        yield from (quoted(text, q) for q in _quotes_for(text))
    yield quoted(text, '"')


def _quotes_for(text: str) -> str:
    """The quotation marks in the order in which they suit a text: double ones, unless something in it would have to be escaped."""
    return "'\"" if '"' in text or "\\" in text else "\"'"


def literal(text: str, column: int) -> str:
    """A text as a block that keeps its lines; of several line ends at its end, one."""
    body, ends = text.rstrip("\n"), text.endswith("\n")
    head = "|" + ("" if not body.startswith((" ", "\n")) else str(STEP)) + ("" if ends else "-")
    return "\n".join([head, *(" " * (column + STEP) + line if line else "" for line in body.split("\n"))])


def folded(text: str, column: int) -> str:
    """One long line as a block of several: a line for each sentence, and none wider than `WIDTH` where words allow."""
    pad = " " * (column + STEP)
    return "\n".join([">-", *(pad + line for line in broken(text, max(40, WIDTH - column - STEP)))])


def broken(text: str, width: int) -> list[str]:
    """The lines of a paragraph: they end where sentences do, or at the last blank before the width. Code and cited figures stay whole."""
    lines, line = [], ""
    for word in _words(text):
        if line and (line.endswith((".", "!", "?")) or len(line) + 1 + len(word) > width):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _words(text: str) -> Iterator[str]:
    """What stands between single blanks; several blanks are part of a word, since a line end stands for one."""
    word = ""
    for part in re.finditer(r"((?:\{\{.*?\}\}|`[^`]*`|[^ ])+)( *)", text):
        word += part[1]
        if len(part[2]) == 1:
            yield word
            word = ""
        else:
            word += part[2]
    if word:
        yield word


def quoted(text: str, quote: str) -> str:
    """A text in single or double quotes."""
    if quote == "'":
        return "'" + text.replace("'", "''") + "'"
    escaped = json.dumps(text, ensure_ascii=False)
    return re.sub(r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]", lambda m: f"\\u{ord(m[0]):04x}", escaped)


@lru_cache(maxsize=2)
def _writer(in_flow: bool) -> Any:
    """ruamel.yaml's round-trip writer with fixed settings, and with numbers and dates as they are written."""
    from ruamel.yaml import YAML
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        pass

    Representer.add_representer(Decimal, lambda r, v: r.represent_scalar("tag:yaml.org,2002:float", str(v)))
    Representer.add_representer(date, lambda r, v: r.represent_scalar("tag:yaml.org,2002:timestamp", v.isoformat()))
    Representer.add_representer(type(None), lambda r, v: r.represent_scalar("tag:yaml.org,2002:null", "null"))
    yaml = YAML()
    yaml.Representer = Representer
    yaml.default_flow_style = in_flow
    yaml.width = 1 << 30
    return yaml


def flow(value: Any) -> str:
    """A value in one line, as it may stand inside `[…]` or `{…}` and behind a key."""
    if isinstance(value, str):
        if _stays_plain(value, in_flow=True):
            return value
        return quoted(value, _quotes_for(value)[0] if value.isprintable() else '"')
    if isinstance(value, list):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    return _written(value)


@lru_cache(maxsize=4096)
def _stays_plain(text: str, *, in_flow: bool) -> bool:
    """Whether a text needs no quotes: ruamel.yaml says so, and the strict reader reads the same text back. A day never needs them."""
    if not text or not text.isprintable() or "\n" in text:
        return False
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        written = _written(text) if in_flow else _written_in_block(text)
        if written != text:
            return False
    try:
        return bool(load_yaml((f"[{text}]" if in_flow else f"k: {text}").encode()) == ([text] if in_flow else {"k": text}))
    except SourceError:
        return False


def _written(value: Any) -> str:
    stream = StringIO()
    _writer(True).dump([value], stream)
    return stream.getvalue().strip()[1:-1]


def _written_in_block(text: str) -> str:
    stream = StringIO()
    _writer(False).dump({"k": text}, stream)
    return stream.getvalue().removeprefix("k: ").removesuffix("\n")
