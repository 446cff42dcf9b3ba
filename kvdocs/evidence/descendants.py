"""A run's marker -> the processes that belong to it, however they were started, and their end.

A run's child leads its own session, and all that it starts inherits `KVDOCS_RUN=NONCE`.
A process that leaves the session is found by that variable (Linux; elsewhere only the group is known).
One that leaves the session and empties its environment is not found.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

MARKER = "KVDOCS_RUN"


def is_running(process: object) -> bool:
    """Whether there is a process of this number, as far as one can ask without ending it; what is no such number names none."""
    if os.name != "posix" or not isinstance(process, int) or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it belongs to another user
        return True
    return True


@dataclass(frozen=True)
class Member:
    """A living process of a run."""

    pid: int
    session: int
    name: str


def members(session: int | None, nonce: str) -> list[Member]:
    """The living processes of a run: those of the session, and those that carry its marker. Never this process."""
    marker = f"{MARKER}={nonce}".encode()
    found = []
    for entry in _processes():
        pid = int(entry)
        if pid == os.getpid():
            continue
        state = _read(f"/proc/{entry}/stat")
        name, _, rest = state.rpartition(b") ")
        fields = rest.split()
        if len(fields) < 4 or fields[0] in (b"Z", b"X"):
            continue
        if (session is not None and int(fields[3]) == session) or marker in _read(f"/proc/{entry}/environ").split(b"\0"):
            found.append(Member(pid, int(fields[3]), name.partition(b"(")[2].decode("utf-8", "replace")))
    return found


def end(session: int | None, nonce: str, how: int = signal.SIGKILL) -> list[Member]:
    """Send a signal to every process of a run, and to the session's group; who was there.

    With SIGKILL it looks again until nobody is left (a process may fork while it is looked for).
    """
    first = found = members(session, nonce)
    if session is not None:
        _signal_group(session, how)
        found = [m for m in first if m.session != session or how == signal.SIGKILL]  # SIGTERM once for each is enough
    for _ in range(50):
        for member in found:
            try:
                os.kill(member.pid, how)
            except (ProcessLookupError, PermissionError):
                continue
        if how != signal.SIGKILL or not found:
            break
        time.sleep(0.01)
        found = members(session, nonce)
    return first


def _signal_group(group: int, how: int) -> None:
    try:
        os.killpg(group, how)
    except (ProcessLookupError, PermissionError):
        return


def _processes() -> list[str]:
    try:
        return [path.name for path in Path("/proc").iterdir() if path.name.isdigit()]
    except OSError:
        return []


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
