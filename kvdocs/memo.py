"""Memo: problems of one record, kept with a note of everything else that was looked at to find them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from typing import Any, TypeVar

from kvdocs.cache import Cache, Scan, decode, encode
from kvdocs.entry import Entry
from kvdocs.model import LinkField, Record
from kvdocs.problems import Problem, pack, unpack
from kvdocs.registry import BackLink, Registry

R = TypeVar("R", bound=Record)
T = TypeVar("T")
Look = str
"""Something that was looked at: `D2` a record or its absence, `#defect` all of a kind, `>D2` what points to a record, `/PATH` a file, `*` everything."""

ALL = "*"


class Recorder(Registry):
    """A registry that notes what is looked up in it. It gives what the registry behind it gives.

    `rests_on` tells what the figures of an entry, or those that a text cites, rest on; without it they rest on everything.
    """

    def __init__(self, registry: Registry) -> None:
        self._behind = registry
        self.looks: dict[Look, None] = {}
        self.kinds = registry.kinds
        self.prefixes = registry.prefixes
        self.rests_on: Callable[[Entry | str], Iterable[Look]] | None = None

    def note(self, looks: Iterable[Look]) -> None:
        """Note what was looked at in another way than through this registry."""
        self.looks.update(dict.fromkeys(looks))

    def _note(self, look: Look) -> Registry:
        self.looks[look] = None
        return self._behind

    @property
    def entries(self) -> Any:  # type: ignore[override]  # the attribute of the base is read through a note here
        return NotedEntries(self)

    @property
    def broken(self) -> frozenset[str]:  # type: ignore[override]  # as above
        return self._note(ALL).broken

    @property
    def formers(self) -> dict[str, list[str]]:
        return self._note(ALL).formers

    def __len__(self) -> int:
        return len(self._note(ALL))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._note(ALL))

    def get(self, record_id: str) -> Entry | None:
        self.looks[record_id] = None  # as `_note` does; the most frequent look by far
        return self._behind.entries.get(record_id)

    def has(self, record_id: str) -> bool:
        self.looks[record_id] = None
        return record_id in self._behind.entries

    def has_slug(self, word: str) -> bool:
        return self._note(word).has_slug(word)

    def reference(self, repository: str, number: int) -> str | None:
        return self._note("#reference").reference(repository, number)

    def of(self, kind: str) -> list[Entry]:
        return self._note(f"#{kind}").of(kind)

    def records(self, kind: str, model: type[R]) -> list[R]:
        return self._note(f"#{kind}").records(kind, model)

    def record(self, record_id: str, model: type[R]) -> R | None:
        return self._note(record_id).record(record_id, model)

    def links_from(self, record_id: str) -> tuple[LinkField, ...]:
        return self._note(record_id).links_from(record_id)

    def links_to(self, record_id: str) -> list[BackLink]:
        return self._note(f">{record_id}").links_to(record_id)

    def pointing_at(self, record_id: str, kind: str, field: str) -> list[Entry]:
        return self._note(f">{record_id}").pointing_at(record_id, kind, field)

    def for_figures(self, of: Entry | str | None = None) -> Registry:
        if of is None or self.rests_on is None:
            self.note([ALL])
        else:
            self.note(self.rests_on(of))
        return self._behind

    def content(self, path: str) -> bytes:
        return self._note(f"/{path}").content(path)

    def once(self, key: Hashable, work_out: Callable[[Registry], T]) -> T:
        """As the base has it; what was looked at to work it out is noted for everybody who asks."""
        value, looks = self._behind.once((Recorder, key), partial(_noted, work_out))
        self.looks.update(looks)
        return value


def _noted(work_out: Callable[[Registry], T], registry: Registry) -> tuple[T, dict[Look, None]]:
    """What `work_out` gives, and what it looked at."""
    recorder = Recorder(registry)
    return work_out(recorder), recorder.looks


BETWEEN = "\t"
"""What stands between looks in a line."""


def line_of(looks: Iterable[Look]) -> bytes:
    """Looks in one line, the id of a record first: it is read faster than its parts. Where one does not fit in, everything stands for all."""
    several = list(looks)
    line = BETWEEN.join(several)
    return (line if line.count(BETWEEN) == len(several) - 1 and "\n" not in line else f"{several[0]}{BETWEEN}{ALL}").encode("utf-8", "surrogatepass")


def without(changed: Iterable[Look], lines: list[bytes]) -> tuple[list[bytes], list[str]]:
    """The lines in which nothing is looked at that has changed, and the ids at the beginning of the others."""
    looks = {look.encode("utf-8", "surrogatepass") for look in changed}
    between = BETWEEN.encode()
    right = [looks.isdisjoint(line.split(between)) for line in lines] if looks else []
    if all(right):
        return lines, []
    wrong = [line.partition(between)[0].decode() for line, is_right in zip(lines, right, strict=True) if not is_right]
    return list(compress(lines, right)), wrong


class NotedEntries(Mapping[str, Entry]):
    """The entries of a recorder: one that is looked up is noted, and to walk through them is to look at everything."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __getitem__(self, record_id: str) -> Entry:
        entry = self.recorder.get(record_id)
        if entry is None:
            raise KeyError(record_id)
        return entry

    def __iter__(self) -> Iterator[str]:
        return (entry.id for entry in self.recorder)

    def __len__(self) -> int:
        return len(self.recorder)


