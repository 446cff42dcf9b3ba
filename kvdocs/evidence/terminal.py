"""Raw output -> the text that a person would have seen."""

from __future__ import annotations

import re

_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_END_OF_CHUNK = 4096


def plain_text(raw: bytes) -> str:
    """Bytes as text: invalid UTF-8 replaced by U+FFFD, colours and other terminal sequences taken out."""
    text = raw.decode("utf-8", "replace")
    return _SEQUENCE.sub("", text) if "\x1b" in text else text


def last_line(chunk: bytes, width: int = 400) -> str | None:
    """The last line with something on it, at most `width` characters of it; None when there is none."""
    for raw in reversed(chunk[-_END_OF_CHUNK:].replace(b"\r", b"\n").split(b"\n")):
        text = plain_text(raw).strip()
        if text:
            return text[:width]
    return None
