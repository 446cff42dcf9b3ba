"""One GPU job at a time: between runners, between a runner and a shell, and after the death of a holder."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from executions import HANG_S, Execute, ending

from kvdocs.evidence.lock import GpuLock, LockTimeoutError, lock_path
from kvdocs.evidence.runner import Limits, Listener
from kvdocs.evidence.seals import load_result, results, verify

RUNNER = """
import os, sys
from pathlib import Path
from kvdocs.evidence.runner import run_series
from kvdocs.evidence.spec import ScriptSpec, Setting
root = Path(sys.argv[1])
spec = ScriptSpec("job", file="job.sh", lock=True, cwd="project")
for _ in run_series(spec, Setting("here", {**os.environ, "KVDOCS_GPU_LOCK": str(root / "lock")}), root, root / "results", repeat=5):
    pass
"""


def test_two_runners_at_once_take_turns_and_both_have_all_their_results(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text("echo begin >> diary; sleep 0.1; echo end >> diary\n")
    runners = [subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path)]) for _ in range(2)]
    assert [runner.wait(timeout=HANG_S) for runner in runners] == [0, 0]
    assert (tmp_path / "diary").read_text().split() == ["begin", "end"] * 10
    assert list(verify(tmp_path / "results")) == []
    records = [load_result(folder) for folder in results(tmp_path / "results")]
    assert [record["outcome"] for record in records] == ["passed"] * 10
    waits = [record["exclusivity"]["lock"]["waited_s"] for record in records]
    assert max(waits) > 0
    assert len({record["repeat"]["name"] for record in records}) == 2


def test_a_run_waits_for_a_shell_that_holds_the_lock(execute: Execute, tmp_path: Path) -> None:
    holder = subprocess.Popen(["flock", str(tmp_path / "gpu.lock"), "bash", "-c", "echo held; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    stored = execute("echo never", lock=True, limits=Limits(lock_s=0.2))
    assert ending(stored)["reason"] == f"the GPU lock was not to be had: {tmp_path}/gpu.lock was not free within 0.2 s"
    assert stored.record["outcome"] == "unavailable"
    holder.communicate("go\n")
    assert execute("echo now", lock=True).record["outcome"] == "passed"


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to("/dev/null")], ids=["pipe", "device"])
def test_a_pipe_or_a_device_as_the_lock_ended_the_command(put: Callable[[Path], None], execute: Execute, tmp_path: Path) -> None:
    put(tmp_path / "gpu.lock")
    stored = execute("echo never", lock=True)
    assert (stored.record["outcome"], ending(stored)["reason"]) == ("unavailable", f"the GPU lock was not to be had: [Errno 22] it is no file: '{tmp_path}/gpu.lock'")


@pytest.mark.parametrize("content", ["[" * 100_000, "[]", "7", '{"script": ' + "[" * 500 + "]" * 500 + "}"], ids=["deep", "list", "number", "deep script"])
def test_what_another_program_wrote_into_the_lock_ended_the_wait(content: str, execute: Execute, tmp_path: Path) -> None:
    (tmp_path / "gpu.lock").write_text(content)
    with (tmp_path / "gpu.lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        stored = execute("echo never", lock=True, limits=Limits(lock_s=0.2))
    assert (stored.record["outcome"], stored.record["exclusivity"]["lock"]["waited_for"]) == ("unavailable", None)


def test_a_child_of_a_run_knows_that_the_lock_is_held_for_it(execute: Execute) -> None:
    text = 'flock --nonblock "$KVDOCS_GPU_LOCK" true || echo taken; echo held=$KVDOCS_GPU_LOCK_HELD'
    assert ending(execute(text, lock=True))["stdout"] == b"taken\nheld=1\n"
    assert ending(execute(text, settings={"KVDOCS_GPU_LOCK_HELD": "1"}))["stdout"] == b"held=\n"


def test_the_lock_outlives_a_runner_as_long_as_its_job_runs(tmp_path: Path) -> None:
    """A process that inherited the lock keeps it, so that a killed runner does not let a second job onto the GPU."""
    lock = GpuLock(tmp_path / "lock")
    assert lock.acquire({"pid": 1}, limit_s=0)
    job = subprocess.Popen(["sleep", "1000"], pass_fds=[lock.fileno])
    os.close(lock.fileno)  # as a death does: the file is closed, nothing is unlocked
    second = GpuLock(tmp_path / "lock")
    with pytest.raises(LockTimeoutError):
        second.acquire({}, limit_s=0)
    job.kill()
    job.wait()
    assert second.acquire({}, limit_s=HANG_S)
    second.release()


def test_a_released_lock_is_free_even_if_a_process_kept_its_file_open(tmp_path: Path) -> None:
    lock, second = GpuLock(tmp_path / "lock"), GpuLock(tmp_path / "lock")
    assert lock.acquire({}, limit_s=0)
    stray = subprocess.Popen(["sleep", "1000"], pass_fds=[lock.fileno])
    lock.release()
    assert second.acquire({}, limit_s=0)
    second.release()
    stray.kill()
    stray.wait()


def test_who_waits_learns_for_whom_and_can_be_stopped(tmp_path: Path) -> None:
    first, second = GpuLock(tmp_path / "lock"), GpuLock(tmp_path / "lock")
    assert first.acquire({"pid": 42, "script": "d2-barrier", "since": "2026-11-29T17:00:00Z"}, limit_s=0)
    heard: list[object] = []
    assert not second.acquire({}, limit_s=HANG_S, stop=lambda: bool(heard), waiting=heard.append)
    assert heard == [{"pid": 42, "script": "d2-barrier", "since": "2026-11-29T17:00:00Z"}]
    with pytest.raises(LockTimeoutError, match=r"was not free within 0 s: held by process 42 \(d2-barrier\) since 2026-11-29T17:00:00Z$"):
        second.acquire({}, limit_s=0)
    first.release()


def test_a_lock_file_that_was_removed_while_it_was_held_locks_nobody_out_for_good(tmp_path: Path) -> None:
    first, second = GpuLock(tmp_path / "lock"), GpuLock(tmp_path / "lock")
    assert first.acquire({}, limit_s=0)
    (tmp_path / "lock").unlink()
    assert second.acquire({}, limit_s=HANG_S)
    first.release()
    second.release()


def test_an_interrupt_while_waiting_is_a_result(execute: Execute, tmp_path: Path) -> None:
    holder = GpuLock(tmp_path / "gpu.lock")
    assert holder.acquire({"script": "other"}, limit_s=0)

    class Impatient(Listener):
        def phase(self, text: str) -> None:
            if text.startswith("waiting for the GPU lock, held by other "):
                os.kill(os.getpid(), signal.SIGTERM)

    stored = execute("echo never", lock=True, listener=Impatient())
    holder.release()
    assert ending(stored)["reason"] == "interrupted by SIGTERM while waiting for the GPU lock"
    assert stored.record["outcome"] == "interrupted"


def test_where_the_lock_is(tmp_path: Path) -> None:
    assert lock_path({"KVDOCS_GPU_LOCK": "/var/lock/gpu", "XDG_RUNTIME_DIR": str(tmp_path)}) == Path("/var/lock/gpu")
    assert lock_path({"XDG_RUNTIME_DIR": str(tmp_path)}) == tmp_path / "kvdocs-gpu.lock"
    assert lock_path({"XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": str(tmp_path)}) == Path(f"/tmp/kvdocs-gpu-{os.getuid()}.lock")
