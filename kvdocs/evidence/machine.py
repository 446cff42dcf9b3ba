"""This machine -> what a result must say about it, and a list of what could not be had.

Names of hosts, serial numbers and users are not recorded; hashes of them tell whether two results came from one machine.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .gpu import Gpus

TOOL_LIMIT_S = 20.0


@dataclass(frozen=True)
class Machine:
    """The facts of a machine as the record keeps them (`facts`), and what is missing from them with the reason."""

    facts: dict[str, Any]
    missing: tuple[dict[str, str], ...]

    @property
    def gpus(self) -> list[dict[str, Any]]:
        """The facts of each GPU."""
        return list(self.facts["gpu"])


def describe_machine(gpus: Gpus | None = None) -> Machine:
    """Everything about this machine that can be had without privileges; never raises."""
    opened = gpus or Gpus()
    gpu = opened.facts()
    if gpus is None:
        opened.close()
    facts: dict[str, Any] = {
        "os": _os_name(),
        "kernel": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "host_id": _host_id(),
        "cpu": _cpu(),
        "memory": _memory(),
        "numa_nodes": _numa_nodes(),
        "iommu": _iommu(),
        "transparent_huge_pages": _bracketed("/sys/kernel/mm/transparent_hugepage/enabled"),
        "container": _container(),
        "virtual": _virtual(),
        "python": platform.python_version(),
        "gpu": list(gpu.gpus),
        "gpu_source": gpu.source,
        "driver": gpu.driver.get("driver"),
        "cuda_driver": gpu.driver.get("cuda_driver"),
        "nvcc": _nvcc(),
    }
    missing = [
        {"what": name, "why": _WHY.get(name, "this system does not tell")} for name, value in facts.items() if value is None and name not in ("gpu_source", "driver", "cuda_driver")
    ]
    missing += [{"what": f"cpu.{name}", "why": _WHY.get(f"cpu.{name}", "this system does not tell")} for name, value in facts["cpu"].items() if value is None]
    return Machine(facts, (*missing, *gpu.missing))


_WHY = {
    "nvcc": "nvcc is neither on PATH nor in /usr/local/cuda/bin",
    "iommu": "/sys/class/iommu is not there",
    "numa_nodes": "/sys/devices/system/node is not there",
    "transparent_huge_pages": "/sys/kernel/mm/transparent_hugepage is not there",
    "host_id": "there is neither /etc/machine-id nor a boot id",
    "cpu.governor": "the kernel offers no frequency scaling here (usual in virtual machines)",
}


def load_average() -> list[float] | None:
    """The load of the last 1, 5 and 15 minutes, or None where the system has no such figure."""
    try:
        return [round(value, 2) for value in os.getloadavg()]
    except OSError:
        return None


def allowed_cpus() -> tuple[int, ...]:
    """The numbers of the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def _os_name() -> str | None:
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)"?', _text("/etc/os-release") or "", re.MULTILINE)
    return match[1] if match else platform.platform(aliased=True, terse=True) or None


def _host_id() -> str | None:
    """A hash that is the same for all runs on one installation (without a machine-id: since one start of it) and tells nothing about it."""
    machine_id = (_text("/etc/machine-id") or _text("/proc/sys/kernel/random/boot_id") or "").strip()
    return hashlib.sha256(b"kvdocs host " + machine_id.encode()).hexdigest()[:16] if machine_id else None


def _cpu() -> dict[str, Any]:
    info = _text("/proc/cpuinfo") or ""
    model = re.search(r"^model name\s*:\s*(.+)$", info, re.MULTILINE)
    sockets = set(re.findall(r"^physical id\s*:\s*(\d+)$", info, re.MULTILINE))
    cores = set(re.findall(r"^physical id\s*:\s*(\d+)\n(?:.+\n)*?core id\s*:\s*(\d+)$", info, re.MULTILINE))
    governors = {text.strip() for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor") if (text := _text(str(path)))}
    return {
        "model": model[1].strip() if model else platform.processor() or None,
        "sockets": len(sockets) or None,
        "cores": len(cores) or None,
        "threads": os.cpu_count(),
        "usable": len(allowed_cpus()),
        "governor": ", ".join(sorted(governors)) or None,
    }


def _memory() -> dict[str, int] | None:
    found = dict(re.findall(r"^(MemTotal|MemAvailable|SwapTotal):\s+(\d+) kB$", _text("/proc/meminfo") or "", re.MULTILINE))
    if "MemTotal" not in found:
        return None
    return {"total_mib": int(found["MemTotal"]) // 1024, "available_mib": int(found.get("MemAvailable", 0)) // 1024, "swap_mib": int(found.get("SwapTotal", 0)) // 1024}


def _numa_nodes() -> int | None:
    return sum(1 for _ in Path("/sys/devices/system/node").glob("node[0-9]*")) or None


def _iommu() -> bool | None:
    folder = Path("/sys/class/iommu")
    return any(folder.iterdir()) if folder.is_dir() else None


def _bracketed(path: str) -> str | None:
    """The chosen word of a kernel setting such as `always [madvise] never`."""
    match = re.search(r"\[(\w+)\]", _text(path) or "")
    return match[1] if match else None


def _container() -> str:
    for path, name in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if Path(path).exists():
            return name
    return os.environ.get("container", "") or "none seen"  # noqa: SIM112 -- systemd and podman write it so


def _virtual() -> bool | None:
    info = _text("/proc/cpuinfo")
    return None if info is None else bool(re.search(r"^flags\s*:.*\bhypervisor\b", info, re.MULTILINE))


def _nvcc() -> str | None:
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        return None
    try:
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, errors="replace", timeout=TOOL_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\bV(\d+\.\d+\.\d+)", done.stdout)
    return match[1] if match else None


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
