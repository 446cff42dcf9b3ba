"""The one-GPU-job lock: an advisory lock (flock) on a file that all jobs of a machine agree on.

The file is `$KVDOCS_GPU_LOCK`, else `kvdocs-gpu.lock` in `$XDG_RUNTIME_DIR`, else `/tmp/kvdocs-gpu-UID.lock`
(`$TMPDIR` is not asked: two jobs with two of them would not see each other).
Set the variable when several users share the machine.
`flock $KVDOCS_GPU_LOCK COMMAND` in a shell takes part too.

The kernel frees the lock when the last process that inherited it ends, so neither a killed runner leaves it behind,
nor does a job that outlives its runner lose it. A child of the runner finds `KVDOCS_GPU_LOCK_HELD=1` and must not take it again.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

VARIABLE = "KVDOCS_GPU_LOCK"
HELD = "KVDOCS_GPU_LOCK_HELD"
POLL_S = 0.1
_SIGNED = ("pid", "script", "since")


class LockTimeoutError(Exception):
    """The lock was not free in time."""


def lock_path(environ: Mapping[str, str] | None = None) -> Path:
    """The file of the lock on this machine, for these variables."""
    environ = os.environ if environ is None else environ
    named = environ.get(VARIABLE)
    if named:
        return Path(named)
    runtime = environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "kvdocs-gpu.lock"
    return Path("/tmp") / f"kvdocs-gpu-{os.getuid()}.lock"


class GpuLock:
    """Held from `acquire` to `release`. `fileno` is to be passed to the child, which then keeps the lock alive."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fileno = -1
        self.waited_s = 0.0
        self.waited_for: dict[str, Any] = {}

    def acquire(self, holder: Mapping[str, Any], *, limit_s: float, stop: Callable[[], bool] = lambda: False,
                waiting: Callable[[Mapping[str, Any]], None] = lambda holder: None) -> bool:  # fmt: skip
        """Wait for the lock; False when `stop` said so first. LockTimeoutError after `limit_s` seconds, OSError when the file is not to be had.

        `holder` is written into the file so that those who wait can say for whom; `waiting` is called with that while waiting.
        """
        began = time.monotonic()
        while True:
            if self._try():
                self.waited_s = round(time.monotonic() - began, 3)
                self._sign(holder)
                return True
            if stop():
                return False
            self.waited_for = _read_holder(self.path)
            if time.monotonic() - began >= limit_s:
                raise LockTimeoutError(f"{self.path} was not free within {limit_s:g} s{_held_by(self.waited_for)}")
            waiting(self.waited_for)
            time.sleep(POLL_S)

    def release(self) -> None:
        """Free the lock, also when a child still has the file open."""
        if self.fileno >= 0:
            os.ftruncate(self.fileno, 0)
            fcntl.flock(self.fileno, fcntl.LOCK_UN)
            os.close(self.fileno)
            self.fileno = -1

    def _try(self) -> bool:
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not stat.S_ISREG(os.fstat(fd).st_mode):  # in a pipe or a device nobody can write who holds it
            os.close(fd)
            raise OSError(errno.EINVAL, "it is no file", str(self.path))
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        if not _same_file(fd, self.path):  # somebody removed the file between open and flock: that lock locks nobody out
            os.close(fd)
            return False
        self.fileno = fd
        return True

    def _sign(self, holder: Mapping[str, Any]) -> None:
        os.ftruncate(self.fileno, 0)
        os.pwrite(self.fileno, json.dumps(dict(holder)).encode(), 0)


def _same_file(fd: int, path: Path) -> bool:
    try:
        there, here = path.stat(), os.fstat(fd)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _read_holder(path: Path) -> dict[str, Any]:
    """What a holder wrote of itself; another program's file may hold anything."""
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: value[key] for key in _SIGNED if isinstance(value.get(key), (str, int))} if isinstance(value, dict) else {}


def _held_by(holder: Mapping[str, Any]) -> str:
    if not holder:
        return ""
    return f": held by process {holder.get('pid', '?')} ({holder.get('script', 'unknown job')}) since {holder.get('since', '?')}"
