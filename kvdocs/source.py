"""Record files -> plain mappings, strict YAML 1.2; the place of any key on demand.

libyaml's parser (through PyYAML) reads the file and a small builder gives the values their YAML 1.2 core-schema types.
Positions are not kept: a file is composed again when somebody asks for a place, which happens for files with a problem only.
Refused, because a record never needs them: tags, anchors and aliases, merge keys, several documents, keys that are not strings.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Any

from kvdocs.problems import DUPLICATE_KEY, NOT_A_RECORD, UNREADABLE, YAML_SYNTAX, Code, Loc, Place, Problem

MAX_BYTES = 8 << 20
MAX_DEPTH = 64
MAX_NUMERAL = 400
MAX_EXPONENT = 300
"""Limits that no honest record meets; they keep a hostile file from taking the memory, the stack or the time."""


class RawRecord:
    """A record as read: its data, the file (relative to the project), and its position when the file holds a list.

    `data` may be a function that gives the data of this record when somebody asks for it.
    """

    __slots__ = ("_data", "index", "line", "path", "root")

    def __init__(self, root: Path, path: str, data: dict[str, Any] | Callable[[RawRecord], dict[str, Any]], line: int = 1, index: int | None = None) -> None:
        self.root, self.path, self.line, self.index = root, path, line, index
        self._data = data

    @property
    def data(self) -> dict[str, Any]:
        """The values by the names of the record's fields."""
        if not isinstance(self._data, dict):
            self._data = self._data(self)
        return self._data

    def place_of(self, loc: Loc = (), *, value: bool = False) -> Place:
        """The place of a key, or of its value; where the way does not exist, the place of the nearest parent."""
        line, col = locate((self.root / self.path).read_bytes(), ((self.index, *loc) if self.index is not None else loc), value=value)
        return Place(self.path, line, col)


_HINTS = {
    "mapping values are not allowed in this context": "a text that holds a colon and a space is put in quotes: `title: \"Graphs: with nkvo\"`",
    "found character that cannot start any token": "indent with spaces, not tabs; a text that begins with `@`, `%` or a backtick is put in quotes",
}
"""What to do about the commonest faults, by the words that libyaml has for them."""


class SourceError(Exception):
    """A file that cannot be read as records: a code, a sentence, and where."""

    def __init__(self, code: Code, message: str, line: int = 1, col: int = 1, related: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.line, self.col, self.related = code, message, line, col, related


def read_records(root: Path, path: str) -> tuple[list[RawRecord], list[Problem]]:
    """The records of one file, in the order in which they stand; `path` is relative to `root`.

    A file that cannot be read gives no record and one problem.
    An entry of a list that is not a mapping is a problem and costs only itself.
    """
    try:
        data = (root / path).read_bytes()
    except OSError as error:
        return [], [unreadable(path, error)]
    return parse_records(data, root, path)


def unreadable(path: str, error: OSError) -> Problem:
    """That a file cannot be read, and why."""
    return Problem(UNREADABLE, f"cannot be read: {error.strerror}", Place(path))


def parse_records(data: bytes, root: Path, path: str) -> tuple[list[RawRecord], list[Problem]]:
    """As `read_records`, from bytes that were read already."""
    try:
        value, lines = (_parse_json(data) if path.endswith(".json") else _parse_yaml(data))
    except SourceError as error:
        related = ((Place(path, *error.related), "first here"),) if error.related else ()
        return [], [Problem(error.code, error.message, Place(path, error.line, error.col), hint=_HINTS.get(error.message), related=related)]
    if value is None:
        return [], [Problem(NOT_A_RECORD, "the file is empty", Place(path), hint="write a record, or delete the file")]
    if isinstance(value, dict):
        return [RawRecord(root, path, value, lines[0])], []
    records, problems = [], []
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        line = lines[index] if index < len(lines) else 1
        if isinstance(value, list) and isinstance(item, dict):
            records.append(RawRecord(root, path, item, line, index))
        else:
            problems.append(Problem(NOT_A_RECORD, "a record is a mapping of fields", Place(path, line), hint="a file holds one mapping, or a list of mappings"))
    return records, problems


def load_yaml(data: bytes) -> Any:
    """The value of a YAML 1.2 document; SourceError when it is not one."""
    return _parse_yaml(data)[0]


def locate(data: bytes, loc: Loc, *, value: bool = False) -> tuple[int, int]:
    """Line and column, from 1, of the deepest part of `loc` that exists; of its key, or of its value.

    A part that is not in the file (the tag that pydantic adds for a union) is passed over.
    """
    try:
        node = _last_composed(data)
    except SourceError as error:
        return error.line, error.col
    if node is None:
        return 1, 1
    mark = node.start_mark
    for part in loc:
        if node.id == "mapping":
            for key, child in node.value:
                if key.value == str(part):
                    mark, node = (child if value else key).start_mark, child
                    break
        elif node.id == "sequence" and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            mark = node.start_mark
    return mark.line + 1, mark.column + 1


@lru_cache(maxsize=1)
def _last_composed(data: bytes) -> Any:
    """As `compose`: a file of many records with many problems is asked for each of their places."""
    return compose(data)


_INTEGER = re.compile(r"[-+]?[0-9]+\Z").match
_OCTAL = re.compile(r"0o[0-7]+\Z").match
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z").match
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z").match
_NUMERIC_START = frozenset("0123456789+-.")
_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **{word: float("nan") for word in (".nan", ".NaN", ".NAN")},
}  # fmt: skip
_ABSENT = object()


