"""Patterns over output that comes in blocks find what they find in each line alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdocs.evidence.expect import evaluate
from kvdocs.evidence.judging import Judging
from kvdocs.evidence.observation import Observation, Output, output_of
from kvdocs.evidence.pattern_search import MOST_LINES, PatternSearch, ValueSearch, literal_in
from kvdocs.evidence.terminal import LONGEST_COMMAND, PlainText, plain_text


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"^REPRODUCED$", "REPRODUCED"),
        (r"ERROR SUMMARY: (\d+) errors?$", "ERROR SUMMARY: "),
        (r"GGML_ASSERT\(ok\) failed", "GGML_ASSERT(ok) failed"),
        (r"barrier\.cu:\d+", "barrier.cu:"),
        (r"abc+d", "abc"),
        (r"abcd?", "abc"),
        (r"ab[cd]efg", "efg"),
        (r"(?P<file>[\w.-]+):(\d+): error", ": error"),
        (r"(?:fatal|severe) error", " error"),
        (r"(?P<file>[\w.-]+\.cu):(?P<line>\d+)", ".cu"),
        (r"((abcd)+e)x", "abcd"),
        (r"((abc)d)*e", ""),
        (r"(abcd){0}e", ""),
        (r"(abc|abd)+xyz", "xyz"),
        (r"(?:(abc)|abd)", ""),
        (r"(?=abc)x", ""),
        (r"(?<!abc)x", ""),
        (r"abc)", ""),
        (r"(abc", ""),
        (r"a(bcd)?e", ""),
        (r"abc|def", ""),
        (r"(?i)error", ""),
        (r"\d+\.\d+", ""),
        (r"(?x) a b c d", ""),
        (r"fermé", ""),
        (r"(abc)\1", ""),
    ],
)
def test_the_text_that_each_match_holds(pattern: str, literal: str) -> None:
    assert literal_in(pattern) == literal


ATOMS = st.sampled_from(["a", "b", "abc", "bca", r"\.", ".", r"\d", r"\s", "[ab]", "[^a]", "^", "$", r"\b", "(abc)", "(a|b)", "(?:ab)?", "(?P<x>a)", "(?=a)", "(?!abc)", "(abc|bca)", "((?:abc)+:)", "é", " ", "ab: "])
PATTERNS = st.lists(st.tuples(ATOMS, st.sampled_from(["", "", "", "?", "*", "+", "{2}", "+?"])), min_size=1, max_size=5).map(
    lambda parts: "".join(atom + times for atom, times in parts)
)
LINES = st.lists(st.text("ab c.:é1\r\x0b\u2028", max_size=12), max_size=8)


def found_line_by_line(pattern: str, text: str) -> list[tuple[int, str]]:
    """Each match with its line, when the pattern is tried on every line."""
    lines = text.removesuffix("\n").split("\n") if text else []
    return [(number, match[0]) for number, line in enumerate(lines, 1) for match in re.finditer(pattern, line.removesuffix("\r"))]


class Matches(PatternSearch):
    """A search that remembers all it finds."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.all: list[tuple[int, str]] = []

    def take(self, match: re.Match[str]) -> None:
        assert self.last is not None
        self.all.append((self.last.line, match[0]))


@settings(max_examples=1000)
@given(PATTERNS, LINES, st.booleans())
def test_only_lines_with_that_text_are_tried_and_nothing_is_missed(pattern: str, lines: list[str], ended: bool) -> None:
    try:
        re.compile(pattern)
    except re.error:
        return
    text = "\n".join(lines) + "\n" * ended
    search = Matches(pattern)
    search.feed(text, 1)
    expected = found_line_by_line(pattern, text)
    assert search.all == expected
    assert (search.found, search.lines) == (len(expected), [line for line, _ in expected[:MOST_LINES]])


def test_the_largest_of_very_many_numbers() -> None:
    search = ValueSearch(r"rate (\d+)", "max")
    search.feed("".join(f"rate {number % 1000}\n" for number in range(250_000)), 1)
    assert (max(search.numbers), search.found, search.distinct["999"], len(search.numbers) < 200_000) == (999, 250_000, 250, True)


