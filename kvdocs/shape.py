"""A raw record -> an entry, or every fault of its shape as a problem with its place."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.model import fields_at
from kvdocs.problems import BAD_ID, MISSING_FIELD, UNKNOWN_KEY, WRONG_TYPE, WRONG_VALUE, Code, Loc, Problem, counted, did_you_mean
from kvdocs.source import RawRecord

_TYPE_WORDS = {
    "string_type": "text", "int_type": "a whole number", "bool_type": "true or false", "list_type": "a list",
    "dict_type": "a mapping", "model_type": "a mapping", "model_attributes_type": "a mapping", "number_type": "a number", "decimal_type": "a number",
    "date_type": "a date such as 2026-08-24", "float_type": "a number", "tuple_type": "a list",
}  # fmt: skip


def validate(raw: RawRecord, kind: Kind) -> tuple[Entry | None, list[Problem]]:
    """The entry of a raw record, or None and every fault that its model finds."""
    record_id = raw.data.get("id")
    name = record_id if isinstance(record_id, str) else None
    try:
        record = kind.model.model_validate(raw.data)
    except ValidationError as error:
        return None, [_shape_problem(raw, kind, name, fault, words) for fault, words in _one_per_value(raw.data, error.errors(include_url=False))]
    if not kind.accepts_id(record.id):
        return None, [Problem(BAD_ID, f"the id of {_article(kind.name)} is {kind.prefix} and a number, not {record.id!r}", raw.place_of(("id",), value=True), record.id)]
    return Entry(kind, raw, record), []


def _one_per_value(data: Any, faults: list[Any]) -> list[tuple[Any, list[str]]]:
    """Each faulty value once, with what it could have been: a union reports every alternative apart.

    Of a value that has the form of one alternative, what is wrong inside that one is told, and nothing of the others.
    """
    by_value: dict[Loc, list[Any]] = {}
    for fault in faults:
        by_value.setdefault(_walked(data, fault), []).append(fault)
    told: list[tuple[Any, list[str]]] = []
    for loc, here in by_value.items():
        of_form = [f for f in here if not _alternative(f)]
        if of_form:
            told += [(f, []) for f in of_form]
        elif not any(len(other) > len(loc) and other[: len(loc)] == loc for other in by_value):
            literal_alone = len(here) == 1 and here[0]["type"] == "literal_error"
            told.append((here[0], [] if literal_alone else list(dict.fromkeys(_alternative(f) for f in here))))
    return told


def _alternative(fault: Any) -> str:
    """What the value would have to be for one alternative; nothing when it has its form."""
    return str(fault["ctx"]["expected"]) if fault["type"] == "literal_error" else _TYPE_WORDS.get(fault["type"], "")


def _walked(data: Any, fault: Any) -> Loc:
    """The parts of a fault's place that are in the data: pydantic adds the names of the alternatives of a union."""
    parts: list[str | int] = []
    for number, part in enumerate(fault["loc"]):
        if _holds(data, part):
            data = data[part]
        elif number < len(fault["loc"]) - 1 or fault["type"] != "missing":
            continue
        parts.append(part)
    return tuple(parts)


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, dict) and part in data


def _shape_problem(raw: RawRecord, kind: Kind, name: str | None, fault: Any, type_words: list[str]) -> Problem:
    loc = _walked(raw.data, fault)
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
        code, message = WRONG_VALUE, f"{where}{_value_message(fault)}"
        if fault["type"] == "literal_error" and isinstance(fault["input"], str):
            hint = did_you_mean(fault["input"], fault["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", "))
    return Problem(code, message, raw.place_of(loc, value=fault["type"] not in ("missing", "extra_forbidden")), name, hint)


_BOUNDS = {"greater_than_equal": ("at least", "ge"), "greater_than": ("more than", "gt"), "less_than_equal": ("at most", "le"), "less_than": ("less than", "lt")}
_LENGTHS = {"string_too_short": ("needs at least", "min_length", "character", "characters"), "string_too_long": ("takes at most", "max_length", "character", "characters"),
            "too_short": ("needs at least", "min_length", "entry", "entries"), "too_long": ("takes at most", "max_length", "entry", "entries")}  # fmt: skip


def _value_message(fault: Any) -> str:
    """What follows the name of the field: ` is at least 1, not `0``, or `: ` and the model's own sentence."""
    kind, ctx = fault["type"], fault.get("ctx", {})
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f" is {words} {ctx[bound]}, not {_shown(fault['input'])}"
    if kind in _LENGTHS:
        words, bound, *nouns = _LENGTHS[kind]
        return f" {words} {counted(ctx[bound], *nouns)}, and has {len(fault['input']) or 'none'}"
    if kind == "literal_error":
        return f": {_shown(fault['input'])} is not one of {ctx['expected']}"
    if kind == "string_pattern_mismatch":
        return f": {_shown(fault['input'])} does not have the form {ctx['pattern']}"
    return f": {str(fault['msg']).removeprefix('Value error, ')}"


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
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text if len(text) <= 60 else text[:57] + '...'}`"


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
