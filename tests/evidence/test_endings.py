"""Whatever a script does, the run ends in time and its record says what happened."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import pytest
from executions import HANG_S, Execute, ending

from kvdocs.evidence.descendants import members
from kvdocs.evidence.recovery import recover
from kvdocs.evidence.runner import Limits
from kvdocs.evidence.seals import damages
from kvdocs.evidence.spool import SpoolSize
from kvdocs.source import parse_records


def test_a_script_that_succeeds(execute: Execute) -> None:
    stored = execute("echo fine; echo aside >&2")
    assert ending(stored) == {
        "outcome": "passed", "exit_code": 0, "signal": None, "reason": "exit code 0", "left_behind": [],
        "stdout": b"fine\n", "stderr": b"aside\n",
    }  # fmt: skip


def test_a_script_that_fails(execute: Execute) -> None:
    stored = execute("echo no; exit 134")
    assert ending(stored) == {
        "outcome": "failed", "exit_code": 134, "signal": None, "reason": "exit code 134", "left_behind": [],
        "stdout": b"no\n", "stderr": b"",
    }  # fmt: skip


def test_a_script_that_dies_by_a_signal(execute: Execute) -> None:
    stored = execute("import os\nprint('before', flush=True)\nos.abort()\n", suffix=".py")
    assert ending(stored) == {
        "outcome": "signalled", "exit_code": None, "signal": "SIGABRT", "reason": "ended by SIGABRT", "left_behind": [],
        "stdout": b"before\n", "stderr": b"",
    }  # fmt: skip


def test_a_script_that_hangs_is_stopped_by_the_time_limit_and_keeps_its_output(execute: Execute) -> None:
    stored = execute("echo begun; sleep 1000", timeout_s=1.5)
    assert ending(stored) == {
        "outcome": "timed-out", "exit_code": None, "signal": "SIGTERM", "reason": "stopped by the time limit of 1.5 s", "left_behind": [],
        "stdout": b"begun\n", "stderr": b"",
    }  # fmt: skip


def test_a_grandchild_that_takes_its_time_after_the_polite_signal_is_not_left_behind(execute: Execute) -> None:
    """The script itself ends at once on SIGTERM; what it started has the same grace."""
    slow = "import signal, sys, time\nsignal.signal(15, lambda *_: (time.sleep(1), open('cleaned', 'w'), sys.exit()))\nprint('begun', flush=True)\ntime.sleep(1000)\n"
    stored = execute(f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {slow!r}])\n", suffix=".py", timeout_s=2.5)
    assert ending(stored) == {
        "outcome": "timed-out", "exit_code": None, "signal": "SIGTERM", "reason": "stopped by the time limit of 2.5 s", "left_behind": [],
        "stdout": b"begun\n", "stderr": b"",
    }  # fmt: skip


def test_a_script_that_ignores_the_polite_signal_is_killed(execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kvdocs.evidence.process.GRACE_S", 0.3)
    stored = execute("trap '' TERM; echo stubborn; while true; do sleep 0.1; done", timeout_s=1.5)
    told = ending(stored)
    assert (told["outcome"], told["signal"], told["stdout"]) == ("timed-out", "SIGKILL", b"stubborn\n")


def test_a_process_that_does_not_end_even_when_it_is_killed_does_not_hang_the_run(execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that hangs in a driver: here the signals are kept from it."""
    monkeypatch.setattr("kvdocs.evidence.process.GRACE_S", 0.1)
    monkeypatch.setattr("kvdocs.evidence.process.UNKILLABLE_S", 0.3)
    monkeypatch.setattr("kvdocs.evidence.process.descendants.end", lambda *_: [])
    stored = execute("echo $$; exec sleep 1000", timeout_s=1.5)
    monkeypatch.undo()
    told = ending(stored)
    os.kill(int(told["stdout"]), signal.SIGKILL)
    assert (told["outcome"], told["reason"]) == ("timed-out", "stopped by the time limit of 1.5 s; the process does not end even on SIGKILL")
    assert told["left_behind"] == ["bash"]


def test_a_script_may_clean_up_when_it_is_stopped(execute: Execute) -> None:
    text = "import signal, sys, time\nsignal.signal(15, lambda *_: (print('cleaning'), sys.exit(7)))\nprint('begun', flush=True)\ntime.sleep(1000)\n"
    stored = execute(text, suffix=".py", timeout_s=2)
    assert ending(stored) == {
        "outcome": "timed-out", "exit_code": 7, "signal": None, "reason": "stopped by the time limit of 2 s", "left_behind": [],
        "stdout": b"begun\ncleaning\n", "stderr": b"",
    }  # fmt: skip


def test_a_script_that_floods_stderr_does_not_block(execute: Execute) -> None:
    stored = execute("import sys\nsys.stderr.write('x' * 99 + '\\n')\nfor _ in range(40000): sys.stderr.write('y' * 99 + '\\n')\nprint('done')", suffix=".py")
    told = ending(stored)
    assert (told["outcome"], told["stdout"], len(told["stderr"])) == ("passed", b"done\n", 4_000_100)
    assert stored.record["streams"]["stderr"]["file"] == "stderr.log.gz"


