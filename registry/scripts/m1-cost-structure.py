#!/usr/bin/env python3
"""M1: what a decode token of a host-resident cache is made of, from the counters of P1 and P2.

Needs KVDOCS_BUILD with P1 and P2, KVDOCS_MODEL and KVDOCS_CPUS.
KVDOCS_DEPTHS are the depths (4096 16384 32768), KVDOCS_REPS the repetitions in each run (1).
It decodes 64 and 128 tokens at each depth: the difference holds 64 tokens and neither the prefill nor the filling of the cache.
"""

from __future__ import annotations

from llama_bench import HOST_CACHE, Arm, decode, depths, mean, prepare
from run_environment import Output, RefusalError, Run, execute

SHORT, LONG = 64, 128
TELEMETRY = Arm("host", HOST_CACHE, {"GGML_KV_TRANSPORT_STATS": "1"})
COUNTERS = (
    ("blocking_h2d_ms", "blocking_h2d", "ms/token", 1),
    ("blocking_h2d_bytes", "h2d_bytes", "MB/token", 1e-6),
    ("backend_sync_ms", "backend_sync", "ms/token", 1),
    ("d2h_calls", "d2h_copies", "copies/token", 1),
    ("d2h_bytes", "d2h_bytes", "KB/token", 1e-3),
    ("d2h_ms", "d2h", "ms/token", 1),
    ("cuda_splits", "cuda_splits", "splits/token", 1),
)
"""The counter of the probe, the name of the figure, its unit, and the factor to it."""


def script(run: Run) -> int:
    prepare(run)
    run.need_probe("GGML_KV_TRANSPORT_STATS", "P1 and P2")
    repetitions = run.number("KVDOCS_REPS", 1)
    for depth in depths(run, "4096 16384 32768"):
        short = counters(decode(run, TELEMETRY, depth, SHORT, repetitions)[1])
        rates, output = decode(run, TELEMETRY, depth, LONG, repetitions)
        per_token = {name: (value - short[name]) / (repetitions * (LONG - SHORT)) for name, value in counters(output).items()}
        run.report(f"depth_{depth}.rate", mean(rates), "token/s")
        for counter, name, unit, factor in COUNTERS:
            run.report(f"depth_{depth}.{name}", per_token[counter] * factor, unit)
        run.report(f"depth_{depth}.bandwidth", per_token["blocking_h2d_bytes"] / per_token["blocking_h2d_ms"] * 1e-6, "GB/s")
    return 0


def counters(output: Output) -> dict[str, float]:
    """The counters that the telemetry prints when the program ends."""
    total = output.matching(r"^KV-TRANSPORT total: (?P<counters>.+)$")
    found = dict(word.split("=", 1) for word in total[-1]["counters"].split()) if total else {}
    missing = [counter for counter, *_ in COUNTERS if counter not in found]
    if missing:
        raise RefusalError(f"the telemetry of P1 and P2 did not print {', '.join(missing)}")
    return {counter: float(found[counter]) for counter, *_ in COUNTERS}


if __name__ == "__main__":
    execute(script)
