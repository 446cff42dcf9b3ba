"""llama-bench: one arm, arms in interleaved order, and what they say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from run_environment import Output, RefusalError, Run, Word

COMMON = ("-ngl", "99", "-sm", "none", "-mg", "0", "-t", "3", "-fa", "on", "-ctk", "q8_0", "-ctv", "q8_0", "-b", "512", "-ub", "512")
HOST_CACHE = ("-nkvo", "1", "--kv-cpu-pinned", "--recurrent-state-offload")
REPETITIONS = {4096: 5}
"""Repetitions by depth where they are not three."""


@dataclass(frozen=True)
class Arm:
    """A way of running: its name, its options, and the variables that it sets."""

    name: str
    options: tuple[str, ...]
    environ: Mapping[str, str]


def prepare(run: Run) -> None:
    """Everything that a measurement needs, before anything runs."""
    run.program("llama-bench")
    run.model()
    run.need_pinning()


def depths(run: Run, default: str) -> list[int]:
    """The depths of KVDOCS_DEPTHS."""
    words = run.setting("KVDOCS_DEPTHS", default).split()
    if not all(word.isascii() and word.isdigit() for word in words):
        raise RefusalError(f"KVDOCS_DEPTHS holds whole numbers, not {' '.join(words)!r}")
    return [int(word) for word in words]


def decode(run: Run, arm: Arm, depth: int, tokens: int, repetitions: int) -> tuple[list[float], Output]:
    """The decode rate of each repetition in token/s, recomputed from its nanoseconds, and what the program printed."""
    command: list[Word] = [run.program("llama-bench"), "-m", run.model(), *COMMON, *arm.options,
               "--no-warmup", "-p", "0", "-n", str(tokens), "-d", str(depth), "-r", str(repetitions), "-o", "jsonl"]  # fmt: skip
    output = run.run_on_gpu(command, environ=arm.environ, keep_stdout_apart=True)
    row = result(output)
    if output.exit_code or row is None:
        raise SystemExit(f"llama-bench ended with exit code {output.exit_code} and {'no' if row is None else 'a'} result; arm {arm.name}, depth {depth}")
    return [tokens * 1e9 / ns for ns in row["samples_ns"]], output


def result(output: Output) -> dict[str, Any] | None:
    """The last result that llama-bench printed."""
    rows = [json.loads(line) for line in output.stdout.splitlines() if line.startswith("{") and line.endswith("}")]
    return rows[-1] if rows else None


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return sum(values) / len(values)


def compare(run: Run, first: Arm, second: Arm, default_depths: str) -> dict[int, tuple[float, float]]:
    """Run two arms in turn at every depth, report each, and return the mean rates.

    KVDOCS_ORDER is the order (ABBA, which cancels a steady drift), KVDOCS_REPS the repetitions in each run (5 at 4,096 and 3 elsewhere).
    """
    order = run.setting("KVDOCS_ORDER", "ABBA")
    if not order.strip("AB") == "" or set(order) != {"A", "B"}:
        raise RefusalError(f"KVDOCS_ORDER is made of A and B and has both, not {order!r}")
    means = {}
    for depth in depths(run, default_depths):
        rates: dict[str, list[list[float]]] = {"A": [], "B": []}
        for letter in order:
            arm = first if letter == "A" else second
            rates[letter].append(decode(run, arm, depth, 128, run.number("KVDOCS_REPS", REPETITIONS.get(depth, 3)))[0])
        for letter, arm in (("A", first), ("B", second)):
            run.report(f"depth_{depth}.{arm.name}.rate", [mean(r) for r in rates[letter]], "token/s")
            run.report(f"depth_{depth}.{arm.name}.samples", [rate for r in rates[letter] for rate in r], "token/s")
        means[depth] = (mean([mean(r) for r in rates["A"]]), mean([mean(r) for r in rates["B"]]))
    run.report("order", order)
    return means


def report_gains(run: Run, means: Mapping[int, tuple[float, float]]) -> None:
    """The gain of the second arm over the first, in percent of the first."""
    for depth, (first, second) in means.items():
        run.report(f"depth_{depth}.gain", 100 * (second / first - 1), "%")
