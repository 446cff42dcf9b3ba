"""A command -> how it ended, with its output on disk; whatever the command does, this returns in time.

The two streams come through pipes that this process empties into spools (see `spool`): a child that floods them is slowed down,
never blocked for good, and neither memory nor disk grows beyond the spool's size.
The end of the run is the end of the direct child, or the time limit, or an interrupt, never the end of the streams:
what outlives the child is given `LINGER_S`, in a run that is stopped what is left of `GRACE_S`; then all of the run is ended and the pipes are closed.
When this process dies, the child dies with it (Linux), and what else writes to the pipes gets SIGPIPE.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import descendants
from .interrupts import Interrupts
from .spool import Spool
from .terminal import last_line

CHUNK = 256 * 1024
GRACE_S = 3.0
"""Between SIGTERM and SIGKILL when a run is stopped."""
LINGER_S = 0.5
"""How long the streams may stay open, and other processes of the run go on, after the child's end."""
UNKILLABLE_S = 10.0
"""How long to wait for a process that was sent SIGKILL: one that hangs in a driver ends when the driver lets it."""
LINE_EVERY_S = 0.1
POLL_WITHOUT_PIDFD_S = 0.02


@dataclass(frozen=True)
class Command:
    """What to execute. `cpus` pins it; `keep_open` are descriptors that it inherits; `nonce` marks what belongs to it."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    nonce: str
    timeout_s: float
    cpus: tuple[int, ...] = ()
    keep_open: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    `how` is `exited`, `signalled`, `timed-out`, `interrupted` or `not-started`; `reason` says it in a sentence.
    `exit_code` and `signal` are the child's own, also after a time-out. `left_behind` names processes that outlived the child
    longer than they were given, and were killed.
    """

    how: str
    reason: str
    exit_code: int | None = None
    signal: str | None = None
    duration_ns: int = 0
    resources: dict[str, Any] = field(default_factory=dict)
    left_behind: tuple[str, ...] = ()


class Watch:
    """What the caller wants to know while the command runs; every method may be overridden, none may raise."""

    tick_s = 5.0

    def started(self, pid: int) -> None:
        """The command runs under this process id, which is also its session."""

    def line(self, text: str, elapsed_s: float) -> None:
        """The newest line of output, at most ten times a second."""

    def tick(self, pid: int) -> None:
        """Every `tick_s` seconds: the time to take samples of the machine."""


def run_process(command: Command, out: Spool, err: Spool, interrupts: Interrupts, watch: Watch | None = None) -> Ended:
    """Execute a command to its end. OSError only when the spools cannot be written; the command is ended then too."""
    began = time.monotonic_ns()
    try:
        child = _start(command)
    except OSError as error:
        return Ended("not-started", f"{command.argv[0]} cannot be started: {error.strerror or error}")
    except (ValueError, subprocess.SubprocessError) as error:
        return Ended("not-started", f"{command.argv[0]} cannot be started: {error}")
    run = _Running(command, child, interrupts, watch or Watch(), began)
    try:
        run.pump({child.stdout.fileno(): out, child.stderr.fileno(): err})  # type: ignore[union-attr]
    finally:
        ended = run.finish()
    return ended


