"""Where an id stands in the files of a project: in links, in prose, in cited figures and formulas, in comments, and in pages.

Each place is a stretch of characters, so that another id can be put there and nothing else changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from kvdocs.edit.drafts import Draft
from kvdocs.edit.lookup import Found
from kvdocs.edit.text import YamlText, comments, node_at
from kvdocs.mentions import find_mentions
from kvdocs.model import Record, formula_fields, prose_fields, references
from kvdocs.registry import Registry

Role = Literal["link", "prose", "figure", "comment", "page"]

_CITATION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_RESULTS = re.compile(r"\bresults\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A stretch of a file that names a record. `kinds` are those that a link there may name; none means any."""

    path: str
    start: int
    end: int
    line: int
    role: Role
    record: str | None = None
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """What is looked for: an id, the registry that knows it, and the repository of bare numbers."""

    name: str
    registry: Registry
    repository: str = ""

    def in_records(self, draft: Draft, found: list[Found]) -> tuple[list[Occurrence], list[str]]:
        """Every occurrence in the files of these records, and the paths of records that name it and cannot be read whole."""
        files: dict[str, list[Found]] = {}
        for record in found:
            files.setdefault(record.raw.path, []).append(record)
        occurrences: list[Occurrence] = []
        unread: list[str] = []
        for path, records in files.items():
            data = draft.read(path) or b""
            if self.name.encode() not in data or path.endswith(".json"):
                continue
            text = YamlText.read(data)
            for record in records:
                try:
                    model = record.kind.model.model_validate(record.raw.data)
                except ValidationError:
                    unread.append(path)
                    continue
                occurrences += self._in_record(text, record, model)
            occurrences += self._in_comments(text, path)
        return occurrences, unread

    def _in_record(self, text: YamlText, found: Found, record: Record) -> Iterator[Occurrence]:
        root = text.root(found.raw.index)
        path = found.raw.path
        for field in references(record):
            if field.target == self.name:
                yield from self._in_node(text, path, node_at(root, field.loc), found.id, "link", field.ref.kinds)
        for loc, value in (*prose_fields(record), (("title",), record.title)):
            if self.name in value:
                node = node_at(root, loc)
                yield from self._in_prose(text, path, node, value, found.id)
                yield from self._in_citations(text.text, path, node.start_mark.index, node.end_mark.index, found.id)
        for loc, formula in formula_fields(record):
            if self.name in formula:
                node = node_at(root, loc)
                yield from self._in_formula(text.text, path, node.start_mark.index, node.end_mark.index, found.id)

    def _in_node(self, text: YamlText, path: str, node: Any, record: str, role: Role, kinds: tuple[str, ...] = ()) -> Iterator[Occurrence]:
        start = text.text.find(self.name, node.start_mark.index, node.end_mark.index)
        if start >= 0:
            yield self._at(text.text, path, start, role, record, kinds)

    def _in_prose(self, text: YamlText, path: str, node: Any, value: str, record: str) -> Iterator[Occurrence]:
        """The mentions of a text. Which of the places that look like the id are mentions is decided on the text as a reader has it."""
        mentioned = {m.start for m in find_mentions(value, self.registry, self.repository) if m.text == self.name}
        places = [m.start() for m in re.finditer(re.escape(self.name), value)]
        written = [m.start() for m in re.finditer(re.escape(self.name), text.text[node.start_mark.index : node.end_mark.index])]
        if len(places) == len(written):
            for place, offset in zip(places, written, strict=True):
                if place in mentioned:
                    yield self._at(text.text, path, node.start_mark.index + offset, "prose", record)

    def _in_comments(self, text: YamlText, path: str) -> Iterator[Occurrence]:
        for start, end in comments(text.text, text.root()):
            for mention in find_mentions(text.text[start + 1 : end], self.registry, self.repository):
                if mention.text == self.name:
                    yield self._at(text.text, path, start + 1 + mention.start, "comment")

    def _in_citations(self, text: str, path: str, start: int, end: int, record: str | None) -> Iterator[Occurrence]:
        for citation in _CITATION.finditer(text, start, end):
            yield from self._in_formula(text, path, citation.start(), citation.end(), record)

    def _in_formula(self, text: str, path: str, start: int, end: int, record: str | None) -> Iterator[Occurrence]:
        """A measurement before the column of a cell, and a script or environment in quotes between the brackets of `results(…)`."""
        name = re.escape(self.name)
        start += text[start : start + 1] in ("'", '"')  # the quote around a text is none around a key in the formula
        for match in re.compile(rf"(?<![\w.'\"-]){name}(?=\s*\.)").finditer(text[start:end]):
            yield self._at(text, path, start + match.start(), "figure", record)
        for call in _RESULTS.finditer(text, start, end):
            for match in re.compile(rf"(?<=['\"]){name}(?=['\"])").finditer(text, call.start(), call.end()):
                yield self._at(text, path, match.start(), "figure", record)

    def in_page(self, path: str, text: str) -> Iterator[Occurrence]:
        """The occurrences in a Markdown page: mentions, cited figures, and links to the record's page."""
        for mention in find_mentions(text, self.registry, self.repository):
            if mention.text == self.name:
                yield self._at(text, path, mention.start, "page")
        yield from self._in_citations(text, path, 0, len(text), None)
        for match in re.finditer(rf"(?<=records/){re.escape(self.name)}(?=[/#).]|\.md)", text):
            yield self._at(text, path, match.start(), "page")

    def leftovers(self, text: str) -> Iterator[tuple[int, str]]:
        """Line and words of every place that still looks like the id."""
        for match in re.finditer(rf"(?<![\w.-]){re.escape(self.name)}(?![\w-])", text):
            line = text.count("\n", 0, match.start()) + 1
            yield line, text.split("\n")[line - 1].strip()

    def _at(self, text: str, path: str, start: int, role: Role, record: str | None = None, kinds: tuple[str, ...] = ()) -> Occurrence:
        return Occurrence(path, start, start + len(self.name), text.count("\n", 0, start) + 1, role, record, kinds)


def markdown_pages(draft: Draft) -> Iterator[tuple[str, str]]:
    """The hand-written pages of the site, as drafted."""
    for path in sorted(draft.project.site_src.rglob("*.md")):
        name = path.relative_to(draft.project.root).as_posix()
        if not path.is_file():
            continue
        try:
            yield name, (draft.read(name) or b"").decode()
        except UnicodeDecodeError:
            continue
