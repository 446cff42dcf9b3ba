"""What scripts need: without it they refuse with exit code 77 and one sentence, before anything runs."""

from __future__ import annotations

import ast
import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest
from stand_in import IDS, SCRIPTS, Machine, Ran

from kvdocs.evidence.lock import lock_path

NOT_SET = {
    "d7-kvarn-build": "KVDOCS_SOURCE is not set: it names the source tree of llama.cpp",
    "d10-agents-static": "KVDOCS_SOURCE is not set: it names the source tree of llama.cpp",
}


@pytest.mark.parametrize("script", IDS)
def test_a_script_that_is_given_nothing_says_what_it_needs(machine: Machine, script: str) -> None:
    why = NOT_SET.get(script, "KVDOCS_BUILD is not set: it names the build tree of llama.cpp")
    assert machine.run(script) == Ran(77, "", f"{script} cannot run: {why}\n")
    assert os.access(SCRIPTS / f"{script}.py", os.X_OK)


NEEDS = [
    ("d1-vector-d320", {"KVDOCS_BUILD": "/nowhere"}, "KVDOCS_BUILD names /nowhere, which does not exist"),
    ("d1-vector-d320", {}, "KVDOCS_BUILD names /build, which has no bin/test-backend-ops"),
    ("d3-mtp-abort", {"KVDOCS_MODEL": "/nowhere.gguf"}, "KVDOCS_MODEL names /nowhere.gguf, and there is no such file"),
    ("d3-mtp-abort", {"KVDOCS_RUNS": "0"}, "KVDOCS_RUNS is a positive whole number, not '0'"),
    ("d3-mtp-abort", {"KVDOCS_CACHE_PLACE": "disk"}, "KVDOCS_CACHE_PLACE is host or device, not 'disk'"),
    ("d2-barrier", {}, "compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin"),
    ("d4-test-kvarn", {}, "KVDOCS_BUILD enables GGML_CUDA_KVARN, and D4 is about a build that does not"),
    ("d9-kvarn-device", {}, "KVDOCS_BUILD enables GGML_CUDA_KVARN, and D9 is about a build that does not"),
    ("m1-cost-structure", {}, "KVDOCS_BUILD was built without P1 and P2: nothing in /build/bin knows GGML_KV_TRANSPORT_STATS"),
    ("m2-store-ceiling", {}, "KVDOCS_BUILD was built without P3: nothing in /build/bin knows GGML_KV_STORE_CEILING"),
    ("m3-overlap-ceiling", {}, "KVDOCS_BUILD was built without P4: nothing in /build/bin knows GGML_KV_OVERLAP_PROBE"),
    ("m4-device-resident", {"KVDOCS_CPUS": ""}, "KVDOCS_CPUS is not set: it names the CPUs to pin to, such as 0,2,4"),
    ("m4-device-resident", {"KVDOCS_ORDER": "AAA"}, "KVDOCS_ORDER is made of A and B and has both, not 'AAA'"),
    ("m4-device-resident", {"KVDOCS_DEPTHS": "4k"}, "KVDOCS_DEPTHS holds whole numbers, not '4k'"),
]


@pytest.mark.parametrize(("script", "environ", "why"), NEEDS, ids=[f"{script}-{why[:24]}" for script, _, why in NEEDS])
def test_a_script_says_what_is_wrong_with_what_it_is_given(machine: Machine, script: str, environ: Mapping[str, str], why: str) -> None:
    machine.build(GGML_CUDA_KVARN="ON")
    for name in ("llama-server", "llama-bench", "test-kvarn"):
        machine.prints(f"build/bin/{name}", "never run")
    assert machine.run(script, **environ) == Ran(77, "", f"{script} cannot run: {why}\n")


@pytest.mark.parametrize(
    "environ", [{}, {"KVDOCS_GPU_LOCK": "/some/lock"}, {"XDG_RUNTIME_DIR": "/"}, {"XDG_RUNTIME_DIR": "/nowhere"}], ids=["nothing", "named", "runtime", "no-runtime"]
)
def test_scripts_lock_the_file_that_the_runner_locks(environ: Mapping[str, str]) -> None:
    told = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import run_environment; print(run_environment.lock_path({environ!r}))"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert told.stdout == f"{lock_path(environ)}\n"


def test_a_gpu_job_waits_until_the_lock_is_free(machine: Machine) -> None:
    machine.build()
    machine.prints("build/bin/test-backend-ops", "Backend 1/1: CUDA0")
    with (machine.root / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        script = machine.start("d6-softcap")
        assert script.stderr is not None
        assert script.stdout is not None
        assert script.stderr.readline() == f"waiting for {machine.root}/lock\n"
    assert script.wait(30) == 0
    assert "exit_code = 0\n" in script.stdout.read()


def test_a_script_whose_caller_holds_the_lock_does_not_take_it_again(machine: Machine) -> None:
    machine.build()
    machine.prints("build/bin/test-backend-ops", "Backend 1/1: CUDA0")
    with (machine.root / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert machine.run("d6-softcap", KVDOCS_GPU_LOCK_HELD="1").code == 0


def test_scripts_run_on_the_oldest_python_that_they_promise() -> None:
    """Python 3.9 may not be here; its grammar is."""
    for path in SCRIPTS.glob("*.py"):
        ast.parse(path.read_text(), feature_version=(3, 9))
