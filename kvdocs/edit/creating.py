"""New records: the next id, a file of their own, and a template that explains the fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from textwrap import wrap
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from kvdocs.edit.assignments import operation
from kvdocs.edit.drafts import Draft
from kvdocs.edit.fields import Slot, field_order, field_slot
from kvdocs.edit.lookup import all_records, next_id, slug
from kvdocs.edit.operations import applied
from kvdocs.edit.setting import read_file
from kvdocs.edit.text import EditError
from kvdocs.edit.values import STEP, WIDTH, entry_lines
from kvdocs.kind import Kind
from kvdocs.model import Commit, File, Ref
from kvdocs.problems import did_you_mean
from kvdocs.source import SourceError, load_yaml

EXPLAINS = "#:"
"""How the lines begin that explain a field."""


def kind_named(kinds: Sequence[Kind], name: str) -> Kind:
    """The kind of a name (`defect`, `defects`, or its folder); EditError when there is none, or when people do not write such records."""
    for kind in kinds:
        if name in (kind.name, kind.plural, kind.folder):
            if kind.pattern != "*.yaml":
                raise EditError(f"records of kind {kind.name} are written by the program, when it executes something")
            return kind
    known = [kind.name for kind in kinds if kind.pattern == "*.yaml"]
    raise EditError(f"there is no kind {name!r}", did_you_mean(name, known) or f"one of {', '.join(known)}")


def new_data(draft: Draft, kinds: tuple[Kind, ...], kind: Kind, record_id: str | None, assignments: Sequence[str]) -> dict[str, Any]:
    """The data of a new record: its id (the next free number, when none is given) and what was typed."""
    if not record_id and kind.prefix is None:
        raise EditError(f"a record of kind {kind.name} has a name for an id", f"kvdocs new {kind.name} NAME")
    name = record_id or next_id(draft.project, kinds, kind)
    if not kind.accepts_id(name):
        raise EditError(f"the id of a record of kind {kind.name} is {kind.prefix} and a number, not {name!r}")
    # A number is free when it is given; who comes first with a record of it is seen when it is written.
    taken = next((f for f in all_records(draft.project, kinds) if f.id.lower() == name.lower()), None) if record_id else None
    if taken is not None:
        raise EditError(f"the id {taken.id} is taken: {taken.place}")
    data: dict[str, Any] = {"id": name}
    for typed in assignments:
        step = operation(kind.model, data, typed, read_file)
        if step.loc == ("id",):
            raise EditError("the id is not a field to set", f"kvdocs new {kind.name} NAME")
        data = applied(data, step)
    return data


def path_of(kind: Kind, data: dict[str, Any]) -> str:
    """The file of a new record: a numbered one has its title in the name, so that two branches that took the same number can be merged.

    EditError when it is numbered and has no title.
    """
    name = str(data.get("id"))
    words = slug(str(data.get("title") or "")) if kind.prefix is not None else ""
    if kind.prefix is not None and not words:
        raise EditError("a new record needs a title: its file is named for it", '--set "title=What it is about"')
    return f"registry/{kind.folder}/{name}{'-' + words if words else ''}.yaml"


def record_text(kind: Kind, data: dict[str, Any]) -> str:
    """The record as a file, in the order of the fields."""
    return "".join(f"{entry_lines(name, data[name], 0, field_slot(kind.model, name))}\n" for name in field_order(kind.model) if name in data)


def template(kind: Kind, data: dict[str, Any]) -> str:
    """The record as a file to be filled in: what is known, what is needed, and every other field as a comment, each explained."""
    lines = [f"{EXPLAINS} A new record of kind {kind.name}. Fill in what has no value yet; take the `# ` away from a field that you want to use."]
    for name in field_order(kind.model):
        slot = field_slot(kind.model, name)
        assert slot is not None
        if name in data:
            lines.append(entry_lines(name, data[name], 0, slot))
            continue
        lines.append("")
        lines += explanation(kind.model, name, slot)
        if kind.model.model_fields[name].is_required():
            lines += _empty(name, slot, 0)
        else:
            lines.append(f"# {name}: {'[]' if slot.item is not None else ''}".rstrip())
    return "\n".join(lines) + "\n"


def without_explanations(text: str, original: str) -> str:
    """A filled-in template without the comments that it came with; those of its author stay, and so does every line of text."""
    remarks = {line for line in original.splitlines() if line.startswith("#")}
    kept = [line for line in text.splitlines() if line not in remarks]
    while kept and not kept[0].strip():
        kept.pop(0)
    squeezed = [line for n, line in enumerate(kept) if line.strip() or _is_inside_block(kept, n)]
    return "\n".join(squeezed).rstrip() + "\n"


def _is_inside_block(lines: list[str], number: int) -> bool:
    """Whether a blank line stands between two lines of an indented block: there it may be text."""
    following = next((line for line in lines[number:] if line.strip()), "")
    return following.startswith(" ")


def parsed(text: str) -> dict[str, Any]:
    """What a filled-in template holds, without empty fields; nothing when it cannot be read (the check then says why)."""
    try:
        value = load_yaml(text.encode())
    except SourceError:
        return {}
    return {name: v for name, v in value.items() if v is not None} if isinstance(value, dict) else {}


def explanation(model: type[BaseModel], name: str, slot: Slot) -> list[str]:
    """The comment above a field: what it is, and what may stand there."""
    field = model.model_fields[name]
    text = " ".join(part for part in ("Needed." if field.is_required() else "", field.description or "", f"{_form(slot)}.") if part)
    return [f"{EXPLAINS} {line}" for line in wrap(text, WIDTH - 3)]


def _form(slot: Slot) -> str:
    """What may stand in a field, in words."""
    ref = slot.mark(Ref)
    if ref is not None:
        return f"The id of a record of kind {' or '.join(ref.kinds)}" if ref.kinds else "The id of a record"
    if slot.item is not None:
        inner = _form(slot.item)
        return f"A list: {inner[0].lower()}{inner[1:]}"
    model = slot.model()
    if model is not None:
        fields = ", ".join(n + ("" if model.model_fields[n].is_required() else "?") for n in field_order(model))
        return f"A mapping of {fields}"
    words = [str(word) for option in slot.options if get_origin(option) is Literal for word in get_args(option)]
    if words:
        return f"One of {', '.join(words)}"
    return " or ".join(dict.fromkeys(_type_words(option, slot) for option in slot.options)).capitalize()


def _type_words(option: Any, slot: Slot) -> str:
    if get_origin(option) is dict:
        return "a mapping"
    if option is bool:
        return "true or false"
    if option is date:
        return "a day as YYYY-MM-DD"
    if option is int:
        return "a whole number"
    if option is str:
        pattern = next((m for m in slot.marks if m in getattr(Commit, "__metadata__", ())), None)
        return "a git commit" if pattern is not None else "a path beside the record" if slot.mark(File) else "markdown" if slot.is_prose else "text"
    return "a number"


def _empty(name: str, slot: Slot, column: int) -> Iterator[str]:
    """A field that has to be filled in, with the fields that its first entry needs."""
    pad = " " * column
    model = slot.model() or (slot.item.model() if slot.item is not None else None)
    yield f"{pad}{name}:"
    if model is None:
        return
    inner = column + STEP
    needed = [n for n in field_order(model) if model.model_fields[n].is_required()]
    for position, field in enumerate(needed):
        dash = slot.item is not None
        lead = (" " * inner + ("- " if position == 0 else "  ")) if dash else " " * inner
        yield f"{lead}{field}:"
