"""Bytes and records -> the same without secrets and without the paths of this machine, and what was taken out how often.

Secrets are found by their form (tokens of known services, private keys, passwords in addresses, `password=` and the like)
and by the values of environment variables with a telling name. Folders of this machine are replaced by names such as `<source>`.
It is a net, not a proof: a secret of unknown form that no variable holds passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECRET_FORMS = (
    ("private-key", rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("github-token", rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("gitlab-token", rb"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("hugging-face-token", rb"\bhf_[A-Za-z0-9]{20,}"),
    ("aws-key", rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("slack-token", rb"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("api-key", rb"\bsk-[A-Za-z0-9_-]{20,}"),
    ("npm-token", rb"\bnpm_[A-Za-z0-9]{30,}"),
    ("json-web-token", rb"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
)
_BEHIND_A_WORD = (
    ("password-in-address", rb"(://[^\s/:@]{0,100}:)([^\s/@]{1,200})(?=@)"),
    ("bearer-token", rb"(?i)(authorization:\s{0,4}(?:bearer|basic|token)\s{1,4})([^\s\"']{6,})"),
    ("assigned-secret", rb"(?i)((?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token|private[_-]?key)[a-z0-9_-]{0,40}[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([^\s\"',;]{6,})"),
)  # fmt: skip
_TELLING_NAME = re.compile(r"(?i)(token|secret|passw|api_?key|private_?key|credential)")
_SHORTEST_SECRET = 8
_BEGINS = rb"(?:(?<![\w./-])|(?<=-[A-Z]))"
"""Where an absolute path may begin: not within another path; directly behind an option such as `-I`."""


@dataclass
class Redactor:
    """Takes the same things out of everything it is given, and counts them by rule in `counts`.

    `folders` maps a path to the name that replaces it; the longest path wins. `environ` is looked through for secrets.
    """

    folders: Mapping[str, str]
    environ: Mapping[str, str]
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        secrets = {v for k, v in self.environ.items() if _TELLING_NAME.search(k) and len(v) >= _SHORTEST_SECRET and not v.startswith("/") and not v.isdigit()}
        self._rules = [(f"variable-{k}", re.compile(re.escape(v.encode("utf-8", "surrogateescape"))), rb"[redacted]")
                       for k, v in sorted(self.environ.items()) if v in secrets]  # fmt: skip
        self._rules += [(name, re.compile(form, re.DOTALL), rb"[redacted]") for name, form in _SECRET_FORMS]
        self._rules += [(name, re.compile(form), rb"\1[redacted]") for name, form in _BEHIND_A_WORD]
        for path in sorted(self.folders, key=len, reverse=True):
            if len(path) > 1:
                name = self.folders[path]
                rule = "path-home" if name == "~" else f"path-{name.strip('<>')}"
                self._rules.append((rule, _path_pattern(path), name.encode()))
        self._rules.append(("path-home", re.compile(_BEGINS + rb"/(home|Users)/(?!\[user\])[^/\s\"':,;)]+"), rb"/\1/[user]"))

    def data(self, raw: bytes) -> bytes:
        """The bytes without what the rules take out; bytes that are no UTF-8 stay as they are."""
        for name, pattern, replacement in self._rules:
            raw, found = pattern.subn(replacement, raw)
            if found:
                self.counts[name] = self.counts.get(name, 0) + found
        return raw

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


def _path_pattern(path: str) -> re.Pattern[bytes]:
    """A path as a whole: not the beginning of a longer name, not the end of another path."""
    raw = path.rstrip("/").encode("utf-8", "surrogateescape")
    return re.compile(_BEGINS + re.escape(raw) + rb"(?![\w-]|\.\w)")