class State:
    """What can be looked at in a registry at one time, as far as it takes to tell what has changed since."""

    def __init__(self, registry: Registry, root: Path, scan: Scan | None = None) -> None:
        self.registry, self.root, self.scan = registry, root, scan
        self.files: dict[str, str] = {}

    def document(self) -> dict[str, Any]:
        """The state as plain data, for `changes`: when the records of each kind were kept, and the files that were looked at."""
        return {"marks": {kind: known.mark for kind, known in self.registry.past.items()}, "broken": sorted(self.registry.broken), "files": self.files}

    def file(self, path: str) -> str:
        """The digest of a file of the project now, noted in the state."""
        if path not in self.files:
            self.files[path] = self.scan.digest(path) if self.scan is not None and path in self.scan.files else blake2b(self.registry.content(path), digest_size=16).hexdigest()
        return self.files[path]

    def folder(self, name: str) -> str:
        """A text that is another one when anything in a folder of the project has changed: its files, or the names in it."""
        try:
            status = os.stat(f"{os.fspath(self.root)}/{name}")  # noqa: PTH116  # a Path for each of thousands
        except OSError:
            return os.urandom(8).hex()
        touched = (status.st_mtime_ns, status.st_ctime_ns)  # who copies a folder may set back the first alone
        fresh = os.urandom(8).hex() if max(touched) > time.time_ns() - Scan.RACY_NS else ""
        digests = (f"{path.rpartition('/')[2]}={self.scan.digest(path)}" for path in self._files_in.get(name, ())) if self.scan is not None else ()
        return " ".join([*map(str, touched), fresh, *sorted(digests)])

    @cached_property
    def _files_in(self) -> dict[str, list[str]]:
        """The files in each folder that was scanned."""
        found: dict[str, list[str]] = {}
        for path in self.scan.files if self.scan is not None else ():
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def changes(self, before: dict[str, Any]) -> set[Look] | None:
        """Every look that may see something else than it did in the state before; None when all may."""
        past, marks = self.registry.past, before["marks"]
        if not past or marks.keys() != past.keys():
            return None
        changed: set[Look] = set()
        for kind, known in past.items():
            looks = known.since(marks[kind]) if marks[kind] != known.mark else ()
            if looks is None:
                return None
            changed.update(looks)
        changed.update(f"/{path}" for path, digest in before["files"].items() if self.file(path) != digest)
        if changed or before["broken"] != sorted(self.registry.broken):
            changed.add(ALL)
        return changed


class Memo:
    """Problems by record, from one run to the next. What is asked for is kept; what is not asked for is forgotten."""

    def __init__(self, registry: Registry, root: Path, scan: Scan | None = None) -> None:
        """`scan` is the look at the files that the registry was read from; without one nothing is kept."""
        self.registry = registry
        self.cache = scan.cache if scan is not None else Cache(root, enabled=False)
        self.state = State(registry, root, scan)
        head, *self._lines = self.cache.read_lines("memo") or [b""]
        old: dict[str, Any] | None = decode(head) if head else None
        self._old: dict[str, Any] = old if old is not None else {"keys": {}, "problems": {}}
        self._changes = self.state.changes(old["state"]) if old is not None else None
        self._keys: dict[str, str] = {}
        self._problems: dict[str, Any] = {}
        self._fresh = self._changes is None or bool(self._changes)

    def problems(self, work_out: Callable[[Entry, Recorder], Iterable[Problem]]) -> list[Problem]:
        """What `work_out` yields for each entry; it must look at records and files only through the registry that it is given, or note there what it looks at."""
        entries = self.registry.entries
        to_do = self._to_do()
        found: list[Problem] = []
        for name in self._old["problems"]:
            if name in entries and name not in to_do:
                found += self._kept(name)
        for name in to_do:
            found += self._work_out(entries[name], work_out)
        return found

    def _to_do(self) -> Collection[str]:
        """The ids of the records whose problems have to be worked out. Of the lines that say what was looked at, those of all others stay."""
        entries = self.registry.entries
        if self._changes is not None:
            lines, wrong = without(self._changes, self._lines)
            to_do = {name for name in {*wrong, *self._changes} if name in entries}
            if len(lines) + len(to_do) == len(entries):
                self._lines = lines
                return to_do
        self._lines = []
        return entries.keys()

    def _work_out(self, entry: Entry, work_out: Callable[[Entry, Recorder], Iterable[Problem]]) -> list[Problem]:
        recorder = Recorder(self.registry)
        recorder.looks[entry.id] = None
        found = list(work_out(entry, recorder))
        for look in recorder.looks:
            if look[:1] == "/":
                self.state.file(look[1:])
        self._lines.append(line_of(recorder.looks))
        self._keep(entry.id, found)
        return found

    def under(self, name: str, key: str, work_out: Callable[[], Iterable[Problem]]) -> list[Problem]:
        """What `work_out` yields, kept under a name as long as the key is the same. It is the id of no record."""
        self._keys[name] = key
        if self._old["keys"].get(name) == key:
            return self._kept(name)
        found = list(work_out())
        self._keep(name, found)
        return found

    def holds(self, name: str, key: str, is_so: Callable[[], bool]) -> bool:
        """Whether something is so, kept under a name as long as the key is the same."""
        yes, no = f"{key} yes", f"{key} no"
        known = self._old["keys"].get(name)
        self._keys[name] = known if known in (yes, no) else yes if is_so() else no
        return self._keys[name] == yes

    def _kept(self, name: str) -> list[Problem]:
        """The problems of the last time, for the next as well."""
        kept = self._old["problems"].get(name)
        if kept is None:
            return []
        self._problems[name] = kept
        return unpack(kept)

    def _keep(self, name: str, found: list[Problem]) -> None:
        if found:
            self._problems[name] = pack(found)
        self._fresh = True

    def save(self) -> None:
        """Keep everything that was asked for."""
        new = {"keys": self._keys, "problems": self._problems}
        if self._fresh or any(self._old[part] != value for part, value in new.items()):
            self.cache.write_lines("memo", [encode({**new, "state": self.state.document()}), *self._lines])
