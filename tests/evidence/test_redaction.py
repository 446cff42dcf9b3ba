"""Secrets and the paths of this machine do not get into what is kept, and what was taken out is said."""

from __future__ import annotations

import pytest
from executions import Execute, ending
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.evidence.redaction import Redactor
from kvdocs.evidence.store import damages

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
