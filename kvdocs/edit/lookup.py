"""Records by their id as the files have them, readable or not: a record that fails the checks can be edited too."""

from __future__ import annotations

import re
from typing import NamedTuple

from kvdocs.edit.text import EditError
from kvdocs.kind import Kind
from kvdocs.load import load_registry
from kvdocs.numbered import those_there_are
from kvdocs.problems import did_you_mean, renamed
from kvdocs.project import Project
from kvdocs.source import RawRecord, natural_key, read_records


class Found(NamedTuple):
    """A record as read, and its kind."""

    kind: Kind
    raw: RawRecord
    id: str

    @property
    def place(self) -> str:
        """`path:line`, as `--at` takes it."""
        return f"{self.raw.path}:{self.raw.line}"


def all_records(project: Project, kinds: tuple[Kind, ...]) -> list[Found]:
    """Every record whose file can be read, with duplicates and with those that have faults, in the order of the kinds and ids."""
    registry, problems = load_registry(project, kinds)
    sound = {(entry.path, entry.raw.index): Found(entry.kind, entry.raw, entry.id) for entry in registry}
    folders = {kind.folder: kind for kind in kinds}
    for path in sorted({p.place.path for p in problems}):
        kind = folders.get(path.split("/")[1] if path.startswith("registry/") else "")
        if kind is not None and (project.root / path).is_file():
            raws, _ = read_records(project.root, path)
            sound |= {(raw.path, raw.index): Found(kind, raw, str(raw.data.get("id", ""))) for raw in raws}
    return sorted(sound.values(), key=lambda f: (f.kind.position, natural_key(f.id), f.raw.path))


def file_names(project: Project, kind: Kind) -> list[str]:
    """The names of the files of a kind, without their ending; readable or not."""
    return [path.stem for path in (project.registry / kind.folder).rglob("*") if path.suffix in (".yaml", ".yml") and not path.name.startswith(".")]


def find_record(project: Project, kinds: tuple[Kind, ...], record_id: str, at: str | None = None) -> Found:
    """The one record of this id; `at` (`path` or `path:line`) picks one of several. EditError when there is none or no telling."""
    records = all_records(project, kinds)
    found = [f for f in records if f.id == record_id]
    if not found:
        if any(name == record_id or name.startswith(f"{record_id}-") for kind in kinds for name in file_names(project, kind)):
            raise EditError(f"the file of {record_id} cannot be read", "`kvdocs check` says what is wrong with it")
        now = next((f.id for f in records if isinstance(names := f.raw.data.get("formerly"), list) and record_id in names), None)
        known = [f.id for f in records]
        raise EditError(f"no record has the id {record_id!r}", renamed(record_id, now) if now else did_you_mean(record_id, known) or those_there_are(record_id, known))
    if at is not None:
        return _at(found, at)
    if len(found) > 1:
        places = ", ".join(f.place for f in found)
        raise EditError(f"{len(found)} records have the id {record_id}: {places}", f"give one of them a new id: `kvdocs rename {record_id} NEW --at {found[-1].place}`")
    return found[0]


def _at(found: list[Found], at: str) -> Found:
    path, _, line = at.partition(":")
    here = [f for f in found if f.raw.path == path.removeprefix("./") and (not line or f.raw.line <= int(line.split(":")[0] or 0))]
    if not here:
        raise EditError(f"no record {found[0].id} stands at {at}", "it stands at " + " and ".join(f.place for f in found))
    return here[-1] if line else here[0]


def editable(found: Found) -> Found:
    """The record, unless it is one that the program writes."""
    if found.raw.path.endswith(".json"):
        raise EditError(f"{found.id} is the record of an execution: it is sealed, and no command changes it")
    return found


def next_id(project: Project, kinds: tuple[Kind, ...], kind: Kind) -> str:
    """The first number behind all that the registry has had: those of `formerly` and of unreadable files count."""
    assert kind.prefix is not None
    form = re.compile(rf"{kind.prefix}([1-9][0-9]*)")
    names: set[str] = {name.split("-")[0] for name in file_names(project, kind)}
    for found in (f for f in all_records(project, kinds) if f.kind is kind):
        former = found.raw.data.get("formerly")
        names |= {found.id, *(str(name) for name in (former if isinstance(former, list) else ()))}
    numbers = [int(match[1]) for name in names if (match := form.fullmatch(name))]
    return f"{kind.prefix}{max(numbers, default=0) + 1}"


def slug(title: str, limit: int = 48) -> str:
    """A title as part of a file name: lower-case letters and digits with dashes, cut at a word."""
    from unicodedata import normalize

    plain = normalize("NFKD", title.replace("`", "")).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    text = ""
    for word in words:
        if len(text) + len(word) + 1 > limit:
            break
        text = f"{text}-{word}" if text else word
    return text
