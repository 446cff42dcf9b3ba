"""JUnit XML -> test cases with their outcome; what the root claims is compared with what is there.

The forms of pytest, Maven Surefire, CTest and Catch2 differ: the root is `testsuites` or `testsuite`, suites nest,
counts and times may be absent, and Surefire adds elements for runs that were repeated.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Outcome(StrEnum):
    """How a test case ended; an error is a test that broke, a failure is one that found its subject faulty."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    FLAKY = "flaky"
    """Passed after it had failed in the same run."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One test case: suite, class and name, outcome, seconds where given, and what it said."""

    suite: str
    classname: str
    name: str
    outcome: Outcome
    seconds: float | None = None
    message: str = ""
    text: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """The cases of a file, with the suites' own facts: host names and time stamps."""

    cases: tuple[JUnitCase, ...]
    remarks: tuple[Remark, ...]
    hosts: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    whole: bool = True

    def count(self, outcome: Outcome) -> int:
        """How many cases ended so."""
        return sum(case.outcome is outcome for case in self.cases)


_OUTCOMES = (
    ("error", Outcome.ERROR),
    ("failure", Outcome.FAILED),
    ("skipped", Outcome.SKIPPED),
    ("flakyFailure", Outcome.FLAKY),
    ("flakyError", Outcome.FLAKY),
)
_CLAIMS = (("tests", None), ("failures", Outcome.FAILED), ("errors", Outcome.ERROR), ("skipped", Outcome.SKIPPED))


def parse(text: str | bytes) -> JUnitReport:
    """The test cases of a JUnit XML file; those before the cut when it was cut short.

    Raises UnreadableSourceError when the root is no test suite, or the file declares entities.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    cases: list[JUnitCase] = []
    remarks: list[Remark] = [unknown("the source commit, the command and the environment: JUnit XML has no place for them")]
    suites: list[Element] = []
    seen: list[Element] = []
    whole = True
    source = io.BytesIO(text.encode() if isinstance(text, str) else text)
    try:
        for event, element in iterparse(source, events=("start", "end"), forbid_dtd=True):
            if event == "start":
                if not seen and element.tag not in ("testsuite", "testsuites"):
                    raise UnreadableSourceError(f"the root is {element.tag}, not testsuite or testsuites")
                seen.append(element)
                suites += [element] if element.tag == "testsuite" else []
            elif element.tag == "testcase":
                cases.append(_case(element, suites[-1].get("name", "") if suites else ""))
    except ParseError as error:
        if not seen:
            raise UnreadableSourceError(f"not XML: {error}") from error
        whole = False
        remarks.append(lost(f"the file was cut short or is damaged: {error}", error.position[0]))
    except DefusedXmlException as error:
        raise UnreadableSourceError(f"refused: {error}") from error
    if whole:
        remarks += _claims(seen[0], cases)
    return JUnitReport(
        cases=tuple(cases),
        remarks=tuple(remarks),
        hosts=_attributes(suites, "hostname"),
        started=_attributes(suites, "timestamp"),
        whole=whole,
    )


def _case(element: Element, suite: str) -> JUnitCase:
    found, outcome = None, Outcome.PASSED
    for tag, meaning in _OUTCOMES:
        found = element.find(tag)
        if found is not None:
            outcome = meaning
            break
    return JUnitCase(
        suite=suite,
        classname=element.get("classname", ""),
        name=element.get("name", ""),
        outcome=outcome,
        seconds=_seconds(element.get("time")),
        message=(found.get("message") or "") if found is not None else "",
        text=(found.text or "").strip() if found is not None else "",
        output="\n".join((out.text or "").strip() for tag in ("system-out", "system-err") for out in element.findall(tag)),
    )


def _claims(root: Element, cases: list[JUnitCase]) -> list[Remark]:
    """What the root element, or the only suite in it, counts otherwise than its cases do."""
    claimant = root
    if root.tag == "testsuites" and root.get("tests") is None and len(root) == 1:
        claimant = root[0]
    remarks = []
    for attribute, outcome in _CLAIMS:
        claimed = claimant.get(attribute)
        if claimed is None or not claimed.isdigit():
            continue
        found = sum(outcome is None or case.outcome is outcome for case in cases)
        if int(claimed) != found:
            remarks.append(doubtful(f"the file says {attribute}={claimed}, and has {found}"))
    return remarks


def _attributes(suites: list[Element], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for suite in suites if (value := suite.get(name))))


def _seconds(text: str | None) -> float | None:
    """A time as written, with or without thousands separators; None when absent or no number."""
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None
