"""The reference page of documents for programs: every schema name, who prints it, its fields, and a real one as an example."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from kvdocs import markup
from kvdocs.kinds.result import Result
from kvdocs.pages.fields import annotation_of, first_line, part_words, parts_of, type_words
from kvdocs.pages.page import Nav, Page
from kvdocs.pages.shapes import SHAPES, Shape
from kvdocs.view import Block, Cell, Code, CodeBlock, Md, Section, Table
from kvdocs.view import Prose as Paragraphs

PATH = "reference/json.md"
LEAD = (
    "Programs read these instead of tables: every command that reads or changes records has `--json`, and the site carries the same documents below `api/`. "
    "Each document names its form under `schema`. A new field may come at any time; a change that breaks a reader gets a new number. "
    "Text is UTF-8, a field without a value is `null`, and a list without entries is `[]`."
)


def json_page(examples: Path | None) -> Page:
    """All documents; `examples` holds `NAME.json` for those that have one."""
    overview = Table(("Schema", "What it is", "Where it comes from"), tuple((_link(s), Md(first_line(s.model)), Md(", ".join(_maker(m) for m in s.made_by))) for s in SHAPES))
    shown: set[type[BaseModel]] = {Result}
    sections = [Section("All documents", (overview,)), *(_section(shape, examples, shown) for shape in SHAPES)]
    return Page(PATH, "page.md.j2", {"title": "JSON documents", "lead": Md(LEAD), "sections": tuple(sections), "boost": 0.5}, Nav("Reference", 25, "JSON"))


def _section(shape: Shape, examples: Path | None, shown: set[type[BaseModel]]) -> Section:
    blocks: list[Block] = [Paragraphs(Md(f"{first_line(shape.model)} It comes from {', '.join(_maker(m) for m in shape.made_by)}."))]
    if shape.model is Result:
        blocks.append(Paragraphs(Md("Its fields are those of the record [result](records.md#kind-result).")))
    else:
        blocks += _fields(shape.model, shown)
    path = examples / f"{shape.example}.json" if examples is not None and shape.example else None
    if path is not None and path.is_file():
        blocks.append(CodeBlock(path.read_text(encoding="utf-8").rstrip("\n"), "json", "Example"))
    return Section(shape.name, tuple(blocks), shape.anchor)


def _fields(model: type[BaseModel], shown: set[type[BaseModel]]) -> Iterator[Block]:
    """The fields of a document and of its parts, each part once on the page."""
    yield _table(model)
    for part in parts_of(model):
        if part not in shown:
            shown.add(part)
            yield Paragraphs(Md(f"**{part_words(part)}**: {first_line(part)}"))
            yield _table(part)


def _table(model: type[BaseModel]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, field in model.model_fields.items():
        annotation = annotation_of(field)
        null = " or `null`" if type(None) in get_args(field.annotation) else ""
        rows.append((Code(field.alias or name), Md(type_words(annotation) + null), Md(field.description) if field.description else None))
    return Table(("Field", "Type", "Meaning"), tuple(rows))


def _maker(text: str) -> str:
    return markup.code(text) if text.startswith(("kvdocs ", "api/", "registry/")) else text


def _link(shape: Shape) -> Md:
    return Md(f"[{markup.code(shape.name)}](#{shape.anchor})")
