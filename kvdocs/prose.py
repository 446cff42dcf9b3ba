"""Free text: which parts of a Markdown text are words, and which of them look like ids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

INERT = r"""
    (?P<inert> ^(?P<fence>```+|~~~+).*?^(?P=fence)     # fenced code
    | (?P<ticks>`+).+?(?P=ticks)                         # code inside a line
    | !?\[[^\]]*\]\([^)]*\)                              # a link or picture that is written out
    | <[^>\s][^>]*>                                      # HTML and autolinks
    | https?://\S+
    | \{\{.*?\}\}                                        # a citation of a figure
    )"""
"""The parts of a text in which nothing is a mention, for a pattern with VERBOSE, MULTILINE and DOTALL."""

WORDS = re.compile(
    rf"""{INERT}
    | (?<![\w#.-]) (?P<prefixed> [A-Z]{{1,3}}[1-9][0-9]* ) (?![\w-]|\.\w)
    | (?<![\w/#.-]) (?P<repository> [\w.-]+/[\w.-]+ )? \# (?P<number> [1-9][0-9]* ) (?!\w)
    | (?<![\w/#.-]) (?P<slug> [A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)* ) (?![\w-])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
"""Everything in a text that may name a record."""


class Name(NamedTuple):
    """A stretch of a text that may name a record: its form is `prefixed`, `number` (then with the repository before it, if one is), or `slug`."""

    start: int
    end: int
    text: str
    form: str
    repository: str


@lru_cache(maxsize=1 << 16)
def names_in(text: str) -> tuple[Name, ...]:
    """Everything in a text that may name a record, from left to right. Each form holds a digit."""
    if not _DIGIT(text):
        return ()
    if not _is_plain(text) or _DIGIT(_PREFIXED.sub("", text)):
        return tuple(_names_in(text))
    return tuple([Name(match.start(), match.end(), match[0], "prefixed", "") for match in _PREFIXED.finditer(text)])


def _names_in(text: str) -> Iterator[Name]:
    """The same for any text; where nothing but prefixed ids holds a digit, these are found faster."""
    for match in WORDS.finditer(text):
        form = match.lastgroup
        if form in ("prefixed", "number") or (form == "slug" and _DIGIT(match["slug"])):
            yield Name(match.start(), match.end(), match[0], form, match["repository"] or "")


_PREFIXED = re.compile(r"[A-Z](?<![\w#.-].)[A-Z]{0,2}[1-9][0-9]*(?![\w-]|\.\w)")
"""As in `WORDS`; what stands before the word is looked at only where there is a capital letter, so that a text is passed over quickly."""


def _is_plain(text: str) -> bool:
    """Whether a text holds nothing that every inert part has, and no number of a pull request: to look for each mark by itself is faster than a pattern."""
    return not ("`" in text or "~" in text or "[" in text or "<" in text or "{" in text or "#" in text or (":" in text and "://" in text))


def named_words(text: str) -> tuple[list[str], list[str]]:
    """What a text may name records by: the words of the form of a prefixed id (`D2`), each as often as it stands there,
    and everything else, that is `owner/name#34` or `#34`, and words that hold a digit, such as `h200`."""
    digits = _digits_in(text)
    if not digits:
        return [], []
    prefixed: list[str] = _PREFIXED.findall(text)
    others = []
    if _digits_in("".join(prefixed)) != digits and _OTHER(_PREFIXED.sub("", text) if prefixed else text):
        others = [name.text for name in names_in(text) if name.form != "prefixed"]
    if prefixed and not _is_plain(text):
        prefixed = [name.text for name in names_in(text) if name.form == "prefixed"]
    return prefixed, others


def has_numbers(text: str) -> bool:
    """Whether a text holds digits other than those of prefixed ids."""
    digits = _digits_in(text)
    return digits > 0 and digits != _digits_in("".join(_PREFIXED.findall(text)))


_NO_DIGITS = bytes(code for code in range(256) if not 0x30 <= code <= 0x39)


def _digits_in(text: str) -> int:
    """How many ASCII digits a text holds: most texts hold none, or only those of ids, and taking out all other bytes is by far the fastest way to see that."""
    return len(text.encode("utf-8", "surrogatepass").translate(None, _NO_DIGITS))


def is_prefixed(word: str) -> bool:
    """Whether a word has the form of a prefixed id."""
    return _PREFIXED.fullmatch(word) is not None


_DIGIT = re.compile(r"[0-9]").search
_OTHER = re.compile(r"[A-Za-z][._-]?[0-9]|#[0-9]").search
"""What every such name holds: a letter before its first digit, or the mark of a number."""
