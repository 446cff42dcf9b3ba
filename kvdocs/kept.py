"""Records that were read before: what must be known of all of them in one file of the cache, the content of their files beside it for whoever asks.

Most commands look at the data of a few records and at the links of all, so that reading all data would be most of their work.
Whoever asks gets what the file held when it was read, whatever has become of it since.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from kvdocs.cache import Cache, digest_of
from kvdocs.disk import read_file
from kvdocs.kind import Kind
from kvdocs.problems import Problem, pack, unpack
from kvdocs.registry import Entry
from kvdocs.source import RawRecord, parse_records


class KeptFile(NamedTuple):
    """What one file of records held when it had this digest; its content is given when it was read just now."""

    digest: str
    entries: Sequence[Entry]
    problems: Sequence[Problem]
    broken: Sequence[str]
    content: bytes | None = None


class KeptRecords:
    """The records of one kind from the cache, and back into it."""

    def __init__(self, cache: Cache, root: Path, kind: Kind) -> None:
        self.cache, self.root, self.kind = cache, root, kind
        index: dict[str, Any] = cache.read(f"index-{kind.folder}") or {"mark": "", "files": {}}
        self._mark: str = index["mark"]
        self._files: dict[str, Any] = index["files"]
        self._lists: dict[str, dict[int | None, dict[str, Any]]] = {}

    @property
    def paths(self) -> Iterable[str]:
        """The files that were read before, in the order in which they were kept."""
        return self._files

    def file(self, path: str, digest: str) -> KeptFile | None:
        """What a file holds, or None when it had another content."""
        known = self._files.get(path)
        if known is None or known[0] != digest:
            return None
        problems, broken, heads = known[3:]
        entries = [self._entry(path, digest, *head) for head in heads]
        return KeptFile(digest, entries, unpack(problems) if problems else (), broken)

    def _entry(self, path: str, digest: str, record_id: str, title: str, line: int, index: int | None, extract: list[Any]) -> Entry:
        raw = RawRecord(self.root, path, self._data, line, index)
        return Entry.known(self.kind, raw, record_id, title, extract, digest)

    def _data(self, raw: RawRecord) -> dict[str, Any]:
        """The data of a record; a file with a list of records is read once for all of them."""
        if raw.index is None:
            return self._read(raw.path)[None]
        if raw.path not in self._lists:
            self._lists[raw.path] = self._read(raw.path)
        return self._lists[raw.path][raw.index]

    def _read(self, path: str) -> dict[int | None, dict[str, Any]]:
        """The data of the records of a file, by their positions in it."""
        content = self._content(path)
        if content is None:
            raise LookupError(f"{path} was changed while it was being read")
        return {raw.index: raw.data for raw in parse_records(content, self.root, path)[0]}

    def _content(self, path: str) -> bytes | None:
        """What a file held that was read before: from the cache, else as it is now; None when that is something else."""
        digest, start, end = self._files[path][:3]
        if self._contents is not None:
            return self._contents[start:end]
        content = read_file(f"{os.fspath(self.root)}{os.sep}{path}")
        return content if content is not None and digest_of(content) == digest else None

    @cached_property
    def _contents(self) -> bytes | None:
        """The contents of the files that belong to the index, one after the other; None when they are gone, or another program has written new ones."""
        contents = self.cache.read_bytes(f"contents-{self.kind.folder}")
        return contents if contents is not None and contents.endswith(self._mark.encode()) else None

    def write(self, files: Mapping[str, KeptFile]) -> None:
        """Keep these files and no others, when they are not what is kept already."""
        if not self.cache.enabled or (files.keys() == self._files.keys() and all(file.digest == self._files[path][0] for path, file in files.items())):
            return
        index: dict[str, Any] = {}
        contents: list[bytes] = []
        end = 0
        for path, file in files.items():
            content = self._content(path) if file.content is None else file.content
            if content is None:  # it was changed since it was read: whoever reads it next keeps it
                return
            contents.append(content)
            start, end = end, end + len(content)
            told = self._files[path][3:] if file.content is None else _told(file)
            index[path] = [file.digest, start, end, *told]
        mark = secrets.token_hex(8)
        self.cache.write_bytes(f"contents-{self.kind.folder}", b"".join([*contents, mark.encode()]))
        self.cache.write(f"index-{self.kind.folder}", {"mark": mark, "files": index})


def _told(file: KeptFile) -> list[Any]:
    """What must be known of a file without its content: its problems, the ids of its broken records, and of each entry what `_entry` takes."""
    heads = [(entry.id, entry.title, entry.raw.line, entry.raw.index, entry.extract.document()) for entry in file.entries]
    return [pack(file.problems) if file.problems else None, file.broken, heads]
