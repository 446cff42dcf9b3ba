"""The place of a character inside a text of a record, in every form in which YAML may write the text."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from kvdocs.checks.text_place import place_in_text
from kvdocs.source import read_records


@pytest.mark.parametrize(
    "yaml",
    [
        "id: M1\nformula: rate + WRONG\n",
        "id: M1\nformula: 'rate + WRONG'\n",
        'id: M1\nformula: "rate + WRONG"\n',
        "id: M1\nformula: |-\n  rate +\n  2 * WRONG\n",
        "id: M1\nformula: >-\n  rate +\n  2 * WRONG\n",
        "id: M1\nformula: rate +\n  2 * WRONG\n",
        "- id: M0\n  formula: WRONG\n- id: M1\n  {formula: rate + WRONG, other: WRONG}\n".replace("  {", "  more: {"),
    ],
    ids=["plain", "single quotes", "double quotes", "literal block", "folded block", "plain over two lines", "flow mapping in a list"],
)
def test_the_place_is_that_of_the_character(tmp_path: Path, yaml: str) -> None:
    (tmp_path / "M1.yaml").write_text(dedent(yaml), encoding="utf-8")
    record = read_records(tmp_path, "M1.yaml")[0][-1]
    loc = ("more", "formula") if "more" in record.data else ("formula",)
    text = record.data["more"]["formula"] if "more" in record.data else record.data["formula"]
    place = place_in_text(record, loc, text, text.index("WRONG"))
    assert yaml.split("\n")[place.line - 1][place.col - 1 :].startswith("WRONG")
