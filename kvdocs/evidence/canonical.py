"""JSON value -> the one sequence of bytes that its digest is taken of, and the one that is written to disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any


def canonical(value: Any) -> bytes:
    """The value as JSON with sorted keys, no spaces, UTF-8. ValueError for a number that JSON does not have."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def pretty(value: Any) -> bytes:
    """The value as people read it: sorted keys, one per line. `pretty(json.loads(pretty(x))) == pretty(x)`.

    It is what Python's `json.dumps` gives with `indent=1`, in a third of the time: each record is written once, and compared with this form many times.
    Keys are text. ValueError for a number that JSON does not have.
    """
    return (_indented(value, "\n") + "\n").encode()


_float_encoded = json.JSONEncoder(allow_nan=False).encode
_PLAIN: dict[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    float: _float_encoded,
    bool: {True: "true", False: "false"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}
"""How a value that holds no others is written, as most do."""


def _indented(value: Any, line: str) -> str:
    """`line` begins the line on which the value ends: a line break and the indent."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain(value)
    inner = f"{line} "
    if isinstance(value, dict):
        items = [f"{encode_basestring(key)}: {plain(item) if (plain := _PLAIN.get(type(item))) is not None else _indented(item, inner)}" for key, item in sorted(value.items())]
        return "{" + inner + f",{inner}".join(items) + line + "}" if items else "{}"
    items = [plain(item) if (plain := _PLAIN.get(type(item))) is not None else _indented(item, inner) for item in value]
    return "[" + inner + f",{inner}".join(items) + line + "]" if items else "[]"


def sha256(data: bytes) -> str:
    """The hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def digest(value: Any) -> str:
    """The hexadecimal SHA-256 of the canonical form."""
    return sha256(canonical(value))


LARGEST = 10**300
"""Numbers beyond this, or nearer to zero than one part in it, are text in a record: no reader of records takes them for numbers."""


def storable(value: Any) -> Any:
    """The value with all that a record cannot hold made text: lone surrogates as `\\udc80`, NaN and infinities as `nan`, `inf`, and what lies beyond `LARGEST`."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, (int, float)) and value and not 1 / LARGEST <= abs(value) <= LARGEST:
        return str(value)
    if isinstance(value, dict):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in value]
    return value
