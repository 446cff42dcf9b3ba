"""JUnit XML as pytest, CTest and Surefire write it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kvdocs.exchange.junit import JUnitCase, Outcome, parse
from kvdocs.exchange.remark import UnreadableSourceError

Sample = Callable[[str], str]
NO_PLACE = "unknown: the source commit, the command and the environment: JUnit XML has no place for them"


def test_pytest(sample: Sample) -> None:
    report = parse(sample("junit-pytest.xml"))
    assert [(c.suite, c.classname, c.name, c.outcome.value, c.seconds, c.message) for c in report.cases] == [
        ("pytest", "test_pb", "test_sum[10]", "passed", 0.012, ""),
        ("pytest", "test_pb", "test_sum[1000]", "passed", 0.010, ""),
        ("pytest", "test_pb", "test_ok", "passed", 0.0, ""),
        ("pytest", "test_pb", "test_bad", "failed", 0.0, "AssertionError: one is not two\nassert 1 == 2"),
        ("pytest", "test_pb", "test_gpu", "skipped", 0.0, "needs a GPU"),
        ("pytest", "test_pb", "test_err", "error", 0.0, 'failed on setup with "OSError: no device"'),
    ]
    assert (report.hosts, report.started) == (("vm",), ("2026-11-29T17:11:29.067075+00:00",))
    assert [str(remark) for remark in report.remarks] == [NO_PLACE]


def test_a_single_suite_without_counts_or_times() -> None:
    report = parse('<testsuite name="ctest"><testcase name="test-kvarn" classname="test-kvarn"><failure>abort</failure><system-out>log</system-out></testcase></testsuite>')
    assert report.cases == (JUnitCase("ctest", "test-kvarn", "test-kvarn", Outcome.FAILED, None, "", "abort", "log"),)


def test_a_case_that_passed_at_its_second_try() -> None:
    report = parse('<testsuite><testcase name="a" time="1,234.5"><flakyFailure message="first"/></testcase></testsuite>')
    assert [(c.outcome, c.seconds, c.message) for c in report.cases] == [(Outcome.FLAKY, 1234.5, "first")]


def test_counts_that_the_file_does_not_keep() -> None:
    report = parse('<testsuites><testsuite name="s" tests="3" failures="0"><testcase name="a"><failure/></testcase></testsuite></testsuites>')
    assert [str(remark) for remark in report.remarks] == [NO_PLACE, "doubtful: the file says tests=3, and has 1", "doubtful: the file says failures=0, and has 1"]


def test_a_file_that_was_cut(sample: Sample) -> None:
    text = sample("junit-pytest.xml")
    report = parse(text[: text.index('name="test_gpu"')])
    assert ([c.name for c in report.cases], report.whole) == (["test_sum[10]", "test_sum[1000]", "test_ok", "test_bad"], False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<html/>", "the root is html"),
        ("no xml", "not XML"),
        ("", "not XML"),
        ('<!DOCTYPE t [<!ENTITY a "b">]><testsuite name="&a;"/>', "refused"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuite/>', "refused"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableSourceError, match=reason):
        parse(text)
