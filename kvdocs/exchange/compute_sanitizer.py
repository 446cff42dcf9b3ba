"""compute-sanitizer output (log or `--xml --save`) -> errors with their place, and how many there really were.

The log prints 100 errors by default and tells the true number in a footer. Without a footer, and always in the XML,
the number is a lower bound. The tool's exit code is 0 whether or not it found errors, unless told otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown

Point = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a stack: function, source file and line where known, module for host code, program counter."""

    function: str
    path: str = ""
    line: int | None = None
    module: str = ""
    pc: str = ""

    def __str__(self) -> str:
        where = f" in {self.path}:{self.line}" if self.path and self.line else ""
        return f"{self.function}{where}"


@dataclass(frozen=True, slots=True)
class SanitizerError:
    """One reported error.

    `tool` is the tool that reports such an error (memcheck, synccheck, racecheck, initcheck), `title` its first line.
    `severity` is `error` or `warning`; only racecheck gives warnings. `hazards` is racecheck's number of hazards.
    """

    tool: str
    title: str
    severity: str = "error"
    at: Frame | None = None
    thread: Point | None = None
    block: Point | None = None
    details: tuple[str, ...] = ()
    device_frames: tuple[Frame, ...] = ()
    host_frames: tuple[Frame, ...] = ()
    hazards: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """A number of errors; `at_least` says that there may have been more."""

    value: int
    at_least: bool = False

    def __str__(self) -> str:
        return f"at least {self.value:,}" if self.at_least else f"{self.value:,}"


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """What a run of compute-sanitizer reported.

    `total` and `not_printed` are those of the footer. `leaked` is (bytes, allocations). `started` is False when the
    tool says that the program ended before its first CUDA call: nothing was checked. `notices` are other lines.
    """

    source: str
    errors: tuple[SanitizerError, ...]
    remarks: tuple[Remark, ...]
    total: int | None = None
    not_printed: int | None = None
    leaked: tuple[int, int] | None = None
    started: bool = True
    notices: tuple[str, ...] = ()
    whole: bool = True

    @property
    def count(self) -> Count:
        """How many errors there were: the footer's total, or at least as many as were printed."""
        if self.total is not None:
            return Count(self.total)
        return Count(sum(error.severity == "error" for error in self.errors), at_least=True)

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        """(`file:line`, number of printed errors there), most frequent first."""
        counts = Counter(f"{e.at.path}:{e.at.line}" for e in self.errors if e.at and e.at.path and e.at.line)
        return tuple(counts.most_common())

    @property
    def titles(self) -> tuple[tuple[str, int], ...]:
        """(first line, number of printed errors with it), most frequent first."""
        return tuple(Counter(error.title for error in self.errors).most_common())


TITLES = (
    (re.compile(r"(Invalid|Potential invalid) \S+ (read|write|atomic)"), "memcheck"),
    (re.compile(r"Malloc/Free error|Program hit |Leaked |Tensor Memory column|Fatal UVM|Out-of-range Shared"), "memcheck"),
    (re.compile(r"Barrier error detected|Warpgroup MMA|Barrier called by|Syncwarp called by|Deadlock detected"), "synccheck"),
    (re.compile(r"((ERROR|WARNING|Error|Warning): )?(\(.*\) )?(Race reported|Potential (RAW|WAW|WAR) hazard)"), "racecheck"),
    (re.compile(r"Uninitialized \S+ memory|Unused \S+ memory"), "initcheck"),
)
"""First lines of errors and the tool that reports them, from the vendor's manual."""

_HEAD = re.compile(r"^ ?={9}(?P<gap> {0,2})(?P<text>\S.*)$")
_DETAIL = re.compile(r"^ ?={9} {3,}(?P<text>\S.*)$")
_SUMMARY = re.compile(r"ERROR SUMMARY: (\d+) errors?$")
_NOT_PRINTED = re.compile(r"ERROR SUMMARY: (\d+) errors? (?:were|was) not printed")
_LEAKS = re.compile(r"LEAK SUMMARY: (\d+) bytes leaked in (\d+) allocations?")
_RACES = re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)")
_PLACE = re.compile(r"(?P<function>\S.*?)(?:[+:](?P<pc>0x[0-9a-f]+))?(?: in (?P<path>\S+?):(?P<line>\d+))?$")
_HOST = re.compile(r"(?P<function>\S.*?)? ?\[(?P<pc>0x[0-9a-f]+)\](?: in (?P<module>\S+))?$")
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_HAZARDS = re.compile(r" \[(\d+) hazards?\]$")


def parse(text: str) -> SanitizerReport:
    """A compute-sanitizer log or XML file. Raises UnreadableSourceError when it is neither."""
    if "<ComputeSanitizerOutput" in text:
        from kvdocs.exchange.compute_sanitizer_xml import read_xml

        return read_xml(text)
    lines = text.splitlines()
    if not any(re.match(r" ?={9}( |$)", line) for line in lines):
        raise UnreadableSourceError("no line of compute-sanitizer in this file")
    unfinished = [] if text.endswith("\n") else lines[-1:]
    return _read_log(lines[: len(lines) - len(unfinished)], unfinished)


