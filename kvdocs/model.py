"""Records: the pydantic base that every kind builds on, links between records, and shared field types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from kvdocs.no_plugins import take_no_plugins
from kvdocs.problems import Loc as Loc  # noqa: PLC0414  # part of the vocabulary of records, so exported from here too

take_no_plugins()


def empty_list() -> list[Any]:
    """The list of a field that is left out. pydantic reads the signature of what makes it, for every field again, and that of `list` itself takes 15 times as long."""
    return []


class Part(BaseModel):
    """A mapping inside a record: unknown keys are errors, and no value changes its type on the way in."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True, defer_build=True)


class Acknowledgement(Part):
    """A warning that the people of the record have seen and accept."""

    code: str = Field(description="The code of the problem, such as `claim-fails`.")
    because: str = Field(min_length=8, description="Why it is accepted; shown wherever the problem is.")


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
"""The name of a record, which is part of addresses and of the names of files."""


def _one_line(value: str) -> str:
    if not value.strip() or "\n" in value or "\r" in value:
        raise ValueError("one line of text, and not an empty one")
    return value


class Record(Part):
    """What all kinds have."""

    id: Id = Field(description="The name that other records and pages use; unique in the registry.")
    title: Annotated[str, AfterValidator(_one_line)] = Field(min_length=1, description="One line that says what this is. Inline Markdown is allowed.")
    formerly: list[Id] = Field(default_factory=empty_list, description="Ids that this record had before; their addresses lead to it.")
    acknowledged: list[Acknowledgement] = Field(default_factory=empty_list, description="Warnings about this record that are accepted, with the reason.")


@dataclass(frozen=True, slots=True)
class Ref:
    """Marks a string as the id of another record: `Annotated[str, Ref("owner")]`.

    `kinds` are the kinds it may point to; none means any.
    `orders=True` marks a link that gives order of work: this record waits for its target.
    """

    kinds: tuple[str, ...]
    orders: bool

    def __init__(self, *kinds: str, orders: bool = False) -> None:
        object.__setattr__(self, "kinds", kinds)
        object.__setattr__(self, "orders", orders)


class Prose:
    """Marks a string as Markdown in which ids become links and `{{ … }}` becomes a figure."""

    __slots__ = ()


class Formula(NamedTuple):
    """Marks a string as a formula over figures, such as `M3.gain[16384]`: `Annotated[str, Formula()]`.

    `shown=True` marks one that is a citation: wherever the field is shown, its figure stands.
    """

    shown: bool = False


class File:
    """Marks a string as a path, relative to the folder of its record: `Annotated[str, File()]`."""

    __slots__ = ()


class LinkField(NamedTuple):
    """A link found in a record: where it stands, what it may point to, and the id that it names."""

    loc: Loc
    ref: Ref
    target: str


Markdown = Annotated[str, Prose()]
"""Free text; ids in it become links on the page."""

FigureFormula = Annotated[str, Formula()]
"""A formula over measurements and executions that something is computed by."""

CitedFigure = Annotated[str, Formula(shown=True)]
"""A formula over measurements and executions that gives the figure of a field."""


def _text_date(value: object) -> object:
    if isinstance(value, str):
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
            raise ValueError("a date is written as YYYY-MM-DD")
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"there is no day {value}") from None
    return value


Date = Annotated[date, BeforeValidator(_text_date)]
"""A day, written `2026-08-24`."""


def _number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise PydanticCustomError("number_type", "a number")
    return value


Number = Annotated[int | Decimal, BeforeValidator(_number)]
"""A number with its digits as written: `31.50` stays `Decimal('31.50')`."""

SIZES = ("XS", "S", "M", "L", "XL")


def _size(value: str) -> str:
    ends = value.split("-")
    if len(ends) > 2 or any(end not in SIZES for end in ends):
        raise ValueError(f"a size is one of {', '.join(SIZES)} or a range of two, such as S-M")
    if len(ends) == 2 and SIZES.index(ends[0]) >= SIZES.index(ends[1]):
        raise ValueError(f"the smaller size comes first in a range: {ends[1]}-{ends[0]}")
    return value


Size = Annotated[str, AfterValidator(_size)]
"""How much work: one of XS, S, M, L, XL, or a range of two such as `S-M`."""

Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{7,40}$")]
"""A git commit: 7 to 40 hexadecimal digits."""

BlastRadius = Literal["none", "low", "medium", "high", "very high"]
BLAST_RADII: tuple[str, ...] = get_args(BlastRadius)


class SourceLocation(Part):
    """A line of somebody's source at a commit, so that the page can link to it."""

    path: str = Field(description="Path in the repository.")
    line: int | None = Field(default=None, ge=1, description="The line, from 1.")
    end_line: int | None = Field(default=None, ge=1, description="The last line, when it is several.")
    repository: str | None = Field(default=None, description="`owner/name`; the project's source repository if absent.")
    commit: Commit | None = Field(default=None, description="The record's commit if absent.")
    what: str = Field(default="", description="What stands there.")


Marked = tuple[Loc, Any, object]
"""Where a value stands, its marker, and the value."""

Walk = Callable[[Any, Loc, list[Marked]], None]
"""Adds to a list what is marked in a value that stands at a place: every record is walked, and generators within generators take twice as long."""

Marker = type | tuple[type, ...]
"""The type of a marker, or several."""


