"""Secrets and the paths of this machine do not get into what is kept, and what was taken out is said."""

from __future__ import annotations

import re

import pytest
from executions import Execute, ending
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdocs.evidence.redaction import RedactedStream, Redactor
from kvdocs.evidence.seals import damages

FOLDERS = {"/home/ada": "~", "/home/ada/llama.cpp": "<source>", "/home/ada/llama.cpp/build": "<build>", "/srv": "~"}


@pytest.mark.parametrize(
    ("text", "redacted", "rule"),
    [
        ("export GH=ghp_0123456789abcdefghijABCDEFGHIJ456789", "export GH=[redacted]", "github-token"),
        ("hf_abcdefghijklmnopqrstuvwxyz", "[redacted]", "hugging-face-token"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]", "aws-key"),
        ("fetch https://ada:s3cret@example.org/x", "fetch https://ada:[redacted]@example.org/x", "password-in-address"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]", "bearer-token"),
        ("DB_PASSWORD='hunter2hunter2'", "DB_PASSWORD='[redacted]'", "assigned-secret"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest", "private-key"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "[redacted]", "private-key"),
        ("the value is tr0ub4dor&3", "the value is [redacted]", "variable-MY_TOKEN"),
        ("/home/ada/llama.cpp/src/a.cu:12", "<source>/src/a.cu:12", "path-source"),
        ("-I/home/ada/llama.cpp/build/x", "-I<build>/x", "path-build"),
        ("/home/ada/.cache", "~/.cache", "path-home"),
        ("/home/bob/x and /Users/eve/y", "/home/[user]/x and /Users/[user]/y", "path-home"),
    ],
)
def test_what_is_taken_out(text: str, redacted: str, rule: str) -> None:
    redactor = Redactor(FOLDERS, {"MY_TOKEN": "tr0ub4dor&3", "N_TOKENS": "12345678"})
    assert redactor.text(text) == redacted
    assert rule in redactor.counts


def test_a_backslash_in_the_name_of_a_folder_was_read_as_an_escape() -> None:
    assert Redactor({"/home/ada": r"\u"}, {}).text("/home/ada/x") == r"\u/x"


@pytest.mark.parametrize(
    "text",
    [
        "n_tokens = 12345678, n_past = 4",
        "tokens per second: 31.7287",
        "/foo/srv/bar",
        "/srvice",
        "0208355f42 95e18884fc",
        "task-sk-short",
        "see https://example.org/a@b",
    ],
)
def test_what_stays(text: str) -> None:
    redactor = Redactor(FOLDERS, {"N_TOKENS": "12345678"})
    assert redactor.text(text) == text
    assert redactor.report() == []


@given(st.binary())
def test_redacting_twice_changes_nothing_more(raw: bytes) -> None:
    redactor = Redactor(FOLDERS, {"MY_TOKEN": "tr0ub4dor&3"})
    once = redactor.data(raw + b" /home/ada/llama.cpp tr0ub4dor&3")
    assert redactor.data(once) == once
    assert b"tr0ub4dor&3" not in once


def test_neither_log_nor_record_holds_what_was_taken_out(execute: Execute, environ: dict[str, str]) -> None:
    settings = {"HF_TOKEN_FILE": "x", "GGML_API_KEY": "open-sesame-1234"}
    stored = execute('echo "key $GGML_API_KEY in $HOME"; echo open-sesame-1234 >&2; exit 1', settings=settings, argv=("bash", "{file}", "open-sesame-1234"))
    assert ending(stored)["stdout"] == b"key [redacted] in ~\n"
    assert ending(stored)["stderr"] == b"[redacted]\n"
    everything = b"".join(path.read_bytes() for path in stored.folder.iterdir())
    assert b"open-sesame" not in everything
    assert environ["HOME"].encode() not in everything
    assert {entry["rule"] for entry in stored.record["redaction"]} >= {"variable-GGML_API_KEY", "path-home"}
    assert stored.record["streams"]["stdout"]["raw_sha256"] is None, "the hash of a short line would confirm a guess"
    assert damages(stored.folder) == []


ENVIRON = {"MY_TOKEN": "tr0ub4dor&3", "KEY_SECRET": "line one\nline two"}
ONE_PATTERN_EACH = (
    ("variable-KEY_SECRET", rb"line one\nline two", b"[redacted]"),
    ("variable-MY_TOKEN", rb"tr0ub4dor&3", b"[redacted]"),
    ("private-key", rb"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", b"[redacted]"),
    ("github-token", rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})", b"[redacted]"),
    ("gitlab-token", rb"\bglpat-[A-Za-z0-9_-]{16,}", b"[redacted]"),
    ("hugging-face-token", rb"\bhf_[A-Za-z0-9]{20,}", b"[redacted]"),
    ("aws-key", rb"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", b"[redacted]"),
    ("slack-token", rb"\bxox[abeprs]-[A-Za-z0-9-]{10,}", b"[redacted]"),
    ("api-key", rb"\bsk-[A-Za-z0-9_-]{20,}", b"[redacted]"),
    ("npm-token", rb"\bnpm_[A-Za-z0-9]{30,}", b"[redacted]"),
    ("json-web-token", rb"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", b"[redacted]"),
    ("password-in-address", rb"(://[^\s/:@]{0,100}:)([^\s/@]{1,200})(?=@)", rb"\1[redacted]"),
    ("bearer-token", rb"(?i)(authorization:\s{0,4}(?:bearer|basic|token)\s{1,4})([^\s\"']{6,})", rb"\1[redacted]"),
    (
        "assigned-secret",
        rb"(?i)((?:api[_-]?key|secret|password|passwd|access[_-]?token|auth[_-]?token|private[_-]?key)[a-z0-9_-]{0,40}[\"']?\s{0,4}[:=]\s{0,4}[\"']?)([^\s\"',;]{6,})",
        rb"\1[redacted]",
    ),
    ("path-home", rb"(?:(?<![\w./-])|(?<=-[A-Z]))/(home|Users)/(?!\[user\])[^/\s\"':,;)]+", rb"/\1/[user]"),
)
"""The rules as one regular expression each, over the whole text: slow, and what the redactor has to agree with."""
FRAGMENTS = [
    *(b"\n", b"\n\n", b"\r\n", b" ", b"\t", b":", b"=", b'"', b"'", b",", b"_", b"-", b"x", b"A", b"\xff", b"[redacted]"),
    *(b"password", b"PassWord", b"passwd", b"secret", b"api_key", b"apikey", b"API-KEY", b"access_token", b"auth-token", b"private_key", b"abcdef", b"hunter22"),
    *(b"Authorization:", b"bearer", b"Basic", b"token", b"://u:pw@h", b"/home/ann/x", b"/Users/eve", b"-I/home/bob", b"./home/q"),
    *(b"-----BEGIN RSA PRIVATE KEY-----", b"-----END RSA PRIVATE KEY-----", b"-----BEGIN ", b"PRIVATE KEY-----", b"tr0ub4dor&3", b"line one\nline two", b"line one", b"line two"),
    *(b"ghp_" + b"a" * 20, b"github_pat_" + b"x" * 20, b"glpat-" + b"y" * 16, b"hf_" + b"A" * 20, b"AKIA" + b"Q" * 16, b"ASIA" + b"Q" * 16),
    *(b"xoxb-0123456789", b"sk-" + b"z" * 20, b"npm_" + b"k" * 30, b"eyJ" + b"a" * 8 + b".bbbbbbbb.cccccccc"),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(b"".join)


def redacted_plainly(raw: bytes) -> tuple[bytes, dict[str, int]]:
    """The bytes after one rule behind the other, and how often each found something."""
    counts = {}
    for name, pattern, replacement in ONE_PATTERN_EACH:
        raw, counts[name] = re.subn(pattern, replacement, raw)
    return raw, {name: count for name, count in counts.items() if count}


@settings(max_examples=500)
@given(TEXTS)
def test_looking_for_words_first_takes_out_the_same(raw: bytes) -> None:
    redactor = Redactor({}, ENVIRON)
    assert (redactor.data(raw), redactor.counts) == redacted_plainly(raw)


@settings(max_examples=1000)
@given(TEXTS, st.integers(1, 60))
def test_pieces_of_any_size_come_out_as_the_whole(raw: bytes, size: int) -> None:
    redactor = Redactor({}, ENVIRON)
    pieces = RedactedStream(redactor)
    out, held = b"", b""
    for start in range(0, len(raw), size):
        held += raw[start : start + size]
        cut = redactor.last_cut(held)
        out += pieces.feed(held[:cut])
        held = held[cut:]
    out += pieces.feed(held) + pieces.end()
    assert (out, redactor.counts) == redacted_plainly(raw)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (b"one\ntwo", b"one\n"),
        (b"one", b""),
        (b"one\npassword:\n", b"one\n"),
        (b"one\npassword:\n  hunter22\nthree", b"one\npassword:\n  hunter22\n"),
        (b"one\npassword\nsecret\nthree", b"one\npassword\nsecret\n"),
        (b"one\npassword\n= hunter22", b"one\n"),
        (b"one\nAuthorization: Bearer\n", b"one\n"),
    ],
)
def test_a_cut_never_parts_a_secret_from_its_name(text: bytes, cut: bytes) -> None:
    assert text[: Redactor({}, {}).last_cut(text)] == cut


def test_a_cut_never_parts_a_secret_of_several_lines() -> None:
    text = b"one\nline one\nline two, and what else there is to say\n"
    assert text[: Redactor({}, ENVIRON).last_cut(text)] == b"one\n"
    assert text[: Redactor({}, {}).last_cut(text)] == text
