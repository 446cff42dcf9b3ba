"""Records that were read before: what must be known of all of them in one file of the cache, the content of their files beside it for whoever asks.

Most commands look at the data of a few records and at the links of all, so that reading all data would be most of their work.
Whoever asks gets what the file held when it was read, whatever has become of it since.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

from kvdocs.cache import Cache, decode, digest_of, encode
from kvdocs.disk import read_file
from kvdocs.entry import Columns, Entry
from kvdocs.kind import Kind
from kvdocs.problems import Problem, pack, unpack
from kvdocs.registry import Past, in_order
from kvdocs.source import RawRecord, parse_records
from kvdocs.two_parts import TwoParts

LOOKS = 4
"""The past of a kind remembers at most so many looks for each of its records, and `MORE`."""

MORE = 1000

FEW = 50
"""The contents of so many files are read from these; for more all contents are read from the cache."""


class ParsedFile(NamedTuple):
    """What one file of records holds that was read just now."""

    digest: str
    entries: Sequence[Entry]
    problems: Sequence[Problem]
    broken: Sequence[str]
    content: bytes


class ReadKind(NamedTuple):
    """All records of a kind in the order of their files, the problems of these, and the ids of their broken records.

    `ordered` is whether that is the natural order of their ids. `past` is None where it is not known what has changed since.
    """

    entries: list[Entry]
    problems: list[Problem]
    broken: list[str]
    ordered: bool
    past: Past | None


Run = tuple[int, int]
"""The numbers of the first of several files that were kept one after the other, and of the one behind the last."""


class KeptRecords:
    """The records of one kind from the cache, and back into it."""

    def __init__(self, cache: Cache, root: Path, kind: Kind) -> None:
        self.cache, self.root, self.kind = cache, root, kind
        self._columns = Columns(self._raw)
        self.paths: list[str] = []
        """The files that were read before, in the order in which they were kept."""
        self._digests: list[str] = []
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._first: list[int] = [0]
        """The number of the first record of each file, and behind the last one that of all records."""
        self._faults: dict[int, tuple[Any, list[str]]] = {}
        """By the numbers of the files that have some, their problems, and the ids of their broken records."""
        self._past = Past()
        self._ordered = True
        self._contents = TwoParts(cache, f"contents-{kind.folder}")
        if (lines := cache.read_lines(f"index-{kind.folder}")) is not None:
            self._recall(lines)
        self._lists: dict[int, dict[int | None, dict[str, Any]]] = {}
        self._asked = 0

    def read(self, paths: list[str], digests: list[str], parse: Callable[[str, str], ParsedFile]) -> ReadKind:
        """The records of these files, which have these digests now. Those that are not known are parsed, and kept for next time."""
        is_known = bool(self._past.marks) and paths == self.paths and digests == self._digests
        runs: list[Run | ParsedFile] = [(0, len(paths))] if is_known else list(self._runs(paths, digests, parse))
        entries = list(chain.from_iterable(map(self._entries, runs)))
        faults = list(chain.from_iterable(map(self._faults_of, runs)))
        ordered = self._ordered if is_known else not entries or in_order(entries) is entries
        past = self._past if is_known else self._write(paths, digests, runs, ordered)
        return ReadKind(entries, [problem for problems, _ in faults for problem in problems], [name for _, names in faults for name in names], ordered, past)

    def _runs(self, paths: list[str], digests: list[str], parse: Callable[[str, str], ParsedFile]) -> Iterator[Run | ParsedFile]:
        """Files that are known, as many at once as follow each other, and those that are parsed now."""
        known = dict(zip(self.paths, range(len(self.paths)), strict=True))
        first = behind = 0
        for path, digest in zip(paths, digests, strict=True):
            number = known.get(path)
            if number is not None and self._digests[number] != digest:
                number = None
            if number == behind and first < behind:
                behind += 1
                continue
            if first < behind:
                yield first, behind
            first = behind = 0
            if number is not None:
                first, behind = number, number + 1
            else:
                yield parse(path, digest)
        if first < behind:
            yield first, behind

    def _entries(self, run: Run | ParsedFile) -> Iterable[Entry]:
        return run.entries if isinstance(run, ParsedFile) else self._columns.entries(self.kind, self._first[run[0]], self._first[run[1]])

    def _faults_of(self, run: Run | ParsedFile) -> Iterator[tuple[Sequence[Problem], Sequence[str]]]:
        """The problems of files, and the ids of their broken records."""
        if isinstance(run, ParsedFile):
            yield run.problems, run.broken
        else:
            yield from ((unpack(packed), names) for number, (packed, names) in self._faults.items() if run[0] <= number < run[1])

    def _raw(self, number: int) -> RawRecord:
        file = bisect_right(self._first, number) - 1
        return RawRecord(self.root, self.paths[file], partial(self._data, file), self._columns.lines[number], self._columns.indices[number])

    def _data(self, file: int, raw: RawRecord) -> dict[str, Any]:
        """The data of a record; a file with a list of records is read once for all of them."""
        if raw.index is None:
            return self._parsed(file)[None]
        if file not in self._lists:
            self._lists[file] = self._parsed(file)
        return self._lists[file][raw.index]

    def _parsed(self, file: int) -> dict[int | None, dict[str, Any]]:
        """The data of the records of a file, by their positions in it."""
        content = self._content(file)
        if content is None:
            raise LookupError(f"{self.paths[file]} was changed while it was being read")
        return {raw.index: raw.data for raw in parse_records(content, self.root, self.paths[file])[0]}

    def _content(self, file: int) -> bytes | None:
        """What a file held that was read before, from itself if it still does, or from the cache. None when it is gone from both."""
        self._asked += 1
        content = self._content_now(file) if self._asked <= FEW else None
        if content is not None:
            return content
        try:
            return b"".join(self._contents.between(self._begins[file], self._ends[file]))
        except LookupError:
            return self._content_now(file)

    def _content_now(self, file: int) -> bytes | None:
        """What a file holds now; None when that is something else."""
        with suppress(OSError):
            content = read_file(f"{os.fspath(self.root)}{os.sep}{self.paths[file]}")
            return content if content is not None and digest_of(content) == self._digests[file] else None
        return None

    def _write(self, paths: list[str], digests: list[str], runs: list[Run | ParsedFile], ordered: bool) -> Past | None:
        """Keep these files and no others; None when they cannot be kept."""
        if not self.cache.enabled:
            return None
        kept = self._keep_contents(runs)
        if kept is None:
            return None
        contents, *places = kept
        columns, first, faults = Columns(self._raw), [0], {}
        for run in runs:
            number = len(first) - 1
            if isinstance(run, ParsedFile):
                for entry in run.entries:
                    columns.add(entry)
                first.append(len(columns.ids))
                if run.problems or run.broken:
                    faults[number] = (pack(run.problems), run.broken)
            else:
                moved = len(columns.ids) - self._first[run[0]]
                columns.take(self._columns, self._first[run[0]], self._first[run[1]])
                first += [at + moved for at in self._first[run[0] + 1 : run[1] + 1]]
                faults.update({number + old - run[0]: fault for old, fault in self._faults.items() if run[0] <= old < run[1]})
        past = self._past.followed_by(os.urandom(8).hex(), self._changed(runs) if self._past.marks else (), LOOKS * len(columns.ids) + MORE)
        head = {"past": past, "contents": contents.document(), "faults": list(faults.items()), "ordered": ordered}
        texts = [paths, digests, *(getattr(columns, name) for name in Columns.TEXTS)]
        numbers = [*places, first, *(getattr(columns, name) for name in Columns.NUMBERS)]
        parts = [getattr(columns, name) for name in Columns.PARTS]
        self.cache.write_lines(f"index-{self.kind.folder}", [encode(head), *("\t".join(text).encode() for text in texts), encode(numbers), *chain.from_iterable(parts)])
        return past

    def _recall(self, lines: list[bytes]) -> None:
        """Take what `_write` kept."""
        head, texts, numbers = decode(lines[0]), lines[1 : len(Columns.TEXTS) + 3], decode(lines[len(Columns.TEXTS) + 3])
        self.paths, digests, *columns = (text.decode().split("\t") if text else [] for text in texts)
        self._digests = digests or [""] * len(self.paths)  # a file that could not be read has none
        self._begins, self._ends, self._first, *others = numbers
        self._columns.paths = self.paths if self._first == list(range(len(self.paths) + 1)) else [self.paths[bisect_right(self._first, n) - 1] for n in range(self._first[-1])]
        count, at = self._first[-1], len(Columns.TEXTS) + 4
        for name, column in zip((*Columns.TEXTS, *Columns.NUMBERS), (*columns, *others), strict=True):
            setattr(self._columns, name, column or [""] * count)
        self._columns.links, self._columns.work = lines[at : at + count], lines[at + count : at + 2 * count]
        self._contents.recall(head["contents"])
        self._faults = dict(head["faults"])
        marks, looks, begin = head["past"]
        self._past, self._ordered = Past(tuple(marks), looks, begin), head["ordered"]

    def _keep_contents(self, runs: list[Run | ParsedFile]) -> tuple[TwoParts, list[int], list[int]] | None:
        """Keep the contents of files; where they are now, and where each begins and ends there. None when one is gone: whoever reads it next keeps it."""
        begins: list[int] = []
        ends: list[int] = []
        for run in runs:
            if isinstance(run, ParsedFile):
                begin, end = self._contents.add(run.content)
                begins.append(begin)
                ends.append(end)
            else:
                begins += self._begins[run[0] : run[1]]
                ends += self._ends[run[0] : run[1]]
        if self._contents.is_there(1) and not self._contents.is_wasteful(sum(ends) - sum(begins)):
            self._contents.keep()
            return self._contents, begins, ends
        contents = [[run.content] if isinstance(run, ParsedFile) else map(self._content, range(*run)) for run in runs]
        whole = list(chain.from_iterable(contents))
        if None in whole:
            return None
        kept = [content for content in whole if content is not None]
        ends = list(accumulate(map(len, kept)))
        return self._contents.keep_only(kept), [0, *ends[:-1]] if ends else [], ends

    def _changed(self, runs: list[Run | ParsedFile]) -> Iterator[str]:
        """What looks otherwise than when the records were kept: those that are new, or gone, and what they point to."""
        gone = set(range(len(self.paths))).difference(*(range(*run) for run in runs if not isinstance(run, ParsedFile)))
        old = (number for file in gone for number in range(self._first[file], self._first[file + 1]))
        new = [entry for run in runs if isinstance(run, ParsedFile) for entry in run.entries]
        yield f"#{self.kind.name}"
        for record_id, targets in [*((self._columns.ids[n], self._columns.targets[n]) for n in old), *((entry.id, entry.target_words) for entry in new)]:
            yield record_id
            yield from (f">{target}" for target in targets.split())