def marked(record: BaseModel, marker: Marker) -> list[Marked]:
    """Every value of a record whose annotation carries a `marker`."""
    found: list[Marked] = []
    walk = _walk_of(type(record), marker)
    if walk is not None:
        walk(record, (), found)
    return found


def references(record: BaseModel) -> Iterator[LinkField]:
    """Every link of a record. Edges, checks of links and back-links all come from here."""
    for loc, ref, target in marked(record, Ref):
        yield LinkField(loc, ref, str(target))


def prose_fields(record: BaseModel) -> Iterator[tuple[Loc, str]]:
    """Every free text of a record with the place where it stands."""
    for loc, _, text in marked(record, Prose):
        yield loc, str(text)


def formula_fields(record: BaseModel, *, shown: bool = False) -> Iterator[tuple[Loc, str]]:
    """Every formula of a record with the place where it stands; with `shown`, only those by which a field cites a figure."""
    for loc, marker, text in marked(record, Formula):
        if marker.shown or not shown:
            yield loc, str(text)


@cache
def _walk_of(model: type[BaseModel], marker: Marker) -> Walk | None:
    """As `_walk_model`, for a model that stands in no other one."""
    return _walk_model(model, marker)


def _walk_model(model: type[BaseModel], marker: Marker) -> Walk | None:
    """A function that walks an instance of `model`, or None when no field leads to a `marker`; a model may hold itself."""
    if (model, marker) in _under_way:
        return lambda value, loc, into: walk(value, loc, into) if (walk := _walk_fields(model, marker)) is not None else None
    _under_way.add((model, marker))
    try:
        return _walk_fields(model, marker)
    finally:
        _under_way.discard((model, marker))


_under_way: set[tuple[type[BaseModel], Marker]] = set()
"""Models whose fields are being looked at: met again inside themselves, they are looked up when a value is walked."""


@cache
def _walk_fields(model: type[BaseModel], marker: Marker) -> Walk | None:
    steps: list[tuple[str, Walk]] = []
    for name, field in model.model_fields.items():
        annotation: Any = field.annotation
        if field.metadata:
            annotation = Annotated[(annotation, *field.metadata)]
        walk = _walk_annotation(annotation, marker)
        if walk is not None:
            steps.append((name, walk))
    if not steps:
        return None

    def walk_model(value: Any, loc: Loc, into: list[Marked]) -> None:
        values = value.__dict__
        for name, walk in steps:
            inner = values[name]
            if inner is not None and (inner or not isinstance(inner, list)):  # most fields of most records are empty
                walk(inner, (*loc, name), into)

    return walk_model


def _walk_annotation(annotation: Any, marker: Marker) -> Walk | None:
    origin = get_origin(annotation)
    if origin is Annotated:
        base, *extra = get_args(annotation)
        found = next((m for m in extra if isinstance(m, marker)), None)
        return _walk_annotation(base, marker) if found is None else _walk_found(found)
    if origin in (Union, UnionType):
        return _walk_union([a for a in get_args(annotation) if a is not type(None)], marker)
    if origin in (list, tuple):
        return _walk_items(_walk_annotation(get_args(annotation)[0], marker))
    if origin is dict:
        return _walk_values(_walk_annotation(get_args(annotation)[1], marker))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _walk_model(annotation, marker)
    return None


def _walk_found(found: object) -> Walk:
    def walk(value: Any, loc: Loc, into: list[Marked]) -> None:
        into.append((loc, found, value))

    return walk


def _walk_union(options: list[Any], marker: Marker) -> Walk | None:
    models = [(o, _walk_annotation(o, marker)) for o in options if isinstance(o, type) and issubclass(o, BaseModel)]
    rest = [w for w in (_walk_annotation(o, marker) for o in options if not any(o is m for m, _ in models)) if w]
    if not rest and not any(w for _, w in models):
        return None

    def walk(value: Any, loc: Loc, into: list[Marked]) -> None:
        if isinstance(value, BaseModel):
            for model, inner in models:
                if inner is not None and isinstance(value, model):
                    inner(value, loc, into)
                    return
        else:
            for inner in rest:
                inner(value, loc, into)

    return walk


def _walk_items(inner: Walk | None) -> Walk | None:
    if inner is None:
        return None

    def walk(value: Any, loc: Loc, into: list[Marked]) -> None:
        for position, item in enumerate(value):
            inner(item, (*loc, position), into)

    return walk


def _walk_values(inner: Walk | None) -> Walk | None:
    if inner is None:
        return None

    def walk(value: Any, loc: Loc, into: list[Marked]) -> None:
        for key, item in value.items():
            inner(item, (*loc, key), into)

    return walk


def fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The fields that the part of a record at `loc` may have; empty when it is not a mapping of fields."""
    here: Any = model
    for part in loc:
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(str(part))
            here = field.annotation if field is not None else None
        here = _model_within(here, part)
        if here is None:
            return []
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []


def _model_within(annotation: Any, part: object) -> Any:
    """The model that an annotation leads to: through Annotated, lists, mappings and unions (by the name of the model)."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    candidates = [c for c in (_model_within(a, part) for a in get_args(annotation) if a is not type(None)) if c is not None]
    named = [c for c in candidates if getattr(c, "__name__", "") == part]
    return (named or candidates or [None])[0]
