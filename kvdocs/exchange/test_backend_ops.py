"""test-backend-ops output (console, sql, csv; modes test, perf and support) -> cases with their verdicts.

The forms are those of `tests/test-backend-ops.cpp` of llama.cpp. They tell different things: the console names
failures with their error and ends with totals; sql has times but no error; csv has neither time nor `passed`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from kvdocs.exchange.csv_lines import whole_cells
from kvdocs.exchange.ggml_abort import Abort
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.problems import counted


class CaseStatus(StrEnum):
    """What became of a case."""

    PASSED = "passed"
    FAILED = "failed"
    UNSUPPORTED = "not supported"
    SUPPORTED = "supported"
    SKIPPED = "skipped"
    UNFINISHED = "unfinished"
    """Named in the output, and no verdict after it."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ErrorBound:
    """`ERR = value > limit`: how far a result was off, by which measure (ERR, NMSE, MAA), and what is allowed."""

    measure: str
    value: float
    limit: float
    printed: str


@dataclass(frozen=True, slots=True)
class Case:
    """One case of one backend. Figures are None where the form or the mode does not give them."""

    op: str
    params: str
    status: CaseStatus
    backend: str = ""
    mode: str = ""
    error: ErrorBound | None = None
    message: str = ""
    time_us: float | None = None
    runs: int | None = None
    flops: float | None = None
    bandwidth_gb_s: float | None = None
    memory_kb: int | None = None
    line: int | None = None

    @property
    def name(self) -> str:
        """As the console names it: `OP(params)`."""
        return f"{self.op}({self.params})"


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend of the run: its name, its device, and whether it passed (None: skipped, or not reached)."""

    name: str
    device: str = ""
    passed: bool | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class OpsReport:
    """A run of test-backend-ops as far as its output tells it.

    `passed` and `total` are those of the footer, `failing` the names that it lists; None and () without it.
    `aborting` is the case without a verdict at the end of an aborted or killed run, `last` the last one named.
    """

    source: str
    mode: str
    cases: tuple[Case, ...]
    remarks: tuple[Remark, ...]
    backends: tuple[Backend, ...] = ()
    passed: int | None = None
    total: int | None = None
    failing: tuple[str, ...] = ()
    abort: Abort | None = None
    build_commit: str = ""
    seed: str = ""
    whole: bool = True

    @property
    def aborting(self) -> Case | None:
        """The case that was named and has no verdict."""
        unfinished = [case for case in self.cases if case.status is CaseStatus.UNFINISHED]
        return unfinished[-1] if unfinished else None

    @property
    def last(self) -> Case | None:
        """The last case that the output names."""
        return self.cases[-1] if self.cases else None

    def count(self, status: CaseStatus) -> int:
        """How many of the cases in the output have a status."""
        return sum(case.status is status for case in self.cases)


def parse(text: str) -> OpsReport:
    """A test-backend-ops output in whichever form it has. Raises UnreadableSourceError when it has none."""
    if re.search(r"^(CREATE TABLE IF NOT EXISTS|INSERT INTO) test_backend_ops\b", text, re.MULTILINE):
        return _read_sql(text)
    if re.search(r'^"backend_name","op_name",', text, re.MULTILINE):
        return _read_csv(text)
    from kvdocs.exchange.test_backend_ops_console import is_console, read_console

    if is_console(text):
        return read_console(text)
    raise UnreadableSourceError("no test-backend-ops output of any form in this file")


_INSERT = re.compile(r"INSERT INTO test_backend_ops \((?P<names>[^)]*)\) VALUES \('(?P<values>.*)'\);\s*")
_NO_ERROR = unknown("by how much a failed case was off: only the console prints it")
_NO_END = unknown("whether the run reached its end: this form has no footer, and an abort loses the last buffer")


def _read_sql(text: str) -> OpsReport:
    cases: list[Case] = []
    remarks: list[Remark] = [_NO_ERROR, _NO_END]
    commits: list[str] = []
    whole = True
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("INSERT INTO test_backend_ops"):
            continue
        match = _INSERT.fullmatch(line)
        names = [] if match is None else [name.strip() for name in match["names"].split(",")]
        values = [] if match is None else match["values"].split("', '")
        if match is None or len(names) != len(values):
            whole = False
            remarks.append(lost("a statement that was cut short or does not fit its columns", number))
            continue
        row = dict(zip(names, values, strict=True))
        commits.append(row.get("build_commit", ""))
        cases.append(_case(row, number))
    return _tabular("sql", cases, remarks, commits, whole)


def _read_csv(text: str) -> OpsReport:
    cases: list[Case] = []
    remarks: list[Remark] = [
        unknown("times and rates: the csv form has seven columns without them"),
        unknown("`passed`: the csv form has no such column; it is inferred from error_message"),
        _NO_ERROR,
        _NO_END,
    ]
    names: list[str] = []
    whole = True
    for number, line in enumerate(text.splitlines(), start=1):
        cells = whole_cells(line) if line.startswith('"') else []
        if cells is not None and cells[:2] == ["backend_name", "op_name"]:
            names = cells
        elif cells and len(cells) == len(names) and line.endswith('"'):
            cases.append(_case(dict(zip(names, cells, strict=True)), number))
        elif cells is None or cells:
            whole = False
            remarks.append(lost("a row that was cut short or does not fit its headings", number))
    return _tabular("csv", cases, remarks, [], whole)


def _tabular(form: str, cases: list[Case], remarks: list[Remark], commits: list[str], whole: bool) -> OpsReport:
    modes = list(dict.fromkeys(case.mode for case in cases))
    seen = list(dict.fromkeys(commits))
    if "unknown" in seen:
        remarks.append(unknown("the commit: the program was built without one"))
    for commit in seen:
        if commit.endswith("-dirty"):
            remarks.append(doubtful(f"built from a dirty tree: {commit}"))
    if not cases:
        remarks.append(lost("no case in the output"))
    return OpsReport(
        source=f"test-backend-ops {form}",
        mode=modes[0] if len(modes) == 1 else ", ".join(modes),
        cases=tuple(cases),
        remarks=tuple(remarks),
        backends=tuple(Backend(name) for name in dict.fromkeys(case.backend for case in cases)),
        build_commit=", ".join(commit for commit in seen if commit != "unknown"),
        whole=whole and bool(cases),
    )


def _case(row: Mapping[str, str], line: int) -> Case:
    mode, measured = row.get("test_mode", ""), row.get("test_mode") == "perf" and "time_us" in row
    return Case(
        op=row.get("op_name", ""),
        params=row.get("op_params", ""),
        status=_status(row),
        backend=row.get("backend_name", ""),
        mode=mode,
        message="" if mode == "support" else row.get("error_message", ""),
        time_us=float(row["time_us"]) if measured else None,
        runs=int(row["n_runs"]) if measured else None,
        flops=(float(row["flops"]) or None) if measured else None,
        bandwidth_gb_s=(float(row["bandwidth_gb_s"]) or None) if measured else None,
        memory_kb=(int(row["memory_kb"]) or None) if measured else None,
        line=line,
    )


def _status(row: Mapping[str, str]) -> CaseStatus:
    """From the columns there are. Without `passed` (csv) a case that failed has an error_message.

    In support mode error_message says `yes` or `no`, and is no error.
    """
    supported = row.get("supported") == "1"
    if row.get("test_mode") == "support":
        return CaseStatus.SUPPORTED if supported else CaseStatus.UNSUPPORTED
    if not supported:
        return CaseStatus.UNSUPPORTED
    passed = row["passed"] == "1" if "passed" in row else not row.get("error_message")
    return CaseStatus.PASSED if passed else CaseStatus.FAILED


def summary(report: OpsReport) -> str:
    """One line: how many cases ended in which way, and whether that is all of them."""
    counts = ", ".join(f"{n} {status}" for status in CaseStatus if (n := report.count(status)))
    end = "" if report.whole else " (the output has no end)"
    return f"{counted(len(report.cases), 'case')}: {counts or 'none'}{end}"
