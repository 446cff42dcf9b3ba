"""Addresses: where each record stands, on the site and in the stand-alone documents; the one place that knows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.markup import Dialect

DOCUMENTS: Mapping[str, str] = {
    "roadmap": "{slug}-roadmap.md",
    "defects": "{slug}-defects.md",
    "measurements": "{slug}-measurements.md",
    "repro": "repro/README.md",
    "probes": "probes/README.md",
}
"""The stand-alone documents by the names that kinds use for them."""

CARRIED: Mapping[str, str] = {"scripts": "repro", "probes": "probes"}
"""The folders of the registry whose files go along with the documents, and where they go."""


class Addresses(Protocol):
    """Where pages lie in one kind of output."""

    @property
    def dialect(self) -> Dialect:
        """Whom the Markdown is for."""

    def record(self, entry: Entry) -> str | None:
        """The file, with an anchor where it holds several records; None when the output does not carry the record."""

    def kind(self, kind: Kind) -> str | None:
        """The file that lists a kind."""

    def source(self, path: str) -> str | None:
        """The file in the output that shows a file of the registry; None when the output does not carry it."""


class SiteAddresses(NamedTuple):
    """`records/D2.md` for each record, `defects/index.md` for each kind; published as `/records/D2/` and `/defects/`."""

    dialect: Dialect = Dialect.SITE

    def record(self, entry: Entry) -> str | None:
        return f"records/{entry.id}.md"

    def kind(self, kind: Kind) -> str | None:
        return f"{kind.folder}/index.md"

    def source(self, path: str) -> str | None:
        return f"source/{path}.txt"


class DocumentAddresses(NamedTuple):
    """An anchor in one of a few files, which stand on their own in another repository."""

    slug: str
    dialect: Dialect = Dialect.PLAIN

    def record(self, entry: Entry) -> str | None:
        file = self.kind(entry.kind)
        return f"{file}#{anchor(entry.id)}" if file else None

    def kind(self, kind: Kind) -> str | None:
        return document_file(self.slug, kind.document) if kind.document else None

    def source(self, path: str) -> str | None:
        """Scripts and patches lie beside the document that lists them; YAML is left behind."""
        folder, _, name = path.removeprefix("registry/").partition("/")
        return f"{CARRIED[folder]}/{name}" if folder in CARRIED and not path.endswith((".yaml", ".json")) else None


@lru_cache(maxsize=64)
def document_file(slug: str, document: str) -> str:
    """The file of a stand-alone document: `kv-offload-defects.md`."""
    return DOCUMENTS[document].format(slug=slug)


def anchor(record_id: str) -> str:
    """The name of the place of a record in a document."""
    return record_id.lower()


def relative(page: str, target: str) -> str:
    """The address of `target` (both relative to the output folder) as seen from a page; an anchor alone inside the same page."""
    path, mark, fragment = target.partition("#")
    if path == page and mark:
        return f"#{fragment}"
    return _way(page.rpartition("/")[0], path) + mark + fragment


@lru_cache(maxsize=1 << 16)
def _way(folder: str, path: str) -> str:
    """The way from a folder to a file. Most pages lie in one folder, so most ways are asked for again and again."""
    if not folder or path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :] if folder else path
    here, there = folder.split("/"), path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])
