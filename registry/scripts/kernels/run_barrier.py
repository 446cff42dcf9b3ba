#!/usr/bin/env python3
"""A block barrier in a warp-dependent branch, and its repair: executed, and looked at by compute-sanitizer.

    python3 run_barrier.py

Needs nvcc, an NVIDIA GPU and compute-sanitizer. It compiles divergent_barrier.cu for the GPU of this machine, runs both variants for
each number of warps that share a column (np), checks their results on the host, and runs each case alone under synccheck, memcheck and
racecheck with the limit on printed errors lifted (`--print-limit 0` prints all).
The exit code is 0 when everything ran and every plain result was right; what the tools found is in the figures, not in the exit code.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from run_environment import Run, execute, matching
from sanitizer_log import Findings, read_findings
from toolchain import compiled, refuse_arguments

CASES = [(1, 8), (2, 8), (4, 8), (8, 8), (4, 4)]
"""np and the warps of the block; in the last, as in D2, one leader in a block of np warps."""

VARIANTS = ("divergent", "repaired")
TOOLS = ("synccheck", "memcheck", "racecheck")


def case_name(variant: str, np: int, warps: int) -> str:
    """How the figures call a case."""
    return f"{variant}.np{np}_of_{warps}"


def line_of(source: str, variant: str) -> int:
    """The line of the barrier that the variant's leaders reach first."""
    word = {"divergent": "// divergent:", "repaired": "// common:"}[variant]
    return 1 + next(n for n, line in enumerate(source.splitlines()) if "__syncthreads();" in line and word in line)


def sanitize(run: Run, program: Path, variant: str, np: int, warps: int, tool: str) -> Findings:
    """One case under one tool. The exit code of the tool tells nothing: after an error it is the program's."""
    command = [run.tool("compute-sanitizer"), "--tool", tool, "--print-limit", "0", "--show-backtrace", "device", program]
    output = run.run_on_gpu([*command, "--variant", variant, "--np", str(np), "--warps", str(warps)])
    return read_findings(output.lines)


def script(run: Run) -> int:
    run.tool("compute-sanitizer")
    program = compiled(run, "divergent_barrier")
    plain = run.run_on_gpu([program])
    results = matching(plain.lines, r"^(?P<variant>\w+) np=(?P<np>\d+) warps=(?P<warps>\d+): largest relative error (?P<error>\S+), (?P<word>\w+)$")
    if len(results) != len(CASES) * len(VARIANTS):
        raise SystemExit("divergent_barrier did not run to its end")
    for found in results:
        name = case_name(found["variant"], int(found["np"]), int(found["warps"]))
        run.report(f"{name}.plain_right", int(found["word"] == "right"))
        run.report(f"{name}.plain_error", float(found["error"]))
    table = []
    for variant in VARIANTS:
        for np, warps in CASES:
            name, row = case_name(variant, np, warps), []
            for tool in TOOLS:
                findings = sanitize(run, program, variant, np, warps, tool)
                run.report(f"{name}.{tool}_errors", findings.errors, "errors")
                if findings.places:
                    run.report(f"{name}.{tool}_places", [f"{place} x{count}" for place, count in findings.places.items()])
                row.append(findings)
            table.append((name, row))
    summarise(run, table, program_source())
    return 0 if plain.exit_code == 0 else 1


def program_source() -> str:
    """The text of the program."""
    return (Path(__file__).resolve().parent / "divergent_barrier.cu").read_text()


def summarise(run: Run, table: list[tuple[str, list[Findings]]], source: str) -> None:
    """The figures that a judgement asks for, and the table for a reader."""
    print(f"\n{'case':24s}" + "".join(f"{tool:>12s}" for tool in TOOLS) + "  where")
    for name, row in table:
        where = ", ".join(place for findings in row for place in findings.places) or "-"
        print(f"{name:24s}" + "".join(f"{findings.errors:12d}" for findings in row) + f"  {where}")
    shared = [row for name, row in table if name.startswith("divergent") and not name.startswith("divergent.np1_")]
    clean = [row for name, row in table if name.startswith(("repaired", "divergent.np1_"))]
    line = line_of(source, "divergent")
    run.report("divergent_cases", len(shared))
    run.report("divergent_cases_found", sum(row[0].errors > 0 for row in shared))
    run.report("divergent_cases_at_the_barrier", sum(list(row[0].places) == [f"divergent_barrier.cu:{line}"] for row in shared))
    run.report("divergent_errors_of_other_tools", sum(findings.errors for row in shared for findings in row[1:]), "errors")
    run.report("clean_cases", len(clean))
    run.report("clean_cases_with_errors", sum(any(findings.errors for findings in row) for row in clean))
    run.report("barrier_line", line)


if __name__ == "__main__":
    refuse_arguments()
    execute(script)