def test_grandchildren_that_hold_the_pipes_do_not_hang_the_run(execute: Execute) -> None:
    stored = execute("echo parent; sleep 1000 & sleep 1000 & exit 0")
    assert ending(stored) == {
        "outcome": "passed", "exit_code": 0, "signal": None, "reason": "exit code 0", "left_behind": ["sleep"],
        "stdout": b"parent\n", "stderr": b"",
    }  # fmt: skip
    assert members(None, stored.record["invocation"]["run"]) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells which process carries a run's marker")
def test_a_grandchild_in_a_session_of_its_own_is_ended_too(execute: Execute) -> None:
    daemon = "import os, sys, time\nif os.fork(): sys.exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nprint('daemon', flush=True)\ntime.sleep(1000)\n"
    stored = execute(daemon, suffix=".py", timeout_s=HANG_S)
    assert stored.record["outcome"] == "passed"
    assert stored.record["end"]["left_behind"] in (["python"], ["python3"], [Path(sys.executable).resolve().name[:15]])
    assert members(None, stored.record["invocation"]["run"]) == []


def test_a_grandchild_that_ignores_everything_does_not_hang_a_run_that_is_stopped(execute: Execute) -> None:
    stored = execute("(trap '' TERM HUP INT; while true; do echo still; sleep 0.05; done) & wait", timeout_s=1.5)
    assert stored.record["outcome"] == "timed-out"
    assert members(None, stored.record["invocation"]["run"]) == []


def test_output_that_is_no_utf8_is_kept_as_it_is(execute: Execute) -> None:
    stored = execute("import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\x00ok\\n\\xc3\\x28 FAIL\\n')", suffix=".py", expect={"reproduced": [{"pattern": "FAIL"}]})
    assert ending(stored)["stdout"] == b"\xff\xfe\x00ok\n\xc3\x28 FAIL\n"
    assert stored.record["judgement"]["verdict"] == "reproduced"
    assert damages(stored.folder) == []


def test_a_long_output_keeps_its_head_and_its_tail_and_says_what_is_lost(execute: Execute) -> None:
    small = Limits(spool=SpoolSize(head=1000, tail=1000))
    stored = execute("for i in $(seq 1000 1999); do echo line $i; done", limits=small)
    lines = ending(stored)["stdout"].decode().splitlines()
    words = stored.record["streams"]["stdout"]
    assert (words["bytes"], words["lost_bytes"]) == (10_000, 8010)
    assert (lines[0], lines[99], lines[100], lines[101], lines[-1]) == ("line 1000", "line 1099", "[kvdocs: 8010 bytes were not kept here]", "line 1901", "line 1999")


