"""CSV of one kind of record, both ways: a column a field, a row a record.

Text stands as it is, a list of words is joined with `; `, and whatever is nested stands as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from kvdocs.exchange.drafts import Draft, DraftSet, Ids, Known
from kvdocs.exchange.remark import Remark, UnreadableSourceError, lost

SEPARATOR = "; "


def write_csv(records: Iterable[BaseModel]) -> str:
    """The records of one kind with a column for each field that at least one of them sets."""
    rows = list(records)
    fields = type(rows[0]).model_fields if rows else {}
    names = [name for name in fields if any(name in row.model_fields_set and getattr(row, name) is not None for row in rows)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(getattr(row, name), _words(fields[name].annotation)) if name in row.model_fields_set else "" for name in names])
    return out.getvalue()


def draft_csv(text: str, kind: str, model: type[BaseModel], known: Known) -> DraftSet:
    """The rows of a CSV file as records of a kind. A column that is no field of the kind is not taken.

    Raises UnreadableSourceError when there is no heading that is a field of the kind, or a cell is longer than Python's csv reads.
    """
    rows = _rows(text)
    headings = [heading.strip() for heading in rows[0]] if rows else []
    fields = {heading: _field(heading, model) for heading in headings}
    if not any(name in ("id", "title") for name in fields.values()):
        raise UnreadableSourceError(f"no column `id` or `title` in the first line; the fields of {kind} are {', '.join(model.model_fields)}")
    remarks = [lost(f"the column {heading!r}: {kind} has no such field") for heading, name in fields.items() if not name]
    ids = Ids(known)
    drafts = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        values = _values(headings, row, fields, model, remarks, number)
        wanted = str(values.get("id", ""))
        values["id"] = ids.take(kind, wanted)
        if wanted and values["id"] != wanted:
            remarks.append(lost(f"the id {wanted}, which is taken or no id of {kind}: it became {values['id']}", number))
        drafts.append(Draft(kind, {name: values[name] for name in model.model_fields if name in values}, f"line {number}"))
    return DraftSet(tuple(drafts), tuple(remarks))


def _rows(text: str) -> list[list[str]]:
    """The cells of each row; a line may end as on any system."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=False)
    try:
        return list(reader)
    except csv.Error as error:
        raise UnreadableSourceError(f"line {reader.line_num}: {error}") from None


def _values(headings: Sequence[str], row: Sequence[str], fields: Mapping[str, str], model: type[BaseModel], remarks: list[Remark], line: int) -> dict[str, Any]:
    if len(row) > len(headings):
        remarks.append(lost(f"{len(row) - len(headings)} cells beyond the last heading", line))
    values: dict[str, Any] = {}
    for heading, cell in zip(headings, row, strict=False):
        name = fields[heading]
        if not name or cell == "":
            continue
        try:
            values[name] = _value(cell, model.model_fields[name].annotation)
        except ValueError as error:
            remarks.append(lost(f"{heading}: {error}", line))
        except RecursionError:
            remarks.append(lost(f"{heading}: nested too deeply", line))
    return values


def _field(heading: str, model: type[BaseModel]) -> str:
    """The field that a heading names: `Blocked by` is `blocked_by`."""
    name = heading.strip().lower().replace(" ", "_").replace("-", "_")
    return name if name in model.model_fields else f"{name}s" if f"{name}s" in model.model_fields else ""


def _cell(value: Any, words: frozenset[str]) -> str:
    """A value as a cell; a list that would read as one of the field's own `words` stands as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(part, str) and _is_plain(part) for part in value) and SEPARATOR.join(value) not in words:
        return SEPARATOR.join(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        return str(value)
    return _json(value)


def _is_plain(part: str) -> bool:
    """Whether a word of a list can stand between separators."""
    return bool(part.strip()) and part == part.strip() and ";" not in part and not part.startswith(("[", "{")) and "\n" not in part


def _json(value: Any) -> str:
    """A nested value as JSON, with the fields that the record sets and every number with its digits as written."""
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields if name in value.model_fields_set}
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_json(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_json(inner) for inner in value) + "]"
    if isinstance(value, Decimal):
        return str(value)
    return json.dumps(value.isoformat() if isinstance(value, date) else value, ensure_ascii=False)


def _value(cell: str, annotation: Any) -> Any:
    """A cell as the field's type wants it. Raises ValueError when it is no value of that type."""
    options = _options(annotation)
    if cell in _words(annotation):
        return cell
    if any(typing.get_origin(option) is list for option in options):
        return json.loads(cell, parse_float=Decimal) if cell.lstrip().startswith("[") else [part.strip() for part in cell.split(";") if part.strip()]
    if any((isinstance(option, type) and issubclass(option, BaseModel)) or typing.get_origin(option) is dict for option in options):
        return json.loads(cell, parse_float=Decimal)
    if str in options or any(typing.get_origin(option) is typing.Literal for option in options):
        return cell
    from kvdocs.source import plain_scalar

    return plain_scalar(cell.strip())


def _words(annotation: Any) -> frozenset[str]:
    """The words that a field takes as they are."""
    literals = (typing.get_args(option) for option in _options(annotation) if typing.get_origin(option) is typing.Literal)
    return frozenset(word for words in literals for word in words if isinstance(word, str))


def _options(annotation: Any) -> list[Any]:
    """The alternatives of a type, without the marks of Annotated."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _options(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [option for part in typing.get_args(annotation) for option in _options(part)]
    return [annotation]
