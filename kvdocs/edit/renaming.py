"""A record under a new id: in its file, in every link, in prose, in pages, and in the name of its file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from kvdocs.edit.drafts import Draft
from kvdocs.edit.lookup import Found, all_records, editable, find_record
from kvdocs.edit.occurrences import Occurrence, Search, markdown_pages
from kvdocs.edit.operations import Append, Assign
from kvdocs.edit.ownership import shares
from kvdocs.edit.splice import edited
from kvdocs.edit.text import EditError, YamlText
from kvdocs.kind import Kind
from kvdocs.registry import Registry
from kvdocs.source import SourceError

MAX_NOTES = 20
"""How many places that were left alone are named one by one."""


def rename(draft: Draft, kinds: tuple[Kind, ...], registry: Registry, old: str, new: str, at: str | None = None) -> list[str]:
    """Draft the new id of a record, and give the notes for the reader: what was left alone.

    With `at`, one of several records of that id is meant. It gets the new id where git or the kind of a link tells that it is meant;
    the places that could mean either stay as they are, and the notes name them.
    EditError when the id is taken or does not fit, or when executed results name the record.
    """
    records = all_records(draft.project, kinds)
    found = editable(find_record(draft.project, kinds, old, at))
    others = [f for f in records if f.id == old and f.place != found.place]
    _check_new_id(found, new, records)
    search = Search(old, registry, draft.project.settings.repository)
    occurrences, unread = search.in_records(draft, records)
    for path, text in markdown_pages(draft):
        occurrences += search.in_page(path, text)
    _refuse_sealed(records, old, registry)
    notes = [f"{path} cannot be read whole, so its mentions of {old} were left alone" for path in dict.fromkeys(unread)]
    if others:
        occurrences, unclear = shares(draft.project, occurrences, found, others)
        notes += [f"{o.path}:{o.line} names {old} and could mean either record: change it by hand if it means {new}" for o in unclear]
    _replace(draft, occurrences, new)
    _rename_record(draft, found, old, new, keep_old=not others)
    paths = {f.raw.path for f in records if not f.raw.path.endswith(".json")} - {found.raw.path} | {_move_file(draft, found, old, new)}
    return notes if others else [*notes, *_left_alone(draft, sorted(paths), search)]


def _check_new_id(found: Found, new: str, records: list[Found]) -> None:
    if not found.kind.accepts_id(new):
        raise EditError(f"the id of a record of kind {found.kind.name} is {found.kind.prefix} and a number, not {new!r}")
    taken = next((f for f in records if f.id.lower() == new.lower() and f.place != found.place), None)
    if taken is not None:
        raise EditError(f"the id {taken.id} is taken: {taken.place}")
    if new == found.id:
        raise EditError(f"{new} is its id already")


def _refuse_sealed(records: list[Found], old: str, registry: Registry) -> None:
    """Results are sealed with a digest: what they name keeps its id."""
    for back in registry.links_to(old):
        if back.entry.path.endswith(".json"):
            raise EditError(f"{old} is named by the result {back.entry.id}, which is sealed: it keeps its id", back.entry.path)


def _replace(draft: Draft, occurrences: Iterable[Occurrence], new: str) -> None:
    """Put the new id into every place, from the end of each file to its start."""
    for o in sorted(set(occurrences), key=lambda o: (o.path, o.start), reverse=True):
        if o.role == "page":
            page = (draft.read(o.path) or b"").decode()
            draft.write(o.path, (page[: o.start] + new + page[o.end :]).encode())
        else:
            draft.write(o.path, draft.text(o.path).spliced(o.start, o.end, new).encode())


def _rename_record(draft: Draft, found: Found, old: str, new: str, *, keep_old: bool) -> None:
    text = edited(draft.text(found.raw.path), found.raw.index, found.kind.model, Assign(("id",), new))
    if keep_old and "formerly" in found.kind.model.model_fields:
        text = edited(text, found.raw.index, found.kind.model, Append(("formerly",), old))
    draft.write(found.raw.path, text.encode())


def _move_file(draft: Draft, found: Found, old: str, new: str) -> str:
    """A file that is named for the id, alone or with the title behind it, gets the new one; where the record is then."""
    path = PurePosixPath(found.raw.path)
    if found.raw.index is not None or not (path.stem == old or path.stem.startswith(f"{old}-")):
        return found.raw.path
    target = str(path.with_name(new + path.name[len(old) :]))
    draft.move(found.raw.path, target)
    return target


def _left_alone(draft: Draft, paths: Iterable[str], search: Search) -> list[str]:
    """Places that look like the id and are no reference by the rules of prose: code, commands, outputs."""
    places = []
    for path in paths:
        try:
            text = YamlText.read(draft.read(path) or b"").text
        except SourceError:
            continue
        places += [(path, line, words) for line, words in search.leftovers(text) if not words.startswith("formerly:")]
    for path, text in markdown_pages(draft):
        places += [(path, line, words) for line, words in search.leftovers(text)]
    notes = [f"left alone: {path}:{line}: {words if len(words) <= 100 else words[:97] + '...'}" for path, line, words in places[:MAX_NOTES]]
    return notes + ([f"left alone: {len(places) - MAX_NOTES} more places"] if len(places) > MAX_NOTES else [])
