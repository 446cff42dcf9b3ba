"""compute-sanitizer: what was printed against what there was, in the log and in the XML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange.compute_sanitizer import Count, Frame, SanitizerError, SanitizerReport, parse
from kvdocs.exchange.remark import UnreadableSourceError

SAMPLES = Path(__file__).parent / "samples"
Sample = Callable[[str], str]
OPTIONS = "unknown: the tool's options and its exit code: a log does not hold them, and 0 does not mean clean"


def remarks(report: SanitizerReport) -> list[str]:
    return [str(remark) for remark in report.remarks]


def log(body: str, footer: str = "") -> SanitizerReport:
    """A log of the tool with these lines, each after the tool's `=========`."""
    lines = ["COMPUTE-SANITIZER", *body.splitlines(), "", *footer.splitlines()]
    return parse("".join(f"========= {line}".rstrip() + "\n" for line in lines))


def test_the_footer_counts_what_was_not_printed(sample: Sample) -> None:
    report = parse(sample("compute-sanitizer.log"))
    assert report.count == Count(64)
    assert (len(report.errors), report.total, report.not_printed, report.whole) == (5, 64, 59, True)
    assert report.places == (("barrier.cu:5", 5),)
    assert report.titles == (("Barrier error detected. Divergent thread(s) in block.", 5),)
    assert remarks(report) == [OPTIONS, "unknown: where 59 of 64 errors happened: they were not printed"]
    assert report.errors[0] == SanitizerError(
        tool="synccheck",
        title="Barrier error detected. Divergent thread(s) in block.",
        at=Frame("void combine<(int)2>(float *)", "barrier.cu", 5, pc="0x130"),
        thread=(0, 2, 0),
        block=(0, 0, 0),
        details=("Saved host backtrace up to driver entry point at kernel launch time",),
        host_frames=(Frame("void combine<2>(float*)", module="ba", pc="0x95ae"), Frame("main", module="ba", pc="0x8d5a")),
        line=2,
    )


def test_a_log_without_its_footer_gives_a_lower_bound(sample: Sample) -> None:
    text = sample("compute-sanitizer-cut.log")
    report = parse(text)
    assert text.count("Barrier error detected") == 10
    assert (report.count, str(report.count), report.whole) == (Count(10, at_least=True), "at least 10", False)
    assert report.places == (("fattn-mma-f16.cuh:1607", 9),)
    assert [(frame.path, frame.line) for frame in report.errors[0].device_frames] == [("fattn-mma-f16.cuh", 1966)]
    assert remarks(report) == [OPTIONS, "lost: the footer: the number of errors is at least the 10 that are whole here"]


def test_a_clean_log(sample: Sample) -> None:
    report = parse(sample("compute-sanitizer-clean.log"))
    assert (report.errors, report.count, report.whole, remarks(report)) == ((), Count(0), True, [OPTIONS])


def test_xml_has_the_same_errors_and_no_total(sample: Sample) -> None:
    of_xml, of_log = parse(sample("compute-sanitizer.xml")), parse(sample("compute-sanitizer.log"))
    assert of_xml.count == Count(5, at_least=True)
    assert of_xml.places == of_log.places
    assert [(e.tool, e.thread, e.block) for e in of_xml.errors] == [(e.tool, e.thread, e.block) for e in of_log.errors]
    assert of_xml.errors[0].host_frames[-1] == Frame("_start", module="barrier", pc="0x8ae4")
    assert remarks(of_xml) == ["unknown: how many errors there were in all: the XML holds the printed ones and no total"]


