"""What a script needs against what is here: a sentence for each thing that is missing, and a result that says so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from executions import Execute, ending

from kvdocs.evidence.machine import Machine
from kvdocs.evidence.requirements import capability_fits, unmet
from kvdocs.evidence.spec import ProbeSpec, ScriptSpec, Setting, build_variable, parse_cpus, spec_from

H200 = Machine({"gpu": [{"name": "NVIDIA H200", "compute_capability": "9.0", "memory_mib": 143771}], "memory": {"total_mib": 128000}}, ())
BARE = Machine({"gpu": [], "memory": {"total_mib": 8000}}, ())


def lacking(machine: Machine, environ: dict[str, str] | None = None, patches: list[dict[str, Any]] | None = None, **spec: Any) -> list[str]:
    return unmet(ScriptSpec("it", **spec), Setting("here", {"PATH": os.environ["PATH"], **(environ or {})}), machine, patches)


def test_a_script_without_needs_can_run() -> None:
    assert lacking(BARE) == []


def test_everything_that_is_missing_is_said_at_once() -> None:
    needs = {
        "tools": ["bash", "no-such-tool"], "source": True, "build": {"tree": "build-li", "binaries": ["bin/x"]}, "model": True, "gpu": 1,
        "compute_capability": ">=8.0", "gpu_memory_mib": 10000, "memory_mib": 16000, "variables": ["SERVER_PORT"],
    }  # fmt: skip
    assert lacking(BARE, needs=needs, probes=(ProbeSpec("P3", "p.patch"),), cpus="0,9999") == [
        "no-such-tool is not installed (neither on PATH nor in /usr/local/cuda/bin)",
        "KVDOCS_SOURCE is not set: it names the source tree",
        "KVDOCS_BUILD_LI (or KVDOCS_BUILD) is not set: it names the build tree build-li",
        "KVDOCS_MODEL is not set: it names the model file",
        "1 GPU is needed, and this machine has none",
        "16000 MiB of memory are needed, and this machine has 8000",
        "SERVER_PORT is not set",
        "the script is pinned to CPUs 0,9999, and this process may not use 9999",
        "the patch P3 is not in the source tree",
    ]


def test_a_gpu_that_is_too_small_or_too_old() -> None:
    assert lacking(H200, needs={"gpu": 1, "compute_capability": ">=8.9,<10", "gpu_memory_mib": 100000}) == []
    assert lacking(H200, needs={"gpu": 2}) == ["2 GPUs are needed, and this machine has 1"]
    assert lacking(H200, needs={"compute_capability": "==8.9"}) == ["compute capability ==8.9 is needed, and the GPU has 9.0"]
    assert lacking(H200, needs={"gpu_memory_mib": 200000}) == ["200000 MiB of GPU memory are needed, and the GPU has 143771"]


def test_a_build_tree_that_was_configured_otherwise(tmp_path: Path) -> None:
    (tmp_path / "CMakeCache.txt").write_text("GGML_CUDA:BOOL=ON\nGGML_CUDA_KVARN:BOOL=OFF\nCMAKE_CUDA_FLAGS:STRING=-O3 -lineinfo\n")
    build = {"tree": "build-kvarn", "binaries": ["bin/x"], "cmake": {"GGML_CUDA": "ON", "GGML_CUDA_KVARN": "ON", "CMAKE_CUDA_FLAGS": ".*-lineinfo.*", "GGML_X": "1"}}
    assert lacking(H200, {"KVDOCS_BUILD_KVARN": str(tmp_path)}, needs={"build": build}) == [
        "bin/x is not in the build tree, or cannot be executed",
        "the build tree has GGML_CUDA_KVARN=OFF, and ON is needed",
        "the build tree has GGML_X=(unset), and 1 is needed",
    ]
    assert lacking(H200, {"KVDOCS_BUILD": "/nowhere"}, needs={"build": build}) == ["KVDOCS_BUILD_KVARN (or KVDOCS_BUILD) names /nowhere, which is not a folder"]


def test_a_patch_that_is_in_the_tree_satisfies_the_need(tmp_path: Path) -> None:
    assert lacking(H200, {"KVDOCS_SOURCE": str(tmp_path)}, [{"id": "P3"}], probes=(ProbeSpec("P3", "p.patch"),)) == []


def test_what_is_missing_is_a_result_and_not_a_crash(execute: Execute) -> None:
    stored = execute("echo never", needs={"tools": ["no-such-tool"], "variables": ["X"]})
    assert ending(stored) == {
        "outcome": "unavailable", "exit_code": None, "signal": None,
        "reason": "no-such-tool is not installed (neither on PATH nor in /usr/local/cuda/bin); X is not set", "left_behind": [],
        "stdout": b"", "stderr": b"",
    }  # fmt: skip
    assert (stored.record["status"], stored.record["judgement"]["verdict"]) == ("SKIP", "inconclusive")


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [("9.0", True), ("==9", True), (">=8.9", True), (">=8.9,<9.0", False), ("<10", True), (">9", False), ("<=9.0", True), ("!=9.0", False), (">=8.0,!=8.6", True)],
)
def test_compute_capabilities_compare_as_versions(wanted: str, fits: bool) -> None:
    assert capability_fits("9.0", wanted) is fits


def test_version_ten_is_newer_than_nine() -> None:
    assert capability_fits("10.0", ">=9.0")
    assert not capability_fits("10.0", "<=9.9")


@pytest.mark.parametrize(("text", "cpus"), [("0,2,4", (0, 2, 4)), ("0-3", (0, 1, 2, 3)), ("0-6:2, 9", (0, 2, 4, 6, 9)), ("5", (5,))])
def test_lists_of_cpus_are_those_of_taskset(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus


@pytest.mark.parametrize("text", ["", "a", "0-", "0;1", "-1"])
def test_what_is_no_list_of_cpus(text: str) -> None:
    with pytest.raises(ValueError, match="is not a list of CPUs such as 0,2,4 or 0-3"):
        parse_cpus(text)


def test_the_variable_of_a_build_tree() -> None:
    assert (build_variable("build-kvarn"), build_variable("build-li-2"), build_variable("fast")) == ("KVDOCS_BUILD_KVARN", "KVDOCS_BUILD_LI_2", "KVDOCS_BUILD_FAST")


def test_a_spec_travels_as_json() -> None:
    import json

    spec = ScriptSpec(
        "d2", file="registry/scripts/d2.sh", argv=("bash", "{file}"), needs={"gpu": 1}, probes=(ProbeSpec("P1", "a.patch", False),), expect={"reproduced": [{"exit": 1}]}
    )
    assert spec_from(json.loads(json.dumps(spec.as_mapping()))) == spec


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"id": "../x"}, "cannot name a script or an environment"),
        ({"id": ""}, "cannot name a script or an environment"),
        ({"id": "x", "file": "/etc/passwd"}, "/etc/passwd does not lie inside the project"),
        ({"id": "x", "files": ["a/../../b"]}, "a/../../b does not lie inside the project"),
        ({"id": "x", "cwd": "home"}, "cwd is one of scratch, source, build, project, not 'home'"),
        ({"id": "x", "shell": True}, "'shell' is not part of a script"),
    ],
)
def test_a_spec_that_is_none_is_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        spec_from(data)
