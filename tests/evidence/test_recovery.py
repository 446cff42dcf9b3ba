"""A runner that is killed at any moment loses no finished result and leaves no half of one."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from executions import HANG_S

from kvdocs.evidence.descendants import members
from kvdocs.evidence.logs import read_log
from kvdocs.evidence.recovery import recover, scratch_folder
from kvdocs.evidence.seals import load_result, results, verify
from kvdocs.evidence.store import Stored
from kvdocs.kinds.result import Result

RUNNER = dedent("""
    import os, sys
    from pathlib import Path
    from kvdocs.evidence import disk
    from kvdocs.evidence.runner import run
    from kvdocs.evidence.spec import ScriptSpec, Setting

    root, times, die_at = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    steps = 0

    def step(event, arguments):
        # Each way in which the runner changes the disk is a moment to die in.
        global steps
        if event in ("os.rename", "os.mkdir", "os.remove", "os.rmdir") or (event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT):
            if str(root) in str(arguments[0]):
                steps += 1
                if steps == die_at:
                    os.kill(os.getpid(), 9)

    if die_at:
        sys.addaudithook(step)
    for _ in range(times):
        stored = run(ScriptSpec("it", file="it.sh"), Setting("here", dict(os.environ)), root, root / "results")
        print(stored.folder.name, flush=True)
    print("steps", steps, flush=True)
