"""llama-server logs: speeds, draft acceptance, and a server that died in the middle of a request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange.findings import reader_of
from kvdocs.exchange.ggml_abort import find_abort
from kvdocs.exchange.llama_server import Request, Timing, parse
from kvdocs.exchange.remark import UnreadableSourceError

SAMPLES = Path(__file__).parent / "samples"
TIMINGS = """\
slot print_timing: id  3 | task 0 |
prompt eval time =     648.99 ms /   133 tokens (    4.88 ms per token,   204.94 tokens per second)
       eval time =   21111.89 ms /   900 tokens (   23.46 ms per token,    42.63 tokens per second)
      total time =   21760.88 ms /  1033 tokens
draft acceptance rate = 0.86189 (  337 accepted /   391 generated)
slot      release: id  3 | task 0 | stop processing: n_tokens = 1032, truncated = 0
"""
ABORT = """\
slot print_progress: id  3 | task 1 | n_decoded = 477
CUDA error: an illegal memory access was encountered
  current device: 0, in function ggml_backend_cuda_synchronize at ggml/src/ggml-cuda/ggml-cuda.cu:2752
  cudaStreamSynchronize(cuda_ctx->stream())
ggml/src/ggml-cuda/ggml-cuda.cu:109: CUDA error
"""


def test_a_completed_request() -> None:
    report = parse(TIMINGS)
    assert report.requests == (Request(3, 0, Timing(648.99, 133), Timing(21111.89, 900), (337, 391), line=1),)
    assert report.requests[0].generation is not None
    assert report.requests[0].generation.rate == pytest.approx(42.63, abs=0.005)
    assert report.abort is None


def test_a_short_line_of_a_client_script() -> None:
    report = parse("run 1: tg=42.630 draft=337/391 completed\nrun 2: tg=42.848 draft=337/391 completed\n")
    assert [request.draft for request in report.requests] == [(337, 391), (337, 391)]


def test_a_server_that_died_in_a_request() -> None:
    report = parse(TIMINGS + ABORT)
    assert (len(report.requests), report.decoded) == (1, 477)
    assert report.abort is not None
    assert (report.abort.path, report.abort.line, report.abort.cuda_error, report.abort.cuda_at) == (
        "ggml/src/ggml-cuda/ggml-cuda.cu",
        109,
        "an illegal memory access was encountered",
        "ggml/src/ggml-cuda/ggml-cuda.cu:2752",
    )
    assert str(report.remarks[-1]) == "lost: line 11: the timings of the request in flight: they are printed when it ends"


def test_an_assertion_that_failed(sample: Callable[[str], str]) -> None:
    abort = find_abort(sample("ggml-abort.log").splitlines())
    assert abort is not None
    assert (abort.message, abort.path, abort.line, abort.frames) == ("GGML_ASSERT(ok) failed", "ggml/src/ggml-cuda/ggml-cuda.cu", 4389, ("ggml_backend_graph_compute",))


NOISE = ["run 1\n", "a.cu:12: \n", "see a.cpp:12: it is not here\n", "CUDA error: \n", "x\u2028y.cu:7: after a line separator\n", "\x1c", "é", "\r\n", "  current device: 0, in function f at b.cu:3\n"]


@given(st.lists(st.sampled_from([*NOISE, "a.cu:12: GGML_ASSERT(ok) failed\n", "CUDA error: out of memory\n", "lib.so(f+0x1)[0x2]\n", "lib.so(ggml_abort+0x1)[0x2]\n"]), max_size=12), st.integers(1, 40))
def test_a_log_in_pieces_of_any_size_tells_of_the_abort_that_the_whole_tells_of(parts: list[str], size: int) -> None:
    raw = "".join(parts).encode()
    reader = reader_of("log")
    for start in range(0, len(raw), size):
        reader.feed(raw[start : start + size])
    abort = find_abort(raw.decode().splitlines())
    found = {} if abort is None else {"abort": f"{abort.path}:{abort.line}: {abort.message}", "frames": list(abort.frames)}
    assert reader.findings().figures == found


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.suffix in (".log", ".console")))
@pytest.mark.parametrize("size", [1, 7, 1000, 1_000_000])
def test_the_samples_tell_of_the_same_abort_in_pieces(name: str, size: int) -> None:
    raw = (SAMPLES / name).read_bytes()
    reader = reader_of("log")
    for start in range(0, len(raw), size):
        reader.feed(raw[start : start + size])
    abort = find_abort(raw.decode("utf-8", "replace").splitlines())
    assert reader.findings().figures.get("abort") == (f"{abort.path}:{abort.line}: {abort.message}" if abort else None)


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(UnreadableSourceError, match="no line of llama-server"):
        parse("hello\n")
