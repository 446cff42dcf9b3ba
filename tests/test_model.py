"""What is found in records by what their fields are marked with, and what no record may hold."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import ValidationError

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


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": " "}, "Value error, one line of text, and not an empty one"),
        ({"title": "one\ntwo"}, "Value error, one line of text, and not an empty one"),
        ({"id": "D" + "9" * 200}, "String should have at most 100 characters"),
        ({"formerly": ["../../outside"]}, "String should match pattern '^[A-Za-z0-9][A-Za-z0-9._-]*$'"),
    ],
)
def test_what_could_not_be_the_heading_or_the_address_of_a_page_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Record.model_validate({"id": "D1", "title": "A title", **fields})
    assert [error["msg"] for error in caught.value.errors()] == [message]
