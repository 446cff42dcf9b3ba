"""What was read or worked out before, kept by content in the project's cache folder. Never wrong, never needed.

Each file is one line with a fingerprint of the program, a length and a checksum, then JSON, or bytes as they are: nothing in it can be executed.
A file that was cut, changed, or written by another version of the program is as good as absent.
Files are written to a temporary name and renamed, so two programs at once cannot mix; the later one wins.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from time import time_ns
from typing import Any
from zlib import crc32

from kvdocs.disk import read_file, write_file

FORMAT = "kvdocs-cache-2"
HEAD = len(FORMAT) + 44

RECORD_ENDINGS = (".yaml", ".yml", ".json")
"""Files that are parsed after their digest was taken; others, such as logs, are not kept in memory."""

NO_TEXT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no name that is shown in a line may hold."""

UNNAMED = "its name holds what is no character of a text"
UNLISTED = "the folder may not be looked into"

LINKED_FOLDER = "the link leads to a folder, and what lies in linked folders is not read"
LEADS_OUT = "the link leads out of the project"


class Cache:
    """A folder of cached values by name. With `enabled=False` nothing is read or written."""

    def __init__(self, folder: Path, *, enabled: bool = True) -> None:
        self.folder = folder
        self.enabled = enabled
        self._has_folder = False

    def read(self, name: str) -> Any:
        """The value that was written under a name, or None when there is none that can be trusted."""
        body = self._read(f"{name}.json")
        try:
            return decode(body) if body is not None else None
        except (ValueError, RecursionError):
            return None

    def read_lines(self, name: str) -> list[bytes] | None:
        """The lines that were written under a name, each the JSON of a value that nobody has read yet; None as with `read`."""
        body = self._read(f"{name}.lines")
        return body.split(b"\n") if body is not None else None

    def read_bytes(self, name: str) -> bytes | None:
        """The bytes that were written under a name; None as with `read`."""
        return self._read(f"{name}.bytes")

    def _read(self, file: str) -> bytes | None:
        if not self.enabled:
            return None
        try:
            with open(f"{os.fspath(self.folder)}{os.sep}{file}", "rb", buffering=0) as opened:  # noqa: PTH123  # nothing is copied that has been read
                head, body = opened.read(HEAD), opened.readall()
        except OSError:
            return None
        return body if head == _head(body) else None

    def write(self, name: str, value: Any) -> None:
        """Keep a value of plain JSON types; a folder that cannot be written to is not an error."""
        if self.enabled:
            self._write(f"{name}.json", encode(value))

    def write_lines(self, name: str, lines: Iterable[bytes]) -> None:
        """Keep values that are JSON already, a line each."""
        if self.enabled:
            self._write(f"{name}.lines", b"\n".join(lines))

    def write_bytes(self, name: str, data: bytes) -> None:
        """Keep bytes as they are."""
        if self.enabled:
            self._write(f"{name}.bytes", data)

    def drop_bytes(self, name: str) -> None:
        """Keep bytes no longer."""
        if self.enabled:
            with suppress(OSError):
                os.unlink(f"{os.fspath(self.folder)}{os.sep}{name}.bytes")  # noqa: PTH108  # as in `_write`

    def keep_only(self, files: Container[str]) -> None:
        """Remove all files but these; what cannot be removed stays."""
        if self.enabled:
            with suppress(OSError), os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name not in files:
                        with suppress(OSError):
                            os.unlink(entry.path)  # noqa: PTH108  # a Path for each of thousands

    def _write(self, file: str, body: bytes) -> None:
        folder = os.fspath(self.folder)
        temporary = f"{folder}{os.sep}.{file}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            if not self._has_folder:
                self._make_folder()
            write_file(temporary, _head(body), body)
            os.replace(temporary, f"{folder}{os.sep}{file}")  # noqa: PTH105  # thousands of files: a Path for each costs as much as writing it
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108  # as above

    def _make_folder(self) -> None:
        """Make the folder, and have git leave it out."""
        self.folder.mkdir(parents=True, exist_ok=True)
        ignore = self.folder.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
        self._has_folder = True


def encode(value: Any) -> bytes:
    """A value of plain JSON types as one line of JSON."""
    fast = sys.modules.get("pydantic_core")  # its encoder takes a quarter of the time; loading it for this would take longer
    if fast is not None:
        try:
            line: bytes = fast.to_json(value)
        except ValueError:  # half of a surrogate pair, as in the name of a file that is no text
            pass
        else:
            return line
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def decode(text: bytes) -> Any:
    """The value of a line of JSON; ValueError or RecursionError when it is none."""
    fast = sys.modules.get("pydantic_core")  # as in `encode`
    if fast is not None:
        with suppress(ValueError):
            return fast.from_json(text, cache_strings="none")  # most texts are there once
    return json.loads(text)


_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def _head(body: bytes) -> bytes:
    """The first line of the file that holds a body; it has `HEAD` bytes."""
    return f"{FORMAT} {program_fingerprint()} {len(body):016x} {crc32(body):08x}\n".encode()


