"""Problems as documents for programs: JSON, GitHub annotations, SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from kvdocs import __version__
from kvdocs.problems import Place, Problem, Severity, count_by_severity

SCHEMA = "kvdocs/problems/v1"


def json_document(problems: Sequence[Problem]) -> dict[str, Any]:
    """Counts by severity and a list of problems, each with its code, place, record, message and hint."""
    return {"schema": SCHEMA, "counts": {s.value: n for s, n in count_by_severity(problems).items()}, "problems": [_problem(p) for p in problems]}


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code.name,
        "severity": problem.severity.value,
        **_place(problem.place),
        "record": problem.record,
        "message": problem.message,
        "hint": problem.hint,
        "related": [{**_place(place), "message": what} for place, what in problem.related],
        "acknowledged": problem.acknowledged,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "col": place.col}


def github_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
    for p in problems:
        text = p.message + (f" ({p.hint})" if p.hint else "")
        yield f"::{words[p.severity]} file={_property(p.place.path)},line={p.place.line},col={p.place.col},title={_property(p.code.name)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif_document(problems: Sequence[Problem]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run; rules are the codes that occur."""
    levels = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    codes = sorted({p.code.name: p.code for p in problems}.values(), key=lambda code: code.name)
    results = []
    for p in problems:
        result: dict[str, Any] = {
            "ruleId": p.code.name,
            "ruleIndex": [code.name for code in codes].index(p.code.name),
            "level": levels[p.severity],
            "message": {"text": p.message + (f"\n{p.hint}" if p.hint else "")},
            "locations": [_location(p.place)],
        }
        if p.related:
            result["relatedLocations"] = [{**_location(place), "message": {"text": what}} for place, what in p.related]
        if p.acknowledged is not None:
            result["suppressions"] = [{"kind": "inSource", "justification": p.acknowledged}]
        results.append(result)
    driver = {"name": "kvdocs", "version": __version__, "rules": [{"id": c.name, "shortDescription": {"text": c.meaning}} for c in codes]}
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _location(place: Place) -> dict[str, Any]:
    uri = quote(place.path, errors="surrogateescape")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": place.line, "startColumn": place.col}}}


def summary(problems: Sequence[Problem]) -> str:
    """One line: `1 error, 2 warnings, 3 notes (2 acknowledged)`, or `no problems`."""
    counts = count_by_severity(problems)
    nouns = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    parts = [f"{n} {nouns[s]}{'' if n == 1 else 's'}" for s, n in counts.items() if n]
    accepted = sum(p.acknowledged is not None for p in problems)
    return (", ".join(parts) or "no problems") + (f" ({accepted} acknowledged)" if accepted else "")
