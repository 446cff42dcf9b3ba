"""Memo: problems of one record, kept with a note of every other record that was looked at to find them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeVar

from kvdocs.cache import Cache
from kvdocs.model import LinkField, Record
from kvdocs.problems import Problem, pack, unpack
from kvdocs.registry import BackLink, Entry, Registry

R = TypeVar("R", bound=Record)
Look = tuple[str, str]
"""Something that was looked at: ("get", id), ("of", kind), ("to", id), or ("all", "")."""


class Recorder(Registry):
    """A registry that notes what is looked up in it. It gives what the registry behind it gives."""

    def __init__(self, registry: Registry) -> None:
        self._behind = registry
        self.looks: dict[Look, None] = {}
        self.kinds = registry.kinds
        self.prefixes = registry.prefixes

    def _note(self, what: str, name: str = "") -> Registry:
        self.looks[(what, name)] = None
        return self._behind

    @property
    def entries(self) -> Any:  # type: ignore[override]  # the attribute of the base is read through a note here
        return self._note("all").entries

    @property
    def broken(self) -> frozenset[str]:  # type: ignore[override]  # as above
        return self._note("all").broken

    def __len__(self) -> int:
        return len(self._note("all"))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._note("all"))

    def get(self, record_id: str) -> Entry | None:
        return self._note("get", record_id).get(record_id)

    def has(self, record_id: str) -> bool:
        return self._note("get", record_id).has(record_id)

    def has_slug(self, word: str) -> bool:
        return self._note("get", word).has_slug(word)

    def reference(self, repository: str, number: int) -> str | None:
        return self._note("of", "reference").reference(repository, number)

    def of(self, kind: str) -> list[Entry]:
        return self._note("of", kind).of(kind)

    def records(self, kind: str, model: type[R]) -> list[R]:
        return self._note("of", kind).records(kind, model)

    def record(self, record_id: str, model: type[R]) -> R | None:
        return self._note("get", record_id).record(record_id, model)

    def links_from(self, record_id: str) -> tuple[LinkField, ...]:
        return self._note("get", record_id).links_from(record_id)

    def links_to(self, record_id: str) -> list[BackLink]:
        return self._note("to", record_id).links_to(record_id)

    def pointing_at(self, record_id: str, kind: str, field: str) -> list[Entry]:
        return self._note("to", record_id).pointing_at(record_id, kind, field)


class Digests:
    """The digest of everything that can be looked at in a registry, each worked out when it is asked for."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._known: dict[Look, str] = {}

    def of(self, look: Look) -> str:
        """The digest of what a look sees."""
        what, name = look
        if what == "get":
            entry = self.registry.entries.get(name)
            return entry.digest if entry is not None else ""
        known = self._known.get(look)
        if known is None:
            known = self._known[look] = self._work_out(what, name)
        return known

    def _work_out(self, what: str, name: str) -> str:
        if what == "of":
            return _joined(f"{e.id} {e.digest}" for e in self.registry.of(name))
        if what == "to":
            return _joined(f"{b.entry.id} {b.entry.digest} {b.link.loc}" for b in self.registry.links_to(name))
        return self._whole

    @cached_property
    def _whole(self) -> str:
        return _joined([*(f"{e.id} {e.digest}" for e in self.registry), *sorted(self.registry.broken)])


def _joined(lines: Iterable[str]) -> str:
    return blake2b("\n".join(lines).encode(), digest_size=12).hexdigest()


class Memo:
    """Problems by record, from one run to the next. What is asked for is kept; what is not asked for is forgotten."""

    def __init__(self, cache: Cache, registry: Registry) -> None:
        self.cache, self.registry = cache, registry
        self.digests = Digests(registry)
        self._old: dict[str, Any] = cache.read("memo") or {}
        self._new: dict[str, Any] = {}
        self._changed = False

    def problems(self, name: str, entry: Entry, work_out: Callable[[Entry, Registry], Iterable[Problem]]) -> list[Problem]:
        """What `work_out` yields for an entry; it must look at records only through the registry that it is given."""
        key = f"{name} {entry.id}"
        kept = self._old.get(key)
        if kept is not None and kept[0] == entry.digest and all(self.digests.of((what, which)) == digest for what, which, digest in kept[1]):
            self._new[key] = kept
            return unpack(kept[2]) if kept[2] else []
        recorder = Recorder(self.registry)
        found = list(work_out(entry, recorder))
        self._keep(key, entry, [[what, which, self.digests.of((what, which))] for what, which in recorder.looks], found)
        return found

    def keyed(self, name: str, entry: Entry, key: str, work_out: Callable[[], Iterable[Problem]]) -> list[Problem]:
        """What `work_out` yields for an entry, kept as long as the key is the same."""
        kept = self._old.get(f"{name} {entry.id}")
        if kept is not None and kept[0] == entry.digest and kept[1] == key:
            self._new[f"{name} {entry.id}"] = kept
            return unpack(kept[2]) if kept[2] else []
        found = list(work_out())
        self._keep(f"{name} {entry.id}", entry, key, found)
        return found

    def _keep(self, key: str, entry: Entry, condition: Any, found: list[Problem]) -> None:
        self._new[key] = [entry.digest, condition, pack(found) if found else None]
        self._changed = True

    def save(self) -> None:
        """Keep everything that was asked for."""
        if self._changed or len(self._new) != len(self._old):
            self.cache.write("memo", self._new)
