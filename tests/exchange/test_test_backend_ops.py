"""test-backend-ops: three forms, three modes, and runs that fail, abort or are killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange.ggml_abort import Abort
from kvdocs.exchange.remark import UnreadableSourceError
from kvdocs.exchange.test_backend_ops import Backend, Case, CaseStatus, ErrorBound, OpsReport, parse, summary

SAMPLES = Path(__file__).parent / "samples"
Sample = Callable[[str], str]


def remarks(report: OpsReport) -> list[str]:
    return [str(remark) for remark in report.remarks]


def short(name: str) -> str:
    """A name of a case without the parameters after the data types."""
    return name.split(",permute", 1)[0]


def test_a_case_that_fails(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-failed.console"))
    failed, declined = report.cases
    assert summary(report) == "2 cases: 1 failed, 1 not supported"
    assert short(failed.name) == (
        "FLASH_ATTN_EXT(hsk=64,hsv=64,nh=4,nr23=[2,1],kv=256,nb=2,mask=1,sinks=0,max_bias=0.000000,logit_softcap=0.000000,prec=f32,type_K=q2_0s,type_V=q2_0s"
    )
    assert failed.error == ErrorBound("ERR", 1.740728177, 0.0005, "ERR = 1.740728177 > 0.000500000")
    assert (failed.backend, failed.mode, failed.message, failed.line) == ("CUDA0", "test", "", 10)
    assert (declined.status, declined.message) == (CaseStatus.UNSUPPORTED, "")
    assert report.failing == (failed.name,)
    assert (report.passed, report.total, report.seed, report.whole) == (0, 1, "7640891576956012809", True)
    assert report.backends == (Backend("CUDA0", "NVIDIA H200", passed=False), Backend("CPU", skipped=True))
    assert remarks(report) == ["unknown: the commit of the build: the console does not print it"]


def test_a_run_that_aborts_names_the_last_case_that_ended(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-aborted.console"))
    assert summary(report) == "24 cases: 24 not supported (the output has no end)"
    assert report.abort == Abort(
        message="fatal error",
        path="ggml/src/ggml-cuda/fattn.cu",
        line=380,
        frames=("ggml_backend_graph_compute", "ggml_backend_compare_graph_backend"),
        log_line=34,
    )
    assert report.aborting is None
    assert report.last is not None
    assert "hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75" in report.last.name
    assert [short(text) for text in remarks(report)] == [
        "unknown: the commit of the build: the console does not print it",
        "lost: the totals: the output ends without them, so counts are of at least 24 cases",
        "unknown: the case that aborted: a case is printed when it has ended, and the last one printed is FLASH_ATTN_EXT(hsk=320,hsv=256,nh=1,nr23=[4,1],kv=512,nb=75,mask=1,sinks=1,max_bias=0.000000,logit_softcap=0.000000,prec=f32,type_K=f16,type_V=f16",
    ]


def test_an_older_build_names_the_aborting_case() -> None:
    report = parse(
        "Testing 2 devices\n\nBackend 1/2: CUDA0\n"
        "  MUL_MAT(type_a=f16,m=16): \x1b[1;32mOK\x1b[0m\n"
        "  MUL_MAT(type_a=q4_0,m=16): CUDA error: an illegal memory access was encountered\n"
        "  current device: 0, in function ggml_backend_cuda_synchronize at /src/ggml-cuda.cu:2752\n"
        "  cudaStreamSynchronize(cuda_ctx->stream())\n"
        "/src/ggml-cuda.cu:109: CUDA error\n"
        "bin/libggml-base.so(ggml_abort+0x15b)[0x7f98a991f01b]\n"
        "bin/libggml-cuda.so(ggml_cuda_mul_mat+0x1f)[0x7f98a9d0cbcd]\n"
    )
    assert report.aborting is not None
    assert report.aborting.name == "MUL_MAT(type_a=q4_0,m=16)"
    assert report.abort == Abort("CUDA error", "/src/ggml-cuda.cu", 109, ("ggml_cuda_mul_mat",), 8, "an illegal memory access was encountered", "/src/ggml-cuda.cu:2752")


def test_a_killed_run_may_have_lost_a_verdict_in_its_buffer(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-killed.console"))
    assert summary(report) == "6 cases: 5 passed, 1 unfinished (the output has no end)"
    assert report.abort is None
    assert report.aborting is report.cases[-1]
    assert remarks(report)[2].endswith("has no verdict: the run stopped in it, or its verdict was lost with the last buffer")


def test_perf_on_the_console(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-perf.console"))
    first = report.cases[0]
    assert (report.mode, report.whole, summary(report)) == ("perf", True, "2 cases: 2 passed")
    assert (first.time_us, first.runs, first.memory_kb, first.bandwidth_gb_s, first.flops) == (7.57, 139230, 48, 6.04, None)


def test_perf_in_flops() -> None:
    line = "  MUL_MAT(type_a=f16,m=4096):      852 runs -  1187.35 us/run - 117.44 MFLOP/run - \x1b[1;34m 98.91 GFLOPS\x1b[0m\n"
    case = parse("Testing 1 devices\n\nBackend 1/1: CPU\n" + line).cases[0]
    assert (case.time_us, case.runs, case.flops) == (1187.35, 852, 98.91e9)


def test_perf_in_sql(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-perf.sql"))
    assert report.cases[0] == Case(
        op="ADD",
        params="type=f32,ne=[4096,1,1,1],nr=[1,1,1,1],nf=1,perm1=0,src_overlap=0",
        status=CaseStatus.PASSED,
        backend="CPU",
        mode="perf",
        time_us=13.842898,
        runs=73710,
        bandwidth_gb_s=3.307118,
        memory_kb=48,
        line=20,
    )
    assert remarks(report) == [
        "unknown: by how much a failed case was off: only the console prints it",
        "unknown: whether the run reached its end: this form has no footer, and an abort loses the last buffer",
        "unknown: the commit: the program was built without one",
    ]


def test_perf_in_csv_has_no_rows(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-perf.csv"))
    assert (report.cases, report.whole, remarks(report)[-1]) == ((), False, "lost: no case in the output")


@pytest.mark.parametrize(("mode", "status"), [("test", CaseStatus.PASSED), ("support", CaseStatus.SUPPORTED)])
def test_csv_and_sql_tell_the_same_cases(sample: Sample, mode: str, status: CaseStatus) -> None:
    of_csv, of_sql = (parse(sample(f"test-backend-ops-{mode}.{form}")) for form in ("csv", "sql"))
    assert [(c.name, c.status, c.message) for c in of_csv.cases] == [(c.name, c.status, c.message) for c in of_sql.cases]
    assert {case.status for case in of_csv.cases} == {status}
    assert (of_csv.mode, of_sql.mode, len(of_csv.cases)) == (mode, mode, 12)


def test_csv_has_no_passed_and_a_failure_is_seen_by_its_message() -> None:
    report = parse(
        '"backend_name","op_name","op_params","test_mode","supported","error_message","backend_reg_name"\n'
        '"CUDA0","ADD","type=f32","test","1","","CUDA"\n'
        '"CUDA0","ADD","type=f16","test","1","test failed","CUDA"\n'
        '"CUDA0","ADD","type=""x""","test","0","","CUDA"\n'
    )
    assert [(c.params, c.status.value, c.message) for c in report.cases] == [
        ("type=f32", "passed", ""),
        ("type=f16", "failed", "test failed"),
        ('type="x"', "not supported", ""),
    ]
    assert "unknown: `passed`: the csv form has no such column; it is inferred from error_message" in remarks(report)


