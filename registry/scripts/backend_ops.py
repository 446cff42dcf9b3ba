"""test-backend-ops on the first CUDA device, and what its output says."""

from __future__ import annotations

import re

from run_environment import Output, RefusalError, Run

DEVICE = "CUDA0"
ABORT = r"^(?P<place>\S+\.(?:cu|cuh|cpp|c):\d+): (?P<message>.+)$"
"""How ggml dies: a source line and a message."""


def run_flash_attention(run: Run, *options: str) -> Output:
    """The FLASH_ATTN_EXT cases that the options select. Refuses when the device is not there, which the program calls a success."""
    output = run.run_on_gpu([run.program("test-backend-ops"), "test", "-b", DEVICE, "-o", "FLASH_ATTN_EXT", *options])
    if not output.matching(rf"^Backend \d+/\d+: {DEVICE}$"):
        raise RefusalError(f"test-backend-ops found no device {DEVICE}")
    return output


def report_end(run: Run, output: Output) -> None:
    """The exit code, and where and why the program aborted if it did."""
    run.report("exit_code", output.exit_code)
    for abort in output.matching(ABORT)[:1]:
        run.report("abort_at", re.sub(r"^.*?(?=ggml/src/)", "", abort["place"]))
        run.report("abort_message", abort["message"])


def last_case(output: Output) -> str | None:
    """The parameters of the last case that was printed."""
    cases = output.matching(r"FLASH_ATTN_EXT\((?P<case>\S+)")
    return cases[-1]["case"].rstrip("):,") if cases else None


def report_cases(run: Run, output: Output) -> None:
    """How many cases passed, failed, or are not supported by the device."""
    for name, word in (("passed", "OK"), ("failed", "FAIL"), ("not_supported", "not supported")):
        run.report(f"cases.{name}", len(output.matching(rf"FLASH_ATTN_EXT\(.*\): {word}")), "cases")
