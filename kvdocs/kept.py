"""Records that were read before: what must be known of all of them in one file of the cache, their data beside it for whoever asks.

Most commands look at the data of a few records and at the links of all, so that reading all data would be most of their work.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from kvdocs.cache import Cache, encode_each
from kvdocs.kind import Kind
from kvdocs.problems import Problem, pack, unpack
from kvdocs.registry import Entry
from kvdocs.source import RawRecord, read_records


class KeptFile(NamedTuple):
    """What one file of records held when it had this digest."""

    digest: str
    entries: Sequence[Entry]
    problems: Sequence[Problem]
    broken: Sequence[str]


class KeptRecords:
    """The records of one kind from the cache, and back into it."""

    def __init__(self, cache: Cache, root: Path, kind: Kind) -> None:
        self.cache, self.root, self.kind = cache, root, kind
        index: dict[str, Any] = cache.read(f"index-{kind.folder}") or {"mark": "", "files": {}}
        self._mark: str = index["mark"]
        self._files: dict[str, Any] = index["files"]

    @property
    def paths(self) -> Iterable[str]:
        """The files that were read before, in the order in which they were kept."""
        return self._files

    def file(self, path: str, digest: str) -> KeptFile | None:
        """What a file holds, or None when it had another content."""
        known = self._files.get(path)
        if known is None or known[0] != digest:
            return None
        entries = [self._entry(path, digest, *head) for head in known[3]]
        return KeptFile(digest, entries, unpack(known[1]) if known[1] else (), known[2])

    def _entry(self, path: str, digest: str, record_id: str, title: str, line: int, index: int | None, extract: list[Any], number: int) -> Entry:
        raw = RawRecord(self.root, path, partial(self._data, path, index, number), line, index)
        return Entry.known(self.kind, raw, record_id, title, extract, digest)

    def _data(self, path: str, index: int | None, number: int) -> dict[str, Any]:
        """The data of a record: from the cache, else from its file."""
        lines = self._lines
        if lines is not None:
            data: dict[str, Any] = json.loads(lines[number], parse_float=Decimal)
            return data
        for raw in read_records(self.root, path)[0]:
            if raw.index == index:
                return raw.data
        raise LookupError(f"{path} was changed while it was being read")

    @cached_property
    def _lines(self) -> list[bytes] | None:
        """The lines of data that belong to the index; None when they are gone, or another program has written new ones."""
        lines = self.cache.read_lines(f"data-{self.kind.folder}")
        return lines[:-1] if lines is not None and lines[-1].decode() == self._mark else None

    def write(self, files: Mapping[str, KeptFile]) -> None:
        """Keep these files and no others, when they are not what is kept already."""
        if not self.cache.enabled or (files.keys() == self._files.keys() and all(file.digest == self._files[path][0] for path, file in files.items())):
            return
        old = self._lines or []
        index: dict[str, Any] = {}
        lines: list[bytes | None] = []
        fresh: list[dict[str, Any]] = []
        for path, file in files.items():
            known = self._files.get(path)
            same = known is not None and known[0] == file.digest and bool(old)
            heads: list[list[Any]] = []
            for position, entry in enumerate(file.entries):
                if same and known is not None:
                    head = known[3][position]
                    lines.append(old[head[5]])
                    heads.append([*head[:5], len(lines) - 1])
                else:
                    lines.append(None)
                    fresh.append(entry.raw.data)
                    heads.append([entry.id, entry.title, entry.raw.line, entry.raw.index, entry.extract.document(), len(lines) - 1])
            index[path] = [file.digest, pack(file.problems) if file.problems else None, list(file.broken), heads]
        made = encode_each(fresh)
        mark = secrets.token_hex(8)
        self.cache.write_lines(f"data-{self.kind.folder}", [*(next(made) if line is None else line for line in lines), mark.encode()])
        self.cache.write(f"index-{self.kind.folder}", {"mark": mark, "files": index})
