"""Registry folder -> Registry and problems. A broken record costs only itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kvdocs.kind import Kind
from kvdocs.model import Loc, fields_at
from kvdocs.problems import (
    BAD_ID,
    DUPLICATE_ID,
    MISSING_FIELD,
    UNKNOWN_FOLDER,
    UNKNOWN_KEY,
    WRONG_TYPE,
    WRONG_VALUE,
    Code,
    Place,
    Problem,
    did_you_mean,
)
from kvdocs.project import SETTINGS_FILE, Project
from kvdocs.registry import Entry, Registry
from kvdocs.source import RawRecord, find_files, read_records

_TYPE_WORDS = {
    "string_type": "text", "int_type": "a whole number", "bool_type": "true or false", "list_type": "a list",
    "dict_type": "a mapping", "model_type": "a mapping", "model_attributes_type": "a mapping", "number_type": "a number", "decimal_type": "a number",
    "date_type": "a date such as 2026-08-24", "float_type": "a number", "tuple_type": "a list",
}  # fmt: skip


def load_registry(project: Project, kinds: tuple[Kind, ...]) -> tuple[Registry, list[Problem]]:
    """All records of a project, and what is wrong with the files; links are not looked at here."""
    problems = list(_unknown_folders(project, kinds))
    entries: dict[str, Entry] = {}
    broken: set[str] = set()
    for kind in kinds:
        for path in find_files(project.registry / kind.folder, kind.pattern):
            raws, found = read_records(project.root, path.relative_to(project.root).as_posix())
            problems += found
            if found and not raws:
                broken |= _ids_by_name(path)
            for raw in raws:
                entry, found = validate(raw, kind)
                problems += found
                if entry is None:
                    broken.add(str(raw.data.get("id", "")))
                elif (first := entries.get(entry.id)) is not None:
                    problems.append(_duplicate(first, entry))
                else:
                    entries[entry.id] = entry
    return Registry(entries.values(), kinds, frozenset(broken - entries.keys())), problems


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
    return Entry(kind, record, raw), []


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


def _duplicate(first: Entry, second: Entry) -> Problem:
    place = first.raw.place_of(("id",), value=True)
    return Problem(
        DUPLICATE_ID,
        f"the id {second.id} is taken",
        second.raw.place_of(("id",), value=True),
        second.id,
        hint=f"give one of them a new id: `kvdocs rename {second.id} NEW --at {second.raw.path}:{second.raw.line}`",
        related=((place, f"{second.id} is here too"),),
    )


def _ids_by_name(path: Path) -> set[str]:
    """The ids that an unreadable file may have held: people name a file for its record."""
    return {path.stem, path.parent.name}


def _unknown_folders(project: Project, kinds: tuple[Kind, ...]) -> Iterator[Problem]:
    folders = {kind.folder for kind in kinds}
    if not project.registry.is_dir():
        return
    for child in sorted(project.registry.iterdir()):
        place = Place(child.relative_to(project.root).as_posix())
        if child.name.startswith(".") or place.path == SETTINGS_FILE:
            continue
        if child.is_dir() and child.name not in folders:
            yield Problem(UNKNOWN_FOLDER, f"no kind has the folder {child.name!r}", place, hint=did_you_mean(child.name, folders) or f"known: {', '.join(sorted(folders))}")
        elif child.is_file() and child.suffix in (".yaml", ".yml"):
            yield Problem(UNKNOWN_FOLDER, "a record lies in the folder of its kind", place, hint=f"move it to one of {', '.join(sorted(folders))}")
