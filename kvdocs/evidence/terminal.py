"""Raw output -> the text that a person would have seen."""

from __future__ import annotations

import re

LONGEST_COMMAND = 1024 * 1024
"""So many characters an operating system command (`ESC ]`, such as the title of a window or a picture) may have; one that goes on for longer was never ended."""
_SEQUENCE = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{{0,{LONGEST_COMMAND}}}(?:\x07|\x1b\\)|[@-Z\\-_])")
_END_OF_CHUNK = 4096


def plain_text(raw: bytes) -> str:
    """Bytes as text: invalid UTF-8 replaced by U+FFFD, colours and other terminal sequences taken out."""
    text = raw.decode("utf-8", "replace")
    return _SEQUENCE.sub("", text) if "\x1b" in text else text


class PlainText:
    """Raw output in pieces of any size -> the same text in whole lines: all that is given together is what `plain_text` makes of the whole."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._plain = self._open = ""

    def feed(self, raw: bytes) -> str:
        """The lines that are whole after this piece."""
        cut = raw.rfind(b"\n") + 1
        if not cut:
            self._line.append(raw)
            return ""
        lines = b"".join([*self._line, raw[:cut]])
        self._line = [raw[cut:]]
        return self._whole_lines(self._open + lines.decode("utf-8", "replace"))

    def end(self) -> str:
        """What is left when the output has ended."""
        text = self._plain + _SEQUENCE.sub("", self._open + b"".join(self._line).decode("utf-8", "replace"))
        self._line, self._plain, self._open = [], "", ""
        return text

    def _whole_lines(self, text: str) -> str:
        """A command that has not ended is kept for the next piece, and the line in front of it with it."""
        at = _open_command(text)
        self._open = text[at:]
        plain = self._plain + (_SEQUENCE.sub("", text[:at]) if "\x1b" in text else text)
        cut = plain.rfind("\n") + 1 if self._open else len(plain)
        self._plain = plain[cut:]
        return plain[:cut]


def _open_command(text: str) -> int:
    """Where a command begins that may go on behind the text; its end when there is none."""
    at = text.rfind("\x1b")
    is_open = at >= 0 and text.startswith("\x1b]", at) and "\x07" not in text[at:] and len(text) - at <= LONGEST_COMMAND + 2
    return at if is_open else len(text)


def last_line(chunk: bytes, width: int = 400) -> str | None:
    """The last line with something on it, at most `width` characters of it; None when there is none."""
    for raw in reversed(chunk[-_END_OF_CHUNK:].replace(b"\r", b"\n").split(b"\n")):
        text = plain_text(raw).strip()
        if text:
            return text[:width]
    return None
