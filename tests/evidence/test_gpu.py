"""GPU facts and states: through a stand-in for the driver's library, through a stand-in for nvidia-smi, and with neither."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from kvdocs.evidence.gpu import Gpus
from kvdocs.evidence.machine import describe_machine
from kvdocs.evidence.monitor import Monitor

UUID = hashlib.sha256(b"GPU-00000000-1111-2222-3333-444444444444").hexdigest()[:16]
SMI = """#!/bin/sh
case "$1" in
  *name,uuid*) echo "NVIDIA H200, GPU-00000000-1111-2222-3333-444444444444, 9.0, 143771, 96.00.99, 700.00, 5, 5, 16, 16, Enabled, [N/A], Disabled, 580.159.04";;
  *) echo "345, 3201, 31, 76.54, 515";;
esac
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The stand-in for libnvidia-ml, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to make the stand-in library with")
    target = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(target), str(Path(__file__).parent / "nvml_stub.c")], check=True)
    return str(target)


def test_facts_by_the_drivers_library(library: str) -> None:
    facts = Gpus([library]).facts()
    assert facts.gpus == (
        {
            "index": 0, "name": "NVIDIA H200", "uuid_sha256": UUID, "compute_capability": "9.0", "memory_mib": 143771, "power_limit_w": 700.0,
            "pcie": {"gen": 5, "max_gen": 5, "width": 16, "max_width": 16}, "ecc": True, "mig": False, "persistence": True,
            "max_clocks_mhz": {"sm": 1980, "memory": 3201},
        },
    )  # fmt: skip
    assert (facts.driver, facts.source) == ({"driver": "580.159.04", "cuda_driver": "13.0"}, "nvml")
    assert facts.missing == (
        {"what": "gpu[0].vbios", "why": "Not Supported"},
        {"what": "gpu[0].application_clocks_mhz", "why": "the driver's library has no function for this"},
        {"what": "gpu.clocks_locked", "why": "NVML does not tell whether clocks are locked"},
    )


def test_states_by_the_drivers_library(library: str) -> None:
    gpus = Gpus([library])
    assert gpus.states() == [
        {
            "clocks_mhz": {"sm": 345, "memory": 3201}, "temperature_c": 31, "power_w": 76.543, "throttle_reasons": ["gpu_idle", "sw_power_cap"],
            "memory_used_mib": 515, "pids": list(range(4000, 4070)),
        }
    ]  # fmt: skip
    gpus.close()


@pytest.fixture
def smi(tmp_path: Path) -> str:
    """A stand-in for nvidia-smi."""
    path = tmp_path / "nvidia-smi"
    path.write_text(SMI)
    path.chmod(0o755)
    return str(path)


def test_facts_and_states_by_nvidia_smi_where_there_is_no_library(smi: str) -> None:
    gpus = Gpus(["libno-such-nvml.so"], smi)
    facts = gpus.facts()
    assert facts.gpus == (
        {
            "index": 0, "name": "NVIDIA H200", "uuid_sha256": UUID, "compute_capability": "9.0", "memory_mib": 143771, "vbios": "96.00.99", "power_limit_w": 700.0,
            "pcie": {"gen": 5, "max_gen": 5, "width": 16, "max_width": 16}, "ecc": True, "mig": None, "persistence": False,
        },
    )  # fmt: skip
    assert facts.missing == (
        {"what": "gpu[0].mig", "why": "nvidia-smi does not tell"},
        {"what": "nvml", "why": "libno-such-nvml.so is not on this machine"},
    )
    assert gpus.states() == [{"clocks_mhz": {"sm": 345, "memory": 3201}, "temperature_c": 31, "power_w": 76.54, "memory_used_mib": 515}]


def test_a_machine_without_a_gpu_says_why_it_has_no_facts() -> None:
    facts = Gpus(["libno-such-nvml.so"], "/no/such/nvidia-smi").facts()
    assert (facts.gpus, facts.source) == ((), None)
    assert facts.missing == ({"what": "gpu", "why": "NVML: libno-such-nvml.so is not on this machine; nvidia-smi: not on this machine"},)