def plain_scalar(text: str) -> Any:
    """The value of an unquoted scalar by the YAML 1.2 core schema; floats become Decimal, with the digits as written.

    NumeralError for a number that is too long or too large to be computed with.
    """
    value = _WORDS.get(text, _ABSENT)
    if value is not _ABSENT:
        return value
    if text[0] in _NUMERIC_START:
        if _INTEGER(text):
            return int(_sane(text))
        if _FLOAT(text):
            return _decimal(text)
        if _OCTAL(text):
            return int(_sane(text), 0)
        if _HEXADECIMAL(text):
            return int(_sane(text), 0)
    return text


class NumeralError(ValueError):
    """A number that is not computed with; the message says why."""


def _sane(numeral: str) -> str:
    if len(numeral) > MAX_NUMERAL:
        raise NumeralError(f"a number of {len(numeral)} characters is too long: put it in quotes when it is text")
    return numeral


def _decimal(numeral: str) -> Decimal:
    try:
        value = Decimal(_sane(numeral))
    except InvalidOperation:
        value = None
    if value is None or abs(value.adjusted()) > MAX_EXPONENT:
        raise NumeralError(f"the number {numeral if len(numeral) < 40 else numeral[:37] + '...'} is too large or too small: put it in quotes when it is text")
    return value


def _parser_class() -> Any:
    """libyaml's parser without implicit resolution of tags, which is the slow part and is YAML 1.1."""
    from yaml._yaml import CParser

    class Parser(CParser):
        def descend_resolver(self, parent: Any, index: Any) -> None: ...
        def ascend_resolver(self) -> None: ...
        def resolve(self, kind: Any, value: Any, implicit: Any) -> None: ...

    return Parser


_parser: Any = None
_yaml_error: Any = None


def compose(data: bytes) -> Any:
    """The node tree of the only document, or None when the file is empty; SourceError when it is no YAML.

    The marks of its nodes count characters of `decode(data)`.
    """
    global _parser, _yaml_error
    if _parser is None:
        from yaml import YAMLError

        _parser, _yaml_error = _parser_class(), YAMLError
    text = decode(data)
    try:
        return _parser(text).get_single_node()
    except _yaml_error:
        return _compose_watchfully(text)


def _compose_watchfully(text: str) -> Any:
    """As `compose`, of a text that fails: step by step, so that the error says where."""
    from yaml import YAMLError
    from yaml.reader import ReaderError

    parser = _parser(text)
    try:
        node = parser.get_node() if parser.check_node() else None
        if parser.check_node():
            mark = parser.get_node().start_mark
            raise SourceError(YAML_SYNTAX, "a file holds one YAML document", mark.line + 1, mark.column + 1)
    except ReaderError as error:
        raise _unfit(text, error.position) from None
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        message = getattr(error, "problem", None) or str(error)
        line, col = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise SourceError(YAML_SYNTAX, message, line, col) from None
    finally:
        parser.dispose()
    return node


def _unfit(text: str, position: int) -> SourceError:
    """A character that YAML does not allow; libyaml counts bytes."""
    before = text.encode()[:position].decode()
    return SourceError(YAML_SYNTAX, f"the character U+{ord(text[len(before)]):04X} has no place in YAML", before.count("\n") + 1, len(before) - before.rfind("\n"))


def decode(data: bytes) -> str:
    """The text of a file without its byte order mark; SourceError when it is not fit to be read."""
    if len(data) > MAX_BYTES:
        raise SourceError(YAML_SYNTAX, f"the file is larger than {MAX_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig" if data.startswith(BOM_UTF8) else "utf-8")  # the former is written in Python
    except UnicodeDecodeError as error:
        before = data[: error.start]
        raise SourceError(YAML_SYNTAX, "the file is not UTF-8", before.count(b"\n") + 1, error.start - before.rfind(b"\n")) from None
    # libyaml counts these as line breaks and editors do not: the places of all later problems would be wrong.
    for breaker in "\x85\u2028\u2029":
        if breaker in text:
            before_text = text[: text.index(breaker)]
            raise SourceError(YAML_SYNTAX, f"the character U+{ord(breaker):04X} ends a line in YAML but not in an editor", before_text.count("\n") + 1, len(before_text) - before_text.rfind("\n"))
    return text


