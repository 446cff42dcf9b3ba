"""Two states of a record -> its changes, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Topic = Literal["record", "status", "owner", "blockers", "values", "text", "other"]
"""What a change is about; `record` is that a record came, went or got another id."""

TOPICS: tuple[Topic, ...] = ("record", "status", "owner", "blockers", "values", "text", "other")

LONGEST = 120
"""Longer values are kept as their beginning: the commit has the rest."""

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field of a record before and after, as text; None where there was nothing. `field` is empty when the record came or went."""

    record: str
    kind: str
    field: str
    before: str | None
    after: str | None
    topic: Topic


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a field and the commit that made it. `commit` and `date` are None for what is not committed yet.

    `date` is when the commit was made, with its time zone (ISO 8601); `author` is the name as `.mailmap` has it.
    """

    commit: str | None
    date: str | None
    author: str | None
    subject: str
    record: str
    kind: str
    field: str
    before: str | None
    after: str | None
    topic: Topic

    @property
    def words(self) -> str:
        """The change in words, without the id: `status open → done`."""
        name = self.field.replace("_", " ")
        if not self.field:
            return f"added: {self.after}" if self.before is None else f"removed: {self.before}"
        if self.field == "id":
            return f"renamed from {self.before}"
        if self.field == FILE:
            return self.after or ""
        if self.topic == "text":
            return f"{name} " + ("written" if self.before is None else "removed" if self.after is None else "rewritten")
        return f"{name} {self.before if self.before is not None else 'none'} → {self.after if self.after is not None else 'none'}"


FILE = "file"
"""The field of a change that tells of the file and not of its content: that it could not be read."""


def compare(record: str, kind: str, before: Data, after: Data, topics: Mapping[str, Topic]) -> Iterator[FieldChange]:
    """The changes between two states of a record, in the order of its fields; what went comes last. `topics` says what each field is about."""
    key = after.get("key") or before.get("key")
    for name in dict.fromkeys((*after, *before)):
        if name != "id":
            topic = topics.get(name)
            yield from _compare(record, kind, name, before.get(name), after.get(name), topic, key if isinstance(key, str) else "")


def _compare(record: str, kind: str, path: str, before: Any, after: Any, topic: Topic | None, key: str) -> Iterator[FieldChange]:
    if before == after and type(before) is type(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*after, *before)):
            yield from _compare(record, kind, f"{path}.{name}", before.get(name), after.get(name), topic, key)
    elif isinstance(before, list) and isinstance(after, list) and (pairs := _pairs(before, after, key)) is not None:
        for name, one, other in pairs:
            yield from _compare(record, kind, f"{path}[{name}]", one, other, topic, key)
    else:
        yield FieldChange(record, kind, path, shown(before), shown(after), topic or _topic_of(before, after))


def _pairs(before: list[Any], after: list[Any], key: str) -> list[tuple[str, Any, Any]] | None:
    """The entries of two lists of mappings that belong together: by their name, else by position when there are equally many.

    None for lists of plain values and where nothing tells what belongs together.
    """
    if not all(isinstance(entry, dict) for entry in (*before, *after)) or not (before and after):
        return None
    for name in ("id", "name", key):
        one, other = {str(e.get(name)): e for e in before}, {str(e.get(name)): e for e in after}
        if name and "None" not in one and "None" not in other and len(one) == len(before) and len(other) == len(after):
            return [(label, one.get(label), other.get(label)) for label in dict.fromkeys((*one, *other))]
    return [(str(n), a, b) for n, (a, b) in enumerate(zip(before, after, strict=True))] if len(before) == len(after) else None


def _topic_of(before: Any, after: Any) -> Topic:
    """What a field is about that no kind says more of: numbers are values, long text is text."""
    found = [value for value in (before, after) if value is not None]
    if all(isinstance(value, int | Decimal) and not isinstance(value, bool) for value in found) or any(_numbers(value) for value in found):
        return "values"
    return "text" if any(isinstance(value, str) and (len(value) > LONGEST or "\n" in value) for value in found) else "other"


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, int | Decimal) and not isinstance(v, bool) for v in value)


def shown(value: Any) -> str | None:
    """A value as text: numbers with their digits, plain lists with commas, anything larger as how much of it there is."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        if not value:
            return None
        if all(not isinstance(v, list | dict) for v in value):
            return _short(", ".join(shown(v) or "none" for v in value))
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    if isinstance(value, dict):
        return _short(", ".join(f"{name}: {shown(v)}" for name, v in value.items())) or None
    return _short(" ".join(str(value).split())) or None


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