def _start(command: Command) -> subprocess.Popen[bytes]:
    parent, prctl, cpus = os.getpid(), _prctl(), set(command.cpus)

    def before_exec() -> None:
        if prctl is not None:
            prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
            if os.getppid() != parent:
                os._exit(127)
        if cpus:
            os.sched_setaffinity(0, cpus)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    return subprocess.Popen(
        list(command.argv), cwd=command.cwd, env=dict(command.env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, bufsize=0, start_new_session=True, pass_fds=command.keep_open,
        preexec_fn=before_exec,  # noqa: PLW1509 -- between fork and exec it makes only system calls that were looked up before
    )  # fmt: skip


def _prctl() -> Any:
    """The prctl function of Linux, looked up before the fork; None elsewhere."""
    try:
        import ctypes

        return ctypes.CDLL(None, use_errno=True).prctl
    except (ImportError, OSError, AttributeError):
        return None


class _Running:
    def __init__(self, command: Command, child: subprocess.Popen[bytes], interrupts: Interrupts, watch: Watch, began: int) -> None:
        self.command, self.child, self.interrupts, self.watch, self.began = command, child, interrupts, watch, began
        self.selector = selectors.DefaultSelector()
        self.pidfd = _pidfd(child.pid)
        self.stop_how, self.stop_reason = "", ""
        self.kill_at = self.killed_at = 0.0
        self.killed = False
        self.exited_at = 0.0
        self.duration_ns = 0
        self.left_behind: list[str] = []
        self.reaped: tuple[int, resource.struct_rusage] | None = None
        self.line_at = 0.0
        self.tick_at = time.monotonic() + watch.tick_s

    def pump(self, spools: Mapping[int, Spool]) -> None:
        """Empty the streams until the child has ended and the streams are closed or out of patience."""
        self.watch.started(self.child.pid)
        for fd, spool in spools.items():
            _widen(fd)
            self.selector.register(fd, selectors.EVENT_READ, spool)
        self.selector.register(self.interrupts.fileno, selectors.EVENT_READ, None)
        if self.pidfd >= 0:
            self.selector.register(self.pidfd, selectors.EVENT_READ, None)
        open_streams = set(spools)
        while open_streams or not self.exited_at:
            for key, _ in self.selector.select(self._patience()):
                if key.fd in open_streams and not self._read(key.fd, key.data):
                    self.selector.unregister(key.fd)
                    open_streams.discard(key.fd)
            self._look()
            if self.killed and self._given_up(time.monotonic()):
                break

    def finish(self) -> Ended:
        """End what is left of the run, reap the child, and say how it ended."""
        while not self.killed and not self._out_of_patience(time.monotonic()) and self._others():
            time.sleep(0.02)
        self._end_all()
        status, usage = self._reap()
        for stream in (self.child.stdout, self.child.stderr):
            if stream is not None:
                stream.close()
        self.selector.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)
        duration = self.duration_ns or time.monotonic_ns() - self.began
        left_behind = tuple(sorted(set(self.left_behind)))
        if status is None:
            reason = f"{self.stop_reason}; the process does not end even on SIGKILL"
            return Ended(self.stop_how, reason, None, None, duration, {}, (*left_behind, str(self.command.argv[0])))
        exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        by = _signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else None
        how = self.stop_how or ("signalled" if by else "exited")
        reason = self.stop_reason or (f"ended by {by}" if by else f"exit code {exit_code}")
        return Ended(how, reason, exit_code, by, duration, usage, left_behind)

    def _given_up(self, now: float) -> bool:
        if self.exited_at:
            return now - self.exited_at > 2 * LINGER_S
        return now - self.killed_at > UNKILLABLE_S

    def _read(self, fd: int, spool: Spool) -> bool:
        chunk = os.read(fd, CHUNK)
        if not chunk:
            return False
        spool.write(chunk)
        now = time.monotonic()
        if now >= self.line_at:
            text = last_line(chunk)
            if text is not None:
                self.line_at = now + LINE_EVERY_S
                self.watch.line(text, (time.monotonic_ns() - self.began) / 1e9)
        return True

    def _look(self) -> None:
        """What the clock, the signals and the child's state ask for."""
        now = time.monotonic()
        if self.interrupts.noted:
            self.interrupts.drain()
        if not self.exited_at and self._has_exited():
            self.exited_at, self.duration_ns = now, time.monotonic_ns() - self.began
            if self.pidfd >= 0:
                self.selector.unregister(self.pidfd)
        if not self.exited_at:
            self._stop_if_due(now)
        elif not self.killed and self._out_of_patience(now):
            self._kill()
        if now >= self.tick_at:
            self.tick_at = now + self.watch.tick_s
            self.watch.tick(self.child.pid)

    def _stop_if_due(self, now: float) -> None:
        if not self.stop_how:
            if self.interrupts.requested:
                self._stop("interrupted", f"interrupted by {self.interrupts.requested}", now)
            elif (time.monotonic_ns() - self.began) / 1e9 >= self.command.timeout_s:
                self._stop("timed-out", f"stopped by the time limit of {self.command.timeout_s:g} s", now)
        elif not self.killed and (now >= self.kill_at or self.interrupts.insisted):
            self._kill()

    def _stop(self, how: str, reason: str, now: float) -> None:
        self.stop_how, self.stop_reason, self.kill_at = how, reason, now + GRACE_S
        descendants.end(self.child.pid, self.command.nonce, signal.SIGTERM)

    def _out_of_patience(self, now: float) -> bool:
        """Whether what outlives the child has had its time; at once when the child itself has not ended."""
        due = self.kill_at if self.stop_how else self.exited_at + LINGER_S
        return not self.exited_at or now >= due or self.interrupts.insisted

    def _others(self) -> list[descendants.Member]:
        """The living processes of the run beside the child."""
        return [m for m in descendants.members(self.child.pid, self.command.nonce) if m.pid != self.child.pid]

    def _kill(self) -> None:
        self.killed, self.killed_at = True, time.monotonic()
        self._end_all()

    def _end_all(self) -> None:
        """End all of the run; what outlived the child is left behind."""
        ended = descendants.end(self.child.pid, self.command.nonce)
        if self.exited_at:
            self.left_behind += [m.name for m in ended if m.pid != self.child.pid]

    def _has_exited(self) -> bool:
        """Whether the child has ended; it stays unreaped, so that its process id is not given to another while the run is ended."""
        waitid = getattr(os, "waitid", None)
        if waitid is None:  # macOS before Python 3.13
            return self._reap_now()
        return waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _reap_now(self) -> bool:
        pid, status, usage = os.wait4(self.child.pid, os.WNOHANG)
        if pid:
            self.reaped = (status, usage)
        return bool(pid)

    def _patience(self) -> float:
        """How long to wait for something to happen before looking at the clock again."""
        now = time.monotonic()
        waits = [self.tick_at - now, 0.25]
        if self.pidfd < 0 and not self.exited_at:
            waits.append(POLL_WITHOUT_PIDFD_S)
        if self.exited_at:
            waits.append(LINGER_S / 5)
        elif self.stop_how:
            waits.append(self.kill_at - now)
        else:
            waits.append(self.command.timeout_s - (time.monotonic_ns() - self.began) / 1e9)
        return max(0.0, min(waits))

    def _reap(self) -> tuple[int | None, dict[str, Any]]:
        """The child's wait status, None when it does not end; what it used."""
        give_up_at = time.monotonic() + (0 if self.killed and not self.exited_at else UNKILLABLE_S)
        while self.reaped is None and not self._reap_now():
            if time.monotonic() > give_up_at:
                return None, {}
            time.sleep(0.005)
        assert self.reaped is not None
        status, usage = self.reaped
        self.child.returncode = os.waitstatus_to_exitcode(status)
        return status, {"user_s": round(usage.ru_utime, 6), "system_s": round(usage.ru_stime, 6), "max_rss_kib": usage.ru_maxrss}


def _pidfd(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _widen(fd: int) -> None:
    """A wider pipe makes fewer stops for a child that prints much (Linux; elsewhere it stays as it is)."""
    import fcntl

    try:
        fcntl.fcntl(fd, 1031, 1024 * 1024)  # F_SETPIPE_SZ
    except OSError:
        return


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
