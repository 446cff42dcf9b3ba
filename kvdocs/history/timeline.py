"""Commits of the registry -> the history of its records, kept by commit so that only new commits are read again.

Records are compared by id, so a record that moves to another file does not change.
A file that cannot be read at some commit is compared with what it last held when it can be read again.
A merge is credited with what differs from every parent: the rest belongs to the commits that it joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import groupby
from typing import Any

from kvdocs.cache import Cache
from kvdocs.history.change import FILE, Change, FieldChange, compare, shown
from kvdocs.history.git import WORKING, Commit, Contents, GitError, Repository, Touched
from kvdocs.history.topics import kind_of, topics_of
from kvdocs.kind import Kind
from kvdocs.kinds import all_kinds
from kvdocs.project import Project
from kvdocs.source import natural_key, parse_records

CACHE_NAME = "history"
SCHEMA = "kvdocs/history/v1"

State = dict[str, tuple[Kind, Mapping[str, Any]]]
"""Records by id, with their kind."""


@dataclass(frozen=True)
class History:
    """All changes, the oldest first, and at the end what is not committed. `limits` says in sentences what cannot be known here.

    `selected` is what `since` was asked for, in words; empty for the whole.
    """

    changes: tuple[Change, ...]
    limits: tuple[str, ...] = ()
    selected: str = ""

    def of(self, record: str) -> tuple[Change, ...]:
        """The changes of a record, under its earlier ids too."""
        names = {record}
        for change in reversed(self._renames):
            if change.record in names and change.before is not None:
                names.add(change.before)
        if len(names) == 1:
            return tuple(self._by_record.get(record, ()))
        return tuple(change for change in self.changes if change.record in names)

    @cached_property
    def _renames(self) -> list[Change]:
        return [change for change in self.changes if change.field == "id"]

    @cached_property
    def _by_record(self) -> Mapping[str, list[Change]]:
        found: dict[str, list[Change]] = {}
        for change in self.changes:
            found.setdefault(change.record, []).append(change)
        return found

    def by_commit(self) -> list[list[Change]]:
        """The changes of each commit in their order, the newest commit first; what is not committed comes before all."""
        return [list(group) for _, group in groupby(self.changes, key=lambda c: c.commit)][::-1]

    def document(self) -> dict[str, Any]:
        """The history as `kvdocs log --json` prints it, the newest first."""
        return {"schema": SCHEMA, "since": self.selected or None, "limits": list(self.limits), "changes": [{**asdict(c), "words": c.words} for group in self.by_commit() for c in group]}


def read_history(project: Project, kinds: tuple[Kind, ...] | None = None) -> History:
    """The history of a project, from git where there is some; it never fails, and says what it cannot know."""
    try:
        return _read(project, kinds or all_kinds())
    except GitError as error:
        return History((), (f"There is no history here: {error}.",))


def since(history: History, project: Project, point: str) -> History:
    """The changes after a point: a day (`2026-08-24`, in UTC, that day included) or a tag, branch or commit (its own changes left out).

    What is not committed always belongs to it. GitError when the point means neither.
    """
    day = _day(point)
    if day is not None:
        kept = [c for c in history.changes if c.date is None or datetime.fromisoformat(c.date).astimezone(UTC).date() >= day]
        return History(tuple(kept), history.limits, f"{day}")
    repository = Repository(project.root)
    commit = repository.commit(point)
    if commit is None:
        tags = repository.tags()
        known = f"; the newest tags are {', '.join(tags[:5])}" if tags else "; there are no tags here"
        raise GitError(f"{point!r} is neither a day such as 2026-08-24 nor a tag or commit{known}")
    before = repository.ancestors(commit)
    return History(tuple(c for c in history.changes if c.commit is None or c.commit not in before), history.limits, point)


def by_release(history: History, project: Project) -> list[tuple[str | None, History]]:
    """The history cut at the tags of the repository, the newest part first; the part after the newest tag has no name. Parts without changes are left out."""
    repository = Repository(project.root)
    try:
        head = repository.head()
        releases = repository.releases(head) if head is not None else []
    except GitError:
        releases = []
    parts: list[tuple[str | None, History]] = []
    released: set[str] = set()
    for name, commits in releases:
        released |= commits
        parts.append((name, History(tuple(c for c in history.changes if c.commit in commits))))
    parts.append((None, History(tuple(c for c in history.changes if c.commit is None or c.commit not in released))))
    return [(name, part) for name, part in reversed(parts) if part.changes]


def _day(point: str) -> date | None:
    try:
        return date.fromisoformat(point) if len(point) == 10 else None
    except ValueError:
        return None


@dataclass
class _Kept:
    """What was worked out up to a commit. `held` is the last readable content of files that cannot be read since."""

    head: str
    beginnings: tuple[str, ...]
    changes: list[Change] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)
    boundary: str | None = None

    def document(self) -> dict[str, Any]:
        return {"head": self.head, "beginnings": list(self.beginnings), "changes": [list(asdict(c).values()) for c in self.changes], "held": self.held, "boundary": self.boundary}


def _read(project: Project, kinds: tuple[Kind, ...]) -> History:
    repository = Repository(project.root)
    head = repository.head()
    beginnings = repository.beginnings()
    limits = []
    committed: list[Change] = []
    with repository.contents() as contents:
        reader = _Reader(contents, kinds, beginnings)
        if head is not None:
            kept = _committed(repository, reader, head, beginnings, project.open_cache())
            committed = kept.changes
            if beginnings:
                limits.append(_shallow_words(kept.boundary))
        working = reader.changes_of(Commit(WORKING, (), "", "", "not committed", tuple(repository.uncommitted(head))))
    if head is None:
        limits.append("Nothing is committed yet.")
    return History((*committed, *working), tuple(limits))


def _shallow_words(boundary: str | None) -> str:
    where = f" It begins on {boundary}, and what was there then came at that time or earlier." if boundary else ""
    return f"This clone is shallow: it does not hold the whole history.{where} `git fetch --unshallow` brings the rest."


def _committed(repository: Repository, reader: _Reader, head: str, beginnings: tuple[str, ...], cache: Cache) -> _Kept:
    """The changes up to `head`: those that are kept, and those of the commits since."""
    kept = _kept(cache.read(CACHE_NAME), beginnings)
    if kept is not None and kept.head == head:
        reader.held = kept.held
        return kept
    if kept is not None and kept.head not in repository.ancestors(head):
        kept = None
    if kept is None:
        kept = _Kept(head, beginnings)
    reader.held = kept.held
    for commit in repository.commits(head, kept.head if kept.head != head else None):
        if commit.id in beginnings:
            kept.boundary = commit.date[:10]
        kept.changes += reader.changes_of(commit)
    kept.head = head
    cache.write(CACHE_NAME, kept.document())
    return kept


def _kept(document: Any, beginnings: tuple[str, ...]) -> _Kept | None:
    """What the cache holds; None when it is not of this form, or of a clone that began elsewhere."""
    try:
        kept = _Kept(document["head"], tuple(document["beginnings"]), [Change(*values) for values in document["changes"]], dict(document["held"]), document["boundary"])
    except (TypeError, KeyError, ValueError):
        return None
    return kept if kept.beginnings == beginnings else None


class _Reader:
    """Turns the files of a commit into changes of records."""

    def __init__(self, contents: Contents, kinds: tuple[Kind, ...], beginnings: Sequence[str]) -> None:
        self.contents = contents
        self.kinds = kinds
        self.beginnings = frozenset(beginnings)
        self.held: dict[str, str] = {}

    def changes_of(self, commit: Commit) -> list[Change]:
        """The changes that a commit made; none for the first commit of a shallow clone, since what came before it is not known."""
        files = [file for file in commit.files if kind_of(file.path, self.kinds) is not None]
        sides = max((len(file.before) for file in files), default=1)
        after, unreadable = self._after(files)
        if commit.id in self.beginnings:
            return []
        against = [list(self._differences(self._before(files, side, unreadable), after)) for side in range(sides)]
        found = _in_all(against)
        found += [FieldChange(path, kind.name, FILE, None, f"{path} cannot be read: {message}", "other") for path, (kind, message) in unreadable.items()]
        return [_made(commit, change) for change in found]

    def _after(self, files: Sequence[Touched]) -> tuple[State, dict[str, tuple[Kind, str]]]:
        """The records after the commit, and the files that cannot be read."""
        state: State = {}
        unreadable: dict[str, tuple[Kind, str]] = {}
        for file in files:
            kind = kind_of(file.path, self.kinds)
            if file.after is None or kind is None:
                self.held.pop(file.path, None)
                continue
            records = self._records(file.after, file.path, kind)
            if isinstance(records, str):
                unreadable[file.path] = (kind, records)
            else:
                state.update(records)
        return state, unreadable

    def _before(self, files: Sequence[Touched], side: int, unreadable: Mapping[str, object]) -> State:
        """The records before the commit, in the parent with this number; of files that become unreadable nothing is said."""
        state: State = {}
        for file in files:
            name = file.before[min(side, len(file.before) - 1)]
            kind = kind_of(file.path, self.kinds)
            if name is None or kind is None:
                continue
            records = self._records(name, file.path, kind)
            readable = not isinstance(records, str)
            if file.path in unreadable:
                if readable:
                    self.held[file.path] = name
                continue
            held = self.held.pop(file.path, None)
            if not readable and held is not None:
                records = self._records(held, file.path, kind)
            if not isinstance(records, str):
                state.update(records)
        return state

    def _records(self, name: str, path: str, kind: Kind) -> State | str:
        """The records of a file by id, or why it cannot be read."""
        data = self.contents.read(name, path)
        if data is None:
            return "its content is not in this clone"
        raws, problems = parse_records(data, self.contents.root, path)
        if problems and not raws:
            return problems[0].message
        return {str(raw.data["id"]): (kind, raw.data) for raw in raws if raw.data.get("id") is not None}

    def _differences(self, before: State, after: State) -> Iterator[FieldChange]:
        """By kind and id: what came, what went, what got another id, and which fields changed."""
        renamed = dict(_renames(before, after))
        names = sorted({*before, *after}, key=lambda name: ((after.get(name) or before[name])[0].position, natural_key(name)))
        for name in names:
            if name in before and name in after:
                kind, data = after[name]
                yield from compare(name, kind.name, before[name][1], data, topics_of(kind))
            elif name in renamed:
                kind, data = after[name]
                yield FieldChange(name, kind.name, "id", renamed[name], name, "record")
                yield from (c for c in compare(name, kind.name, before[renamed[name]][1], data, topics_of(kind)) if c.field != "formerly")
            elif name in after:
                yield FieldChange(name, after[name][0].name, "", None, _title(after[name][1]), "record")
            elif name not in renamed.values():
                yield FieldChange(name, before[name][0].name, "", _title(before[name][1]), None, "record")


def _made(commit: Commit, change: FieldChange) -> Change:
    """A change with the commit that made it; with none when it is not committed."""
    made: tuple[str | None, str | None, str | None] = (None, None, None) if commit.id == WORKING else (commit.id, commit.date, commit.author)
    return Change(made[0], made[1], made[2], commit.subject, change.record, change.kind, change.field, change.before, change.after, change.topic)


def _title(data: Mapping[str, Any]) -> str:
    return shown(data.get("title")) or str(data.get("id"))


def _renames(before: State, after: State) -> Iterator[tuple[str, str]]:
    """New ids with the old ones that their records name in `formerly`, or whose records say the same otherwise."""
    gone = {name: entry for name, entry in before.items() if name not in after}
    for name, (kind, data) in after.items():
        if name not in before:
            former = data.get("formerly")
            told = [old for old in former if old in gone and gone[old][0] is kind] if isinstance(former, list) else []
            same = told[-1] if told else next((old for old, (k, d) in gone.items() if k is kind and _without_id(d) == _without_id(data)), None)
            if same is not None:
                del gone[same]
                yield name, same


def _without_id(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != "id"}


def _in_all(against: Sequence[Iterable[FieldChange]]) -> list[FieldChange]:
    """The changes against the first parent that are changes against every other parent too, to the same value."""
    first, *others = [list(changes) for changes in against]
    ends = [{(c.record, c.field, c.after) for c in changes} for changes in others]
    return [c for c in first if all((c.record, c.field, c.after) in end for end in ends)]