""")


def start(root: Path, times: int, die_at: int = 0) -> subprocess.Popen[str]:
    """A runner in a process of its own, which executes a short script several times and prints the id of each stored result."""
    (root / "it.sh").write_text("seq 100; echo $KVDOCS_RUN; seq 100 >&2; exit 3")
    return subprocess.Popen([sys.executable, "-c", RUNNER, str(root), str(times), str(die_at)], stdout=subprocess.PIPE, text=True)


def wait_for_output(root: Path) -> None:
    """Wait until the script has printed something."""
    deadline = time.monotonic() + HANG_S
    while not any(path.stat().st_size for path in root.glob("results/.running/*/stdout.head")):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def recover_all(root: Path) -> list[Stored]:
    """Recover until nothing is left.

    A child that was just forked holds its dead runner's lock until it has become the script, or has died of its runner's death.
    """
    deadline = time.monotonic() + HANG_S
    found: list[Stored] = []
    while True:
        found += recover(root / "results")
        if not [path for path in (root / "results" / ".running").iterdir() if not path.name.startswith(".")]:
            return found
        assert time.monotonic() < deadline, "a run whose runner is dead is not recovered"
        time.sleep(0.02)


def assert_whole(root: Path, finished: list[str]) -> list[str]:
    """Every result verifies, every finished one is there, nothing is in progress; the outcomes of all results."""
    assert list(verify(root / "results")) == []
    folders = list(results(root / "results"))
    assert set(finished) <= {folder.name for folder in folders}
    assert [path.name for path in (root / "results" / ".running").iterdir() if not path.name.startswith(".")] == []
    records = [load_result(folder) for folder in folders]
    runs = [record["invocation"]["run"] for record in records]
    assert len(set(runs)) == len(runs), "a run has two results"
    for nonce in runs:
        assert members(None, nonce) == []
        assert not scratch_folder(nonce).exists()
    return [record["outcome"] for record in records]


@pytest.mark.slow
def test_killed_at_each_step_of_its_writing(tmp_path: Path) -> None:
    """The runner is killed before its first change of the disk, then before its second, and so on, until it gets through."""
    outcomes: dict[int, list[str]] = {}
    for die_at in range(1, 200):
        root = tmp_path / str(die_at)
        root.mkdir()
        runner = start(root, 1, die_at)
        printed, _ = runner.communicate(timeout=HANG_S)
        if runner.returncode == 0:
            break
        assert runner.returncode == -9
        finished = printed.split()
        (root / "results" / ".running").mkdir(parents=True, exist_ok=True)
        recover_all(root)
        outcomes[die_at] = assert_whole(root, finished)
    else:
        pytest.fail("the runner never got through")
    assert len(outcomes) > 20
    # At first nothing is known yet; then each run is a result that says the runner died; in the end the result is the script's own.
    assert list(dict.fromkeys(tuple(found) for found in outcomes.values())) == [(), ("runner-died",), ("failed",)]


def kill_at_random(root: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    finished: list[str] = []
    for _ in range(kills):
        runner = start(root, 1000)
        assert runner.stdout is not None
        finished.append(runner.stdout.readline().strip())
        time.sleep(chance.random() * 0.15)
        runner.kill()
        finished += runner.stdout.read().split()
        runner.wait()
    recover_all(root)
    outcomes = assert_whole(root, finished)
    assert outcomes.count("failed") >= len(finished)
    assert outcomes.count("failed") + outcomes.count("runner-died") == len(outcomes)
    assert outcomes.count("runner-died") <= kills


def test_killed_at_random_moments(tmp_path: Path) -> None:
    kill_at_random(tmp_path, kills=4, seed=1)


@pytest.mark.slow
def test_killed_at_random_moments_many_times(tmp_path: Path) -> None:
    kill_at_random(tmp_path, kills=60, seed=2)


@pytest.mark.slow
def test_two_runners_that_are_killed_side_by_side(tmp_path: Path) -> None:
    chance = random.Random(3)
    finished: list[str] = []
    for _ in range(15):
        pair = [start(tmp_path, 1000), start(tmp_path, 1000)]
        for runner in pair:
            assert runner.stdout is not None
            finished.append(runner.stdout.readline().strip())
        time.sleep(chance.random() * 0.1)
        for runner in pair:
            runner.kill()
            assert runner.stdout is not None
            finished += runner.stdout.read().split()
            runner.wait()
    recover_all(tmp_path)
    assert_whole(tmp_path, finished)


def test_a_run_whose_runner_died_becomes_a_result_with_what_it_printed(tmp_path: Path) -> None:
    driver = RUNNER.replace("times, die_at = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])", "times, die_at = Path(sys.argv[1]), 1, 0")
    (tmp_path / "it.sh").write_text("echo at work; sleep 1000")
    runner = subprocess.Popen([sys.executable, "-c", driver, str(tmp_path)])
    wait_for_output(tmp_path)
    assert recover(tmp_path / "results") == [], "a run whose runner lives is left alone"
    runner.kill()
    runner.wait()

    [stored] = recover_all(tmp_path)
    record = json.loads((stored.folder / "result.json").read_bytes())
    assert Result.model_validate(record).verdict == "inconclusive"
    reason = record["end"]["reason"].split("; ")[0]
    assert (record["outcome"], record["status"], record["judgement"]["verdict"]) == ("runner-died", "MISS", "inconclusive")
    assert reason == f"the runner (process {runner.pid}) died while the script ran"
    assert read_log(stored.folder, record, "stdout") == b"at work\n"
    assert record["machine"]["os"]
    assert recover(tmp_path / "results") == []
    assert assert_whole(tmp_path, []) == ["runner-died"]


def test_a_copy_of_a_run_in_progress_ended_the_run(tmp_path: Path) -> None:
    """Who copies a project while a script is at work, and executes something in the copy, has two runs."""
    (tmp_path / "it.sh").write_text("echo at work; read line < wait; exit 3")
    os.mkfifo(tmp_path / "wait")
    driver = RUNNER.replace('ScriptSpec("it",', 'ScriptSpec("it", cwd="project",')
    runner = subprocess.Popen([sys.executable, "-c", driver, str(tmp_path), "1", "0"], stdout=subprocess.PIPE, text=True)
    wait_for_output(tmp_path)
    shutil.copytree(tmp_path / "results", tmp_path / "copy")
    assert recover(tmp_path / "copy") == []
    with (tmp_path / "wait").open("w") as go_on:
        go_on.write("\n")
    printed, _ = runner.communicate(timeout=HANG_S)
    assert assert_whole(tmp_path, printed.split()[:1]) == ["failed"]
    assert [stored.record["outcome"] for stored in recover(tmp_path / "copy")] == ["runner-died"]


def test_the_next_run_takes_care_of_what_a_dead_runner_left(tmp_path: Path) -> None:
    runner = start(tmp_path, 1, die_at=15)
    runner.communicate(timeout=HANG_S)
    assert runner.returncode == -9
    assert list(results(tmp_path / "results")) == []
    printed, _ = start(tmp_path, 1).communicate(timeout=HANG_S)
    recover_all(tmp_path)
    assert sorted(assert_whole(tmp_path, printed.split()[:1])) == ["failed", "runner-died"]


def test_a_journal_that_cannot_be_read_is_removed(tmp_path: Path) -> None:
    broken = tmp_path / ".running" / "0123456789abcdef"
    broken.mkdir(parents=True)
    (broken / "journal.json").write_text('{"record": ')
    assert recover(tmp_path) == []
    assert not broken.exists()
    assert [path.name for path in tmp_path.iterdir()] == [".running"]
