"""Reading YAML: one meaning, strict, with places. ruamel.yaml is the judge of what YAML 1.2 means."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from kvdocs.source import SourceError, load_yaml, locate, natural_key, parse_records

SCALARS = [
    "no", "No", "NO", "yes", "on", "off", "y", "n", "true", "True", "TRUE", "false", "null", "Null", "~", "",
    "1", "-1", "+1", "0", "007", "0o7", "0o14", "0x1F", "010", "1e3", "1E3", "1.", ".5", "-.5", "1.50", "+1.5e-3", "6.02e23",
    ".inf", "-.inf", "+.inf", ".Inf", ".nan", ".NaN", "1:30", "1.2.3", "v1", "0.4.3", "a b", "1 2", "12ab", "--", "+", ".", "..", "e3",
    "2026-08-24x", "D2", "3/4", "1,000", "0b", "0xZZ", "0o9",
]  # fmt: skip


def _judge(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(StringIO(text))


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict):
        return isinstance(theirs, dict) and list(ours) == list(theirs) and all(_same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(ours, Decimal):
        return isinstance(theirs, float) and float(ours) == theirs
    if isinstance(ours, float) and math.isnan(ours):
        return isinstance(theirs, float) and math.isnan(theirs)
    return type(ours) is type(theirs) and bool(ours == theirs)


@pytest.mark.parametrize("scalar", SCALARS)
def test_a_scalar_means_what_ruamel_says(scalar: str) -> None:
    ours, theirs = load_yaml(f"a: {scalar}\n".encode()), _judge(f"a: {scalar}\n")
    assert _same(ours, theirs), (ours, theirs)


@pytest.mark.parametrize(("scalar", "ours"), [("1_000", "1_000"), ("2026-08-24", "2026-08-24"), ("0b11", "0b11")])
def test_what_ruamel_adds_to_yaml_stays_text(scalar: str, ours: str) -> None:
    """These are not in the core schema: the field's own type decides (a date field reads the date)."""
    assert load_yaml(f"a: {scalar}\n".encode()) == {"a": ours}


def test_digits_stay_as_written() -> None:
    assert [str(v) for v in load_yaml(b"[31.50, 25.90, 1e3, 0.10]")] == ["31.50", "25.90", "1E+3", "0.10"]


def test_every_file_of_this_registry_means_what_ruamel_says() -> None:
    root = Path(__file__).resolve().parent.parent
    different = []
    for path in sorted((root / "registry").rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        # ruamel makes dates and 1_000 of what stays text here; quoted, they mean the same to both.
        if not _same(load_yaml(text.encode()), _plain_dates(_judge(text))):
            different.append(path.name)
    assert different == []


def _plain_dates(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain_dates(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain_dates(v) for v in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


_text = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029\ufeff\x7f", exclude_categories=("Cc", "Cs")), max_size=30)
_values = st.recursive(st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _text, lambda v: st.lists(v, max_size=3) | st.dictionaries(_text, v, max_size=3), max_leaves=10)


@given(_values)
def test_what_ruamel_writes_is_read_back(value: Any) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    out = StringIO()
    yaml.dump({"value": value}, out)
    body = out.getvalue().split("---", 1)[1]
    assume("&id" not in body)  # a value that ruamel met twice becomes an alias, which records do not have
    try:
        assume(_judge(body) == {"value": value})  # ruamel does not read back every key that it writes (`{?0: }`)
    except YAMLError:
        assume(False)
    assume(not re.search(r"[\[{, ]:\S", body))  # between brackets, libyaml takes no plain text that begins with a colon; YAML 1.2 does
    assert load_yaml(body.encode()) == {"value": value}


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("a: 1\na: 2\n", "the key 'a' stands here for the second time", (2, 1)),
        ("a: {b: 1, b: 2}\n", "the key 'b' stands here for the second time", (1, 11)),
        ("a: !!python/object:os.system x\n", "the tag tag:yaml.org,2002:python/object:os.system is not used in records", (1, 4)),
        ("a: &x [1]\nb: *x\n", "anchors and aliases are not used in records: write the value where it belongs", (1, 4)),
        ("a: 1\n---\nb: 2\n", "a file holds one YAML document", (3, 1)),
        ("a:\n\tb: 1\n", "found character that cannot start any token", (2, 1)),
        ("? [1]\n: 2\n", "a key is a string", (1, 3)),
        ("a: 'x\u2028y'\n", "the character U+2028 ends a line in YAML but not in an editor", (1, 6)),
        ("[" * 70 + "]" * 70, "nested more than 64 deep", (1, 66)),
        ("a: é\nb: x\0\n", "the character U+0000 has no place in YAML", (2, 5)),
    ],
)
def test_what_records_never_need_is_refused_with_its_place(text: str, message: str, place: tuple[int, int]) -> None:
    with pytest.raises(SourceError) as caught:
        load_yaml(text.encode())
    assert (caught.value.message, (caught.value.line, caught.value.col)) == (message, place)


@pytest.mark.parametrize(
    ("numeral", "message"),
    [
        ("9" * 5000, "a number of 5000 characters is too long: put it in quotes when it is text"),
        ("0x" + "f" * 500, "a number of 502 characters is too long: put it in quotes when it is text"),
        ("1." + "0" * 500, "a number of 502 characters is too long: put it in quotes when it is text"),
        ("1e999", "the number 1e999 is too large or too small: put it in quotes when it is text"),
        ("12345678e90123456789012", "the number 12345678e90123456789012 is too large or too small: put it in quotes when it is text"),
    ],
)
@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_number_that_python_cannot_hold_is_a_problem_and_no_crash(numeral: str, message: str, name: str) -> None:
    data = f"a: {numeral}\n" if name == "a.yaml" else f'{{"a": {numeral}}}'
    if name == "a.json" and numeral.startswith("0x"):
        message = "Expecting ',' delimiter"
    records, problems = parse_records(data.encode(), Path(), name)
    assert (records, [p.message for p in problems]) == ([], [message])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"a": ' * 66 + "1" + "}" * 66, "nested more than 64 deep"),
        ("[" * 100_000, "nested more than 64 deep"),
        ('{"a": "\\ud800"}', "the text holds U+D800, which is half a character"),
    ],
)
def test_json_that_nothing_could_hold_or_print_is_a_problem_and_no_crash(data: str, message: str) -> None:
    records, problems = parse_records(data.encode(), Path(), "result.json")
    assert (records, [p.message for p in problems]) == ([], [message])


