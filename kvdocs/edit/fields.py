"""What the model says of one field of a record: its type, its marks, and the parts below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from kvdocs.model import Loc, Prose

LAST = ("formerly", "acknowledged")
"""Fields of every record that come after those of its kind: they are about the record, not about its subject."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value: the types that it may have, and the marks on them."""

    options: tuple[Any, ...]
    marks: tuple[object, ...] = ()

    @classmethod
    def of(cls, annotation: Any, marks: tuple[object, ...] = ()) -> Slot:
        """From an annotation; `None` among the types is left out, unions are flattened."""
        origin = get_origin(annotation)
        if origin is Annotated:
            base, *more = get_args(annotation)
            return cls.of(base, (*marks, *more))
        if origin in (Union, UnionType):
            inner = [cls.of(option) for option in get_args(annotation) if option is not type(None)]
            return cls(tuple(o for slot in inner for o in slot.options), marks + tuple(m for slot in inner for m in slot.marks))
        return cls((annotation,), marks)

    def mark(self, kind: type) -> Any:
        """The mark of a class on this slot, or None."""
        return next((m for m in self.marks if isinstance(m, kind)), None)

    @property
    def is_prose(self) -> bool:
        """Whether it is free text."""
        return self.mark(Prose) is not None

    @property
    def is_text(self) -> bool:
        """Whether every value of it is written as text: strings, words of a list, dates."""
        return all(o in (str, date) or (get_origin(o) is Literal and all(isinstance(w, str) for w in get_args(o))) for o in self.options)

    @property
    def item(self) -> Slot | None:
        """The slot of an entry, when this is a list."""
        inner = next((o for o in self.options if get_origin(o) in (list, tuple)), None)
        return Slot.of(get_args(inner)[0]) if inner is not None else None

    def model(self, data: object = None) -> type[BaseModel] | None:
        """The model of a mapping here; among several, the one that knows most of the keys of `data`."""
        models = [o for o in self.options if isinstance(o, type) and issubclass(o, BaseModel)]
        keys = set(data) if isinstance(data, Mapping) else set()
        return max(models, key=lambda m: len(keys & set(m.model_fields)), default=None)

    def child(self, part: str | int, data: object = None) -> Slot | None:
        """The slot of a field, a key or an entry below this one; None when the model knows none."""
        if isinstance(part, int):
            return self.item
        model = self.model(data)
        if model is not None:
            return field_slot(model, part)
        mapping = next((o for o in self.options if get_origin(o) is dict), None)
        return Slot.of(get_args(mapping)[1]) if mapping is not None else None


def field_slot(model: type[BaseModel], name: str) -> Slot | None:
    """The slot of a model's field, or None."""
    field = model.model_fields.get(name)
    return Slot.of(field.annotation, tuple(field.metadata)) if field is not None else None


def slot_at(model: type[BaseModel], loc: Loc, data: Any = None) -> Slot | None:
    """The slot at a place in a record; `data`, the record as read, decides between the models of a union."""
    slot: Slot | None = Slot((model,))
    for part in loc:
        if slot is None:
            return None
        slot = slot.child(part, data)
        data = _below(data, part)
    return slot


def _below(data: Any, part: str | int) -> Any:
    if isinstance(data, Mapping) and isinstance(part, str):
        return data.get(part)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return None


def field_order(model: type[BaseModel]) -> list[str]:
    """The order in which the fields of a record or part are written: the model's, with those about the record itself last."""
    return sorted(model.model_fields, key=lambda name: LAST.index(name) + 1 if name in LAST else 0)


def required_fields(model: type[BaseModel]) -> Iterator[str]:
    """The fields that a record or part has to have."""
    return (name for name in field_order(model) if model.model_fields[name].is_required())
