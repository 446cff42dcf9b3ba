"""Expectations held against what an execution left behind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from executions import Execute
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kvdocs.evidence.expect import Verdict, check_patterns, evaluate
from kvdocs.evidence.judging import judge
from kvdocs.evidence.observation import Observation, Range, output_of
from kvdocs.evidence.pool import pool
from kvdocs.kinds._expectations import Expect
from kvdocs.source import load_yaml


def expectations(text: str) -> dict[str, Any]:
    """Expectations as a script's record has them."""
    value = load_yaml(text.encode())
    assert isinstance(value, dict)
    return value


def ended(stdout: str = "", stderr: str = "", *, exit_code: int | None = 0, signal: str | None = None, gap_at: int | None = None, **metrics: Any) -> Observation:
    """An execution that ran to its end."""
    outcome = "signalled" if signal else "passed" if exit_code == 0 else "failed"
    return Observation(outcome, f"exit code {exit_code}", exit_code, signal, output_of(stdout.encode(), gap_at=gap_at), output_of(stderr.encode()), metrics)


def stopped(stdout: str = "", outcome: str = "timed-out") -> Observation:
    """An execution that did not end by itself."""
    return Observation(outcome, "stopped by the time limit of 300 s", None, "SIGTERM", output_of(stdout.encode(), ended=False), output_of(b"", ended=False))


BARRIER = expectations(r"""
exit_code_decides: false
captures:
  errors: {pattern: 'ERROR SUMMARY: (\d+) errors', take: last}
  place: {pattern: 'in (?P<file>[\w.-]+):(?P<line>\d+)'}
  printed: {pattern: 'Barrier error', take: count, capped_at: 100, total: 'ERROR SUMMARY: (\d+) errors'}
reproduced:
  - {pattern: 'Barrier error detected\. Divergent thread\(s\) in block', capped_at: 100}
not_reproduced:
  - {value: errors, equals: 0}
  - {pattern: 'backends passed'}
""")

ONE_ERROR = "========= Barrier error detected. Divergent thread(s) in block.\n=========     at tile()+0x13b00 in fattn-mma-f16.cuh:1607\n"


@dataclass(frozen=True)
class Case:
    """An execution and what follows from it."""

    seen: Observation
    word: str
    reasons: tuple[str, ...]