def test_bytes_that_are_not_utf8_have_a_place() -> None:
    with pytest.raises(SourceError) as caught:
        load_yaml(b"a: 1\nb: \xff\n")
    assert (caught.value.message, caught.value.line, caught.value.col) == ("the file is not UTF-8", 2, 4)


def test_nine_levels_of_laughter_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 10)]
    with pytest.raises(SourceError):
        load_yaml("\n".join(lines).encode())


def test_places_of_keys_and_values() -> None:
    text = "\ufeffid: D1\nlist:\n  - name: é\n    deep: {x: 1}\n".encode()
    assert locate(text, ("list", 0, "deep", "x")) == (4, 12)
    assert locate(text, ("list", 0, "deep", "x"), value=True) == (4, 15)
    assert locate(text, ("list", 0, "absent")) == (3, 5)
    assert locate(text, ("SomeUnion", "list", 0, "name"), value=True) == (3, 11)


def test_a_file_holds_one_record_or_a_list(tmp_path: Path) -> None:
    one, _ = parse_records(b"id: A\n", tmp_path, "r/a.yaml")
    several, problems = parse_records(b"- id: A\n- just text\n- id: B\n", tmp_path, "r/b.yaml")
    assert [r.data for r in one] == [{"id": "A"}]
    assert [(r.data, r.line, r.index) for r in several] == [({"id": "A"}, 1, 0), ({"id": "B"}, 3, 2)]
    assert [str(p) for p in problems] == ["r/b.yaml:2:1: error[not-a-record]: a record is a mapping of fields\n    hint: a file holds one mapping, or a list of mappings"]


def test_natural_order() -> None:
    assert sorted(["D10", "D2", "D1", "d1-b", "d1-a"], key=natural_key) == ["D1", "d1-a", "d1-b", "D2", "D10"]


@given(st.text("Ra./10\u0663\u00b2\u00e9", max_size=8))
def test_a_natural_key_takes_numbers_as_numbers_and_all_else_as_small_letters(text: str) -> None:
    """Digits of other scripts and raised ones are letters here: they may stand in a path."""
    parts = [part for part in re.split(r"([0-9]+)", text) if part]
    assert natural_key(text) == tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part.lower()) for part in parts)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("id: R1\ntitle: Graphs: with nkvo\n", "a text that holds a colon and a space is put in quotes: `title: \"Graphs: with nkvo\"`"),
        ("id: R1\ngates:\n\t- id: a\n", "indent with spaces, not tabs; a text that begins with `@`, `%` or a backtick is put in quotes"),
        ("id: [R1\n", None),
    ],
)
def test_the_commonest_faults_of_yaml_say_what_to_do(text: str, hint: str | None) -> None:
    records, problems = parse_records(text.encode(), Path(), "registry/roadmap/R1.yaml")
    assert (records, [problem.hint for problem in problems]) == ([], [hint])
