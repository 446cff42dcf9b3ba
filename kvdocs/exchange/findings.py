"""Findings: what a reader of an execution's output took from it, as figures that a result record can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kvdocs.exchange.ggml_abort import AbortSearch
from kvdocs.exchange.remark import Remark
from kvdocs.problems import counted


@dataclass(frozen=True, slots=True)
class Findings:
    """Figures by name, as JSON has them, a line for a person, and what the output does not tell."""

    figures: Mapping[str, Any]
    summary: str
    remarks: tuple[Remark, ...]


class OutputReader(Protocol):
    """Reads an output as one of a format, piece by piece."""

    def feed(self, raw: bytes) -> None:
        """The next piece, of any size."""

    def findings(self) -> Findings:
        """What the output holds, when all was fed. UnreadableSourceError when it is not of the format."""


def reader_of(name: str) -> OutputReader:
    """A reader of the format of this name."""
    return LogReader() if name == "log" else _WholeReader(_READERS[name])


class _WholeReader:
    """Keeps an output until all of it is there, for a format that is read as a whole."""

    def __init__(self, read: Callable[[str], Findings]) -> None:
        self._read, self._parts = read, list[bytes]()

    def feed(self, raw: bytes) -> None:
        self._parts.append(raw)

    def findings(self) -> Findings:
        return self._read(b"".join(self._parts).decode("utf-8", "replace"))


class LogReader:
    """Finds how a ggml program died in a log of any length; most of it is only searched for what an abort has to hold."""

    def __init__(self) -> None:
        self._search = AbortSearch()
        self._line: list[bytes] = []

    def feed(self, raw: bytes) -> None:
        """The next piece, of any size."""
        cut = raw.rfind(b"\n") + 1
        if not cut:
            self._line.append(raw)
            return
        self._look(b"".join([*self._line, raw[:cut]]))
        self._line = [raw[cut:]]

    def findings(self) -> Findings:
        """The abort, when there is one."""
        self._look(b"".join(self._line))
        self._line = []
        at = self._search.at
        if at is None:
            return Findings({}, "no abort", ())
        figures = {"abort": f"{at['path']}:{int(at['line'])}: {at['message']}", "frames": self._search.frames}
        return Findings(figures, f"aborts at {at['path']}:{at['line']}", ())

    def _look(self, block: bytes) -> None:
        if self._search.may_take(block):
            for line in block.decode("utf-8", "replace").splitlines():
                self._search.take(line)


def _test_backend_ops(text: str) -> Findings:
    from kvdocs.exchange.test_backend_ops import CaseStatus, parse, summary

    report = parse(text)
    figures: dict[str, Any] = {"cases": len(report.cases), "complete": report.whole}
    figures |= {status.name.lower(): count for status in CaseStatus if (count := report.count(status))}
    figures["failing"] = [{"case": c.name, "error": c.error.printed if c.error else None} for c in report.cases if c.status is CaseStatus.FAILED]
    if report.total is not None:
        figures |= {"tests_passed": report.passed, "tests_total": report.total}
    if report.abort is not None:
        figures |= {"abort": f"{report.abort.path}:{report.abort.line}: {report.abort.message}", "frames": list(report.abort.frames)}
    if not report.whole and report.last is not None:
        figures["last_case"] = report.last.name
    return Findings(figures, summary(report), report.remarks)


def _compute_sanitizer(text: str) -> Findings:
    from kvdocs.exchange.compute_sanitizer import parse

    report = parse(text)
    figures = {
        "errors": report.count.value,
        "errors_at_least": report.count.at_least,
        "errors_printed": len(report.errors),
        "places": [{"at": place, "printed": count} for place, count in report.places],
        "titles": [{"title": title, "printed": count} for title, count in report.titles],
        "checked": report.started,
    }
    where = f", the printed ones at {', '.join(place for place, _ in report.places[:3])}" if report.places else ""
    return Findings(figures, f"{report.count} errors{where}", report.remarks)


def _junit(text: str) -> Findings:
    from kvdocs.exchange.junit import Outcome, parse

    report = parse(text)
    counts = {outcome.value: count for outcome in Outcome if (count := report.count(outcome))}
    bad = [{"test": f"{c.classname}.{c.name}".strip("."), "outcome": c.outcome.value, "message": c.message} for c in report.cases if c.outcome in (Outcome.FAILED, Outcome.ERROR)]
    return Findings(
        {"tests": len(report.cases), "complete": report.whole, **counts, "failing": bad}, ", ".join(f"{n} {word}" for word, n in counts.items()) or "no tests", report.remarks
    )


def _llama_server(text: str) -> Findings:
    from kvdocs.exchange.llama_server import parse

    report = parse(text)
    requests = [
        {"tokens": r.generation.tokens if r.generation else None, "rate": r.generation.rate if r.generation else None, "draft": list(r.draft) if r.draft else None}
        for r in report.requests
    ]
    figures: dict[str, Any] = {"requests": requests, "decoded": report.decoded}
    end = ""
    if report.abort is not None:
        figures |= {"abort": f"{report.abort.path}:{report.abort.line}: {report.abort.message}", "cuda_error": report.abort.cuda_error, "cuda_at": report.abort.cuda_at}
        end = f", then {report.abort.cuda_error or report.abort.message}"
    return Findings(figures, f"{counted(len(requests), 'request')}{end}", report.remarks)


_READERS: Mapping[str, Callable[[str], Findings]] = {
    "test-backend-ops": _test_backend_ops,
    "compute-sanitizer": _compute_sanitizer,
    "junit": _junit,
    "llama-server": _llama_server,
}
