#!/usr/bin/env python3
"""D1: run the FlashAttention suite and see whether it reaches its end.

Needs KVDOCS_BUILD, a default build. KVDOCS_CASES selects cases by a pattern (such as `hsk=320`); without it the suite is whole.
The exit code is that of test-backend-ops.
"""

from backend_ops import last_case, report_cases, report_end, run_flash_attention
from run_environment import Run, execute


def script(run: Run) -> int:
    cases = run.setting("KVDOCS_CASES", "")
    output = run_flash_attention(run, *(["-p", cases] if cases else []))
    report_end(run, output)
    run.report("last_case_printed", last_case(output) or "none")
    report_cases(run, output)
    return output.exit_code


if __name__ == "__main__":
    execute(script)
