"""Registry folder -> Registry and problems. A broken record costs only itself; what was read before is not read again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

from kvdocs.cache import LEADS_OUT, LINKED_FOLDER, NO_TEXT, UNLISTED, UNNAMED, Scan
from kvdocs.entry import Entry
from kvdocs.kept import KeptRecords, ParsedFile
from kvdocs.kind import Kind
from kvdocs.problems import BAD_SETTINGS, DUPLICATE_ID, OUTSIDE_PROJECT, UNKNOWN_FOLDER, UNREADABLE, Place, Problem, did_you_mean
from kvdocs.project import SETTINGS_FILE, Project, SettingsError
from kvdocs.registry import Past, Registry
from kvdocs.source import natural_key, parse_records, unreadable


def load_registry(project: Project, kinds: tuple[Kind, ...], scan: Scan | None = None) -> tuple[Registry, list[Problem]]:
    """All records of a project, and what is wrong with the files; links are not looked at here.

    `scan` is a look at the registry's files that was taken already.
    """
    reader = _Reader(project, scan or Scan(project.root, "registry", project.open_cache()))
    for kind in kinds:
        reader.read(kind)
    reader.finish()
    problems = [*_bad_settings(project), *_unknown_folders(project, kinds), *_unfit(reader.scan, kinds), *reader.problems]
    return reader.registry(kinds), problems


class _Reader:
    """Reads the files of one kind after the other, each from the cache when its content is known."""

    def __init__(self, project: Project, scan: Scan) -> None:
        self.project, self.scan, self.cache = project, scan, scan.cache
        self.entries: dict[str, Entry] = {}
        """By their ids in small letters: two that differ only in case would share an address."""
        self.ordered: set[str] = set()
        self.past: dict[str, Past | None] = {}
        self.all_differ = True
        """Whether no id is taken twice: then nothing depends on which record has it."""
        self.problems: list[Problem] = []
        self.broken = {record_id for name in scan.unfit for record_id in _ids_by_name(name)}

    def read(self, kind: Kind) -> None:
        """Read all files of a kind, and keep what they hold for next time."""
        known = KeptRecords(self.cache, self.project.root, kind)
        paths = self._paths(kind, known)
        read = known.read(paths, self.scan.digests(paths), partial(self._parse, kind))
        self.problems += read.problems
        self.broken.update(read.broken)
        if read.ordered:
            self.ordered.add(kind.name)
        self.past[kind.name] = read.past
        self._add(read.entries)

    def finish(self) -> None:
        self.scan.save()

    def registry(self, kinds: tuple[Kind, ...]) -> Registry:
        """All entries."""
        broken = frozenset(self.broken.difference(entry.id for entry in self.entries.values())) if self.broken else frozenset()
        past = {kind: known for kind, known in self.past.items() if known is not None}
        return Registry(self.entries.values(), kinds, broken, ordered=self.ordered, past=past if len(past) == len(kinds) and self.all_differ else None)

    def _paths(self, kind: Kind, known: KeptRecords) -> list[str]:
        """The files of a kind in natural order, where people name them."""
        ends = _endings(kind)
        here = {name for name in self._by_folder.get(kind.folder, ()) if name.endswith(ends)}
        return known.paths if here == set(known.paths) else sorted(sorted(here), key=natural_key if kind.pattern == "*.yaml" else None)

    @cached_property
    def _by_folder(self) -> dict[str, list[str]]:
        """The files of the registry by the folder of their kind."""
        found: dict[str, list[str]] = {}
        for name in self.scan.files:
            _, _, rest = name.partition("/")
            found.setdefault(rest.partition("/")[0], []).append(name)
        return found

    def _parse(self, kind: Kind, path: str, digest: str) -> ParsedFile:
        """What one file holds now."""
        from kvdocs.shape import validate

        try:
            content = self.scan.take_content(path)
        except OSError as error:
            return ParsedFile(digest, (), [unreadable(path, error)], _ids_by_name(path), b"")
        raws, problems = parse_records(content, self.project.root, path)
        broken = [] if raws or not problems else _ids_by_name(path)
        entries = []
        for raw in raws:
            entry, found = validate(raw, kind)
            problems += found
            if entry is None:
                broken.append(str(raw.data.get("id", "")))
            else:
                entries.append(entry)
        return ParsedFile(digest, entries, problems, broken, content)

    def _add(self, entries: list[Entry]) -> None:
        """Take entries, less those whose id is taken."""
        new = {entry.id.lower(): entry for entry in entries}
        if len(new) == len(entries) and new.keys().isdisjoint(self.entries):
            self.entries.update(new)
            return
        self.all_differ = False
        for entry in entries:
            taken = self.entries.setdefault(entry.id.lower(), entry)
            if taken is not entry:
                self.problems.append(_duplicate(taken, entry))


def _duplicate(first: Entry, second: Entry) -> Problem:
    place = first.raw.place_of(("id",), value=True)
    return Problem(
        DUPLICATE_ID,
        f"the id {second.id} is taken" if first.id == second.id else f"the id {second.id} differs from {first.id} only in case",
        second.raw.place_of(("id",), value=True),
        second.id,
        hint=f"give one of them a new id: `kvdocs rename {second.id} NEW --at {second.raw.path}:{second.raw.line}`",
        related=((place, f"{first.id} is here too"),),
    )


def _ids_by_name(path: str) -> list[str]:
    """The ids that an unreadable file may have held: people name a file for its record, and `kvdocs new` adds the title behind a dash."""
    parts = path.split("/")
    name = parts[-1].rsplit(".", 1)[0]
    return [name, name.split("-")[0], *parts[-2:-1]]


def _endings(kind: Kind) -> tuple[str, ...]:
    """How the paths of a kind's files end."""
    return (".yaml", ".yml") if kind.pattern == "*.yaml" else (f"/{kind.pattern}",)