def _parse_yaml(data: bytes) -> tuple[Any, list[int]]:
    """The document's value, and the line of it or of each of its entries when it is a list."""
    node = compose(data)
    if node is None:
        return None, [1]
    if b"!" in data or b"&" in data or b"*" in data:
        _refuse_tags_and_aliases(node)
    lines = [n.start_mark.line + 1 for n in node.value] if node.id == "sequence" else [node.start_mark.line + 1]
    return _build(node, 0), lines


def _at(node: Any, message: str, code: Code = YAML_SYNTAX, first: Any = None) -> SourceError:
    mark = node.start_mark
    related = (first.start_mark.line + 1, first.start_mark.column + 1) if first is not None else None
    return SourceError(code, message, mark.line + 1, mark.column + 1, related)


def _build(node: Any, depth: int) -> Any:
    kind = node.id
    if kind == "scalar":
        return node.value if node.style else _plain(node)
    if depth > MAX_DEPTH:
        raise _at(node, f"nested more than {MAX_DEPTH} deep")
    if kind == "sequence":
        return [_build(child, depth + 1) for child in node.value]
    mapping: dict[str, Any] = {}
    for key, child in node.value:
        if key.id != "scalar":
            raise _at(key, "a key is a string")
        name = intern(key.value)
        if name in mapping:
            first = next(k for k, _ in node.value if k.value == name)
            raise _at(key, f"the key {name!r} stands here for the second time", DUPLICATE_KEY, first)
        if child.id == "scalar":  # as most values are
            mapping[name] = child.value if child.style else _plain(child)
        else:
            mapping[name] = _build(child, depth + 1)
    return mapping


def _plain(node: Any) -> Any:
    try:
        return plain_scalar(node.value)
    except NumeralError as error:
        raise _at(node, str(error)) from None


def _refuse_tags_and_aliases(root: Any) -> None:
    """Iterative, so that a deep document cannot overflow the stack; a node met twice is an alias."""
    seen: set[int] = set()
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            raise _at(node, "anchors and aliases are not used in records: write the value where it belongs")
        seen.add(id(node))
        if node.tag is not None:
            raise _at(node, f"the tag {node.tag} is not used in records")
        if node.id == "mapping":
            todo += [part for pair in node.value for part in pair]
        elif node.id == "sequence":
            todo += node.value


def _parse_json(data: bytes) -> tuple[Any, list[int]]:
    """A JSON file, as the runner writes it: the same values as YAML would give, with duplicate keys refused."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        mapping = dict(items)
        if len(mapping) != len(items):
            names = [name for name, _ in items]
            twice = next(n for n in names if names.count(n) > 1)
            raise SourceError(DUPLICATE_KEY, f"the key {twice!r} stands twice")
        return mapping

    try:
        value = json.loads(decode(data), parse_float=_decimal, parse_int=lambda numeral: int(_sane(numeral)), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise SourceError(YAML_SYNTAX, error.msg, error.lineno, error.colno) from None
    except NumeralError as error:
        raise SourceError(YAML_SYNTAX, str(error)) from None
    except RecursionError:
        raise SourceError(YAML_SYNTAX, f"nested more than {MAX_DEPTH} deep") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        _refuse_depth(value)
    if b"\\ud" in data.lower():
        _refuse_half_pairs(value)
    return value, [1]


def _refuse_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for node in level if isinstance(node, dict | list) for child in (node.values() if isinstance(node, dict) else node)]
    if any(isinstance(node, dict | list) for node in level):
        raise SourceError(YAML_SYNTAX, f"nested more than {MAX_DEPTH} deep")


def _refuse_half_pairs(value: Any) -> None:
    """Half of a surrogate pair is no character: no file and no terminal could hold it."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as error:
        raise SourceError(YAML_SYNTAX, f"the text holds U+{ord(error.object[error.start]):04X}, which is half a character") from None


@lru_cache(maxsize=1 << 17)
def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which D2 comes before D10."""
    simple = _WORD_AND_NUMBER(text)
    if simple is not None:
        end = ((1, 0, simple[3].lower()),) if simple[3] else ()
        return ((1, 0, simple[1].lower()), (0, int(simple[2]), ""), *end)
    return tuple((0, int(part), "") if "0" <= part[0] <= "9" else (1, 0, part.lower()) for part in re.split(r"([0-9]+)", text) if part)


_WORD_AND_NUMBER = re.compile(r"([^0-9]+)([0-9]+)([^0-9]*)\Z").match
"""The form of most ids and of most paths of records, which are sorted by the thousand."""
