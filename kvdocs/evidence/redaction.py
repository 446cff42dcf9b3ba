"""Bytes and records -> the same without secrets and without the paths of this machine, and what was taken out how often.

Secrets are found by their form (tokens of known services, private keys, passwords in addresses, `password=` and the like)
and by the values of environment variables with a telling name. Folders of this machine are replaced by names such as `<source>`.
It is a net, not a proof: a secret of unknown form that no variable holds passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_SECRET_FORMS = (
    ("github-token", rb"g(?<=\bg)(?:h[pousr]_[A-Za-z0-9]{20,}|ithub_pat_[A-Za-z0-9_]{20,})"),
    ("gitlab-token", rb"glpat-(?<=\bglpat-)[A-Za-z0-9_-]{16,}"),
    ("hugging-face-token", rb"hf_(?<=\bhf_)[A-Za-z0-9]{20,}"),
    ("aws-key", rb"A(?<=\bA)(?:KIA|SIA)[A-Z0-9]{16}\b"),
    ("slack-token", rb"xox(?<=\bxox)[abeprs]-[A-Za-z0-9-]{10,}"),
    ("api-key", rb"sk-(?<=\bsk-)[A-Za-z0-9_-]{20,}"),
    ("npm-token", rb"npm_(?<=\bnpm_)[A-Za-z0-9]{30,}"),
    ("json-web-token", rb"eyJ(?<=\beyJ)[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
"""Each begins with a letter that is looked for before anything else: with `\\b` in front, every byte of a log would be tried."""
_KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_ENDS = re.compile(rb"-----END [A-Z ]*PRIVATE KEY-----")
_ADDRESS = rb"(://[^\s/:@]{0,100}:)([^\s/@]{1,200})(?=@)"
_BEARER = rb"(?i)(authorization:\s{0,4}(?:bearer|basic|token)\s{1,4})([^\s\"']{6,})"
_ASSIGNED_NAME = rb"(?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token|private[_-]?key)"
_ASSIGNED = rb"(?i)(" + _ASSIGNED_NAME + rb"[a-z0-9_-]{0,40}[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([^\s\"',;]{6,})"
_ASSIGNED_WORDS = (rb"secret", rb"passw(?:or)?d", rb"a(?:pi[_-]?key|ccess[_-]?token|uth[_-]?token)", rb"private[_-]?key")
"""The same names in lower case, each with a letter that can be looked for."""
_TELLING_NAME = re.compile(r"(?i)(token|secret|passw|api_?key|private_?key|credential)")
_SHORTEST_SECRET = 8
_BEGINS = rb"(?:(?<![\w./-])|(?<=-[A-Z]))"
"""Where an absolute path may begin: not within another path; directly behind an option such as `-I`."""
_HOME = rb"/(?:(?<![\w./-]/)|(?<=-[A-Z]/))(home|Users)/(?!\[user\])[^/\s\"':,;)]+"
"""`_BEGINS` stands behind the slash, which can be looked for."""
_VALUE_MAY_FOLLOW = re.compile(rb"(?i)(?:authorization:\s{0,4}(?:(?:bearer|basic|token)\s{1,4})?|" + _ASSIGNED_NAME + rb"[a-z0-9_-]{0,40}[\"']?\s{0,4}[:=]\s{0,4})\Z")
_SIGN_MAY_FOLLOW = re.compile(rb"(?i)" + _ASSIGNED_NAME + rb"[a-z0-9_-]{0,40}[\"']?\s{0,4}\Z")
_SIGN = re.compile(rb"\s{0,4}(?:[:=]|\Z)")
"""Ends of lines to which a secret in the next line may belong; and how that one has to begin for the second."""
_LONGEST_END = 128

@dataclass(frozen=True)
class _Rule:
    """What is taken out under one name. Where `words` are given, in lower case, each match begins with one of them."""

    name: str
    pattern: re.Pattern[bytes]
    replacement: bytes = b"[redacted]"
    words: tuple[re.Pattern[bytes], ...] = ()

    def apply(self, raw: bytes, lowered: bytes = b"") -> tuple[bytes, int]:
        """The bytes with all matches replaced, and how many there were: as `subn` does it, without trying every byte where there are words, which `lowered` is searched for."""
        if not self.words:
            return self.pattern.subn(self.replacement, raw)
        parts, end = [], 0
        for start in sorted(found.start() for word in self.words for found in word.finditer(lowered)):
            match = self.pattern.match(raw, start) if start >= end else None
            if match is not None:
                parts += [raw[end:start], match.expand(self.replacement)]
                end = match.end()
        return (b"".join([*parts, raw[end:]]), len(parts) // 2) if parts else (raw, 0)


@dataclass
class Redactor:
    """Takes the same things out of everything it is given, and counts them by rule in `counts`.

    `folders` maps a path to the name that replaces it; the longest path wins. `environ` is looked through for secrets.
    """

    folders: Mapping[str, str]
    environ: Mapping[str, str]
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values = {v for k, v in self.environ.items() if _TELLING_NAME.search(k) and len(v) >= _SHORTEST_SECRET and not v.startswith("/") and not v.isdigit()}
        variables = {k: v.encode("utf-8", "surrogateescape") for k, v in sorted(self.environ.items()) if v in values}
        self._variables = [_Rule(f"variable-{k}", re.compile(re.escape(v))) for k, v in variables.items()]
        self._rules = [_Rule(name, re.compile(form)) for name, form in _SECRET_FORMS]
        self._rules.append(_Rule("password-in-address", re.compile(_ADDRESS), rb"\1[redacted]"))
        self._rules.append(_Rule("bearer-token", re.compile(_BEARER), rb"\1[redacted]", (re.compile(rb"authorization:"),)))
        self._rules.append(_Rule("assigned-secret", re.compile(_ASSIGNED), rb"\1[redacted]", tuple(map(re.compile, _ASSIGNED_WORDS))))
        for path in sorted(self.folders, key=len, reverse=True):
            if len(path) > 1:
                name = self.folders[path]
                rule = "path-home" if name == "~" else f"path-{name.strip('<>')}"
                self._rules.append(_Rule(rule, _path_pattern(path), name.encode().replace(b"\\", rb"\\")))
        self._rules.append(_Rule("path-home", re.compile(_HOME), rb"/\1/[user]"))
        literals = {*variables.values(), *(path.encode("utf-8", "surrogateescape") for path in self.folders)}
        self._of_many_lines = [literal for literal in literals if b"\n" in literal]
        self._longest = max(map(len, self._of_many_lines), default=0)

    def data(self, raw: bytes) -> bytes:
        """The bytes without what the rules take out; bytes that are no UTF-8 stay as they are."""
        pieces = RedactedStream(self)
        return pieces.feed(raw) + pieces.end()

    def last_cut(self, raw: bytes) -> int:
        """The last position behind a line feed at which the bytes may be parted, so that `RedactedStream` makes of the parts what `data` makes of the whole; 0 when there is none."""
        at = raw.rfind(b"\n", 0, max(0, len(raw) - self._longest)) + 1
        while at and self._goes_on(raw, at):
            at = raw.rfind(b"\n", 0, at - 1) + 1
        return at

    def _goes_on(self, raw: bytes, at: int) -> bool:
        """Whether a rule may take out something that reaches over this position behind a line feed."""
        end = raw[max(0, at - _LONGEST_END) : at]
        if _VALUE_MAY_FOLLOW.search(end) or (_SIGN_MAY_FOLLOW.search(end) and _SIGN.match(raw[at : at + 5])):
            return True
        return any(raw.find(literal, max(0, at - len(literal) + 1), at + len(literal) - 1) >= 0 for literal in self._of_many_lines)

    def without_variables(self, raw: bytes) -> bytes:
        """The bytes without the values of variables."""
        return self._apply(self._variables, raw)

    def without_the_rest(self, raw: bytes) -> bytes:
        """The bytes without what all rules but those for variables and private keys take out."""
        return self._apply(self._rules, raw)

    def _apply(self, rules: Iterable[_Rule], raw: bytes) -> bytes:
        lowered = None
        for rule in rules:
            if rule.words and lowered is None:
                lowered = raw.lower()
            changed, found = rule.apply(raw, lowered or b"")
            if found:
                raw, lowered = changed, None
                self.count(rule.name, found)
        return raw

    def count(self, name: str, found: int = 1) -> None:
        """Note how often a rule found something."""
        self.counts[name] = self.counts.get(name, 0) + found

    def text(self, value: str) -> str:
        """The same for text."""
        return self.data(value.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

    def record(self, value: Any) -> Any:
        """The same for each text in a value made of mappings and lists."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.record(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.record(item) for item in value]
        return value

    @property
    def took_secrets(self) -> bool:
        """Whether more than paths was taken out."""
        return any(not name.startswith("path-") for name in self.counts)

    def report(self) -> list[dict[str, Any]]:
        """What was taken out, by rule, for the record."""
        return [{"rule": name, "count": count} for name, count in sorted(self.counts.items())]


