#!/usr/bin/env python3
"""D6: run the FlashAttention cases with a softcap, and count how many of them have a quantized cache.

Needs KVDOCS_BUILD, a default build.
The exit code is that of test-backend-ops.
"""

from backend_ops import report_cases, report_end, run_flash_attention
from run_environment import Run, execute

QUANTIZED = r"type_K=\w*q\d_\w+,type_V=\w*q\d_\w+"


def script(run: Run) -> int:
    output = run_flash_attention(run, "-p", "logit_softcap=10")
    report_end(run, output)
    report_cases(run, output)
    for name, word in (("passed", "OK"), ("failed", "FAIL")):
        run.report(f"quantized.{name}", len(output.matching(rf"FLASH_ATTN_EXT\(.*{QUANTIZED}.*\): {word}")), "cases")
    return output.exit_code


if __name__ == "__main__":
    execute(script)