def test_a_dirty_build_is_named(sample: Sample) -> None:
    report = parse(sample("test-backend-ops-test.sql").replace("'unknown'", "'749f688fc-dirty'"))
    assert remarks(report)[-1] == "doubtful: built from a dirty tree: 749f688fc-dirty"


def test_footer_and_cases_that_disagree_are_named(sample: Sample) -> None:
    text = sample("test-backend-ops-failed.console").replace("  0/1 tests passed", "  5/6 tests passed")
    assert remarks(parse(text))[-1] == "doubtful: 1 cases with a verdict, and the footer counts 6"


def test_lines_of_a_wrapper_between_the_cases_do_not_matter(sample: Sample) -> None:
    report = parse(sample("compute-sanitizer-clean.log"))
    assert (summary(report), report.passed, report.total) == ("2 cases: 2 passed", 2, 2)


def test_other_reasons_for_a_failure() -> None:
    report = parse(
        "Testing 1 devices\n\n[ADD] NaN at index 3 (CUDA0=nan CPU=1.0)   ADD(type=f32): \x1b[1;31mFAIL\x1b[0m\n  SUB(type=f32): [SUB] NMSE = 0.5 > 0.0000001 \x1b[1;31mFAIL\x1b[0m\n"
    )
    assert [(c.name, c.status.value, c.message, c.error and c.error.value) for c in report.cases] == [
        ("ADD(type=f32)", "failed", "NaN at index 3 (CUDA0=nan CPU=1.0)", None),
        ("SUB(type=f32)", "failed", "", 0.5),
    ]


@pytest.mark.parametrize("text", ["", "nothing here\n", "a(b): c\n"])
def test_a_file_of_something_else_is_refused(text: str) -> None:
    with pytest.raises(UnreadableSourceError, match="no test-backend-ops output"):
        parse(text)


FORMS = ["test-backend-ops-failed.console", "test-backend-ops-perf.console", "test-backend-ops-test.csv", "test-backend-ops-test.sql"]


@pytest.mark.parametrize("name", FORMS)
@given(data=st.data())
def test_any_cut_gives_a_prefix_of_the_cases(name: str, data: st.DataObject) -> None:
    """The last case of a cut console may stand without its verdict, or not yet with its backend's."""
    text = (SAMPLES / name).read_text(encoding="utf-8")
    cut = data.draw(st.integers(min_value=0, max_value=len(text)))
    full = [(case.name, case.status, case.error) for case in parse(text).cases]
    try:
        found = [(case.name, case.status, case.error) for case in parse(text[:cut]).cases]
    except UnreadableSourceError:
        return
    if found and found[-1][1] is CaseStatus.UNFINISHED:
        found[-1] = full[len(found) - 1]
    assert found == full[: len(found)]
