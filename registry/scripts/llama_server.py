"""llama-server: start it, wait until it answers, ask for tokens, stop it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run_environment import Run, Word, matching, pass_on

COMMON = ("-ngl", "99", "-sm", "none", "-mg", "0", "-t", "3", "-fa", "on", "-b", "512", "-ub", "512", "--parallel", "1")
HOST_CACHE = ("-nkvo", "--kv-cpu-pinned", "--recurrent-state-offload")
DRAFTING = ("--spec-type", "draft-mtp", "--spec-draft-n-max", "5")
STOP_S = 120
PROMPT = "Explain, step by step and with examples, how a computer adds, multiplies and divides whole numbers."

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def cache_type(name: str) -> tuple[str, ...]:
    """The options for a cache whose keys and values have one type."""
    return ("-ctk", name, "-ctv", name)


@dataclass(frozen=True)
class Answer:
    """What became of a request: the timings that the server told, or why there are none."""

    timings: dict[str, Any] | None
    error: str = ""


class Server:
    """A server that runs. `lines` is what it has printed."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.address = f"http://127.0.0.1:{port}"
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ready(self, limit_s: float) -> bool:
        """Wait until the server answers; False when it ended before, or took too long."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with _direct.open(f"{self.address}/health", timeout=10) as answer:
                    if answer.status == 200:
                        return True
            except OSError:
                pass
            time.sleep(0.2)
        return False

    def complete(self, prompt: str, tokens: int, limit_s: float) -> Answer:
        """Ask for so many tokens, greedily and with a fixed seed, and past the end of the text."""
        wanted = {"prompt": prompt, "n_predict": tokens, "temperature": 0, "top_k": 1, "seed": 1234, "ignore_eos": True, "cache_prompt": False}
        request = urllib.request.Request(f"{self.address}/completion", json.dumps(wanted).encode(), {"Content-Type": "application/json"})
        try:
            with _direct.open(request, timeout=limit_s) as answer:
                return Answer(json.load(answer).get("timings", {}))
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            return Answer(None, type(reason if isinstance(reason, Exception) else error).__name__)

    def ended(self, wait_s: float) -> int | None:
        """The exit code if the server ends within that time (128 + N after signal N), else None."""
        try:
            code = self.process.wait(wait_s)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(10)
        return code if code >= 0 else 128 - code

    def stop(self) -> None:
        """Let the server end in its own way, so that what wraps it can print a summary; end it by force when it does not."""
        for pid in _servers_of(self.process.pid) or [self.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        if self.ended(STOP_S) is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.ended(STOP_S)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            self.lines.append(pass_on(raw))


@contextmanager
def started(run: Run, options: Sequence[Word], wrapper: Sequence[Word] = ()) -> Iterator[Server]:
    """A server with these options, behind a wrapping tool if given, on a free port; stopped in the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*wrapper, run.program("llama-server"), "-m", run.model(), *options]
    print("$", *command, flush=True)
    process = subprocess.Popen(run.pinned([*command, "--host", "127.0.0.1", "--port", str(port)]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, pass_fds=run.hold_gpu(), env=dict(run.environ))  # fmt: skip
    server = Server(process, port)
    try:
        yield server
    finally:
        if process.poll() is None:
            server.stop()


def buffer_sizes(lines: Sequence[str]) -> dict[str, float]:
    """The compute buffers that the server said it reserved, in MiB by backend; the last word on each counts."""
    return {m["name"]: float(m["size"]) for m in matching(lines, r"(?P<name>\S+) compute buffer size\s*=\s*(?P<size>[\d.]+) MiB")}


def _servers_of(session: int) -> list[int]:
    """The processes of a session that are llama-server itself."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            head, _, tail = (entry / "stat").read_text().rpartition(")") if entry.name.isdigit() else ("", "", "")
        except OSError:
            continue
        if head.partition("(")[2] == "llama-server" and tail.split()[3] == str(session):
            found.append(int(entry.name))
    return found
