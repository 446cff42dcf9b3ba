"""Drafts -> YAML as people write it, by the same writer that edits use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from kvdocs.edit.fields import Slot
from kvdocs.edit.values import entry_lines, in_field_order


def yaml_text(values: Mapping[str, Any], model: type[BaseModel] | None = None) -> str:
    """A record's YAML; `model` tells the order of its fields and which of them are prose."""
    slot = Slot((model,)) if model is not None else None
    entries = in_field_order(dict(values), slot)
    return "".join(entry_lines(key, value, 0, slot.child(key, values) if slot is not None else None).removesuffix("\n") + "\n" for key, value in entries)
