"""Words that end in a number, such as ids: which one a mistyped word may mean, and which ones there are.

By its letters `R349` is near to `R49`, but another number is mostly another record and no slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from itertools import pairwise
from string import ascii_letters
from typing import NamedTuple


class Numbered(NamedTuple):
    """A word in two parts: `R09` is `r` and `9`. Case, zeros in front and what joins the parts are left aside, as people do."""

    stem: str
    digits: str


def numbered(word: str) -> Numbered | None:
    """The two parts of a word that has letters and ends in a number; None for any other."""
    found = re.fullmatch(r"(?=.*[^\W\d_])(.*?)[-_ .#]?(?<![0-9])0*([0-9]+)", word)
    return Numbered(found[1].lower(), found[2]) if found is not None else None


def meant(word: str, known: Iterable[str]) -> str | None:
    """The known word with a number that was meant by one that ends in a number, or in letters that look like one.

    It has the same number behind a stem that is alike, or the same stem before a number that one slip makes of it:
    two digits were swapped, one was typed twice, or one of several is missing. None where nothing says which of several was meant.
    """
    typed = numbered(word)
    if typed is None:
        as_digits = _with_digits(word).lower()
        return next((name for name in known if name.lower() == as_digits != word.lower()), None)
    parts = {name: found for name in known if (found := numbered(name)) is not None}
    alike = {found.stem: name for name, found in parts.items() if found.digits == typed.digits}
    near = get_close_matches(typed.stem, alike, n=1, cutoff=0.6)
    if near:
        return alike[near[0]]
    beside = {found.digits: name for name, found in parts.items() if found.stem == typed.stem}
    longer = {digits for digits in beside if typed.digits in _shortened(digits)} if len(typed.digits) > 1 else set()
    for slips in (_swapped(typed.digits), _typed_once(typed.digits), longer):
        if len(possible := slips & beside.keys()) == 1:
            return beside[possible.pop()]
    return None


def _with_digits(word: str) -> str:
    """The word with the digits that some of its letters look like, from its first digit on: `D1O` is `D10`."""
    stem = len(word) - len(word.lstrip(ascii_letters))
    return word[:stem] + word[stem:].translate(_LIKE_DIGITS)


_LIKE_DIGITS = str.maketrans("OoIl", "0011")


def _swapped(digits: str) -> set[str]:
    return {digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :] for i in range(len(digits) - 1)} - {digits}


def _typed_once(digits: str) -> set[str]:
    return {digits[:i] + digits[i + 1 :] for i, (one, next_one) in enumerate(pairwise(digits)) if one == next_one}


def _shortened(digits: str) -> set[str]:
    return {digits[:i] + digits[i + 1 :] for i in range(len(digits))}


def _size(digits: str) -> tuple[int, str]:
    """What is larger for a larger number, of which Python need not make a number: it refuses to for very long ones."""
    return len(digits), digits


def those_there_are(word: str, known: Iterable[str]) -> str | None:
    """A hint that says how far the known words with the stem of this one go, or between which two it would stand; None where there are none."""
    typed = numbered(word)
    if typed is None:
        return None
    names = sorted((_size(found.digits), name) for name in known if (found := numbered(name)) is not None and found.stem == typed.stem)
    if not names:
        return None
    if len(names) == 1:
        return f"the only one of this form is {names[0][1]!r}"
    behind = next((i for i, (number, _) in enumerate(names) if number > _size(typed.digits)), len(names))
    if 0 < behind < len(names):
        return f"there is none between {names[behind - 1][1]} and {names[behind][1]}"
    return f"those of this form go from {names[0][1]} to {names[-1][1]}"
