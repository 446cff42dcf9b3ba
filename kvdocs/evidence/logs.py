"""A kept stream -> the log beside a record, and back."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator, Mapping
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
"""No longer log is read as a whole."""


class DamagedLogError(Exception):
    """A log cannot be read as its record says."""


_PART = 1024 * 1024
EDGE = 64 * 1024
"""So many bytes of each end of a log can be asked for."""


@dataclass(frozen=True)
class Log:
    """A stream as it is stored: the content, and where in it (byte) a part of `lost` bytes is missing."""

    content: bytes
    total: int
    lost: int = 0
    gap_at: int | None = None
    raw_sha256: str | None = None

    @property
    def edges(self) -> tuple[bytes, bytes]:
        """The first and the last bytes, at most `EDGE` of each."""
        return self.content[:EDGE], self.content[-EDGE:]


@dataclass(frozen=True)
class WrittenLog:
    """A stream that has been written to `path` as it is stored, because it is too long to be held; `file_bytes` and `file_sha256` are those of that file."""

    path: Path
    file_bytes: int
    file_sha256: str
    content_bytes: int
    content_sha256: str
    edges: tuple[bytes, bytes]
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
    words = _words(log.total, len(log.content), sha256(log.content), log.raw_sha256, log.lost, log.gap_at)
    if not log.content:
        return words, {}
    if len(log.content) < COMPRESS_FROM:
        words["file"] = f"{name}.log"
        return words, {words["file"]: log.content}
    words["file"] = f"{name}.log.gz"
    return words, {words["file"]: compressed(log.content)}


def written_log(name: str, log: WrittenLog) -> dict[str, Any]:
    """The record's words on a stream that has been written."""
    return {**_words(log.content_bytes, log.content_bytes, log.content_sha256, log.raw_sha256, 0, log.gap_at), "file": f"{name}.log.gz"}


def _words(total: int, stored: int, hashed: str, raw_sha256: str | None, lost: int, gap_at: int | None) -> dict[str, Any]:
    return {"file": None, "bytes": total, "stored_bytes": stored, "sha256": hashed, "raw_sha256": raw_sha256, "lost_bytes": lost, "gap_at": gap_at}


def compressed(content: bytes) -> bytes:
    """The content as gzip without a time in it: the same content, the same bytes."""
    buffer = io.BytesIO()
    with _compressor(buffer) as stream:
        stream.write(content)
    return buffer.getvalue()


def _compressor(file: io.BytesIO | _Hashed) -> gzip.GzipFile:
    return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0, compresslevel=6)


class _Hashed(io.RawIOBase):
    """A new file that knows the hash and the number of its bytes."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._hash = hashlib.sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._hash.update(data)
        self._file.write(data)
        self.size += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


class LogWriter:
    """Writes a stream of any length as it is stored; a short one is held, and one of `COMPRESS_FROM` bytes on goes into a file in `folder`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.log.gz"
        self._hash = hashlib.sha256()
        self._first = self._last = b""
        self._file: _Hashed | None = None
        self._packed: gzip.GzipFile | None = None
        self.size = 0

    @property
    def ends_line(self) -> bool:
        """Whether the next byte begins a line."""
        return not self._last or self._last.endswith(b"\n")

    def write(self, content: bytes) -> None:
        """The next part of the content. OSError when the disk is full."""
        if self._packed is None and self.size + len(content) >= COMPRESS_FROM:
            self._file = _Hashed(self._path)
            self._packed = _compressor(self._file)
            self._packed.write(self._first)
        if self._packed is None:
            self._first += content
        else:
            self._first += content[: max(0, EDGE - len(self._first))]
            self._packed.write(content)
        self._last = (self._last + content[-EDGE:])[-EDGE:]
        self._hash.update(content)
        self.size += len(content)

    def finish(self, *, gap_at: int | None, raw_sha256: str | None) -> Log | WrittenLog:
        """What has been written."""
        if self._packed is None or self._file is None:
            return Log(self._first, len(self._first), gap_at=gap_at, raw_sha256=raw_sha256)
        self.close()
        return WrittenLog(self._path, self._file.size, self._file.sha256, self.size, self._hash.hexdigest(), (self._first, self._last), gap_at, raw_sha256)

    @property
    def sha256(self) -> str:
        """The hash of the content so far."""
        return self._hash.hexdigest()

    def close(self) -> None:
        """Close the file."""
        if self._packed is not None and self._file is not None:
            self._packed.close()
            self._file.close()


def read_log(folder: Path, record: Mapping[str, Any], stream: str) -> bytes:
    """The stored content of `stdout` or `stderr`. DamagedLogError when it is not there, not what the record says, or longer than `LARGEST_LOG`."""
    if stored_bytes(record, stream) > LARGEST_LOG:
        raise DamagedLogError(f"{record['streams'][stream]['file']} is longer than any log that is read as a whole")
    return b"".join(_parts(folder, record, stream))


def stored_bytes(record: Mapping[str, Any], stream: str) -> int:
    """How long the stored content of `stdout` or `stderr` is. DamagedLogError when the record does not say it."""
    try:
        return int(record["streams"][stream]["stored_bytes"])
    except (KeyError, TypeError, ValueError):
        raise DamagedLogError(f"the record does not say how long {stream} is") from None


def read_end(folder: Path, record: Mapping[str, Any], stream: str, most: int) -> bytes:
    """The last `most` bytes of a stored log of any length, which is read through once. DamagedLogError when it is not there or not what the record says."""
    end = b""
    for part in _parts(folder, record, stream):
        end = (end + part)[-most:]
    return end


def _parts(folder: Path, record: Mapping[str, Any], stream: str) -> Iterator[bytes]:
    """The stored content in order; no more of it than the record says."""
    words = record["streams"][stream]
    if words["file"] is None:
        return
    path, hasher, left = folder / words["file"], hashlib.sha256(), stored_bytes(record, stream) + 1
    if path.exists() and not path.is_file():  # who reads a pipe may wait for ever
        raise DamagedLogError(f"{words['file']} is no file")
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while part := file.read(min(left, _PART)):
                left -= len(part)
                hasher.update(part)
                yield part
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedLogError(f"{words['file']}: {error}") from None
    if hasher.hexdigest() != words["sha256"]:
        raise DamagedLogError(f"{words['file']} is not the log that was stored")


def read_output(folder: Path, record: Mapping[str, Any], stream: str, *, ended: bool) -> Output:
    """The stored log as expectations see it."""
    words = record["streams"][stream]
    return output_of(read_log(folder, record, stream), gap_at=words.get("gap_at"), ended=ended)
