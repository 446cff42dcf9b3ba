"""The reference pages about the program are the program's own words."""

from __future__ import annotations

import ast

from kvdocs.cli import COMMANDS
from kvdocs.cli.reference import command_helps
from kvdocs.model import Record
from kvdocs.pages.fields import fields_page, type_words
from kvdocs.pages.program import PACKAGE, commands_page, floors, modules_page
from kvdocs.pipeline import Inspection, publication
from kvdocs.view import Code, CodeBlock, Section, Table


def test_each_floor_imports_from_below_only() -> None:
    rooms = {room.name: (level, room) for level, floor in enumerate(floors()) for room in floor}
    upward = [f"{name} imports {other}" for name, (level, room) in rooms.items() for other in room.imports if other in rooms and rooms[other][0] >= level]
    assert upward == []
    assert rooms["view"][0] == 0
    assert rooms["cli"][0] == len(floors()) - 1


def test_every_module_says_what_it_is_for() -> None:
    """The first line that the page shows is the first line of the docstring, and there is one."""
    shown = {name: text for floor in floors() for room in floor for name, text in room.modules}
    told = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] not in ("__init__", "__main__", "starter"):
            told["/".join(parts)] = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    assert shown == told
    assert [name for name, text in shown.items() if not text] == []
    assert modules_page().path == "reference/modules.md"


def test_the_page_of_commands_holds_every_help() -> None:
    helps = command_helps()
    assert {h.name for h in helps} >= set(COMMANDS)
    blocks = [block for section in commands_page(helps).context["sections"] for block in section.blocks]  # type: ignore[attr-defined]
    assert [b.text for b in blocks if isinstance(b, CodeBlock)] == [h.text.rstrip() for h in helps]


def test_the_page_of_fields_holds_every_field(this_registry: Inspection) -> None:
    page = fields_page(publication(this_registry))
    sections = {section.title: section for section in page.context["sections"]}  # type: ignore[attr-defined]
    common = _field_names(sections["every record"])
    assert common == list(Record.model_fields)
    for kind in this_registry.registry.kinds:
        assert [*common, *_field_names(sections[kind.name])] == [field.alias or name for name, field in kind.model.model_fields.items()], kind.name


def _field_names(section: Section) -> list[str]:
    """The fields in the first table of a section."""
    table = next(block for block in section.blocks if isinstance(block, Table))
    return [row[0].text for row in table.rows if isinstance(row[0], Code)]


def test_types_are_said_in_the_words_of_yaml() -> None:
    from decimal import Decimal
    from typing import Annotated, Literal

    from kvdocs.model import Date, Markdown, Ref, Size

    assert type_words(str) == "text"
    assert type_words(int | Decimal) == "number"
    assert type_words(int | Decimal | str | None) == "number or text"
    assert type_words(list[Annotated[str, Ref("item", "decision", orders=True)]]) == "list of id of *item* or *decision* (order of work)"
    assert type_words(Literal["open", "done"]) == "one of `open`, `done`"
    assert [type_words(t) for t in (Markdown, Date, Size)] == ["Markdown", "date", "size"]