def test_the_machine_is_described_with_what_is_missing(library: str) -> None:
    machine = describe_machine(Gpus([library]))
    assert machine.facts["gpu"][0]["name"] == "NVIDIA H200"
    assert (machine.facts["driver"], machine.facts["cuda_driver"]) == ("580.159.04", "13.0")
    absent = {name for name, value in machine.facts.items() if value is None} | {f"cpu.{name}" for name, value in machine.facts["cpu"].items() if value is None}
    assert absent <= {missing["what"] for missing in machine.missing}
    assert all(missing["why"] for missing in machine.missing)


class GivenSamples(Gpus):
    """GPUs whose states are given."""

    def __init__(self, *states: dict[str, object]) -> None:
        super().__init__(["libno-such-nvml.so"], "/no/such/nvidia-smi")
        self._states = list(states)

    def states(self) -> list[dict[str, object]]:
        return [self._states.pop(0)]


def test_what_used_the_gpu_beside_the_script_is_a_violation() -> None:
    stranger, gone, own = 1, 2**22 - 1, 4242424
    gpus = GivenSamples(
        {"temperature_c": 30, "pids": []},
        {"temperature_c": 60, "clocks_mhz": {"sm": 1980, "memory": 3201}, "throttle_reasons": ["sw_power_cap"], "pids": [own, stranger, gone]},
        {"temperature_c": 70, "clocks_mhz": {"sm": 1500, "memory": 3201}, "throttle_reasons": ["gpu_idle"], "pids": [own]},
        {"temperature_c": 40, "pids": []},
    )  # fmt: skip
    monitor = Monitor(gpus, "nonce", lambda *_: None, lambda _: None, tick_s=2.5)
    monitor.before()
    monitor.tick(own)
    monitor.tick(own)
    monitor.after()
    told = monitor.as_record()
    assert {name: told[name] for name in told if not name.startswith("load")} == {
        "gpu_before": [{"temperature_c": 30}], "gpu_after": [{"temperature_c": 40}],
        "gpu_during": [
            {"sm_mhz": [1500, 1980], "memory_mhz": [3201, 3201], "temperature_c": [60, 70], "power_w": None, "memory_used_mib": None,
             "throttle_reasons": ["gpu_idle", "sw_power_cap"]},
        ],
        "other_gpu_pids": {"before": [], "during": [stranger, gone], "after": []},
        "violations": ["process 1 used a GPU during the run"], "unidentified_gpu_pids": [gone],
        "sampling_ms": 2500, "samples": 2,
    }  # fmt: skip


def test_a_stranger_that_ended_before_the_run_did_is_a_violation_all_the_same() -> None:
    """Whether its process id exists was asked at the end of the run: a job of a few seconds in the middle was taken for one of another namespace."""
    stranger = subprocess.Popen(["sleep", "60"])
    gpus = GivenSamples({"pids": []}, {"pids": [stranger.pid]}, {"pids": []})
    monitor = Monitor(gpus, "nonce", lambda *_: None, lambda _: None)
    monitor.before()
    monitor.tick(4242424)
    stranger.kill()
    stranger.wait()
    monitor.after()
    told = monitor.as_record()
    assert (told["violations"], told["unidentified_gpu_pids"]) == ([f"process {stranger.pid} used a GPU during the run"], [])


def test_what_a_sample_cannot_tell_is_listed(library: str, smi: str) -> None:
    """Without the driver's library nobody knows which processes use the GPU, and an empty list of violations said nothing of that."""

    def missing(gpus: Gpus) -> list[str]:
        monitor = Monitor(gpus, "nonce", lambda *_: None, lambda _: None)
        monitor.before()
        return [what["what"] for what in monitor.missing()]

    assert missing(Gpus([library])) == []
    assert missing(Gpus(["libno-such-nvml.so"], smi)) == ["gpu[0].throttle_reasons during the run", "gpu[0].pids during the run"]
