"""A kept stream -> the log beside a record, and back."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .canonical import sha256
from .observation import Output, output_of
from .redaction import Redactor
from .spool import Kept

COMPRESS_FROM = 64 * 1024
"""Logs of this size on are kept as gzip."""
LARGEST_LOG = 256 * 1024 * 1024
"""No log is read beyond this many bytes, whatever its record says."""


class DamagedLogError(Exception):
    """A log cannot be read as its record says."""


@dataclass(frozen=True)
class Log:
    """A stream as it is stored: the content, and where in it (byte) a part of `lost` bytes is missing."""

    content: bytes
    total: int
    lost: int = 0
    gap_at: int | None = None
    raw_sha256: str | None = None


def whole_log(content: bytes) -> Log:
    """A stream of which everything is there."""
    return Log(content, len(content), raw_sha256=sha256(content))


def log_of(kept: Kept, redactor: Redactor, raw_sha256: str | None) -> Log:
    """What is stored of a stream: redacted, with a line in the place of what was not kept.

    `raw_sha256` is the hash of all that was printed; it is not told when a secret was taken out, since it could confirm a guess.
    """
    before = dict(redactor.counts)
    head = redactor.data(kept.head)
    tail = redactor.data(kept.tail)
    secret = any(count != before.get(rule, 0) for rule, count in redactor.counts.items() if not rule.startswith("path-"))
    told = None if secret else raw_sha256
    if not kept.lost:
        return Log(head + tail, kept.total, raw_sha256=told)
    note = (b"" if head.endswith(b"\n") or not head else b"\n") + b"[kvdocs: %d bytes were not kept here]\n" % kept.lost
    gap_at = len(head) + note.startswith(b"\n")
    return Log(head + note + tail, kept.total, kept.lost, gap_at, told)


def stored_log(name: str, log: Log) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The record's words on a stream, and the file to write beside it (none for an empty stream)."""
    words: dict[str, Any] = {
        "file": None, "bytes": log.total, "stored_bytes": len(log.content), "sha256": sha256(log.content),
        "raw_sha256": log.raw_sha256, "lost_bytes": log.lost, "gap_at": log.gap_at,
    }  # fmt: skip
    if not log.content:
        return words, {}
    if len(log.content) < COMPRESS_FROM:
        words["file"] = f"{name}.log"
        return words, {words["file"]: log.content}
    words["file"] = f"{name}.log.gz"
    return words, {words["file"]: compressed(log.content)}


def compressed(content: bytes) -> bytes:
    """The content as gzip without a time in it: the same content, the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0, compresslevel=6) as stream:
        stream.write(content)
    return buffer.getvalue()


def read_log(folder: Path, record: Mapping[str, Any], stream: str) -> bytes:
    """The stored content of `stdout` or `stderr`. DamagedLogError when it is not there or not what the record says."""
    words = record["streams"][stream]
    if words["file"] is None:
        return b""
    path = folder / words["file"]
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as packed:
                content = packed.read(min(int(words["stored_bytes"]), LARGEST_LOG) + 1)
        else:
            content = path.read_bytes()
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise DamagedLogError(f"{words['file']}: {error}") from None
    except Exception as error:  # zlib.error has no public base
        raise DamagedLogError(f"{words['file']}: {error}") from None
    if hashlib.sha256(content).hexdigest() != words["sha256"]:
        raise DamagedLogError(f"{words['file']} is not the log that was stored")
    return content


def read_output(folder: Path, record: Mapping[str, Any], stream: str, *, ended: bool) -> Output:
    """The stored log as expectations see it."""
    words = record["streams"][stream]
    return output_of(read_log(folder, record, stream), gap_at=words.get("gap_at"), ended=ended)
