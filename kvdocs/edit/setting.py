"""Edits of one record: give fields values, link and unlink it, accept a warning about it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kvdocs.edit.assignments import operation, place, removal
from kvdocs.edit.drafts import Draft
from kvdocs.edit.fields import slot_at
from kvdocs.edit.lookup import Found
from kvdocs.edit.operations import Append, Assign, Operation, Unset, present, spelled
from kvdocs.edit.splice import edited
from kvdocs.edit.text import EditError
from kvdocs.model import Ref
from kvdocs.problems import Problem, Severity, did_you_mean
from kvdocs.source import load_yaml


def apply(draft: Draft, found: Found, operations: Iterable[Operation]) -> None:
    """Draft operations on a record, one after the other."""
    text = draft.text(found.raw.path)
    for step in operations:
        text = edited(text, found.raw.index, found.kind.model, step)
    draft.write(found.raw.path, text.encode())


def data_of(draft: Draft, found: Found) -> dict[str, Any]:
    """The record's data as drafted."""
    value = load_yaml(draft.text(found.raw.path).text.encode())
    data: dict[str, Any] = value if found.raw.index is None else value[found.raw.index]
    return data


def set_fields(draft: Draft, found: Found, assignments: Sequence[str], unset: Sequence[str] = ()) -> None:
    """Draft what was typed: `field=value`, `field+=entry`, `field-=entry`, and fields to take away."""
    for typed in assignments:
        step = operation(found.kind.model, data_of(draft, found), typed, read_file)
        if step.loc == ("id",):
            raise EditError("an id is changed everywhere or nowhere", f"kvdocs rename {found.id} {getattr(step, 'value', 'NEW')}")
        apply(draft, found, [step])
    for name in unset:
        data = data_of(draft, found)
        loc = place(found.kind.model, data, name)
        if present(data, loc) is not None or (len(loc) == 1 and loc[0] in data):
            apply(draft, found, [Unset(loc)])


def read_file(name: str) -> str:
    """The text of a file that an assignment names (`-` is the standard input), without its last line end; EditError when it cannot be read."""
    if name == "-" and sys.stdin is None:
        raise EditError("the standard input is closed")
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode().replace("\r\n", "\n").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EditError(f"cannot read {name}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from None


def link(draft: Draft, found: Found, field: str, targets: Iterable[str]) -> None:
    """Draft links to other records in a field; one that is there already changes nothing."""
    for target in targets:
        loc, many = _link_field(draft, found, field)
        held = present(data_of(draft, found), loc)
        if many and target not in (held or []):
            apply(draft, found, [Append(loc, target)])
        elif not many:
            apply(draft, found, [Assign(loc, target)])


def unlink(draft: Draft, found: Found, field: str, targets: Iterable[str]) -> None:
    """Draft the end of links; EditError when the record has no such link."""
    for target in targets:
        loc, many = _link_field(draft, found, field)
        data = data_of(draft, found)
        held = present(data, loc)
        if many:
            apply(draft, found, [removal(found.kind.model, data, loc, target)])
        elif held == target:
            apply(draft, found, [Unset(loc)])
        else:
            raise EditError(f"`{spelled(loc)}` of {found.id} is not {target}", f"it is {held}" if held else "it is empty")


def _link_field(draft: Draft, found: Found, field: str) -> tuple[tuple[str | int, ...], bool]:
    """The place of a field of links, and whether it holds many."""
    data = data_of(draft, found)
    model = found.kind.model
    loc = place(model, data, field)
    slot = slot_at(model, loc, data)
    if slot is not None and slot.mark(Ref) is not None:
        return loc, False
    if slot is not None and slot.item is not None and slot.item.mark(Ref) is not None:
        return loc, True
    known = [name for name in model.model_fields if (s := slot_at(model, (name,), data)) is not None and (s.mark(Ref) or (s.item is not None and s.item.mark(Ref)))]
    raise EditError(f"`{spelled(loc)}` holds no links", did_you_mean(field, known) or f"links are in {', '.join(known)}")


def acknowledge(draft: Draft, found: Found, code: str, because: str, problems: Sequence[Problem], codes: dict[str, Severity]) -> None:
    """Draft that the record accepts a warning; a reason that is there already is replaced.

    `problems` are those of the registry as it is, `codes` the severity of every code.
    EditError when there is no such code, when it is an error, or when the record has no such warning.
    """
    if code not in codes:
        raise EditError(f"there is no problem code {code!r}", did_you_mean(code, codes))
    if codes[code] is Severity.ERROR:
        raise EditError(f"{code} is an error: errors are repaired, not acknowledged")
    if not because.strip():
        raise EditError("a warning is accepted for a reason, and this one is empty", 'for example --because "The published figure counts a warm-up run."')
    own = [p for p in problems if p.record == found.id]
    if all(p.code.name != code for p in own):
        others = sorted({p.code.name for p in own if p.code.severity is not Severity.ERROR})
        raise EditError(f"{found.id} has no {codes[code]} {code}", f"it has {', '.join(others)}" if others else "it has nothing to acknowledge")
    accepted = data_of(draft, found).get("acknowledged") or []
    position = next((n for n, a in enumerate(accepted) if a.get("code") == code), None)
    if position is not None:
        apply(draft, found, [Assign(("acknowledged", position, "because"), because)])
    else:
        apply(draft, found, [Append(("acknowledged",), {"code": code, "because": because})])
