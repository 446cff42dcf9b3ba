"""What the site's source is made of: units that are made as a whole, each with what it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kvdocs.history.page import history_files
from kvdocs.history.timeline import by_release, read_history
from kvdocs.pages.context import Publication
from kvdocs.pages.counts import counts_page
from kvdocs.pages.data import record_file, redirects_to, source_file, state_files
from kvdocs.pages.evidence import evidence_page
from kvdocs.pages.faults import problems_page
from kvdocs.pages.graph import graph_page
from kvdocs.pages.home import home_page
from kvdocs.pages.lists import list_page, list_parts
from kvdocs.pages.logs import logs_of
from kvdocs.pages.ordering import order_page
from kvdocs.pages.page import DataFile, Page
from kvdocs.pages.published import published_page
from kvdocs.pages.record import record_page_of
from kvdocs.pages.search_data import search_files
from kvdocs.project import Project
from kvdocs.site.salt import contents_of

if TYPE_CHECKING:
    from kvdocs.pages.program import CommandHelp

Made = Iterable[Page | DataFile]
Commands = Callable[[], "Sequence[CommandHelp]"]


class Depends(Enum):
    """What a unit depends on.

    NOTED: what it looks at in the publication that it is made from, which is noted.
    EVERYTHING: all records, problems, the order of work, and what changed when.
    PROGRAM: the program alone.
    Every unit depends on its key too.
    """

    NOTED = "noted"
    EVERYTHING = "everything"
    PROGRAM = "program"


class Unit(NamedTuple):
    """Files that are made together. `files` are those of the registry that it reads by itself."""

    name: str
    depends: Depends
    make: Callable[[Publication], Made]
    key: str = ""
    files: tuple[str, ...] = ()


def units(project: Project, publication: Publication, commands: Commands) -> Iterator[Unit]:
    """Everything that is made from the registry and from the program itself, in the order of the site."""
    yield _whole("home", lambda p: [home_page(p)])
    yield _whole("graph", lambda p: [graph_page(p)])
    yield from _lists(publication)
    yield from _records(publication)
    of_records = {entry.path for entry in publication.registry}
    yield from _reports(project)
    yield from _reference(project, commands)
    for path in sorted(publication.source_paths - of_records):
        yield Unit(f"source {path}", Depends.NOTED, partial(source_file, path))


def _whole(name: str, make: Callable[[Publication], Made]) -> Unit:
    return Unit(name, Depends.EVERYTHING, make)


def _lists(publication: Publication) -> Iterator[Unit]:
    """The parts of each list. A part depends on its own records, and on where the others begin and end."""
    for kind in publication.registry.kinds:
        ids = [entry.id for entry in publication.registry.of(kind.name)]
        parts = list_parts(ids)
        ends = " ".join(f"{part[0]} {part[-1]}" for part in parts)
        for number, part in enumerate(parts, 1):
            if publication.addresses.kind(kind) is not None:
                make = partial(_list, kind.name, ids, number)
                yield Unit(f"list {kind.folder} {number}", Depends.NOTED, make, _digest(f"{len(ids)} {ends} {' '.join(part)}"))


def _list(kind: str, ids: Sequence[str], number: int, publication: Publication) -> Made:
    return [list_page(next(k for k in publication.registry.kinds if k.name == kind), ids, number, publication)]


def _records(publication: Publication) -> Iterator[Unit]:
    """The page of each record with its data for programs, the addresses that it had before, its logs, and with the first record of a file a copy of the file."""
    told: set[str] = set()
    for entry in publication.registry:
        path = entry.path
        source = path if path not in told and path in publication.source_paths else ""
        told.add(path)
        folder = path.rpartition("/")[0] if entry.kind.name == "result" else ""
        yield Unit(f"record {entry.id}", Depends.NOTED, partial(_record, entry.id, source), source, (folder,) if folder else ())


def _record(record_id: str, source: str, publication: Publication) -> Iterator[Page | DataFile]:
    entry = publication.registry.get(record_id)
    assert entry is not None
    yield from record_page_of(entry, publication)
    if source:
        yield from source_file(source, publication)
    yield record_file(entry, publication)
    yield from redirects_to(entry, publication)
    if entry.kind.name == "result":
        yield from logs_of(entry)


def _reports(project: Project) -> Iterator[Unit]:
    yield _whole("evidence", lambda p: [evidence_page(p)])
    yield Unit("published", Depends.NOTED, lambda p: [published_page(p)])
    yield _whole("problems", lambda p: [problems_page(p)])
    yield _whole("counts", lambda p: [counts_page(p)])
    yield _whole("order", lambda p: [order_page(p)])
    yield Unit("history", Depends.EVERYTHING, lambda p: history_files(project, p), _digest(repr(by_release(read_history(project), project))))
    yield _whole("state", state_files)
    yield _whole("search", search_files)


def _reference(project: Project, commands: Commands) -> Iterator[Unit]:
    examples, documents = project.root / "tests" / "problems", project.root / "tests" / "docs" / "documents"
    yield Unit("codes", Depends.EVERYTHING, partial(_codes, examples if examples.is_dir() else None), contents_of(examples))
    yield Unit("program", Depends.PROGRAM, partial(_program, commands, documents if documents.is_dir() else None), contents_of(documents))


def _codes(examples: Path | None, publication: Publication) -> Made:
    from kvdocs.pages.codes import codes_page

    return [codes_page(publication, examples)]


def _program(commands: Commands, documents: Path | None, publication: Publication) -> Made:
    """What is made from the program: nothing of it is loaded as long as the program is the same."""
    from kvdocs.pages.data import schema_files
    from kvdocs.pages.fields import fields_page
    from kvdocs.pages.json_page import json_page
    from kvdocs.pages.program import commands_page, modules_page

    return [fields_page(publication), commands_page(commands()), json_page(documents), modules_page(), *schema_files(publication)]


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
