"""What people type on the command line -> operations on a record: `status=done`, `blocked_by+=R1`, `payoffs[0].gain=12.5`.

A field is named with dots; an entry of a list by its position, counted from 0, or by its `id`, `name` or `code`.
`=` gives a value, `+=` adds an entry at the end of a list unless it is there, `-=` takes one away.
Text is taken as it is typed. A field of any other type is read as YAML: `runs=3`, `owners=[fork, upstream]`, `payoffs+={what: …, gain: 3, basis: estimate}`.
`field=@FILE` takes the text from a file, `field=@-` from the standard input, and `@@` stands for one `@`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from kvdocs.edit.fields import Slot, field_order, slot_at
from kvdocs.edit.operations import Append, Assign, Operation, Unset, present, spelled
from kvdocs.edit.text import EditError
from kvdocs.edit.values import same
from kvdocs.model import Loc
from kvdocs.problems import did_you_mean
from kvdocs.source import SourceError, load_yaml

NAMES = ("id", "name", "code")
"""The fields by which an entry of a list may be named."""

_FORM = re.compile(r"(?P<field>[^=+]+?)(?P<sign>\+=|-=|=)(?P<value>.*)", re.DOTALL)


def operation(model: type[BaseModel], data: Any, typed: str, read: Callable[[str], str]) -> Operation:
    """The operation that an argument means for a record with this data; `read` gives the text of a file that it names."""
    match = _FORM.fullmatch(typed)
    if match is None:
        raise EditError(f"{typed!r} is no assignment", "write field=value, field+=entry or field-=entry")
    loc = place(model, data, match["field"].strip())
    slot = slot_at(model, loc, data)
    text = _text(match["value"], read)
    if match["sign"] == "=":
        return Assign(loc, value_of(slot, text, spelled(loc)))
    item = slot.item if slot is not None else None
    if item is None:
        raise EditError(f"`{spelled(loc)}` is not a list", "give it a value with `=`")
    value = value_of(item, text, spelled(loc))
    if match["sign"] == "-=":
        return removal(model, data, loc, value)
    held = present(data, loc)
    return Assign(loc, held) if isinstance(held, list) and any(same(entry, value) for entry in held) else Append(loc, value)


def removal(model: type[BaseModel], data: Any, loc: Loc, value: Any) -> Operation:
    """Take an entry out of a list: one that is equal, or that is named so. The field goes with its last entry, where it may."""
    entries = present(data, loc) or []
    position = next((n for n, entry in enumerate(entries) if same(entry, value) or _is_named(entry, value)), None)
    if position is None:
        known = ", ".join(str(_name(entry)) for entry in entries) or "nothing"
        raise EditError(f"`{spelled(loc)}` does not hold {value!r}", f"it holds {known}")
    if len(entries) == 1 and isinstance(loc[-1], str):
        holder = slot_at(model, loc[:-1], data)
        holder_model = holder.model(present(data, loc[:-1])) if holder is not None else None
        if holder_model is not None and not holder_model.model_fields[loc[-1]].is_required():
            return Unset(loc)
    return Unset((*loc, position))


def place(model: type[BaseModel], data: Any, dotted: str) -> Loc:
    """The place that a dotted name means; EditError with the nearest name when the model has no such field."""
    loc: Loc = ()
    for part in re.findall(r"[^.\[\]]+", dotted):
        here = present(data, loc)
        slot = slot_at(model, loc, data)
        if slot is not None and slot.item is not None:
            loc = (*loc, _position(here, part, loc))
            continue
        if slot is None or slot.child(part, here) is None:
            _unknown(slot, here, loc, part)
        loc = (*loc, part)
    if not loc:
        raise EditError(f"{dotted!r} names no field")
    return loc


def _position(entries: Any, part: str, loc: Loc) -> int:
    if part.isdigit():
        return int(part)
    found = next((n for n, entry in enumerate(entries or []) if _is_named(entry, part)), None)
    if found is None:
        names = [str(_name(entry)) for entry in entries or []]
        raise EditError(f"`{spelled(loc)}` has no entry {part!r}", did_you_mean(part, names) or "name an entry by its position, counted from 0, or by its id")
    return found


def _unknown(slot: Slot | None, data: Any, loc: Loc, part: str) -> None:
    model = slot.model(data) if slot is not None else None
    if model is None:
        raise EditError(f"`{spelled(loc)}` has no fields", "give it a value as a whole")
    fields = field_order(model)
    raise EditError(f"`{spelled((*loc, part))}` is no field", did_you_mean(part, fields) or f"known: {', '.join(fields)}")


def _name(entry: Any) -> Any:
    if isinstance(entry, dict):
        return next((entry[key] for key in NAMES if key in entry), "a mapping")
    return entry


def _is_named(entry: Any, name: Any) -> bool:
    return isinstance(entry, dict) and any(entry.get(key) == name for key in NAMES)


def _text(value: str, read: Callable[[str], str]) -> str:
    if value.startswith("@@"):
        return value[1:]
    return read(value[1:]) if value.startswith("@") else value


def value_of(slot: Slot | None, text: str, name: str) -> Any:
    """The value of a typed text: itself where the field holds text, else what it is as YAML."""
    if slot is None or slot.is_text:
        return text
    try:
        value = load_yaml(text.encode())
    except SourceError as error:
        if str in slot.options:
            return text
        raise EditError(f"the value of `{name}` is not YAML: {error.message}", "write a list as [a, b] and a mapping as {key: value}") from None
    if slot.item is not None and value is not None and not isinstance(value, list) and str not in slot.options and not any(o is not list and slot.model() for o in slot.options):
        raise EditError(f"`{name}` is a list", f"write {name}=[{text}] for the whole list, or {name}+={text} to add to it")
    return value
