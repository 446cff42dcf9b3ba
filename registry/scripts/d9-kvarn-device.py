#!/usr/bin/env python3
"""D9: ask llama-bench for a KVarN cache on the device, without the device, and in host memory; and for q8_0 without the device.

Needs KVDOCS_BUILD, a build without GGML_CUDA_KVARN, and KVDOCS_MODEL. KVDOCS_TOKENS is how many tokens each arm decodes (4).
The exit code is 0 when every arm gave a rate or was refused for KVarN.
"""

from __future__ import annotations

from llama_bench import mean, result
from run_environment import RefusalError, Run, Word, execute

ARMS = (
    ("kvarn4_on_device", "kvarn4", ("-ngl", "99")),
    ("kvarn4_without_layers", "kvarn4", ("-ngl", "0")),
    ("kvarn4_in_host_memory", "kvarn4", ("-ngl", "99", "-nkvo", "1")),
    ("q8_0_without_layers", "q8_0", ("-ngl", "0")),
)


def script(run: Run) -> int:
    run.program("llama-bench")
    if run.build_option("GGML_CUDA_KVARN") == "ON":
        raise RefusalError("KVDOCS_BUILD enables GGML_CUDA_KVARN, and D9 is about a build that does not")
    run.model()
    words = [arm(run, *a) for a in ARMS]
    return 1 if "failed" in words else 0


def arm(run: Run, name: str, kind: str, options: tuple[str, ...]) -> str:
    """Run one arm, report it, and say whether it was accepted, refused, or failed for another reason."""
    tokens = run.number("KVDOCS_TOKENS", 4)
    command: list[Word] = [run.program("llama-bench"), "-m", run.model(), "-sm", "none", "-mg", "0", "-t", "3", "-fa", "on", "-ctk", kind, "-ctv", kind, *options]
    output = run.run_on_gpu([*command, "--no-warmup", "-p", "0", "-n", str(tokens), "-r", "1", "-o", "jsonl"], keep_stdout_apart=True)
    row = result(output)
    if row is not None and output.exit_code == 0:
        run.report(f"{name}.outcome", "accepted")
        run.report(f"{name}.rate", mean([tokens * 1e9 / ns for ns in row["samples_ns"]]), "token/s")
        return "accepted"
    refused = output.matching(r"cannot enable kvarn\w*: (?P<why>.+)$")
    run.report(f"{name}.outcome", "refused" if refused else "failed")
    run.report(f"{name}.message", refused[0]["why"] if refused else f"exit code {output.exit_code}")
    return "refused" if refused else "failed"


if __name__ == "__main__":
    execute(script)
