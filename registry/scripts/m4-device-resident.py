#!/usr/bin/env python3
"""M2: the same decode with the cache in host memory and on the device; the difference per token is the copy that it implies.

Needs KVDOCS_BUILD, a default build without a patch, KVDOCS_MODEL and KVDOCS_CPUS.
KVDOCS_DEPTHS are the depths (4096 16384 32768), KVDOCS_ORDER the order of the arms (ABBA), KVDOCS_REPS the repetitions in each run (5 at 4096, else 3).
"""

from llama_bench import HOST_CACHE, Arm, compare, prepare
from run_environment import Run, execute


def script(run: Run) -> int:
    prepare(run)
    for depth, (host, device) in compare(run, Arm("host", HOST_CACHE, {}), Arm("device", (), {}), "4096 16384 32768").items():
        run.report(f"depth_{depth}.host.time", 1000 / host, "ms/token")
        run.report(f"depth_{depth}.device.time", 1000 / device, "ms/token")
        run.report(f"depth_{depth}.implied_copy", 1000 / host - 1000 / device, "ms/token")
    return 0


if __name__ == "__main__":
    execute(script)