_REMEDIES = {UNLISTED: "give yourself the right to read it", UNNAMED: "give it a name of letters and digits"}


def _bad_settings(project: Project) -> Iterator[Problem]:
    try:
        _ = project.settings
    except SettingsError as error:
        yield Problem(BAD_SETTINGS, error.what, Place(SETTINGS_FILE, error.line, error.col))


def _unfit(scan: Scan, kinds: tuple[Kind, ...]) -> Iterator[Problem]:
    """What has the name of a record, or holds some, and is not read."""
    endings = {kind.folder: _endings(kind) for kind in kinds}
    for name, why in scan.unfit.items():
        if why not in (LINKED_FOLDER, UNLISTED) and not name.endswith(endings.get(name.split("/")[1], ())):
            continue
        code = OUTSIDE_PROJECT if why == LEADS_OUT else UNREADABLE
        yield Problem(code, f"this is not read: {why}", _place(name), hint=_REMEDIES.get(why, "put the file itself in its place"))


def _place(name: str) -> Place:
    """The place of something whose name may hold what is no character of a text."""
    return Place(NO_TEXT.sub(lambda found: ascii(found[0])[1:-1], name))


def _unknown_folders(project: Project, kinds: tuple[Kind, ...]) -> Iterator[Problem]:
    folders = {kind.folder for kind in kinds}
    if not project.registry.is_dir():
        return
    try:
        children = sorted(project.registry.iterdir())
    except PermissionError:  # `_unfit` tells of it
        return
    for child in children:
        place = _place(child.relative_to(project.root).as_posix())
        if child.name.startswith(".") or place.path == SETTINGS_FILE:
            continue
        if child.is_dir() and child.name not in folders:
            yield Problem(UNKNOWN_FOLDER, f"no kind has the folder {child.name!r}", place, hint=did_you_mean(child.name, folders) or f"known: {', '.join(sorted(folders))}")
        elif child.is_file() and child.suffix in (".yaml", ".yml"):
            yield Problem(UNKNOWN_FOLDER, "a record lies in the folder of its kind", place, hint=f"move it to one of {', '.join(sorted(folders))}")
