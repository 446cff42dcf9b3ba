"""The console form of test-backend-ops, with its colours, its failures and the ways in which it ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from kvdocs.exchange.ggml_abort import Abort, find_abort
from kvdocs.exchange.remark import Remark, doubtful, lost, unknown
from kvdocs.exchange.test_backend_ops import Backend, Case, CaseStatus, ErrorBound, OpsReport

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CASE = re.compile(r"^(?P<before>.*?)(?<!\S)(?P<op>[A-Z][A-Z0-9_]*)\((?P<params>\S.*?)\):(?P<after> .*|)$")
_BOUND = re.compile(r"\[?\w*\]?\s*(?P<measure>ERR|NMSE|MAA) = (?P<value>[-+\w.]+) > (?P<limit>[-+\w.]+)")
_PERF = re.compile(r"(?P<runs>\d+) runs - +(?P<time>[\d.]+) us/run - +(?P<rest>.*)")
_GB = re.compile(r"(?P<kb>\d+) kB/run - +(?P<rate>[\d.]+) GB/s")
_FLOP = re.compile(r"/run - +(?P<rate>[\d.]+) (?P<prefix>[kMGT])FLOPS")
_PREFIX = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_DEVICES = re.compile(r"^Testing (\d+) devices$")
_BACKEND = re.compile(r"^Backend (\d+)/(\d+): (.+)$")
_STATUS = re.compile(r"^  Backend (.+): (OK|FAIL)$")
_TESTS = re.compile(r"^  (\d+)/(\d+) tests passed$")
_END = re.compile(r"^(\d+)/(\d+) backends passed$")
_WORDS = {
    "OK": CaseStatus.PASSED,
    "FAIL": CaseStatus.FAILED,
    "SUPPORTED": CaseStatus.SUPPORTED,
    "NOT SUPPORTED": CaseStatus.UNSUPPORTED,
}


def is_console(text: str) -> bool:
    """Whether a text has the opening line or a case of the console form."""
    plain = _COLOUR.sub("", text)
    return bool(re.search(r"^Testing \d+ devices$|^  [A-Z][A-Z0-9_]+\(\w+=.*\): ", plain, re.MULTILINE))


@dataclass(slots=True)
class _Reading:
    """What has been read so far, line by line."""

    cases: list[Case] = field(default_factory=list)
    backends: list[Backend] = field(default_factory=list)
    failing: list[str] = field(default_factory=list)
    passed: int | None = None
    total: int | None = None
    ended: bool = False
    listing: bool = False
    devices: int | None = None
    seed: str = ""

    def take(self, line: str, number: int) -> None:
        if self.listing and line.startswith("  ") and not _STATUS.match(line) and line.endswith(")"):
            self.failing.append(line.strip())
        elif (case := _CASE.match(line)) is not None:
            self.cases.append(self._case(case, number))
        elif self.cases and self.cases[-1].status is CaseStatus.UNFINISHED and (late := _verdict(line)) is not None:
            self.cases[-1] = replace(self.cases[-1], status=late)
        else:
            self._take_frame(line)

    def _take_frame(self, line: str) -> None:
        self.listing = line == "Failing tests:" or (self.listing and not line.strip())
        if (backend := _BACKEND.match(line)) is not None:
            self.backends.append(Backend(backend[3]))
        elif (tests := _TESTS.match(line)) is not None:
            self.passed = (self.passed or 0) + int(tests[1])
            self.total = (self.total or 0) + int(tests[2])
        elif (status := _STATUS.match(line)) is not None and self.backends:
            self.backends[-1] = replace(self.backends[-1], passed=status[2] == "OK")
        elif _END.match(line):
            self.ended = True
        elif self.backends and line.startswith("  Device description: "):
            self.backends[-1] = replace(self.backends[-1], device=line.split(": ", 1)[1])
        elif self.backends and line.strip() in ("Skipping", "Skipping CPU backend"):
            self.backends[-1] = replace(self.backends[-1], skipped=True)
        elif (devices := _DEVICES.match(line)) is not None:
            self.devices = int(devices[1])
        elif line.startswith("backend_ops_seed="):
            self.seed = line.split("=", 1)[1]

    def _case(self, match: re.Match[str], number: int) -> Case:
        text = f"{match['before']} {match['after']}"
        bound = _BOUND.search(text)
        case = Case(
            op=match["op"],
            params=match["params"],
            status=_verdict(match["after"]) or CaseStatus.UNFINISHED,
            backend=self.backends[-1].name if self.backends else "",
            mode="test",
            error=_bound(bound) if bound else None,
            message=_message(text),
            line=number,
        )
        return _with_times(case, match["after"])


def read_console(text: str) -> OpsReport:
    """The cases of a console output, what its footer says, and how it ended."""
    lines = _COLOUR.sub("", text).splitlines()
    reading = _Reading()
    for number, line in enumerate(lines, start=1):
        reading.take(line.rstrip("\r"), number)
    abort = find_abort(lines)
    mode = _mode(reading.cases)
    cases = tuple(replace(case, mode=mode) for case in reading.cases)
    return OpsReport(
        source="test-backend-ops console",
        mode=mode,
        cases=cases,
        remarks=tuple(_remarks(reading, abort)),
        backends=tuple(reading.backends),
        passed=reading.passed,
        total=reading.total,
        failing=tuple(reading.failing),
        abort=abort,
        seed=reading.seed,
        whole=reading.ended,
    )


def _verdict(after: str) -> CaseStatus | None:
    """The verdict that ends a line, or None when there is none yet."""
    text = after.strip()
    if text.startswith("not supported"):
        return CaseStatus.UNSUPPORTED
    if text.startswith("skipping"):
        return CaseStatus.SKIPPED
    if _PERF.search(text):
        return CaseStatus.PASSED
    return next((status for word, status in _WORDS.items() if text == word or text.endswith(" " + word)), None)


def _bound(match: re.Match[str]) -> ErrorBound | None:
    try:
        return ErrorBound(match["measure"], float(match["value"]), float(match["limit"]), match[0].split("] ")[-1])
    except ValueError:
        return None


def _message(text: str) -> str:
    """What stands around a case beside its error bound and its verdict, such as `NaN at index 3`."""
    rest = re.sub(r"^\[[A-Z0-9_]+\]\s*", "", _BOUND.sub("", text).strip())
    if rest.startswith(("not supported", "skipping")) or _PERF.search(rest):
        return ""
    return re.sub(r"(^|\s+)(OK|FAIL|NOT SUPPORTED|SUPPORTED)$", "", rest).strip()


def _with_times(case: Case, after: str) -> Case:
    perf = _PERF.search(after)
    if perf is None:
        return case
    case = replace(case, runs=int(perf["runs"]), time_us=float(perf["time"]))
    if (memory := _GB.search(after)) is not None:
        return replace(case, memory_kb=int(memory["kb"]), bandwidth_gb_s=float(memory["rate"]))
    if (flop := _FLOP.search(after)) is not None:
        return replace(case, flops=float(flop["rate"]) * _PREFIX[flop["prefix"]])
    return case


def _mode(cases: list[Case]) -> str:
    if any(case.time_us is not None for case in cases):
        return "perf"
    if any(case.status is CaseStatus.SUPPORTED for case in cases):
        return "support"
    return "test" if cases else ""


def _remarks(reading: _Reading, abort: Abort | None) -> list[Remark]:
    remarks = [unknown("the commit of the build: the console does not print it")]
    last = reading.cases[-1] if reading.cases else None
    open_case = last if last is not None and last.status is CaseStatus.UNFINISHED else None
    if not reading.ended:
        remarks.append(lost(f"the totals: the output ends without them, so counts are of at least {len(reading.cases):,} cases"))
    if open_case is not None:
        remarks.append(
            doubtful(
                f"{open_case.name} has no verdict: the run stopped in it, or its verdict was lost with the last buffer",
                open_case.line,
            )
        )
    elif abort is not None and last is not None:
        remarks.append(unknown(f"the case that aborted: a case is printed when it has ended, and the last one printed is {last.name}"))
    failed = sum(case.status is CaseStatus.FAILED for case in reading.cases)
    if reading.ended and len(reading.failing) != failed:
        remarks.append(doubtful(f"{failed} cases failed, and the list of failing tests names {len(reading.failing)}"))
    executed = failed + sum(case.status is CaseStatus.PASSED for case in reading.cases)
    if reading.total is not None and executed != reading.total:
        remarks.append(doubtful(f"{executed} cases with a verdict, and the footer counts {reading.total}"))
    return remarks