@pytest.mark.slow
def test_a_script_that_prints_a_gigabyte_takes_neither_the_memory_nor_the_disk(execute: Execute, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest = 0
    done = threading.Event()

    def watch() -> None:
        nonlocal largest
        while not done.is_set():
            largest = max(largest, sum(p.stat().st_size for p in (tmp_path / "results" / ".running").rglob("*") if p.is_file()))
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        stored = execute("yes 'a line of forty characters, end of line' | head -c 1000000000; echo last words", timeout_s=300)
    finally:
        done.set()
        watcher.join()
    words = stored.record["streams"]["stdout"]
    assert (stored.record["outcome"], words["bytes"]) == ("passed", 1_000_000_011)
    assert ending(stored)["stdout"].endswith(b"last words\n")
    assert largest < 64 * 2**20
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 256 * 2**20


def test_a_program_that_is_not_there_is_a_result(execute: Execute) -> None:
    stored = execute("", argv=("no-such-program", "--help"))
    assert ending(stored) == {
        "outcome": "unavailable", "exit_code": None, "signal": None,
        "reason": "no-such-program cannot be started: No such file or directory", "left_behind": [], "stdout": b"", "stderr": b"",
    }  # fmt: skip


def test_a_script_that_finds_something_missing_itself_says_so_with_exit_code_77(execute: Execute) -> None:
    stored = execute("echo looking; echo 'd1-vector-d320 cannot run: no CUDA device' >&2; exit 77", expect={"reproduced": [{"exit": "nonzero"}]})
    assert ending(stored) == {
        "outcome": "unavailable", "exit_code": 77, "signal": None, "reason": "no CUDA device", "left_behind": [],
        "stdout": b"looking\n", "stderr": b"d1-vector-d320 cannot run: no CUDA device\n",
    }  # fmt: skip
    assert (stored.record["status"], stored.record["judgement"]["reasons"]) == ("SKIP", ["it could not run: no CUDA device"])


def test_an_interrupt_ends_the_run_and_is_recorded(execute: Execute) -> None:
    stored = execute("echo begun; kill -INT $PPID; sleep 1000")
    assert ending(stored) == {
        "outcome": "interrupted", "exit_code": None, "signal": "SIGTERM", "reason": "interrupted by SIGINT", "left_behind": [],
        "stdout": b"begun\n", "stderr": b"",
    }  # fmt: skip
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_fault_of_the_runner_is_a_result_too(execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kvdocs.evidence.spool.Spool.write", full)
    stored = execute("echo begun; sleep 1000")
    assert ending(stored) == {
        "outcome": "runner-died", "exit_code": None, "signal": None,
        "reason": "the runner failed: OSError: [Errno 28] No space left on device", "left_behind": [], "stdout": b"", "stderr": b"",
    }  # fmt: skip
    assert "Spool" in stored.record["end"]["harness_error"] or "full" in stored.record["end"]["harness_error"]
    assert members(None, stored.record["invocation"]["run"]) == []


def test_the_script_sees_the_allowed_variables_an_empty_folder_and_the_way_to_write_figures(execute: Execute) -> None:
    text = """
        import json, os
        json.dump({"files": os.listdir("."), "names": sorted(os.environ)}, open(os.environ["KVDOCS_METRICS"], "w"))
    """
    settings = {"AWS_SECRET_ACCESS_KEY": "not for scripts", "GGML_CUDA_X": "1", "KVDOCS_MODEL": "/models/m.gguf"}
    stored = execute(textwrap.dedent(text), suffix=".py", settings=settings)
    assert stored.record["metrics"] == {
        "files": [],
        "names": ["GGML_CUDA_X", "HOME", "KVDOCS_GPU_LOCK", "KVDOCS_METRICS", "KVDOCS_MODEL", "KVDOCS_PROJECT", "KVDOCS_RUN", "KVDOCS_SCRATCH", "LANG", "PATH", "PYTHONPYCACHEPREFIX", "TMPDIR"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "kept"),
    [
        ('{"x": NaN, "y": 1e999, "z": 1e-310, "n": 1' + "0" * 400 + "}", {"x": "nan", "y": "inf", "z": "1e-310", "n": "1" + "0" * 400}),
        ('{"\\ud800": "\\ud800"}', {r"\ud800": r"\ud800"}),
        ('{"x": ' + "[" * 31 + "]" * 31 + "}", None),
        ('{"x": ' + "[" * 32 + "]" * 32 + "}", "the script's figures are nested more than 32 deep"),
        ('{"x": ' + "[" * 900 + "]" * 900 + "}", "the script's figures are nested more than 32 deep"),
    ],
)
def test_figures_that_no_record_can_hold_ended_the_run_or_made_a_record_that_nobody_reads(figures: str, kept: dict[str, str] | str | None, execute: Execute) -> None:
    stored = execute(f"echo '{figures}' > $KVDOCS_METRICS")
    record, problems = parse_records((stored.folder / "result.json").read_bytes(), stored.folder, "result.json")
    assert (len(record), problems) == (1, [])
    why = [lack["why"] for lack in stored.record["missing"] if lack["what"] == "metrics"]
    if isinstance(kept, str):
        assert (stored.record["metrics"], why) == ({}, [kept])
    else:
        assert (stored.record["metrics"], why) == (kept or json.loads(figures), [])


def test_the_scratch_folder_is_gone_afterwards(execute: Execute) -> None:
    stored = execute("pwd; touch left", expect={})
    assert ending(stored)["stdout"] == b"<scratch>\n"
    assert not (Path(tempfile.gettempdir()) / f"kvdocs-run-{stored.record['invocation']['run']}").exists()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system has no CPU affinity")
def test_a_script_is_pinned_to_its_cpus(execute: Execute) -> None:
    cpu = min(os.sched_getaffinity(0))
    stored = execute("import os; print(sorted(os.sched_getaffinity(0)))", suffix=".py", cpus=str(cpu))
    assert ending(stored)["stdout"] == f"[{cpu}]\n".encode()
    assert stored.record["invocation"]["cpus"] == [cpu]


def test_a_nested_process_of_a_dead_runner_dies_with_it(tmp_path: Path) -> None:
    """A runner that is killed takes the script's process with it: nothing runs on unrecorded."""
    marker = tmp_path / "alive"
    driver = (
        "import sys\nfrom pathlib import Path\nfrom kvdocs.evidence.runner import run\nfrom kvdocs.evidence.spec import ScriptSpec, Setting\nimport os\n"
        f"p = Path({str(tmp_path)!r})\n(p / 'it.sh').write_text('echo $$ > {marker}; exec sleep 1000')\n"
        "run(ScriptSpec('it', file='it.sh'), Setting('here', dict(os.environ)), p, p / 'results')\n"
    )
    runner = subprocess.Popen([sys.executable, "-c", driver])
    deadline = time.monotonic() + HANG_S
    while not (marker.exists() and marker.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    runner.kill()
    runner.wait()
    child = Path("/proc") / marker.read_text().strip() / "stat"
    with contextlib.suppress(OSError):  # gone while it is read
        while child.read_text().split(") ")[1][0] != "Z":
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert [stored.record["outcome"] for stored in recover(tmp_path / "results")] == ["runner-died"]