class RedactedStream:
    """A stream that a redactor is given in pieces, each but the last ending at one of its cuts (`Redactor.last_cut`).

    What comes out, and what is counted, is what `Redactor.data` makes of the whole; no more of it is held than a piece.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._in_key = False
        self._held = b""

    def feed(self, raw: bytes) -> bytes:
        """What is known of the output after this piece. A private key may go on in the next ones: then the line that it stands in is held back."""
        text = self._held + self._without_keys(self._redactor.without_variables(raw))
        cut = self._redactor.last_cut(text) if self._in_key else len(text)
        self._held = text[cut:]
        return self._redactor.without_the_rest(text[:cut])

    def end(self) -> bytes:
        """What is left when the stream has ended."""
        text, self._held = self._held, b""
        return self._redactor.without_the_rest(text)

    def _without_keys(self, raw: bytes) -> bytes:
        """The bytes without private keys; one that does not end is taken out to the end of the stream."""
        parts: list[bytes] = []
        at = 0
        while True:
            if self._in_key:
                ends = _KEY_ENDS.search(raw, at)
                if ends is None:
                    return b"".join(parts)
                at, self._in_key = ends.end(), False
            begins = _KEY_BEGINS.search(raw, at)
            if begins is None:
                return b"".join([*parts, raw[at:]]) if at else raw
            parts += [raw[at : begins.start()], b"[redacted]"]
            at, self._in_key = begins.end(), True
            self._redactor.count("private-key")


def _path_pattern(path: str) -> re.Pattern[bytes]:
    """A path as a whole: not the beginning of a longer name, not the end of another path."""
    raw = path.rstrip("/").encode("utf-8", "surrogateescape")
    return re.compile(_BEGINS + re.escape(raw) + rb"(?![\w-]|\.\w)")
