"""The driver's library (libnvidia-ml) -> facts and states of the GPUs, through ctypes.

Functions, structures and constants are those of NVIDIA's NVML reference (nvml.h). Each value is asked for on its own:
what a driver or a card does not offer is reported with NVML's own words, and the rest is still had.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

LIBRARIES = ("libnvidia-ml.so.1", "libnvidia-ml.so")
_NOT_FOUND, _INSUFFICIENT_SIZE = 13, 7
_NO_SUCH = ctypes.c_uint(0xFFFFFFFF).value

THROTTLE_REASONS = {
    0x1: "gpu_idle", 0x2: "applications_clocks_setting", 0x4: "sw_power_cap", 0x8: "hw_slowdown", 0x10: "sync_boost",
    0x20: "sw_thermal_slowdown", 0x40: "hw_thermal_slowdown", 0x80: "hw_power_brake_slowdown", 0x100: "display_clock_setting",
}  # fmt: skip


class NvmlError(Exception):
    """NVML could not answer; the message is what it said."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


class Nvml:
    """An open session with the driver. `close` ends it."""

    def __init__(self, libraries: Sequence[str] = LIBRARIES) -> None:
        """NvmlError when there is no library, or no driver behind it."""
        self._lib = _load(libraries)
        self._call("nvmlInit_v2")

    def close(self) -> None:
        """End the session."""
        self._lib.nvmlShutdown()

    def driver(self) -> dict[str, Any]:
        """Version of the driver and the newest CUDA that it supports."""
        version = ctypes.c_int()
        self._call("nvmlSystemGetCudaDriverVersion_v2", ctypes.byref(version))
        return {"driver": self._string("nvmlSystemGetDriverVersion"), "cuda_driver": f"{version.value // 1000}.{version.value % 1000 // 10}"}

    def devices(self) -> list[ctypes.c_void_p]:
        """A handle for each GPU, in NVML's order (that of the PCI bus)."""
        count = ctypes.c_uint()
        self._call("nvmlDeviceGetCount_v2", ctypes.byref(count))
        handles = []
        for index in range(count.value):
            handle = ctypes.c_void_p()
            self._call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(handle))
            handles.append(handle)
        return handles

    def facts(self, device: ctypes.c_void_p) -> tuple[dict[str, Any], dict[str, str]]:
        """What does not change during a run, and what could not be had: name of the fact -> why. Memory in MiB, power in W, clocks in MHz."""
        return _each({
            "name": lambda: self._string("nvmlDeviceGetName", device),
            "uuid_sha256": lambda: hashlib.sha256(self._string("nvmlDeviceGetUUID", device).encode()).hexdigest()[:16],
            "compute_capability": lambda: ".".join(map(str, self._two_ints("nvmlDeviceGetCudaComputeCapability", device))),
            "memory_mib": lambda: self._memory(device).total // (1024 * 1024),
            "vbios": lambda: self._string("nvmlDeviceGetVbiosVersion", device),
            "power_limit_w": lambda: self._uint("nvmlDeviceGetEnforcedPowerLimit", device) / 1000,
            "pcie": lambda: {
                "gen": self._uint("nvmlDeviceGetCurrPcieLinkGeneration", device), "max_gen": self._uint("nvmlDeviceGetMaxPcieLinkGeneration", device),
                "width": self._uint("nvmlDeviceGetCurrPcieLinkWidth", device), "max_width": self._uint("nvmlDeviceGetMaxPcieLinkWidth", device),
            },
            "ecc": lambda: bool(self._two_ints("nvmlDeviceGetEccMode", device)[0]),
            "mig": lambda: bool(self._two_ints("nvmlDeviceGetMigMode", device)[0]),
            "persistence": lambda: bool(self._uint("nvmlDeviceGetPersistenceMode", device)),
            "max_clocks_mhz": lambda: {"sm": self._uint("nvmlDeviceGetMaxClockInfo", device, 1), "memory": self._uint("nvmlDeviceGetMaxClockInfo", device, 2)},
            "application_clocks_mhz": lambda: {"sm": self._uint("nvmlDeviceGetApplicationsClock", device, 1), "memory": self._uint("nvmlDeviceGetApplicationsClock", device, 2)},
        })  # fmt: skip

    def state(self, device: ctypes.c_void_p) -> dict[str, Any]:
        """What changes during a run, as far as it can be had: clocks, temperature, power, throttle reasons, used memory, process ids."""
        return _each({
            "clocks_mhz": lambda: {"sm": self._uint("nvmlDeviceGetClockInfo", device, 1), "memory": self._uint("nvmlDeviceGetClockInfo", device, 2)},
            "temperature_c": lambda: self._uint("nvmlDeviceGetTemperature", device, 0),
            "power_w": lambda: self._uint("nvmlDeviceGetPowerUsage", device) / 1000,
            "throttle_reasons": lambda: self._throttle_reasons(device),
            "memory_used_mib": lambda: self._memory(device).used // (1024 * 1024),
            "pids": lambda: self._pids(device),
        })[0]  # fmt: skip

    def _throttle_reasons(self, device: ctypes.c_void_p) -> list[str]:
        mask = ctypes.c_ulonglong()
        self._call("nvmlDeviceGetCurrentClocksThrottleReasons", device, ctypes.byref(mask))
        return [name for bit, name in THROTTLE_REASONS.items() if mask.value & bit]

    def _pids(self, device: ctypes.c_void_p) -> list[int]:
        """The processes with a compute context on the GPU, numbered as the driver's namespace numbers them."""
        name = next((n for n in ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2") if hasattr(self._lib, n)), None)
        if name is None:
            raise NvmlError("the driver's library has no function for this")
        size = ctypes.c_uint(64)
        for _ in range(4):
            found = (_Process * size.value)()
            code = getattr(self._lib, name)(device, ctypes.byref(size), found)
            if code == 0:
                return sorted(found[i].pid for i in range(size.value))
            if code != _INSUFFICIENT_SIZE:
                raise NvmlError(self._words(code))
            size.value = size.value * 2 + 8
        raise NvmlError("the number of processes keeps growing")

    def _memory(self, device: ctypes.c_void_p) -> _Memory:
        memory = _Memory()
        self._call("nvmlDeviceGetMemoryInfo", device, ctypes.byref(memory))
        return memory

    def _uint(self, name: str, device: ctypes.c_void_p, *arguments: int) -> int:
        value = ctypes.c_uint()
        self._call(name, device, *(ctypes.c_uint(a) for a in arguments), ctypes.byref(value))
        if value.value == _NO_SUCH:
            raise NvmlError("not available")
        return value.value

    def _two_ints(self, name: str, device: ctypes.c_void_p) -> tuple[int, int]:
        first, second = ctypes.c_int(), ctypes.c_int()
        self._call(name, device, ctypes.byref(first), ctypes.byref(second))
        return first.value, second.value

    def _string(self, name: str, *arguments: Any) -> str:
        buffer = ctypes.create_string_buffer(128)
        self._call(name, *arguments, buffer, ctypes.c_uint(len(buffer)))
        return buffer.value.decode("utf-8", "replace")

    def _call(self, name: str, *arguments: Any) -> None:
        try:
            function = getattr(self._lib, name)
        except AttributeError:
            raise NvmlError("the driver's library has no function for this") from None
        code = function(*arguments)
        if code:
            raise NvmlError(self._words(code))

    def _words(self, code: int) -> str:
        self._lib.nvmlErrorString.restype = ctypes.c_char_p
        words = self._lib.nvmlErrorString(code)
        return words.decode("utf-8", "replace") if words else f"NVML error {code}"


def _load(libraries: Sequence[str]) -> ctypes.CDLL:
    for name in libraries:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise NvmlError(f"{libraries[0]} is not on this machine")


def _each(questions: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """The answers that could be had, and why the others could not."""
    answers: dict[str, Any] = {}
    refused: dict[str, str] = {}
    for name, ask in questions.items():
        try:
            answers[name] = ask()
        except NvmlError as error:
            refused[name] = str(error)
    return answers, refused
