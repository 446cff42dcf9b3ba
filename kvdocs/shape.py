"""A raw record -> an entry, or every fault of its shape as a problem with its place."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kvdocs.kind import Kind
from kvdocs.model import fields_at
from kvdocs.problems import BAD_ID, MISSING_FIELD, UNKNOWN_KEY, WRONG_TYPE, WRONG_VALUE, Code, Loc, Problem, did_you_mean
from kvdocs.registry import Entry
from kvdocs.source import RawRecord

_TYPE_WORDS = {
    "string_type": "text", "int_type": "a whole number", "bool_type": "true or false", "list_type": "a list",
    "dict_type": "a mapping", "model_type": "a mapping", "model_attributes_type": "a mapping", "number_type": "a number", "decimal_type": "a number",
    "date_type": "a date such as 2026-08-24", "float_type": "a number", "tuple_type": "a list",
}  # fmt: skip


def validate(raw: RawRecord, kind: Kind, file_digest: str = "") -> tuple[Entry | None, list[Problem]]:
    """The entry of a raw record, or None and every fault that its model finds."""
    record_id = raw.data.get("id")
    name = record_id if isinstance(record_id, str) else None
    try:
        record = kind.model.model_validate(raw.data)
    except ValidationError as error:
        return None, [_shape_problem(raw, kind, name, fault, words) for fault, words in _one_per_value(raw.data, error.errors(include_url=False))]
    if not kind.accepts_id(record.id):
        return None, [Problem(BAD_ID, f"the id of {_article(kind.name)} is {kind.prefix} and a number, not {record.id!r}", raw.place_of(("id",), value=True), record.id)]
    return Entry(kind, raw, record, None, file_digest), []


def _one_per_value(data: Any, faults: list[Any]) -> list[tuple[Any, list[str]]]:
    """Each faulty value once, with the types that it could have had: a union reports every alternative apart."""
    by_value: dict[tuple[Any, ...], tuple[Any, list[str]]] = {}
    for fault in faults:
        word = _TYPE_WORDS.get(fault["type"], "")
        key = (_walked(data, fault["loc"]), word != "", fault["type"] if not word else "")
        _, words = by_value.setdefault(key, (fault, []))
        if word and word not in words:
            words.append(word)
    return list(by_value.values())


def _walked(data: Any, loc: Loc) -> Loc:
    """The parts of a place that are in the data: pydantic adds the name of the alternative for a union."""
    parts: list[str | int] = []
    for number, part in enumerate(loc):
        if _holds(data, part):
            data = data[part]
        elif number < len(loc) - 1 or not isinstance(data, dict):
            continue
        parts.append(part)
    return tuple(parts)


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


def _shape_problem(raw: RawRecord, kind: Kind, name: str | None, fault: Any, type_words: list[str]) -> Problem:
    loc = _walked(raw.data, tuple(fault["loc"]))
    where = _words(loc)
    code: Code
    hint = None
    if fault["type"] == "missing":
        code, message = MISSING_FIELD, f"{_article(kind.name)} needs {where}"
    elif fault["type"] == "extra_forbidden":
        code, message = UNKNOWN_KEY, f"{where} is not a field of {_article(kind.name)}" if len(loc) == 1 else f"{where} is not known here"
        known = fields_at(kind.model, tuple(fault["loc"])[:-1])
        hint = did_you_mean(str(loc[-1]), known) or (f"known here: {', '.join(known)}" if known else None)
    elif type_words:
        code, message = WRONG_TYPE, f"{where} is {' or '.join(type_words)}, not {_shown(fault['input'])}"
    else:
        code, message = WRONG_VALUE, f"{where}: {_value_message(fault)}"
        if fault["type"] == "literal_error" and isinstance(fault["input"], str):
            hint = did_you_mean(fault["input"], fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", "))
    return Problem(code, message, raw.place_of(loc, value=fault["type"] not in ("missing", "extra_forbidden")), name, hint)


def _value_message(fault: Any) -> str:
    if fault["type"] == "literal_error":
        return f"{_shown(fault['input'])} is not one of {fault['ctx']['expected']}"
    if fault["type"] == "string_pattern_mismatch":
        return f"{_shown(fault['input'])} does not have the form {fault['ctx']['pattern']}"
    return str(fault["msg"]).removeprefix("Value error, ")


def _words(loc: Loc) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + str(part)
    return f"`{text}`"


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