def test_memcheck() -> None:
    report = log(
        "Invalid __global__ write of size 4 bytes\n"
        "    at scale(float *, int)+0x50 in scale.cu:61\n"
        "    by thread (31,0,0) in block (2,0,0)\n"
        "    Address 0x7f0000000001 is misaligned\n"
        "        Device Frame:outer()+0x20 in scale.cu:70\n"
        "        Host Frame: [0x2a1c9] in libc.so.6",
        "LEAK SUMMARY: 1024 bytes leaked in 1 allocations\nERROR SUMMARY: 1 error",
    )
    assert report.errors == (
        SanitizerError(
            tool="memcheck",
            title="Invalid __global__ write of size 4 bytes",
            at=Frame("scale(float *, int)", "scale.cu", 61, pc="0x50"),
            thread=(31, 0, 0),
            block=(2, 0, 0),
            details=("Address 0x7f0000000001 is misaligned",),
            device_frames=(Frame("outer()", "scale.cu", 70, pc="0x20"),),
            host_frames=(Frame("", module="libc.so.6", pc="0x2a1c9"),),
            line=2,
        ),
    )
    assert (report.leaked, report.count) == ((1024, 1), Count(1))


def test_racecheck_in_both_of_its_reports() -> None:
    report = log(
        "Error: Race reported between Write access at sum(int *)+0x90 in sum.cu:41\n"
        "    and Read access at sum(int *)+0x100 in sum.cu:51 [508 hazards]\n"
        "\n"
        "WARNING: Potential WAW hazard detected at __shared__ 0x0 in block (0,0,0) :\n"
        "    Write Thread (0,0,0) at twice()+0x2f0 in twice.cu:20",
        "RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)",
    )
    assert [(e.tool, e.severity, e.hazards, e.at and e.at.line) for e in report.errors] == [("racecheck", "error", 508, 41), ("racecheck", "warning", None, None)]
    assert report.count == Count(1)
    assert remarks(report) == [OPTIONS]


@pytest.mark.parametrize(
    ("title", "tool"),
    [
        ('Program hit cudaErrorMemoryAllocation (error 2) due to "out of memory" on CUDA API call to cudaMalloc.', "memcheck"),
        ("Leaked 64 bytes at 0x400200200", "memcheck"),
        ("Barrier error detected. Invalid arguments", "synccheck"),
        ("Uninitialized __global__ memory read of size 4 bytes", "initcheck"),
    ],
)
def test_the_tool_is_known_by_the_first_line(title: str, tool: str) -> None:
    assert [error.tool for error in log(title, "ERROR SUMMARY: 1 error").errors] == [tool]


def test_a_program_that_never_reached_the_gpu_was_not_checked() -> None:
    report = log("Target application terminated before first instrumented API call", "ERROR SUMMARY: 0 errors")
    assert not report.started
    assert "doubtful: the program ended before its first CUDA call: nothing was checked" in remarks(report)


def test_errors_that_the_log_does_not_account_for_are_named() -> None:
    report = log("Barrier error detected. Invalid arguments", "ERROR SUMMARY: 3 errors")
    assert remarks(report)[-1] == "lost: 1 errors are here, 0 were not printed, and the footer counts 3"


def test_xml_that_was_cut_gives_its_whole_records(sample: Sample) -> None:
    text = sample("compute-sanitizer.xml")
    report = parse(text[: text.rindex("<hostStack>")])
    assert (len(report.errors), report.whole) == (4, False)
    assert remarks(report)[-1].startswith("lost: line 355: the file was cut short or is damaged: no element found")


def test_xml_with_entities_is_refused() -> None:
    with pytest.raises(UnreadableSourceError, match="refused"):
        parse('<!DOCTYPE x [<!ENTITY a "aaaa">]><ComputeSanitizerOutput><record>&a;</record></ComputeSanitizerOutput>')


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(UnreadableSourceError, match="no line of compute-sanitizer"):
        parse("== nothing ==\n")


@pytest.mark.parametrize("name", ["compute-sanitizer.log", "compute-sanitizer.xml"])
@given(data=st.data())
def test_any_cut_gives_a_prefix_and_never_too_many(name: str, data: st.DataObject) -> None:
    text = (SAMPLES / name).read_text(encoding="utf-8")
    cut = data.draw(st.integers(min_value=text.index("\n", 50), max_value=len(text)))
    report, full = parse(text[:cut]), parse(text)
    assert {place for place, _ in report.places} <= {place for place, _ in full.places}
    assert [e.thread for e in report.errors[:-1]] == [e.thread for e in full.errors][: max(len(report.errors) - 1, 0)]
    assert len(report.errors) <= len(full.errors)
    assert report.count.at_least or report.count == full.count
