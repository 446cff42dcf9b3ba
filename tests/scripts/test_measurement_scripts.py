"""The scripts of the measurements: their arms, the order of them, and the figures."""

from __future__ import annotations

from textwrap import dedent

import pytest
from stand_in import Machine, summary

BENCH = """
    # GGML_KV_TRANSPORT_STATS GGML_KV_STORE_CEILING GGML_KV_OVERLAP_PROBE
    import json
    def option(name): return int(sys.argv[sys.argv.index(name) + 1])
    tokens, repetitions = option("-n"), option("-r")
    rate = 25 if "-nkvo" not in sys.argv else 32 if "GGML_KV_OVERLAP_PROBE" in os.environ else 20
    if "GGML_KV_TRANSPORT_STATS" in os.environ:
        n = tokens * repetitions
        print(f"KV-TRANSPORT total: blocking_h2d_calls={33 * n + 7} blocking_h2d_bytes={151_800_000 * n + 5_000} blocking_h2d_ms={6.31 * n + 100:.3f} "
              f"d2h_calls={32 * n} d2h_bytes={32 * 1088 * n} d2h_ms={0.125 * n:.3f} cuda_splits={33 * n + 2} backend_sync_calls={108 * n} backend_sync_ms={24.89 * n + 50:.3f}", file=sys.stderr)
    print(json.dumps({"n_gen": tokens, "samples_ns": [tokens * 10**9 // rate] * repetitions}))
"""


@pytest.fixture
def bench(machine: Machine) -> Machine:
    """A machine whose llama-bench carries all probes."""
    machine.build()
    machine.program("build/bin/llama-bench", BENCH)
    return machine


def commands(out: str) -> list[str]:
    """What was run, without the options that all arms share."""
    shared = "/path/taskset -c 0,2,4 /build/bin/llama-bench -m /model.gguf -ngl 99 -sm none -mg 0 -t 3 -fa on -ctk q8_0 -ctv q8_0 -b 512 -ub 512 "
    host = "-nkvo 1 --kv-cpu-pinned --recurrent-state-offload "
    return [line.removeprefix("$ ").replace(shared, "").replace(host, "HOST ") for line in out.splitlines() if line.startswith("$")]


def test_m1_takes_the_difference_of_two_lengths(bench: Machine) -> None:
    ran = bench.run("m1-cost-structure", KVDOCS_DEPTHS="4096")
    assert (ran.code, ran.err) == (0, "")
    assert commands(ran.out) == [
        "GGML_KV_TRANSPORT_STATS=1 HOST --no-warmup -p 0 -n 64 -d 4096 -r 1 -o jsonl",
        "GGML_KV_TRANSPORT_STATS=1 HOST --no-warmup -p 0 -n 128 -d 4096 -r 1 -o jsonl",
    ]
    assert summary(ran) == dedent("""\
        depth_4096.rate = 20 token/s
        depth_4096.blocking_h2d = 6.31 ms/token
        depth_4096.h2d_bytes = 151.8 MB/token
        depth_4096.backend_sync = 24.89 ms/token
        depth_4096.d2h_copies = 32 copies/token
        depth_4096.d2h_bytes = 34.816 KB/token
        depth_4096.d2h = 0.125 ms/token
        depth_4096.cuda_splits = 33 splits/token
        depth_4096.bandwidth = 24.0570523 GB/s
        """)


def test_m1_refuses_a_build_with_the_first_probe_alone(bench: Machine) -> None:
    bench.program("build/bin/llama-bench", BENCH.replace("d2h_calls={32 * n} d2h_bytes={32 * 1088 * n} d2h_ms={0.125 * n:.3f} cuda_splits={33 * n + 2} ", ""))
    ran = bench.run("m1-cost-structure")
    assert (ran.code, ran.err) == (77, "m1-cost-structure cannot run: the telemetry of P1 and P2 did not print d2h_calls, d2h_bytes, d2h_ms, cuda_splits\n")


def test_m2_runs_its_arms_in_an_order_that_cancels_drift(bench: Machine) -> None:
    ran = bench.run("m2-store-ceiling", KVDOCS_REPS="1")
    store, removed = "HOST --no-warmup -p 0 -n 128 -d {} -r 1 -o jsonl", "GGML_KV_STORE_CEILING=1 HOST --no-warmup -p 0 -n 128 -d {} -r 1 -o jsonl"
    assert commands(ran.out) == [arm.format(depth) for depth in (4096, 32768) for arm in (store, removed, removed, store)]
    assert summary(ran) == dedent("""\
        depth_4096.store.rate = 20 20 token/s
        depth_4096.store.samples = 20 20 token/s
        depth_4096.removed.rate = 20 20 token/s
        depth_4096.removed.samples = 20 20 token/s
        depth_32768.store.rate = 20 20 token/s
        depth_32768.store.samples = 20 20 token/s
        depth_32768.removed.rate = 20 20 token/s
        depth_32768.removed.samples = 20 20 token/s
        order = ABBA
        depth_4096.gain = 0 %
        depth_32768.gain = 0 %
        """)


def test_m3_compares_ordered_with_unordered_delivery(bench: Machine) -> None:
    ran = bench.run("m3-overlap-ceiling", KVDOCS_DEPTHS="16384", KVDOCS_ORDER="ABAB")
    assert summary(ran) == dedent("""\
        depth_16384.ordered.rate = 20 20 token/s
        depth_16384.ordered.samples = 20 20 20 20 20 20 token/s
        depth_16384.unordered.rate = 32 32 token/s
        depth_16384.unordered.samples = 32 32 32 32 32 32 token/s
        order = ABAB
        depth_16384.gain = 60 %
        """)
    assert bench.metrics()["depth_16384"] == {
        "ordered": {"rate": [20.0, 20.0], "samples": [20.0] * 6}, "unordered": {"rate": [32.0, 32.0], "samples": [32.0] * 6}, "gain": pytest.approx(60),
    }  # fmt: skip


def test_m4_tells_the_copy_that_the_two_places_imply(bench: Machine) -> None:
    ran = bench.run("m4-device-resident", KVDOCS_DEPTHS="4096")
    host, device = "HOST --no-warmup -p 0 -n 128 -d 4096 -r 5 -o jsonl", "--no-warmup -p 0 -n 128 -d 4096 -r 5 -o jsonl"
    assert commands(ran.out) == [host, device, device, host]
    assert summary(ran).splitlines()[-3:] == ["depth_4096.host.time = 50 ms/token", "depth_4096.device.time = 40 ms/token", "depth_4096.implied_copy = 10 ms/token"]


def test_an_arm_that_fails_ends_the_measurement_and_keeps_what_was_measured(bench: Machine) -> None:
    bench.program("build/bin/llama-bench", BENCH + '\n    if "32768" in sys.argv:\n        sys.exit(1)\n')
    ran = bench.run("m2-store-ceiling")
    assert (ran.code, ran.err) == (1, "llama-bench ended with exit code 1 and a result; arm store, depth 32768\n")
    assert summary(ran).splitlines()[0] == "depth_4096.store.rate = 20 20 token/s"
