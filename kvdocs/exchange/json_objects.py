"""Whole JSON objects out of text that was cut short or has log lines around and between them.

A program that is killed while it prints a JSON array leaves an array without its end. A parser of JSON takes
nothing of it; the objects that were printed whole are good all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

_OPENING = re.compile(r"(?:^|(?<=[\[,{:]))[ \t]*(\{)", re.MULTILINE)
_MINUS_NAN = re.compile(r"(?<=[:,\[\s])-NaN(?=\s*[,}\]])")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Found:
    """A whole object and the line on which it begins."""

    value: dict[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class Objects:
    """The whole objects of a text in order, the lines on which broken ones begin, and the text after the last one."""

    whole: tuple[Found, ...]
    broken: tuple[int, ...]
    rest: str


def accept_minus_nan(text: str) -> str:
    """The text with each `-NaN`, which C prints and JSON readers refuse, written as `NaN`."""
    return _MINUS_NAN.sub("NaN", text)


def find_objects(text: str, having: Collection[str], start: int = 0) -> Objects:
    """The whole JSON objects at or after `start` that have all the keys of `having`, outermost ones only.

    An object begins at the start of a line or directly after `[`, `,`, `{` or `:`.
    What lies between objects is skipped. An object that is not whole is reported by its line.
    Any cut of a text yields a prefix of its objects.
    """
    whole: list[Found] = []
    broken: list[int] = []
    end = position = start
    while (opening := _OPENING.search(text, position)) is not None:
        at = opening.start(1)
        try:
            value, position = _DECODER.raw_decode(text, at)
        except ValueError as error:  # a number of thousands of digits is one too, and has no position
            broken.append(line_of(text, at))
            position = max(getattr(error, "pos", 0), at + 1)
        except RecursionError:
            broken.append(line_of(text, at))
            break
        else:
            if all(key in value for key in having):
                whole.append(Found(value, line_of(text, at)))
                end = position
    return Objects(tuple(whole), tuple(broken), text[end:])


def objects_of(text: str, key: str, having: Collection[str]) -> Objects | None:
    """The whole objects of the array `"key": [...]`, or None when the text has no such array."""
    opening = re.search(rf'"{re.escape(key)}"\s*:\s*\[', text)
    return None if opening is None else find_objects(text, having, opening.end())


def object_of(text: str, key: str) -> dict[str, Any]:
    """The object `"key": {...}` of a text; empty when it is absent or not whole."""
    opening = re.search(rf'"{re.escape(key)}"\s*:\s*(\{{)', text)
    if opening is None:
        return {}
    try:
        value: dict[str, Any] = _DECODER.raw_decode(text, opening.start(1))[0]
    except (ValueError, RecursionError):
        return {}
    return value


def parse_lines(text: str) -> Iterator[tuple[int, Any]]:
    """(line number, value) of each line of JSON Lines; the value of a line that is not JSON is its ValueError."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except ValueError as error:
            yield number, error
        except RecursionError:
            yield number, ValueError("nested too deeply")


def line_of(text: str, position: int) -> int:
    """The line, from 1, on which a position lies."""
    return text.count("\n", 0, position) + 1
