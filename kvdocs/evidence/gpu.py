"""The GPUs of this machine -> their facts and states, by NVML or else by nvidia-smi."""

from __future__ import annotations

import csv
import hashlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .nvml import LIBRARIES, Nvml, NvmlError

SMI_LIMIT_S = 30.0
_FACT_FIELDS = ("name", "uuid", "compute_cap", "memory.total", "vbios_version", "power.limit", "pcie.link.gen.current", "pcie.link.gen.max",
                "pcie.link.width.current", "pcie.link.width.max", "ecc.mode.current", "mig.mode.current", "persistence_mode", "driver_version")  # fmt: skip
_STATE_FIELDS = ("clocks.sm", "clocks.mem", "temperature.gpu", "power.draw", "memory.used")


@dataclass(frozen=True)
class GpuFacts:
    """The GPUs, the driver, by which way they were asked, and what could not be had."""

    gpus: tuple[dict[str, Any], ...]
    driver: dict[str, Any]
    source: str | None
    missing: tuple[dict[str, str], ...]


class Gpus:
    """The way to the GPUs of this machine, opened once and asked many times."""

    def __init__(self, libraries: Sequence[str] = LIBRARIES, smi: str = "nvidia-smi") -> None:
        self._smi = smi
        self._nvml: Nvml | None = None
        self._why = ""
        try:
            self._nvml = Nvml(libraries)
        except NvmlError as error:
            self._why = str(error)

    def close(self) -> None:
        """End the session with the driver."""
        if self._nvml is not None:
            self._nvml.close()
            self._nvml = None

    def facts(self) -> GpuFacts:
        """What does not change during a run; never raises."""
        if self._nvml is not None:
            try:
                return self._facts_by_nvml(self._nvml)
            except NvmlError as error:
                self._why = str(error)
        return self._facts_by_smi()

    def states(self) -> list[dict[str, Any]]:
        """The state of each GPU now: clocks in MHz, temperature in °C, power in W, throttle reasons, memory in MiB, process ids."""
        if self._nvml is not None:
            try:
                return [self._nvml.state(device) for device in self._nvml.devices()]
            except NvmlError:
                return []
        return [_smi_state(row) for row in _ask_smi(self._smi, _STATE_FIELDS)[0]]

    def _facts_by_nvml(self, nvml: Nvml) -> GpuFacts:
        gpus, missing = [], []
        for index, device in enumerate(nvml.devices()):
            facts, refused = nvml.facts(device)
            gpus.append({"index": index, **facts})
            missing += [{"what": f"gpu[{index}].{name}", "why": why} for name, why in refused.items()]
        if gpus:
            missing.append({"what": "gpu.clocks_locked", "why": "NVML does not tell whether clocks are locked"})
        return GpuFacts(tuple(gpus), nvml.driver(), "nvml", tuple(missing))

    def _facts_by_smi(self) -> GpuFacts:
        rows, why = _ask_smi(self._smi, _FACT_FIELDS)
        if not rows:
            return GpuFacts((), {}, None, ({"what": "gpu", "why": f"NVML: {self._why}; nvidia-smi: {why}"},))
        gpus = tuple({"index": index, **_smi_facts(row)} for index, row in enumerate(rows))
        missing = [{"what": f"gpu[{i}].{name}", "why": "nvidia-smi does not tell"} for i, gpu in enumerate(gpus) for name, value in gpu.items() if value is None]
        missing.append({"what": "nvml", "why": self._why})
        return GpuFacts(gpus, {"driver": rows[0]["driver_version"], "cuda_driver": None}, "nvidia-smi", tuple(missing))


def _ask_smi(smi: str, fields: Sequence[str]) -> tuple[list[dict[str, str]], str]:
    """One mapping of field to text for each GPU, or none and why."""
    command = [smi, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SMI_LIMIT_S, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return [], "not on this machine"
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    rows = [[cell.strip() for cell in row] for row in csv.reader(done.stdout.splitlines())]
    if done.returncode or not rows or any(len(row) != len(fields) for row in rows):
        return [], (done.stderr or done.stdout).strip().splitlines()[0] if (done.stderr or done.stdout).strip() else "no GPU"
    return [dict(zip(fields, row)) for row in rows], ""


def _smi_facts(row: dict[str, str]) -> dict[str, Any]:
    return {
        "name": row["name"],
        "uuid_sha256": hashlib.sha256(row["uuid"].encode()).hexdigest()[:16],
        "compute_capability": _told(row["compute_cap"]),
        "memory_mib": _whole(row["memory.total"]),
        "vbios": _told(row["vbios_version"]),
        "power_limit_w": _number(row["power.limit"]),
        "pcie": {"gen": _whole(row["pcie.link.gen.current"]), "max_gen": _whole(row["pcie.link.gen.max"]),
                 "width": _whole(row["pcie.link.width.current"]), "max_width": _whole(row["pcie.link.width.max"])},
        "ecc": _enabled(row["ecc.mode.current"]),
        "mig": _enabled(row["mig.mode.current"]),
        "persistence": _enabled(row["persistence_mode"]),
    }  # fmt: skip


def _smi_state(row: dict[str, str]) -> dict[str, Any]:
    return {
        "clocks_mhz": {"sm": _whole(row["clocks.sm"]), "memory": _whole(row["clocks.mem"])},
        "temperature_c": _whole(row["temperature.gpu"]),
        "power_w": _number(row["power.draw"]),
        "memory_used_mib": _whole(row["memory.used"]),
    }


def _told(text: str) -> str | None:
    """The text, or None for the ways in which nvidia-smi says that it has none."""
    return None if not text or text.startswith("[") or text == "N/A" else text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _whole(text: str) -> int | None:
    number = _number(text)
    return None if number is None else int(number)


def _enabled(text: str) -> bool | None:
    return {"Enabled": True, "Disabled": False}.get(text)
