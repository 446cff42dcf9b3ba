"""What the scripts of this folder share: a GPU that can be used, and programs compiled for it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from run_environment import RefusalError, Run  # noqa: E402

FLAGS = ("-std=c++17", "-O3", "-lineinfo", "-Xcompiler", "-pthread")


def refuse_arguments() -> None:
    """The scripts take none: end with exit code 2 and a sentence when there are some."""
    if len(sys.argv) > 1:
        print(f"{Path(sys.argv[0]).stem} takes no arguments, and got {' '.join(sys.argv[1:])}", file=sys.stderr)
        sys.exit(2)


def scratch(run: Run) -> Path:
    """Where programs and logs go: $KVDOCS_SCRATCH, else a new folder."""
    named = run.environ.get("KVDOCS_SCRATCH")
    if not named:
        return Path(tempfile.mkdtemp(prefix="kvdocs-kernels-"))
    Path(named).mkdir(parents=True, exist_ok=True)
    return Path(named)


def compute_capability(run: Run) -> str:
    """The first GPU's compute capability, such as 9.0."""
    query = [run.tool("nvidia-smi"), "--query-gpu=compute_cap", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    lines = answer.stdout.split()
    if answer.returncode != 0 or not lines:
        raise RefusalError("nvidia-smi finds no GPU")
    return lines[0]


def architecture(capability: str) -> str:
    """What nvcc calls a compute capability: 9.0 is sm_90."""
    major, dot, minor = capability.partition(".")
    if not (dot and major.isdigit() and minor.isdigit()):
        raise RefusalError(f"nvidia-smi tells the compute capability as {capability!r}, and a number such as 8.9 was expected")
    return f"sm_{major}{minor}"


def compiled(run: Run, name: str, capability: str | None = None) -> Path:
    """The program of NAME.cu in this folder, compiled for this machine's GPU or for the capability given."""
    nvcc = run.tool("nvcc")
    arch = architecture(capability or compute_capability(run))
    program = scratch(run) / name
    output = run.run([nvcc, *FLAGS, f"-arch={arch}", "-o", os.fspath(program), os.fspath(HERE / f"{name}.cu")])
    if output.exit_code != 0:
        raise SystemExit(f"nvcc could not compile {name}.cu for {arch}")
    return program
