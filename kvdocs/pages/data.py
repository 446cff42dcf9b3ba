"""Files for programs: each record and the whole as JSON, the order, the problems, JSON Schema, redirects, sources."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from kvdocs.document import SCHEMA, record_document
from kvdocs.markup import Dialect
from kvdocs.pages.context import Publication
from kvdocs.pages.page import DataFile
from kvdocs.reports import json_document as problems_document

REGISTRY_SCHEMA = "kvdocs/registry/v1"


def data_files(publication: Publication) -> Iterator[DataFile]:
    """Everything below `api/`, the redirects of former ids, and the YAML that pages link to."""
    registry, order = publication.registry, publication.order
    documents = [record_document(entry, registry, order) for entry in registry]
    for document in documents:
        yield _json(f"api/records/{document['id']}.json", document)
    counts = {kind.name: len(entries) for kind in registry.kinds if (entries := registry.of(kind.name))}
    yield _json("api/registry.json", {"schema": REGISTRY_SCHEMA, "title": publication.settings.title, "counts": counts, "records": documents})
    yield _json("api/order.json", order.document())
    yield _json("api/problems.json", problems_document(publication.problems))
    yield _json("api/schema/record.json", record_schema())
    for kind in registry.kinds:
        yield _json(f"api/schema/{kind.name}.json", kind.model.model_json_schema())
    yield from redirects(publication)
    yield from sources(publication)


def _json(path: str, value: Any) -> DataFile:
    """A document in one line: with line breaks the standard library takes ten times as long."""
    return DataFile(path, json.dumps(value, ensure_ascii=False) + "\n")


def record_schema() -> Mapping[str, Any]:
    """JSON Schema of `api/records/ID.json`; the shape of `fields` is that of its kind, in `api/schema/KIND.json`."""
    text = {"type": "string"}
    link = {"type": "object", "required": ["field"], "properties": {"field": text, "to": text, "from": text, "kind": text}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A record of the registry",
        "type": "object",
        "required": ["schema", "id", "kind", "title", "path", "line", "order", "fields", "links", "back_links"],
        "properties": {
            "schema": {"const": SCHEMA},
            "id": text, "kind": text, "title": text, "path": text,
            "line": {"type": "integer", "minimum": 1},
            "order": {"type": ["object", "null"], "description": "Its row in order.json, for items, decisions and what they wait for."},
            "fields": {"type": "object", "description": "As in the YAML, with the defaults filled in; see KIND.json."},
            "links": {"type": "array", "items": link},
            "back_links": {"type": "array", "items": link},
        },
    }  # fmt: skip


def redirects(publication: Publication) -> Iterator[DataFile]:
    """A small page at the address of each former id that leads to the record's present one."""
    for entry in publication.registry:
        for former in entry.record.formerly:
            if not publication.registry.has(former):
                target = f"../{entry.id}/"
                yield DataFile(
                    f"records/{former}/index.html",
                    f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(former)} is now {escape(entry.id)}</title>\n'
                    f'<link rel="canonical" href="{target}">\n<meta name="robots" content="noindex">\n<meta http-equiv="refresh" content="0; url={target}">\n</head>\n'
                    f'<body><p>{escape(former)} is now <a href="{target}">{escape(entry.id)}</a>.</p></body>\n</html>\n',
                )


def sources(publication: Publication) -> Iterator[DataFile]:
    """A copy of each file of the registry that pages speak of, unless the settings name a host for them."""
    if publication.settings.source_url and publication.addresses.dialect is Dialect.SITE:
        return
    root = next((entry.raw.root for entry in publication.registry), None)
    for path in sorted(publication.source_paths):
        address = publication.addresses.source(path)
        if root is not None and address is not None:
            yield DataFile(address, (root / path).read_text(encoding="utf-8", errors="replace"))
