"""The front matter of a page without YAML's parser: its first lines are strings as JSON has them, and the rest is alike on many pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

FIELD = re.compile(r'([a-z_]+): ("(?:[^"\\\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\\["\\])*")\n')
"""A field whose value means the same in YAML and in JSON."""

REST = re.compile(r"(?:[a-z_]+:[ \n]|\Z)")
"""What follows such fields: another one, or nothing."""


def load_by(plain: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """`yaml.load` that parses only what it has not met."""
    known: dict[str, dict[str, Any]] = {}

    def load(text: str, loader: Any) -> Any:
        found: dict[str, Any] = {}
        at = 0
        while (field := FIELD.match(text, at)) is not None and field[1] not in found:
            found[field[1]] = json.loads(field[2])
            at = field.end()
        rest = text[at:]
        if not found or not REST.match(rest):
            return plain(text, loader)
        if rest not in known:
            value = plain(rest, loader) if rest else {}
            if not isinstance(value, dict):
                return plain(text, loader)
            known[rest] = value
        if not found.keys().isdisjoint(known[rest]):
            return plain(text, loader)
        return {**found, **deepcopy(known[rest])}

    return load