def tool_of(title: str) -> str:
    """The tool that reports an error with this first line; empty when the line is of no error."""
    return next((tool for pattern, tool in TITLES if pattern.match(title)), "")


def _read_log(lines: Sequence[str], unfinished: Sequence[str]) -> SanitizerReport:
    """`unfinished` is a last line without its end. It may be half a line, so it counts only as the first summary."""
    errors: list[SanitizerError] = []
    notices: list[str] = []
    total = not_printed = None
    leaked: tuple[int, int] | None = None
    number = 0
    while number < len(lines):
        head = _HEAD.match(lines[number])
        number += 1
        if head is None:
            continue
        text = head["text"].rstrip()
        if tool_of(text):
            details = _details(lines, number)
            errors.append(_error(text, details, number))
            number += len(details)
        elif (summary := _SUMMARY.match(text)) is not None:
            total = (total or 0) + int(summary[1])
        elif (rest := _NOT_PRINTED.match(text)) is not None:
            not_printed = (not_printed or 0) + int(rest[1])
        elif (races := _RACES.match(text)) is not None:
            total = (total or 0) + int(races[2])
        elif (leaks := _LEAKS.match(text)) is not None:
            leaked = (int(leaks[1]), int(leaks[2]))
        elif text != "COMPUTE-SANITIZER":
            notices.append(text)
    for line in unfinished:
        if total is None and (summary := _SUMMARY.search(line)) is not None:
            total = int(summary[1])
    started = not any("terminated before first instrumented API call" in notice for notice in notices)
    return SanitizerReport(
        source="compute-sanitizer log",
        errors=tuple(errors),
        remarks=tuple(_remarks(errors, total, not_printed, started, notices)),
        total=total,
        not_printed=not_printed,
        leaked=leaked,
        started=started,
        notices=tuple(notices),
        whole=total is not None,
    )


def _details(lines: Sequence[str], start: int) -> list[str]:
    """The detail lines that belong to the error before `start`; output of the program may stand between them."""
    details: list[str] = []
    for line in lines[start:]:
        match = _DETAIL.match(line)
        if match is None:
            break
        details.append(match["text"].rstrip())
    return details


def _error(title: str, details: Sequence[str], number: int) -> SanitizerError:
    at = thread = block = None
    device: list[Frame] = []
    host: list[Frame] = []
    rest: list[str] = []
    for detail in details:
        if (place := _THREAD.search(detail)) is not None:
            x = [int(group) for group in place.groups()]
            thread, block = (x[0], x[1], x[2]), (x[3], x[4], x[5])
        elif detail.startswith("at ") and at is None:
            at = _frame(detail[3:])
        elif detail.startswith("Device Frame:"):
            device.append(_frame(detail.removeprefix("Device Frame:").strip()))
        elif detail.startswith("Host Frame:"):
            host.append(_host_frame(detail.removeprefix("Host Frame:").strip()))
        else:
            rest.append(detail)
    if at is None and " at " in title:
        at = _frame(title.rsplit(" at ", 1)[1])
    hazards = next((int(m[1]) for line in (title, *details) if (m := _HAZARDS.search(line))), None)
    return SanitizerError(
        tool=tool_of(title),
        title=title,
        severity="warning" if title.lower().startswith("warning:") else "error",
        at=at,
        thread=thread,
        block=block,
        details=tuple(rest),
        device_frames=tuple(device),
        host_frames=tuple(host),
        hazards=hazards,
        line=number,
    )


def _frame(text: str) -> Frame:
    match = _PLACE.match(_HAZARDS.sub("", text))
    if match is None:
        return Frame(text)
    return Frame(
        function=match["function"],
        path=match["path"] or "",
        line=int(match["line"]) if match["line"] else None,
        pc=match["pc"] or "",
    )


def _host_frame(text: str) -> Frame:
    match = _HOST.match(text)
    return Frame(match["function"] or "", module=match["module"] or "", pc=match["pc"]) if match else Frame(text)


def _remarks(
    errors: Sequence[SanitizerError],
    total: int | None,
    not_printed: int | None,
    started: bool,
    notices: Sequence[str],
) -> list[Remark]:
    remarks = [unknown("the tool's options and its exit code: a log does not hold them, and 0 does not mean clean")]
    printed = sum(error.severity == "error" for error in errors)
    if not started:
        remarks.append(doubtful("the program ended before its first CUDA call: nothing was checked"))
    if total is None:
        remarks.append(lost(f"the footer: the number of errors is at least the {printed:,} that are whole here"))
    elif printed + (not_printed or 0) != total:
        remarks.append(lost(f"{printed:,} errors are here, {not_printed or 0:,} were not printed, and the footer counts {total:,}"))
    elif not_printed:
        remarks.append(unknown(f"where {not_printed:,} of {total:,} errors happened: they were not printed"))
    remarks += [doubtful(n) for n in notices if n.startswith(("Internal Sanitizer Error", "Warning:", "Error:"))]
    return remarks