@lru_cache(maxsize=1)
def program_fingerprint() -> str:
    """A digest of the program's own files (name, size, time) and of Python's version: another program, another cache."""
    seen = blake2b(sys.version.encode(), digest_size=8)
    package = os.fspath(Path(__file__).parent)
    for path, status, _ in sorted(_walk(package, [])):  # no path is there twice, so nothing else is compared
        if status is not None and path.endswith((".py", ".j2")):
            seen.update(f"{path[len(package) :]} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def _walk(folder: str, left_out: list[str]) -> Iterator[tuple[str, os.stat_result | None, bool]]:
    """Everything below a folder that is no folder: its status, None where there is nothing behind a link, and whether it is a link.

    A folder that may not be listed or entered stands there without a status. `left_out` gets all other folders, and what is hidden.
    """
    todo = [folder]
    while todo:
        folder = todo.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name[0] == "." or entry.name == "__pycache__":
                        left_out.append(entry.path)
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        left_out.append(entry.path)
                        todo.append(entry.path)
                        continue
                    try:
                        yield entry.path, entry.stat(), entry.is_symlink()
                    except PermissionError:  # the folder may be listed and not entered
                        yield folder, None, False
                        break
                    except OSError:
                        if entry.is_symlink():
                            yield entry.path, None, True
        except PermissionError:
            yield folder, None, False
        except OSError:
            continue


def _stamp(status: os.stat_result) -> str:
    """What is another thing when a file was written: whoever sets its time back changes its status by that."""
    return "%d %d %d %d " % (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)  # noqa: UP031  # tens of thousands: a third faster than an f-string


_UNKNOWN = "?"
"""Stands behind the stamp of a file whose digest was not taken yet."""
_LONG = 1024 * 1024
"""A longer file that is no record is looked at in parts."""


def digest_of(content: bytes) -> str:
    """The digest of the content of a file, as a `Scan` has it."""
    return blake2b(content, digest_size=16).hexdigest()


def _digest_of_long(path: str) -> str:
    """The same of a file that is too long to be held, such as the log of an execution; OSError when it cannot be read."""
    with Path(path).open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()


def kept_digests(cache: Cache, folder: str, at: int) -> dict[str, str] | None:
    """The digests of the files of a folder by their paths within it, as the `Scan` of it kept them that was `at` this time; None when another one is kept."""
    kept_at, files = _read_scan(cache, _scan_name(folder))
    return {name[len(folder) + 1 :]: entry.rpartition(" ")[2] for name, entry in files.items()} if kept_at == at else None


def _scan_name(folder: str) -> str:
    return f"scan-{folder.replace('/', '-')}"


_END = "\0"
"""Stands between the names of files and what is kept of each: no name holds it."""


def _read_scan(cache: Cache, name: str) -> tuple[int, dict[str, str]]:
    """When a scan was made that is kept, and its files; nothing at the time 0 when there is none."""
    data = cache.read_bytes(name)
    if data is None:
        return 0, {}
    at, *kept = data.decode("utf-8", "surrogateescape").split(_END)
    return int(at), dict(zip(kept[::2], kept[1::2], strict=True))


def _write_scan(cache: Cache, name: str, at: int, files: dict[str, str]) -> None:
    cache.write_bytes(name, _END.join([str(at), *chain.from_iterable(files.items())]).encode("utf-8", "surrogateescape"))


class Scan:
    """The files of a folder as they are now, with digests that are computed only when a file has changed.

    As git does, a file whose times, size and inode are unchanged is taken as unchanged, unless it was written
    so close to the last scan that a second edit could have left no trace in its time.
    `files` holds of each file its stamp and its digest in one text, which is read and written faster than their parts.
    `aged` is whether such a file has grown old enough since: once it is saved anew, it need not be read again.
    `at` is when the scan was made that is kept.
    `odd` names what is neither a file nor a folder: links to folders and to nowhere, pipes.
    `unfit` tells why something with the name of a record is not read: opening a pipe waits forever, and a device has no end.
    """

    RACY_NS = 2_000_000_000

    def __init__(self, root: Path, folder: str, cache: Cache) -> None:
        self.root = root
        self.cache = cache
        self.name = _scan_name(folder)
        self.at, old_files = _read_scan(cache, self.name)
        base = len(os.fspath(root)) + 1
        self._base = f"{os.fspath(root)}{os.sep}"
        safe_before = self.at - self.RACY_NS
        calm_before = time_ns() - self.RACY_NS
        self.files: dict[str, str] = {}
        self.changed: list[str] = []
        self.unfit: dict[str, str] = {}
        self.odd: list[str] = []
        self.aged = False
        self._beside: list[str] = []
        """Folders, what is hidden, and where links lead: names that a command can come across without reading a file."""
        for path, status, linked in _walk(os.fspath(root / folder), self._beside):
            name = path[base:].replace(os.sep, "/")
            if linked:
                self._beside.append(f"{path} {os.path.realpath(path)}")
            if status is None or linked or not S_ISREG(status.st_mode) or not name.isprintable():
                if why := self._why_unfit(path, status, linked):
                    self.unfit[name] = why
                if (linked or status is not None) and not (status is not None and S_ISREG(status.st_mode)):
                    self.odd.append(name)
                if why or status is None or not S_ISREG(status.st_mode):
                    continue
            stamp, old = _stamp(status), old_files.get(name)
            same = old is not None and old.startswith(stamp)
            if same and old is not None and status.st_mtime_ns < safe_before and status.st_ctime_ns < safe_before:
                self.files[name] = old
            else:
                self.aged = self.aged or (same and max(status.st_mtime_ns, status.st_ctime_ns) < calm_before)
                self.files[name] = stamp + _UNKNOWN
                self.changed.append(name)
        self.removed = [name for name in old_files if name not in self.files]
        self._old = old_files
        self._doubtful = self.changed
        self._contents: dict[str, bytes] = {}

    def _why_unfit(self, path: str, status: os.stat_result | None, linked: bool) -> str | None:
        """Why what has the name of a record, or holds some, is not read; None when it is no such thing, or is read."""
        if status is not None and S_ISDIR(status.st_mode):
            with suppress(OSError), os.scandir(path) as entries:
                return LINKED_FOLDER if any(entry.name.endswith(RECORD_ENDINGS) for entry in entries) else None
            return None
        if status is None and not linked:
            return UNLISTED
        if not path.endswith(RECORD_ENDINGS):
            return None
        if NO_TEXT.search(path, len(self._base)):
            return UNNAMED
        if status is None:
            return "the link leads nowhere"
        if not S_ISREG(status.st_mode):
            return "it is a pipe, a socket or a device, and no file"
        behind = Path(os.path.realpath(path))
        inside = (os.path.realpath(self.root), os.path.realpath(f"{self._base}registry"))
        return None if any(behind.is_relative_to(folder) for folder in inside) else LEADS_OUT

    def digest(self, name: str) -> str:
        """The digest of a file's content; of nothing when it cannot be read."""
        known = self.files[name]
        if known[-1] == _UNKNOWN:
            known = self.files[name] = known[:-1] + self._digest_now(name)
        return known[known.rindex(" ") + 1 :]

    def digests(self, names: Iterable[str]) -> list[str]:
        """The digests of several files."""
        if self._doubtful:
            return [self.digest(name) for name in names]
        return [known[known.rindex(" ") + 1 :] for known in map(self.files.__getitem__, names)]

    def _digest_all(self) -> None:
        """Take the digests that are not known, once."""
        for name in self._doubtful:
            if name in self.files:
                self.digest(name)
        self._doubtful = []

    def _digest_now(self, name: str) -> str:
        path = f"{self._base}{name}"
        try:
            if not name.endswith(RECORD_ENDINGS) and (self.size(name) or 0) > _LONG:
                return _digest_of_long(path)
            content = read_file(path)
        except OSError:
            content = None
        if content is None:
            return ""
        if name.endswith(RECORD_ENDINGS):
            self._contents[name] = content
        return digest_of(content)

    @property
    def hidden(self) -> list[str]:
        """The hidden files and folders that the walk came by, which are looked at no further, by where they are."""
        return [path for path in self._beside if path[path.rfind(os.sep) + 1] == "."]

    def size(self, name: str) -> int | None:
        """How many bytes a file has; None when it is not there."""
        known = self.files.get(name)
        return int(known.split(" ", 3)[2]) if known is not None else None

    def take_content(self, name: str) -> bytes:
        """The content of a file of records: what was read for its digest, once, else what it is now. OSError when it cannot be read."""
        content = self._contents.pop(name, None)
        return content if content is not None else (self.root / name).read_bytes()

    def wrote(self, name: str, digest: str) -> None:
        """Take it that a file was written by the program itself, with content of this digest."""
        status = os.stat(f"{self._base}{name}")  # noqa: PTH116  # thousands of files: a Path for each costs as much as reading it
        self.files[name] = _stamp(status) + digest

    def forget(self, name: str) -> None:
        """Take it that a file is not there any more."""
        self.files.pop(name, None)

    def whole(self) -> str:
        """The digest of all files with their names."""
        self._digest_all()
        files = [f"{name}{known[known.rindex(' ') :]}" for name, known in self.files.items()]
        lines = "\n".join([*sorted(files), *sorted(f"{name} {why}" for name, why in self.unfit.items())])
        return blake2b(lines.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()

    def state(self) -> str:
        """A text that is another one when there is anything else to see in the folder: other files, folders or links, or another name of something hidden."""
        return f"{self.whole()} {digest_of(_END.join(sorted(self._beside)).encode('utf-8', 'surrogateescape'))}"

    def save(self) -> None:
        """Keep the digests for next time, when something is new."""
        self._digest_all()
        if self.aged or self.files != self._old:
            self.at = time_ns()
            _write_scan(self.cache, self.name, self.at, self.files)
            self.aged, self._old = False, self.files.copy()
