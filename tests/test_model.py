"""What is found in records by what their fields are marked with, and what no record may hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
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


def test_a_plugin_of_pydantic_that_is_installed_has_no_say(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('a plugin was loaded')\nplugin = None\n")
    (tmp_path / "loud-1.dist-info").mkdir()
    (tmp_path / "loud-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1\n")
    (tmp_path / "loud-1.dist-info" / "entry_points.txt").write_text("[pydantic]\nloud = loud:plugin\n")
    printed = {
        "from pydantic.plugin._loader import get_plugins; list(get_plugins())": "a plugin was loaded\n",
        "from kvdocs.kinds.owner import Owner; print(Owner(id='ann', title='Ann', owns='All.').id)": "ann\n",
    }
    for code, text in printed.items():
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (text, "")


def test_what_else_pydantic_may_ask_the_finder_of_plugins_for_it_gets() -> None:
    code = "import kvdocs.model; from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP, get_plugins; print(PYDANTIC_ENTRY_POINT_GROUP, get_plugins())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("pydantic ()\n", "")
