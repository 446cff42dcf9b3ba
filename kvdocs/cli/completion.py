"""What the shell offers while a command is typed: ids with their titles, kinds, fields, problem codes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from kvdocs.registry import Registry


def record_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of all records."""
    return _ids(ctx, incomplete)


def reference_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of references."""
    return _ids(ctx, incomplete, "reference")


def kind_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds of records that people write."""
    from kvdocs.kinds import all_kinds

    return [CompletionItem(kind.name) for kind in all_kinds() if kind.pattern == "*.yaml" and kind.name.startswith(incomplete)]


def link_fields(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Fields of the record on the command line that hold links."""
    from kvdocs.edit.fields import field_order, field_slot
    from kvdocs.model import Ref

    registry = _registry(ctx)
    entry = registry.get(str(ctx.params.get("record_id"))) if registry is not None else None
    if entry is None:
        return []
    model = entry.kind.model
    slots = {name: field_slot(model, name) for name in field_order(model)}
    return [CompletionItem(name) for name, slot in slots.items() if slot is not None and (slot.mark(Ref) or (slot.item is not None and slot.item.mark(Ref))) and name.startswith(incomplete)]


def assignments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Fields of the record on the command line with a sign behind them, and behind the sign the words that the field allows."""
    from typing import Literal, get_args, get_origin

    from kvdocs.edit.fields import field_order, field_slot

    registry = _registry(ctx)
    entry = registry.get(str(ctx.params.get("record_id"))) if registry is not None else None
    if entry is None:
        return []
    model = entry.kind.model
    name, sign, typed = incomplete.partition("=")
    if not sign:
        return [CompletionItem(f"{field}=", help=model.model_fields[field].description) for field in field_order(model) if field.startswith(incomplete)]
    slot = field_slot(model, name.rstrip("+-"))
    words = [str(word) for option in (slot.options if slot is not None else ()) if get_origin(option) is Literal for word in get_args(option)]
    return [CompletionItem(f"{name}={word}") for word in words if word.startswith(typed)]


def problem_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes of problems that can be accepted."""
    from kvdocs.kinds import all_codes
    from kvdocs.problems import Severity

    return [CompletionItem(code.name, help=code.meaning) for code in all_codes() if code.severity is not Severity.ERROR and code.name.startswith(incomplete)]


def _ids(ctx: click.Context, incomplete: str, *kinds: str) -> list[CompletionItem]:
    registry = _registry(ctx)
    if registry is None:
        return []
    return [CompletionItem(entry.id, help=entry.title) for entry in registry if (not kinds or entry.kind.name in kinds) and entry.id.lower().startswith(incomplete.lower())]


def _registry(ctx: click.Context) -> Registry | None:
    """The registry that the command line is about; None where there is none, since a shell has no use for an error."""
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry
    from kvdocs.project import ProjectError, find_project

    with suppress(ProjectError, OSError):
        return load_registry(find_project(ctx.obj or Path()), all_kinds())[0]
    return None
