"""Files for programs: each record and the whole as JSON, the order, the problems, JSON Schema, redirects, sources."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kvdocs.document import SCHEMA, record_document
from kvdocs.entry import Entry
from kvdocs.markup import Dialect
from kvdocs.pages.context import Publication
from kvdocs.pages.page import DataFile
from kvdocs.reports import json_document as problems_document
from kvdocs.two_parts import Chunk

REGISTRY_SCHEMA = "kvdocs/registry/v1"

BETWEEN = b", "
"""What stands between the parts of a document that are joined."""


def record_file(entry: Entry, publication: Publication) -> DataFile:
    """A record as JSON."""
    return _json(f"api/records/{entry.id}.json", record_document(entry, publication.registry, publication.order, publication.at("").computed("evidence", entry.id)))


def registry_file(publication: Publication, documents: Iterable[Chunk]) -> DataFile:
    """All records in one file. Together, `documents` are those of `record_file` in the order of the registry, with `BETWEEN` between them."""
    registry = publication.registry
    counts = {kind.name: len(entries) for kind in registry.kinds if (entries := registry.of(kind.name))}
    head = json.dumps({"schema": REGISTRY_SCHEMA, "title": publication.settings.title, "counts": counts}, ensure_ascii=False)
    return DataFile("api/registry.json", b"".join([f'{head[:-1]}, "records": ['.encode(), *documents, b"]}\n"]))


def state_files(publication: Publication) -> Iterator[DataFile]:
    """The order of work and the problems."""
    yield _json("api/order.json", publication.order.document())
    yield _json("api/problems.json", problems_document(publication.problems))


def schema_files(publication: Publication) -> Iterator[DataFile]:
    """JSON Schema of the records."""
    yield _json("api/schema/record.json", record_schema())
    for kind in publication.registry.kinds:
        yield _json(f"api/schema/{kind.name}.json", kind.model.model_json_schema())


def _json(path: str, value: Any) -> DataFile:
    """A document in one line: with line breaks the standard library takes ten times as long."""
    return DataFile(path, f"{json.dumps(value, ensure_ascii=False)}\n".encode())


def record_schema() -> Mapping[str, Any]:
    """JSON Schema of `api/records/ID.json`; the shape of `fields` is that of its kind, in `api/schema/KIND.json`."""
    text = {"type": "string"}
    link = {"type": "object", "required": ["field"], "properties": {"field": text, "to": text, "from": text, "kind": text}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of the registry",
        "type": "object",
        "required": ["schema", "id", "kind", "title", "path", "line", "order", "computed", "left_out", "evidence", "fields", "links", "back_links"],
        "properties": {
            "schema": {"const": SCHEMA},
            "id": text, "kind": text, "title": text, "path": text,
            "line": {"type": "integer", "minimum": 1},
            "order": {"type": ["object", "null"], "description": "Its row in order.json, for items, decisions and what they wait for."},
            "computed": {"type": ["object", "null"], "description": "What is computed for it: figures, or the verdict of a claim."},
            "left_out": {"type": ["object", "null"], "description": "Of an execution that was withdrawn or superseded: by whom, when and why."},
            "evidence": {"type": ["object", "null"], "description": "What executions say of it; null when nothing was executed for it."},
            "fields": {"type": "object", "description": "As in the YAML, with the defaults filled in; see KIND.json."},
            "links": {"type": "array", "items": link},
            "back_links": {"type": "array", "items": link},
        },
    }  # fmt: skip


def redirects(publication: Publication) -> Iterator[DataFile]:
    """A small page at the address of each former id that leads to the record's present one."""
    for entry in publication.registry:
        yield from redirects_to(entry, publication)


def redirects_to(entry: Entry, publication: Publication) -> Iterator[DataFile]:
    """The pages at the former ids of one record, those left out that lead to another record already."""
    for former in dict.fromkeys(entry.record.formerly):
        if not publication.registry.has(former) and publication.registry.formers[former][0] == entry.id:
            from html import escape

            target = f"../{entry.id}/"
            yield DataFile(
                f"records/{former}/index.html",
                (f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(former)} is now {escape(entry.id)}</title>\n'
                f'<link rel="canonical" href="{target}">\n<meta name="robots" content="noindex">\n<meta http-equiv="refresh" content="0; url={target}">\n</head>\n'
                f'<body><p>{escape(former)} is now <a href="{target}">{escape(entry.id)}</a>.</p></body>\n</html>\n').encode(),
            )


def sources(publication: Publication) -> Iterator[DataFile]:
    """A copy of each file of the registry that pages speak of."""
    for path in sorted(publication.source_paths):
        yield from source_file(path, publication)


def source_file(path: str, publication: Publication) -> Iterator[DataFile]:
    """The copy of one file of the registry, when the output carries it: a site does not where the settings name a host for them."""
    if publication.settings.source_url and publication.addresses.dialect is Dialect.SITE:
        return
    address = publication.addresses.source(path)
    if address is not None:
        yield DataFile(address, publication.registry.content(path).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").encode())
