"""The reference page of records: every field of every kind, from the models themselves."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kvdocs import markup
from kvdocs.kind import Kind
from kvdocs.model import File, Part, Prose, Record, Ref
from kvdocs.pages.context import Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.view import Block, Cell, Code, Md, Section, Table
from kvdocs.view import Prose as Paragraphs

PATH = "reference/records.md"


def fields_page(publication: Publication) -> Page:
    """All kinds with their fields, in the order of the site."""
    common = Section("every record", (Paragraphs(Md("What records of every kind have.")), field_table(Record), *_parts(Record, set())), "every-record")
    shown = set(parts_of(Record))
    sections = (common, *(_kind_section(kind, shown) for kind in publication.registry.kinds))
    lead = "A record is a YAML file in the folder of its kind, or one entry of a list in such a file. Unknown keys are errors. Text marked *Markdown* may name other records by their id, which become links, and cite figures with `{{ … }}`."
    return Page(PATH, "page.md.j2", {"title": "Records and their fields", "lead": Md(lead), "sections": sections, "boost": 0.5}, Nav("Reference", 10, "Records"))


def _kind_section(kind: Kind, shown: set[type[BaseModel]]) -> Section:
    """A kind with the fields that are its own, and its parts where they are not among those shown before."""
    ids = f"Ids are `{kind.prefix}` and a number." if kind.prefix else "Ids are free."
    about = Paragraphs(Md(f"{kind.about} Files: `registry/{kind.folder}/{kind.pattern}`. {ids}"))
    return Section(kind.name, (about, field_table(kind.model, frozenset(Record.model_fields)), *_parts(kind.model, shown)), f"kind-{kind.name}")


def _parts(model: type[BaseModel], shown: set[type[BaseModel]]) -> Iterator[Block]:
    """Each part of a model with its fields, less those that the page has shown."""
    for part in parts_of(model):
        if part not in shown:
            yield Paragraphs(Md(f"**{part_words(part)}**: {first_line(part)}"))
            yield field_table(part)


def field_table(model: type[BaseModel], without: frozenset[str] = frozenset()) -> Table:
    """The fields of a model in its order, by the names that files and documents have."""
    rows: list[tuple[Cell, ...]] = [
        (Code(field.alias or name), Md(type_words(annotation_of(field))), "required" if field.is_required() else _default(field), Md(field.description) if field.description else None)
        for name, field in model.model_fields.items()
        if name not in without
    ]
    return Table(("Field", "Type", "If absent", "Meaning"), tuple(rows))


def annotation_of(field: FieldInfo) -> Any:
    """The whole type of a field, with its marks."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def _default(field: FieldInfo) -> Cell:
    default = field.get_default(call_default_factory=True)
    if default in (None, "", [], {}):
        return None
    shown = str(default).lower() if isinstance(default, bool) else str(default)
    return Code(shown)


def first_line(model: type[BaseModel]) -> str:
    """What a model says of itself."""
    return (model.__doc__ or "").partition("\n")[0]


def part_words(model: type[BaseModel]) -> str:
    """The name of a part in words: `SourceLocation` is a source location."""
    return "".join(f" {c.lower()}" if c.isupper() and n else c.lower() for n, c in enumerate(model.__name__))


def parts_of(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """The parts that a model's fields hold, each once, in the order in which they are met."""
    seen: dict[type[BaseModel], None] = {}
    todo = [field.annotation for field in model.model_fields.values()]
    while todo:
        annotation: Any = todo.pop(0)
        if isinstance(annotation, type) and issubclass(annotation, Part):
            if annotation not in seen:
                seen[annotation] = None
                todo += [field.annotation for field in annotation.model_fields.values()]
        else:
            todo += [a for a in get_args(annotation) if not isinstance(a, str)]
    yield from seen


_SIMPLE: dict[Any, str] = {str: "text", int: "whole number", bool: "true or false", Decimal: "number", float: "number"}


def type_words(annotation: Any) -> str:
    """What a field holds, in the words of somebody who writes YAML; Markdown."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated_words(inner[0], inner[1:])
    if origin is Literal:
        return ("one of " if len(inner) > 1 else "") + ", ".join(f"`{value}`" for value in inner)
    if origin in (Union, UnionType):
        return _union_words([a for a in inner if a is not type(None)])
    if origin in (list, tuple):
        return f"list of {type_words(inner[0])}"
    if origin is dict:
        return f"mapping of {type_words(inner[0])} to {type_words(inner[1])}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return part_words(annotation)
    return _SIMPLE.get(annotation, getattr(annotation, "__name__", "value"))


def _union_words(options: list[Any]) -> str:
    if set(options) == {int, Decimal}:
        return "number"
    rest = [o for o in options if o not in (int, Decimal)]
    words = (["number"] if {int, Decimal} <= set(options) else [type_words(o) for o in options if o in (int, Decimal)]) + [type_words(o) for o in rest]
    return " or ".join(words)


def _annotated_words(base: Any, extra: tuple[Any, ...]) -> str:
    for mark in extra:
        if isinstance(mark, Ref):
            kinds = " or ".join(f"*{kind}*" for kind in mark.kinds) or "any record"
            return f"id of {kinds}" + (" (order of work)" if mark.orders else "")
        if isinstance(mark, Prose):
            return "Markdown"
        if isinstance(mark, File):
            return "path, relative to the record's folder"
    names = {getattr(getattr(mark, "func", None), "__name__", "") for mark in extra}
    if "_text_date" in names:
        return "date"
    if "_size" in names:
        return "size"
    patterns = [pattern for mark in extra if (pattern := getattr(mark, "pattern", None))]
    return f"{type_words(base)} of the form {markup.code(str(patterns[0]))}" if patterns else type_words(base)
