#!/usr/bin/env python3
"""M4: what removing the store side brings at most (P3). The output is wrong by construction, so the gain is a bound.

Needs KVDOCS_BUILD with P1, P2 and P3, KVDOCS_MODEL and KVDOCS_CPUS.
KVDOCS_DEPTHS are the depths (4096 32768), KVDOCS_ORDER the order of the arms (ABBA), KVDOCS_REPS the repetitions in each run (5 at 4096, else 3).
"""

from llama_bench import HOST_CACHE, Arm, compare, prepare, report_gains
from run_environment import Run, execute


def script(run: Run) -> int:
    prepare(run)
    run.need_probe("GGML_KV_STORE_CEILING", "P3")
    store, removed = Arm("store", HOST_CACHE, {}), Arm("removed", HOST_CACHE, {"GGML_KV_STORE_CEILING": "1"})
    report_gains(run, compare(run, store, removed, "4096 32768"))
    return 0


if __name__ == "__main__":
    execute(script)
