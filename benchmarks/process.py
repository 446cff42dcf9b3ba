"""A command as a whole process: what it took, itself and everything that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import BinaryIO


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds, the largest memory of one process in MiB, and how it ended: its exit code, or `timed out`."""

    cpu: float
    wall: float
    peak_mib: int
    ended: int | str

    def document(self) -> dict[str, float | int | str]:
        return asdict(self)


def measured(command: Sequence[str], at: Path, limit_s: float, env: Mapping[str, str] | None = None, errors: Path | None = None) -> Cost:
    """Run a command to its end, or until its time is over; what it prints is thrown away, but for its standard error where a file for that is named."""
    with (errors or Path(os.devnull)).open("wb") as stderr:
        return _measured(command, at, limit_s, env or {}, stderr)


def _measured(command: Sequence[str], at: Path, limit_s: float, env: Mapping[str, str], stderr: BinaryIO) -> Cost:
    started = time.monotonic()
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONDONTWRITEBYTECODE", "KVDOCS_NO_CACHE")} | dict(env)
    process = subprocess.Popen(command, cwd=at, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)
    ended: int | str | None = None
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall = time.monotonic() - started
        if done:
            code = os.waitstatus_to_exitcode(status)
            return Cost(round(usage.ru_utime + usage.ru_stime, 3), round(wall, 3), usage.ru_maxrss // 1024, code if ended is None else ended)
        if wall > limit_s and ended is None:
            ended = "timed out"
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.005)


def middle(costs: Sequence[Cost]) -> Cost:
    """The run whose CPU time is the median; of an even number, the lower one."""
    wanted = sorted(cost.cpu for cost in costs)[(len(costs) - 1) // 2]
    return next(cost for cost in costs if cost.cpu == wanted)


def calibration() -> float:
    """CPU seconds of a fixed piece of Python: how fast this machine is now. The median of five."""
    times = []
    for _ in range(5):
        started = time.process_time()
        total = 0
        for number in range(1_000_000):
            total += number * number % 7
        times.append(time.process_time() - started)
    return round(median(times), 4)
