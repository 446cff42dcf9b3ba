"""JSON Schema for each kind of record, with descriptions, allowed words, and the ids of the registry, for editors that complete and check while typing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kvdocs.edit.fields import Slot, field_order, field_slot
from kvdocs.edit.text import EditError
from kvdocs.kind import Kind
from kvdocs.model import Acknowledgement, Ref
from kvdocs.problems import Code, Severity
from kvdocs.registry import Registry

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = ".kvdocs/schema"
"""Where editors find the schemas; git does not: they hold the ids of the registry as it is."""

SETTINGS = ".vscode/settings.json"


def schema_of(kind: Kind, registry: Registry, codes: tuple[Code, ...] = ()) -> dict[str, Any]:
    """The schema of a file of this kind: one record, or a list of them.

    A link offers the ids that it may name, and takes others: a record may be written before the one that it names.
    """
    made = kind.model.model_json_schema()
    models = {model.__name__: model for model in _models(kind.model)}
    definitions = made.pop("$defs", {}) | {kind.model.__name__: made}
    for name, definition in definitions.items():
        if name in models:
            _complete(definition, models[name], registry, codes)
    record = {"$ref": f"#/$defs/{kind.model.__name__}"}
    if kind.prefix is not None:
        made["properties"]["id"]["pattern"] = f"^{kind.prefix}[1-9][0-9]*$"
    return {
        "$schema": DIALECT,
        "title": kind.name,
        "description": made.get("description", ""),
        "if": {"type": "array"},
        "then": {"type": "array", "items": record},
        "else": record,
        "$defs": definitions,
    }


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """A model and all models inside it."""
    todo, seen = [model], {model}
    while todo:
        current = todo.pop()
        yield current
        for field in current.model_fields.values():
            for inner in _inner_models(field.annotation):
                if inner not in seen:
                    seen.add(inner)
                    todo.append(inner)


def _inner_models(annotation: Any) -> Iterator[type[BaseModel]]:
    from typing import get_args

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _inner_models(part)


def _complete(definition: dict[str, Any], model: type[BaseModel], registry: Registry, codes: tuple[Code, ...]) -> None:
    """Order the fields of a definition as they are written, drop titles that only repeat a name, tell which are lists and empty if absent, and offer ids."""
    properties = definition.get("properties", {})
    definition["properties"] = {name: _with_default(properties[name], model.model_fields.get(name)) for name in field_order(model) if name in properties}
    definition.pop("title", None)
    for name, node in definition["properties"].items():
        slot = field_slot(model, name)
        node.pop("title", None)
        if node.get("default", ...) is None:
            del node["default"]
        if slot is not None:
            _without_decimal_text(node, slot)
            _offer(node, slot, registry)
    if model is Acknowledgement:
        _offer_words(definition["properties"]["code"], [code.name for code in codes if code.severity is not Severity.ERROR])


def _with_default(node: dict[str, Any], field: FieldInfo | None) -> dict[str, Any]:
    """A node with what pydantic leaves out: the default of a field for which each record gets a value of its own."""
    if field is None or field.default_factory is None:
        return node
    return dict(sorted({**node, "default": field.get_default(call_default_factory=True)}.items()))


def _offer(node: dict[str, Any], slot: Slot, registry: Registry) -> None:
    ref = slot.mark(Ref)
    if ref is not None:
        _offer_words(node, [entry.id for entry in registry if not ref.kinds or entry.kind.name in ref.kinds])
    if slot.item is not None:
        for option in (node, *node.get("anyOf", ())):
            if option.get("type") == "array":
                _offer(option["items"], slot.item, registry)


def _offer_words(node: dict[str, Any], words: list[str]) -> None:
    """Words to complete in a text, without refusing others."""
    options = node.get("anyOf")
    if not words:
        return
    if options is not None:
        node["anyOf"] = [{"enum": words}, *options]
    elif node.get("type") == "string":
        del node["type"]
        node["anyOf"] = [{"enum": words}, {"type": "string"}]


def _without_decimal_text(node: dict[str, Any], slot: Slot) -> None:
    """A number is written as a number: the form in quotes that pydantic would also describe is none that a record may have."""
    if Decimal in slot.options and str not in slot.options:
        node["anyOf"] = [option for option in node.get("anyOf", ()) if option.get("type") != "string"]
    for option in (node, *node.get("anyOf", ())):
        if slot.item is not None and option.get("type") == "array" and isinstance(option.get("items"), dict):
            _without_decimal_text(option["items"], slot.item)


def write_schemas(folder: Path, kinds: tuple[Kind, ...], registry: Registry, codes: tuple[Code, ...]) -> list[Path]:
    """Write the schema of every kind that people write; files that would not change are left alone. The paths, changed or not."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for kind in kinds:
        if kind.pattern != "*.yaml":
            continue
        path = folder / f"{kind.name}.json"
        text = json.dumps(schema_of(kind, registry, codes), ensure_ascii=False, indent=1) + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            temporary = path.with_suffix(".new")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        paths.append(path)
    return paths


def editor_settings(kinds: tuple[Kind, ...], folder: str = FOLDER) -> dict[str, Any]:
    """The settings under which the YAML language server finds the schema of every record file."""
    written = [kind for kind in kinds if kind.pattern == "*.yaml"]
    return {"yaml.schemas": {f"./{folder}/{kind.name}.json": [f"registry/{kind.folder}/**/*.yaml", f"registry/{kind.folder}/**/*.yml"] for kind in written}}


def merged_settings(present: str | None, wanted: Mapping[str, Any]) -> str:
    """The text of a settings file with these settings in it, others kept; EditError when it has comments or is no JSON."""
    try:
        settings = json.loads(present) if present else {}
    except ValueError:
        raise EditError(f"{SETTINGS} is not plain JSON (it may have comments)", f"add this to it by hand: {json.dumps(wanted)}") from None
    schemas = {**settings.get("yaml.schemas", {}), **wanted["yaml.schemas"]}
    return json.dumps({**settings, "yaml.schemas": schemas}, ensure_ascii=False, indent=2) + "\n"


def modeline(path: str, kind: Kind, folder: str = FOLDER) -> str:
    """The comment by which a record file names its own schema, for editors without settings in the repository."""
    return f"# yaml-language-server: $schema={'../' * path.count('/')}{folder}/{kind.name}.json"