CASES = {
    "errors are there, whatever the exit code": Case(
        ended(ONE_ERROR * 64 + "========= ERROR SUMMARY: 64 errors\n"), "reproduced",
        (r"lines with `Barrier error detected\. Divergent thread\(s\) in block`: 64 found",),
    ),
    "a count that reached the tool's limit is at least": Case(
        ended(ONE_ERROR * 100, exit_code=6), "reproduced",
        (r"lines with `Barrier error detected\. Divergent thread\(s\) in block`: at least 100 found",),
    ),
    "a clean run says so itself": Case(
        ended("2/2 backends passed\n========= ERROR SUMMARY: 0 errors\n"), "not-reproduced",
        ("`errors` equals 0: 0", "lines with `backends passed`: 1 found"),
    ),
    "a tool that never reached the GPU shows nothing": Case(
        ended("Target application terminated before first instrumented API call\n"), "inconclusive",
        (r"not met for reproduced: lines with `Barrier error detected\. Divergent thread\(s\) in block`: none",
         "not met for not reproduced: `errors` equals 0: not found", "not met for not reproduced: lines with `backends passed`: none"),
    ),
    "a time-out is inconclusive": Case(
        stopped("2/2 backends passed\n"), "inconclusive",
        ("stopped by the time limit of 300 s",
         r"unknown for reproduced: lines with `Barrier error detected\. Divergent thread\(s\) in block`: not seen, and not all is there",
         "unknown for not reproduced: `errors` equals 0: not found in the part of the output that is there"),
    ),
    "unless a pattern decided before": Case(
        stopped(ONE_ERROR), "reproduced",
        (r"lines with `Barrier error detected\. Divergent thread\(s\) in block`: at least 1 found",),
    ),
    "what was not executed shows nothing": Case(
        Observation("unavailable", "compute-sanitizer is not installed"), "inconclusive", ("it could not run: compute-sanitizer is not installed",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_verdict_of_a_barrier_check(case: Case) -> None:
    verdict = evaluate(BARRIER, case.seen)
    assert (verdict.word, verdict.reasons) == (case.word, case.reasons)


def test_captures_tell_where_and_how_often() -> None:
    seen = ended(ONE_ERROR * 2 + "in other.cuh:9\n" + "========= ERROR SUMMARY: 4000 errors\n")
    captures = evaluate(BARRIER, seen).captures
    assert captures["place"] == {
        "value": "fattn-mma-f16.cuh", "low": None, "high": None, "groups": {"file": "fattn-mma-f16.cuh", "line": "1607"},
        "distinct": {"fattn-mma-f16.cuh:1607": 2, "other.cuh:9": 1}, "lines": ["stdout:2"],
    }  # fmt: skip
    assert (captures["errors"]["value"], captures["printed"]["value"]) == (4000, 4000), "the footer tells the total that the limit hid"


def test_the_second_line_of_the_sanitizers_footer_is_not_the_total() -> None:
    seen = ended(ONE_ERROR * 100 + "========= ERROR SUMMARY: 151 errors\n========= ERROR SUMMARY: 51 errors were not printed. Use --print-limit\n")
    assert evaluate(BARRIER, seen).captures["printed"]["value"] == 151


def test_each_condition_is_recorded_with_its_lines() -> None:
    [first, *_] = evaluate(BARRIER, ended("ready\n" + ONE_ERROR)).matchers
    assert first == {
        "id": "reproduced[0]", "condition": {"pattern": r"Barrier error detected\. Divergent thread\(s\) in block", "capped_at": 100},
        "observed": "1 found", "censored": False, "hit": True, "lines": ["stdout:2"],
    }  # fmt: skip


def verdict_of(text: str, seen: Observation) -> str:
    return evaluate(expectations(text), seen).word


ABORT = "reproduced: [{exit: 134}]\nnot_reproduced: [{exit: 0}]"


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (ended(exit_code=134), "reproduced"),
        (ended(exit_code=None, signal="SIGABRT"), "reproduced"),
        (ended(exit_code=0), "not-reproduced"),
        (ended(exit_code=1), "inconclusive"),
        (stopped(), "inconclusive"),
        (stopped(outcome="runner-died"), "inconclusive"),
    ],
)
def test_an_exit_code_decides_where_it_may_and_a_shells_134_is_an_abort(seen: Observation, word: str) -> None:
    assert verdict_of(ABORT, seen) == word


def test_an_exit_code_alone_never_decides_where_it_does_not() -> None:
    assert evaluate(expectations("exit_code_decides: false\n" + ABORT), ended(exit_code=0)) == Verdict(
        "inconclusive",
        ("not met for reproduced: exit 134 wanted: exit 0", "for not reproduced only the exit code speaks, and it does not decide here"),
        (
            {"id": "reproduced[0]", "condition": {"exit": 134}, "observed": "exit 0", "censored": False, "hit": False, "lines": []},
            {"id": "not_reproduced[0]", "condition": {"exit": 0}, "observed": "exit 0", "censored": False, "hit": True, "lines": []},
        ),
        {},
    )
    assert verdict_of("exit_code_decides: false\nnot_reproduced: [{exit: 0}, {pattern: OK}]", ended("OK\n")) == "not-reproduced"


@pytest.mark.parametrize(
    ("condition", "seen", "holds"),
    [
        ("{exit: nonzero}", ended(exit_code=3), True),
        ("{exit: [1, 2]}", ended(exit_code=3), False),
        ("{signal: SIGSEGV}", ended(exit_code=139), True),
        ("{signal: SIGSEGV}", ended(exit_code=None, signal="SIGABRT"), False),
        ("{absent: FAIL}", ended("all OK\n"), True),
        ("{absent: FAIL}", ended("1 FAIL\n"), False),
        ("{pattern: '^x$', stream: stderr}", ended("x\n", "y\n"), False),
        ("{pattern: x, equals: 3}", ended("xx\nx\n"), True),
        ("{pattern: x, at_most: 2}", ended("xx\nx\n"), False),
        ("{value: ms, below: 2.5}", ended(ms=2.4), True),
        ("{value: arms.serial.ms, at_least: 2, at_most: 3}", ended(arms={"serial": {"ms": 2.5}}), True),
        ("{value: exact, equals: yes}", ended(exact="yes"), True),
        ("{value: absent, equals: 0}", ended(ms=2.4), False),
        ("{any: [{exit: 9}, {pattern: x}]}", ended("x\n"), True),
        ("{all: [{exit: 9}, {pattern: x}]}", ended("x\n"), False),
        ("{pattern: '\\bFAIL\\b'}", ended("\x1b[1;31mFAIL\x1b[0m\n"), True),
    ],
)
def test_conditions(condition: str, seen: Observation, holds: bool) -> None:
    assert verdict_of(f"reproduced: [{condition}]", seen) == ("reproduced" if holds else "inconclusive")


def test_a_last_word_of_an_output_that_is_not_whole_is_unknown() -> None:
    """It was compared as a number, which failed."""
    last = "captures: {case: {pattern: 'case (.)$', take: last}}\nreproduced: [{value: case, equals: b}]"
    assert verdict_of(last, ended("case a\ncase b\n")) == "reproduced"
    assert evaluate(expectations(last), stopped("case a\ncase b\n")).reasons == (
        "stopped by the time limit of 300 s",
        "unknown for reproduced: `case` equals b: not found in the part of the output that is there",
    )


@pytest.mark.parametrize(
    ("condition", "seen", "word"),
    [
        ("{absent: FAIL}", stopped("all OK so far\n"), "inconclusive"),
        ("{pattern: OK, at_most: 3}", stopped("OK\n"), "inconclusive"),
        ("{pattern: OK, at_least: 1}", stopped("OK\n"), "reproduced"),
        ("{absent: FAIL}", ended("head\n[kvdocs: 9 bytes were not kept here]\ntail\n", gap_at=5), "inconclusive"),
        ("{pattern: tail}", ended("head\n[kvdocs: 9 bytes were not kept here]\ntail\n", gap_at=5), "reproduced"),
    ],
)
def test_what_is_not_there_may_have_been_printed(condition: str, seen: Observation, word: str) -> None:
    assert verdict_of(f"reproduced: [{condition}]", seen) == word


@pytest.mark.parametrize(
    ("take", "text", "gap_at", "words"),
    [
        ("first", "n=1\nn=2\nn=3\n", None, (1, 1, 1)),
        ("last", "n=1\nn=2\nn=3\n", None, (3, 3, 3)),
        ("sum", "n=1\nn=2\nn=3\n", None, (6, 6, 6)),
        ("max", "n=1\nn=2\nn=3\n", None, (3, 3, 3)),
        ("first", "n=1\n[gap]\nn=3\n", 4, (1, 1, 1)),
        ("last", "n=1\n[gap]\nn=3\n", 4, (3, 3, 3)),
        ("last", "n=1\n[gap]\nend\n", 4, (None, None, None)),
        ("first", "begin\n[gap]\nn=3\n", 6, (None, None, None)),
        ("sum", "n=1\n[gap]\nn=3\n", 4, (None, None, None)),
        ("max", "n=1\n[gap]\nn=3\n", 4, (None, 3, None)),
        ("min", "n=1\n[gap]\nn=3\n", 4, (None, None, 1)),
    ],
)
def test_a_capture_is_as_exact_as_the_output_allows(take: str, text: str, gap_at: int | None, words: tuple[int | None, ...]) -> None:
    captures = evaluate({"captures": {"n": {"pattern": r"n=(\d+)", "take": take}}}, ended(text, gap_at=gap_at)).captures
    assert (captures["n"]["value"], captures["n"]["low"], captures["n"]["high"]) == words


def test_expectations_that_contradict_each_other_decide_nothing() -> None:
    verdict = evaluate(expectations("reproduced: [{exit: 0}]\nnot_reproduced: [{exit: 0}]"), ended())
    assert (verdict.word, verdict.reasons[0]) == ("inconclusive", "the expectations contradict each other: both lists hold")


def test_a_script_without_expectations_decides_nothing() -> None:
    assert evaluate({}, ended("fine\n")) == Verdict("inconclusive", ("the script declares no expectation",))


def test_a_pattern_that_is_none_is_reported() -> None:
    broken = expectations("captures: {n: {pattern: '('}}\nreproduced: [{any: [{absent: '[', total: '*'}]}]")
    assert check_patterns(broken) == [
        "`(` is not a regular expression: missing ), unterminated subpattern at position 0",
        "`[` is not a regular expression: unterminated character set at position 0",
        "`*` is not a regular expression: nothing to repeat at position 0",
    ]


@given(st.integers(-5, 5), st.integers(0, 5), st.integers(-6, 11))
def test_a_relation_to_a_range_is_true_or_false_only_when_it_is_so_for_every_number_in_it(low: int, width: int, bound: int) -> None:
    numbers = range(low, low + width + 1)
    relations = {"equals": int.__eq__, "at_least": int.__ge__, "at_most": int.__le__, "above": int.__gt__, "below": int.__lt__}
    for relation, holds in relations.items():
        answers = {holds(number, bound) for number in numbers}
        assert Range(low, low + width).holds(relation, bound) == (answers.pop() if len(answers) == 1 else None)


REPRODUCED, CLEAN = Verdict("reproduced", ("aborted",)), Verdict("not-reproduced", ("completed",))
STOPPED = Verdict("inconclusive", ("stopped by the time limit of 300 s", "more"))


def test_k_of_n_over_runs() -> None:
    pooled = pool({}, [("a", CLEAN), ("b", REPRODUCED), ("c", CLEAN), ("d", STOPPED)])
    assert (pooled.word, pooled.reason, pooled.reproduced, pooled.eligible, pooled.ineligible) == (
        "reproduced", "reproduced in 1 of 3 eligible runs", 1, 3, (("d", "stopped by the time limit of 300 s"),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "word", "reason"),
    [
        ([CLEAN] * 10 + [STOPPED], "not-reproduced", "clean in 10 of 10 eligible runs"),
        ([CLEAN] * 9, "inconclusive", "clean in 9 of 9 eligible runs, 10 wanted"),
        ([CLEAN] * 9 + [REPRODUCED], "reproduced", "reproduced in 1 of 10 eligible runs"),
        ([STOPPED], "inconclusive", "no eligible run"),
        ([], "inconclusive", "no eligible run"),
    ],
)
def test_ten_of_ten_is_ten_clean_runs_and_no_other(verdicts: list[Verdict], word: str, reason: str) -> None:
    pooled = pool({"pool": {"clean_at_least": 10}}, [(str(number), verdict) for number, verdict in enumerate(verdicts)])
    assert (pooled.word, pooled.reason) == (word, reason)


def test_one_failure_may_be_too_few() -> None:
    pooled = pool({"pool": {"reproduced_at_least": 2}}, [("a", REPRODUCED), ("b", CLEAN)])
    assert (pooled.word, pooled.reason) == ("inconclusive", "reproduced in 1 of 2 eligible runs, 2 wanted")


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$"])
def test_a_pattern_that_tries_a_line_in_all_ways_kept_the_run_without_a_result(pattern: str, execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kvdocs.evidence.assembly.judge", partial(judge, limit_s=0.1))
    stored = execute(f"echo {'a' * 64}!", expect={"reproduced": [{"pattern": pattern}]})
    assert stored.record["judgement"] == {
        "verdict": "inconclusive",
        "reasons": ["its patterns did not come to an end over this output in 0.1 s of computing: write them so that no part of a line can be matched in many ways"],
        "matchers": [],
        "captures": {},
    }


def test_what_is_judged_in_a_process_of_its_own_is_what_is_judged_here() -> None:
    seen = ended(ONE_ERROR + "========= ERROR SUMMARY: 64 errors\n")
    assert judge(BARRIER, seen) == evaluate(BARRIER, seen)
    with pytest.raises(ValueError, match="a condition is one of"):
        judge({"reproduced": [{"patern": "x"}]}, seen)


@pytest.mark.parametrize("pattern", ["x{99999999999999999999}", "(" * 5000 + ")" * 5000], ids=["repeated", "nested"])
def test_a_pattern_beyond_what_python_compiles_was_a_traceback(pattern: str) -> None:
    assert [sentence.removeprefix(f"`{pattern}` ").split(":")[0] for sentence in check_patterns({"reproduced": [{"pattern": pattern}]})] == ["is not a regular expression"]
    with pytest.raises(ValidationError, match="not a regular expression"):
        Expect.model_validate({"reproduced": [{"pattern": pattern}]})
