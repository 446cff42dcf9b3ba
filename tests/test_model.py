"""What is found in records by what their fields are marked with."""

from __future__ import annotations

from typing import Annotated

from kvdocs.model import Markdown, Part, Record, Ref, prose_fields, references


class Condition(Part):
    """Holds conditions itself, as those of a script do."""

    result: Annotated[str, Ref("result")] | None = None
    why: Markdown = ""
    any_of: list[Condition] | None = None


class Judged(Record):
    conditions: list[Condition] = []


def test_a_part_that_holds_itself_is_walked_to_its_end() -> None:
    record = Judged(id="J1", title="judged", conditions=[Condition(why="both", any_of=[Condition(result="r1"), Condition(any_of=[Condition(result="r2", why="deep")])])])
    assert [(link.loc, link.target) for link in references(record)] == [
        (("conditions", 0, "any_of", 0, "result"), "r1"),
        (("conditions", 0, "any_of", 1, "any_of", 0, "result"), "r2"),
    ]
    assert [(loc, text) for loc, text in prose_fields(record) if text] == [(("conditions", 0, "why"), "both"), (("conditions", 0, "any_of", 1, "any_of", 0, "why"), "deep")]
