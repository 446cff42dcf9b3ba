#!/usr/bin/env python3
"""D8: run the FlashAttention cases of head dimension 64, then those with `q2_0s` again with other seeds.

Needs KVDOCS_BUILD, a default build. KVDOCS_SEEDS are the seeds (0 1 42).
The exit code is that of the first run of test-backend-ops.
"""

from backend_ops import report_cases, report_end, run_flash_attention
from run_environment import Output, RefusalError, Run, execute


def script(run: Run) -> int:
    seeds = run.setting("KVDOCS_SEEDS", "0 1 42").split()
    if not all(seed.isascii() and seed.isdigit() for seed in seeds):
        raise RefusalError(f"KVDOCS_SEEDS holds whole numbers, not {' '.join(seeds)!r}")
    first = run_flash_attention(run, "-p", "hsk=64")
    report_end(run, first)
    report_cases(run, first)
    report_errors(run, "default_seed", first)
    for seed in seeds:
        report_errors(run, f"seed_{seed}", run_flash_attention(run, "-p", "hsk=64,.*type_K=q2_0s", "--seed", seed))
    return first.exit_code


def report_errors(run: Run, name: str, output: Output) -> None:
    """How many q2_0s cases failed, and the largest error among them; an error within the tolerance is not printed."""
    errors = [float(m["error"]) for m in output.matching(r"^\[FLASH_ATTN_EXT\] ERR = (?P<error>\S+) > .*type_K=q2_0s,type_V=q2_0s")]
    run.report(f"{name}.q2_0s_failed", len(errors), "cases")
    if errors:
        run.report(f"{name}.largest_error", max(errors))


if __name__ == "__main__":
    execute(script)
