"""A run in progress -> samples of the GPUs and of what else uses them; and a place where all news of it arrives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import descendants
from .gpu import Gpus
from .machine import load_average
from .process import Watch

Line = Callable[[str, float], None]

STATE = ("clocks_mhz", "temperature_c", "power_w", "throttle_reasons", "memory_used_mib", "pids")
"""What a sample tells of a GPU where the driver tells all."""


class Monitor(Watch):
    """Takes a sample of the GPUs before, every `tick_s` seconds during, and after a run."""

    def __init__(self, gpus: Gpus, nonce: str, on_line: Line, on_start: Callable[[int], None], tick_s: float = 5.0) -> None:
        self.tick_s = tick_s
        self._gpus, self._nonce, self._on_line, self._on_start = gpus, nonce, on_line, on_start
        self._before: list[dict[str, Any]] = []
        self._during: list[list[dict[str, Any]]] = []
        self._after: list[dict[str, Any]] = []
        self._load: list[list[float] | None] = []
        self._others: dict[str, set[int]] = {"before": set(), "during": set(), "after": set()}
        self._strangers: dict[str, set[int]] = {"before": set(), "during": set(), "after": set()}

    def before(self) -> None:
        """The sample before the script starts, taken with the lock held."""
        self._load.append(load_average())
        self._before = self._gpus.states()
        self._meet("before", _pids(self._before))

    def after(self) -> None:
        """The sample after its end."""
        self._load.append(load_average())
        self._after = self._gpus.states()
        self._meet("after", _pids(self._after))

    def started(self, pid: int) -> None:
        """The script runs."""
        self._on_start(pid)

    def line(self, text: str, elapsed_s: float) -> None:
        """A line for the live display."""
        self._on_line(text, elapsed_s)

    def tick(self, pid: int) -> None:
        """A sample during the run; processes of the run itself are none of the others."""
        own = self._own(pid)
        states = self._gpus.states()
        if states:
            own |= self._own(pid)  # a process may begin or end while the GPUs are asked
            self._during.append(states)
            self._meet("during", _pids(states) - own)

    def _own(self, pid: int) -> set[int]:
        return {member.pid for member in descendants.members(pid, self._nonce)} | {pid}

    def _meet(self, when: str, pids: set[int]) -> None:
        """Note processes that are not the run's. One that exists here now is a stranger, also when it has ended before anybody asks."""
        self._others[when] |= pids
        self._strangers[when] |= {pid for pid in pids if _is_here(pid)}

    def missing(self) -> list[dict[str, str]]:
        """What the samples could not tell of each GPU, in the form of the record's list."""
        return [
            {"what": f"gpu[{index}].{name} during the run", "why": "the driver does not tell"}
            for index, state in enumerate(self._before)
            for name in STATE
            if name not in state
        ]

    def as_record(self) -> dict[str, Any]:
        """What the samples show. `violations` are processes that used a GPU beside the script.

        A process id that did not exist here when it was seen is of another namespace (a container's driver counts as its host does) or has ended;
        such ids are `unidentified` and may be the script's own.
        """
        others = {when: sorted(pids) for when, pids in self._others.items()}
        strangers = {when: sorted(pids) for when, pids in self._strangers.items()}
        return {
            "gpu_before": _without_pids(self._before),
            "gpu_during": _summary(self._during),
            "gpu_after": _without_pids(self._after),
            "other_gpu_pids": others,
            "violations": [f"process {pid} used a GPU {when} the run" for when, pids in strangers.items() for pid in pids],
            "unidentified_gpu_pids": sorted(set().union(*others.values()).difference(*strangers.values())),
            "load_before": self._load[0] if self._load else None,
            "load_after": self._load[1] if len(self._load) > 1 else None,
            "sampling_ms": round(self.tick_s * 1000),
            "samples": len(self._during),
        }


def _is_here(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _pids(states: list[dict[str, Any]]) -> set[int]:
    return {pid for state in states for pid in state.get("pids", ())}


def _without_pids(states: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in state.items() if name != "pids"} for state in states]


def _summary(samples: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """For each GPU the lowest and highest value of each figure, and every throttle reason that was seen."""
    summary = []
    for index in range(max((len(states) for states in samples), default=0)):
        states = [sample[index] for sample in samples if index < len(sample)]
        summary.append({
            "sm_mhz": _span([s.get("clocks_mhz", {}).get("sm") for s in states]),
            "memory_mhz": _span([s.get("clocks_mhz", {}).get("memory") for s in states]),
            "temperature_c": _span([s.get("temperature_c") for s in states]),
            "power_w": _span([s.get("power_w") for s in states]),
            "memory_used_mib": _span([s.get("memory_used_mib") for s in states]),
            "throttle_reasons": sorted({reason for s in states for reason in s.get("throttle_reasons", ())}),
        })  # fmt: skip
    return summary


def _span(values: list[Any]) -> list[float] | None:
    known = [value for value in values if value is not None]
    return [min(known), max(known)] if known else None
