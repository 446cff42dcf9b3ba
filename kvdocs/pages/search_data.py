"""What the search looks through for whole phrases: ids, titles, and every text of a record, as one file for the browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kvdocs import markup
from kvdocs.cited import title_of, with_figures
from kvdocs.document import plain
from kvdocs.entry import Entry
from kvdocs.kinds.result import Result
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import DataFile
from kvdocs.registry import Registry

PATH = "api/search.json"
SCRIPT = "search/search_index.js"
"""The engine's own script asks for this file when the site is opened from a file."""
SCHEMA = "kvdocs/search/v1"
LONGEST = 6000
"""So many characters of a record are looked through."""

LEFT_OUT = ("id", "title", "acknowledged", "digest", "schema")


def search_files(publication: Publication) -> Iterator[DataFile]:
    """One row for each record, in the order in which equal hits are shown: id, kind, title, and its texts in small letters.

    The same twice: a browser that opened the site from a file reads no JSON there, but runs a script.
    The engine's search cannot run there at all, so its own index stays empty.
    """
    context = publication.at(PATH)
    rows = context.joined("row", b",", publication.registry, _row)
    parts = [f'{{"schema":{json.dumps(SCHEMA)},"records":['.encode(), *rows, b"]}"]
    yield DataFile(PATH, b"".join([*parts, b"\n"]))
    yield DataFile(SCRIPT, b"".join([b'var __index = {"config": {"lang": ["en"], "separator": " "}, "docs": []};\nwindow.kvdocsSearch = ', *parts, b";\n"]))


def _row(entry: Entry, context: PageContext) -> bytes:
    row = [entry.id, entry.kind.name, markup.plain(title_of(entry, context.registry)), _text(entry, context.registry)]
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def _text(entry: Entry, registry: Registry) -> str:
    if isinstance(entry.record, Result):
        # Of an execution the reasons of its verdict: its log is too long to be carried by every reader.
        return " ".join(map(str, entry.record.judgement.get("reasons", ()))).lower().replace("`", "")
    fields = plain(entry.record.model_dump(exclude=set(LEFT_OUT)))
    return " ".join(" ".join(with_figures(text, registry) for text in _texts(fields)).lower().replace("`", "").split())[:LONGEST]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        if value.get("path") and value.get("line"):
            # A place is written `file:12`; in the record it is two fields.
            yield f"{value['path']}:{value['line']}"
        for name, inner in value.items():
            if name not in ("path", "line"):
                yield from _texts(inner)