RAW = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"a", b"abc: 12 ", b"\x1b[31m", b"\x1b[0m", b"\x1b]0;title", b"\x1b]", b"\x07", b"\x1b\\", b"\x1b", b"\xc3\xa9", b"\xc3", b"\xff", b"\xe2\x80\xa8"]),
    max_size=30,
).map(b"".join)


def in_pieces(raw: bytes, size: int) -> list[bytes]:
    """The bytes in pieces of one size."""
    return [raw[start : start + size] for start in range(0, len(raw), size)]


@settings(max_examples=500)
@given(RAW, st.integers(1, 20))
def test_text_in_pieces_is_the_text_of_the_whole_and_comes_in_whole_lines(raw: bytes, size: int) -> None:
    plain = PlainText()
    blocks = [plain.feed(piece) for piece in in_pieces(raw, size)]
    assert [block for block in blocks if block and not block.endswith("\n")] == []
    assert "".join(blocks) + plain.end() == plain_text(raw)


@pytest.mark.parametrize("length", [LONGEST_COMMAND, LONGEST_COMMAND + 1])
def test_a_command_that_never_ends_does_not_swallow_the_rest(length: int) -> None:
    raw = b"one\n\x1b]" + b"x" * (length - 4) + b"\nend\x07two\n"
    plain = PlainText()
    text = "".join(plain.feed(piece) for piece in in_pieces(raw, 100_000)) + plain.end()
    assert text == plain_text(raw)
    assert ("end" in text) is (length > LONGEST_COMMAND)


EXPECTATIONS: list[dict[str, Any]] = [
    {"reproduced": [{"pattern": "abc: ", "at_least": 2}], "not_reproduced": [{"absent": "abc"}]},
    {"captures": {"n": {"pattern": r"abc: (\d+)", "take": "sum"}}, "reproduced": [{"value": "n", "above": 12}], "not_reproduced": [{"exit": 0}]},
    {"captures": {"n": {"pattern": r"(?P<what>a|é)", "take": "last"}, "all": {"pattern": r"\d", "take": "count", "total": r"abc: (\d+)"}}, "reproduced": [{"value": "n", "equals": "a"}]},
    {"reproduced": [{"any": [{"pattern": "^a$", "stream": "stderr"}, {"pattern": r"abc: (\d+)", "capped_at": 1}]}], "not_reproduced": [{"exit": 0}]},
]


@settings(max_examples=100, deadline=None)
@given(RAW, RAW, st.integers(1, 20), st.sampled_from(EXPECTATIONS), st.booleans())
def test_the_verdict_on_output_that_passes_by_is_that_on_the_whole(out: bytes, err: bytes, size: int, expect: dict[str, Any], ended: bool) -> None:
    outcome = "failed" if ended else "timed-out"
    whole = Observation(outcome, "exit 1", 1, None, output_of(out, ended=ended), output_of(err, ended=ended))
    passing = Observation(outcome, "exit 1", 1, None, Output(ended=ended, keep=False), Output(ended=ended, keep=False))
    with Judging(expect, passing) as judging:
        for stream, raw in (("stdout", out), ("stderr", err)):
            for piece in in_pieces(raw, size):
                judging.feed(stream, piece)
        assert judging.verdict() == evaluate(expect, whole)


def test_a_pattern_that_does_not_come_to_an_end_over_output_that_passes_by() -> None:
    expect = {"reproduced": [{"pattern": r"(a+)+$"}]}
    with Judging(expect, Observation("passed", stdout=Output(keep=False), stderr=Output(keep=False)), limit_s=0.2) as judging:
        for _ in range(50):
            judging.feed("stdout", b"a" * 40 + b"b\n" + b"more\n" * 10_000)
        assert judging.verdict().reasons == (
            "its patterns did not come to an end over this output in 0.2 s of computing: write them so that no part of a line can be matched in many ways",
        )


def test_expectations_that_are_malformed_are_so_for_output_that_passes_by() -> None:
    with (
        Judging({"reproduced": [{"patern": "x"}]}, Observation("passed", stdout=Output(keep=False), stderr=Output(keep=False))) as judging,
        pytest.raises(ValueError, match="a condition is one of"),
    ):
        judging.verdict()
