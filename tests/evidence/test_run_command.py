"""`kvdocs run` and `kvdocs pack`: the user's own records, a small stand-in source tree, and what the terminal shows."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from executions import HANG_S
from test_source_tree import commit

from kvdocs.evidence.seals import load_result, results, verify
from kvdocs.evidence.source_tree import git
from kvdocs.project import Project

SCRIPTS = Path(__file__).resolve().parents[2] / "registry" / "scripts"

FILES = {
    "registry/owners/beellama.yaml": "id: beellama\ntitle: BeeLlama\nowns: The tests.\n",
    "registry/environments/bench.yaml": "id: bench\ntitle: The machine that tests run on\n",
    "registry/defects/D10.yaml": """
        id: D10
        title: A static test fails on a clean checkout
        status: confirmed
        severity: a red test on a clean tree
        owners: [beellama]
        symptom: The documentation lost a sentence.
        script: d10-agents-static
        fixed_by: [R12]
    """,
    "registry/defects/D6.yaml": """
        id: D6
        title: A defect without a script
        status: suspected
        severity: unknown
        owners: [beellama]
        symptom: Nobody has seen it.
    """,
    "registry/roadmap/R12.yaml": """
        id: R12
        title: Repair the static test
        status: open
        owners: [beellama]
        size: S
        gates:
          - id: passes
            text: The test passes.
            script: d10-agents-static
    """,
    "registry/scripts/d10-agents-static.yaml": r"""
        id: d10-agents-static
        title: Run the static test in the source tree
        purpose: reproduction
        file: d10-agents-static.py
        files: [run_environment.py]
        needs: {source: true}
        timeout_s: 60
        expect:
          captures:
            message: {pattern: '^AssertionError: (.+)$', take: last}
          reproduced:
            - exit: 1
            - pattern: '^AssertionError: '
          not_reproduced:
            - exit: 0
            - absent: '^AssertionError: '
    """,
}


@pytest.fixture
def project(make_project: Callable[[dict[str, str]], Project]) -> Path:
    """A project with D10, its item, its script and the file that the script shares with others."""
    root = make_project(FILES).root
    for name in ("d10-agents-static.py", "run_environment.py"):
        (root / "registry" / "scripts" / name).write_text((SCRIPTS / name).read_text())
    return root


@pytest.fixture
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stand-in for the source tree: a test that looks for a sentence in AGENTS.md, which a line break goes through."""
    folder = tmp_path_factory.mktemp("llama.cpp")
    git(folder, "init", "-q", "-b", "dev")
    (folder / "tests").mkdir()
    (folder / "AGENTS.md").write_text("The policy has 50 standard\nvector pairs.\n")
    (folder / "tests" / "test-upstream-merge-keepers-static.py").write_text(
        dedent("""
            from pathlib import Path
            text = (Path(__file__).parent.parent / "AGENTS.md").read_text()
            if "50 standard vector pairs" not in text:
                raise AssertionError("AGENTS.md does not describe the v0.4.0 CUDA policy")
            print("ok")
        """)
    )
    commit(folder, "Start")
    return folder


def plain(text: str) -> str:
    """The output with the parts that no two runs have in common replaced."""
    return re.sub(r"\b[0-9a-f]{64}\b", "SHA256", re.sub(r"\b[0-9a-f]{16}\b", "ID", text))


def test_a_defect_is_reproduced_on_a_tree_that_has_it_and_not_on_a_repaired_one(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    ran = kvdocs("run", "D10", "--source", str(tree), at=project)
    assert (ran.code, plain(ran.out), ran.err) == (
        0,
        "d10-agents-static: reproduced (failed: exit code 1)\n  exit 1 wanted: exit 1\n  lines with `^AssertionError: `: 1 found\n  bench/d10-agents-static/ID\n",
        "",
    )
    [folder] = results(project / "registry" / "results")
    record = load_result(folder)
    assert (record["source"]["commit"], record["source"]["branch"], record["source"]["dirty"]) == (git(tree, "rev-parse", "HEAD").decode().strip(), "dev", False)
    assert record["about"] == ["D10", "R12"]
    assert record["judgement"]["captures"]["message"]["value"] == "AGENTS.md does not describe the v0.4.0 CUDA policy"
    assert record["metrics"] == {"exit_code": 1, "message": "AGENTS.md does not describe the v0.4.0 CUDA policy", "units": {}}

    (tree / "AGENTS.md").write_text("The policy has 50 standard vector pairs.\n")
    ran = kvdocs("run", "R12", "--source", str(tree), "--repeat", "2", at=project)
    assert (ran.code, plain(ran.out)) == (
        0,
        (
            "d10-agents-static 1/2: not reproduced (passed: exit code 0)\n"
            "  exit 0 wanted: exit 0\n"
            "  no line with `^AssertionError: `: none\n"
            "  bench/d10-agents-static/ID\n"
            "d10-agents-static 2/2: not reproduced (passed: exit code 0)\n"
            "  exit 0 wanted: exit 0\n"
            "  no line with `^AssertionError: `: none\n"
            "  bench/d10-agents-static/ID\n"
            "d10-agents-static: not reproduced over 2 executions: clean in 2 of 2 eligible runs\n"
        ),
    )
    assert list(verify(project / "registry" / "results")) == []
    dirty = [load_result(folder)["source"]["dirty"] for folder in results(project / "registry" / "results")]
    assert sorted(dirty) == [False, True, True]
    assert [path.name for path in (project / "registry" / "scripts").iterdir() if path.name == "__pycache__"] == []


def test_a_run_stands_in_the_place_of_an_earlier_result(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    def made(*more: str) -> dict[str, Any]:
        """The one result of a run of D10."""
        (record,) = json.loads(kvdocs("run", "D10", "--json", *more, at=project).out)["results"]
        return dict(record)

    first = made("--source", str(tree))
    assert "supersedes" not in first
    could_not_run = made("--supersedes", first["id"])
    assert (could_not_run["outcome"], could_not_run.get("supersedes")) == ("unavailable", None), "it says nothing, so the first still counts"
    second = made("--supersedes", first["id"], "--source", str(tree))
    assert second["supersedes"] == first["id"]
    assert json.loads(kvdocs("show", first["id"], "--json", at=project).out)["left_out"]["words"] == f"superseded by {second['id']}"


def test_what_cannot_be_superseded(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    refused = kvdocs("run", "D10", "--supersedes", "0123456789abcdef", "--source", str(tree), at=project)
    assert (refused.code, refused.err) == (2, "error: there is no result '0123456789abcdef'\n")
    (record,) = json.loads(kvdocs("run", "D10", "--json", at=project).out)["results"]
    scripts = project / "registry" / "scripts"
    (scripts / "again.yaml").write_text((scripts / "d10-agents-static.yaml").read_text().replace("id: d10-agents-static", "id: again"))
    refused = kvdocs("run", "D10", "again", "--supersedes", record["id"], at=project)
    assert (refused.code, refused.err) == (2, "error: one result is superseded by executions of one script, and these are d10-agents-static, again\n  hint: name the script\n")


def _shown(terminal: int) -> bytes:
    """Everything that a terminal was given, until nobody writes to it any more."""
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal is an error of its reader
        while chunk := os.read(terminal, 4096):
            shown += chunk
    os.close(terminal)
    return shown


def test_a_terminal_shows_the_newest_line_and_a_bar_over_the_repetitions(project: Path) -> None:
    (project / "registry" / "scripts" / "d10-agents-static.py").write_text(
        "import time\nfor n in range(4):\n    print('case', n, flush=True)\n    time.sleep(0.15)\nraise SystemExit(n % 2)\n"
    )
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "kvdocs", "run", "D10", "--repeat", "2", "--source", str(project)]
    with subprocess.Popen(command, cwd=project, env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=follower, text=True) as running:
        os.close(follower)
        drawn = _shown(leader)
        out = running.communicate(timeout=HANG_S)[0]
    frames = [frame.decode() for frame in drawn.split(b"\r\x1b[K")]
    assert any(frame.startswith("d10-agents-static [....................] 0/2") and "case" in frame for frame in frames)
    assert any(frame.startswith("d10-agents-static [##########..........] 1/2, 1 inconclusive") for frame in frames)
    assert frames[-1] == "", "the line is taken away in the end"
    assert "\x1b" not in out


def test_a_person_is_told_where_to_look_next(project: Path) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "kvdocs", "run", "D10"]
    with subprocess.Popen(command, cwd=project, env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"}, stdout=follower, stderr=subprocess.DEVNULL) as running:
        os.close(follower)
        out = _shown(leader)
        running.wait(timeout=HANG_S)
    [folder] = results(project / "registry" / "results")
    assert out.decode().splitlines()[-2:] == ["", f"kvdocs show {folder.name[:8]}   why this verdict, and what is kept of it"]


def test_what_is_missing_is_said_and_recorded(kvdocs: Callable[..., Any], project: Path) -> None:
    ran = kvdocs("run", "D10", at=project)
    assert (ran.code, plain(ran.out)) == (
        1,
        "d10-agents-static: inconclusive (unavailable: KVDOCS_SOURCE is not set: it names the source tree)\n  bench/d10-agents-static/ID\n",
    )
    [folder] = results(project / "registry" / "results")
    assert load_result(folder)["status"] == "SKIP"


def test_the_plan_says_what_would_be_executed_and_what_is_missing(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    ran = kvdocs("run", "R12", "D10", "--plan", at=project)
    assert (ran.code, ran.out) == (
        1,
        (
            "SCRIPT             ABOUT     RUNS  LIMIT  GPU LOCK  HERE\n"
            "d10-agents-static  D10, R12  1     60 s             cannot run\n"
            "    KVDOCS_SOURCE is not set: it names the source tree\n"
        ),
    )
    assert kvdocs("run", "D10", "--plan", "--source", str(tree), at=project).code == 0
    document = json.loads(kvdocs("run", "D10", "--plan", "--json", "--repeat", "3", at=project).out)
    assert document == {
        "schema": "kvdocs/plan/v1", "environment": "bench",
        "scripts": [{"script": "d10-agents-static", "about": ["D10", "R12"], "executions": 3, "timeout_s": 60.0, "lock": False,
                     "missing": ["KVDOCS_SOURCE is not set: it names the source tree"]}],
    }  # fmt: skip
    assert not (project / "registry" / "results").exists()


def test_a_dry_run_shows_the_command_and_executes_nothing(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    ran = kvdocs("run", "D10", "--dry-run", "--source", str(tree), "--timeout", "5", at=project, env={"PATH": "/usr/bin:/bin"})
    lines = ran.out.splitlines()
    assert lines[:7] == [
        "d10-agents-static",
        "  command    <python> <project>/registry/scripts/d10-agents-static.py",
        "  folder     <scratch>",
        "  limit      5 s",
        "  GPU lock   not taken",
        "  CPUs       not pinned",
        "  results    registry/results/bench/d10-agents-static/",
    ]
    assert "  KVDOCS_SOURCE=<source>" in lines
    assert not (project / "registry" / "results").exists()


def test_results_as_a_document(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    document = json.loads(kvdocs("run", "D10", "--json", "--repeat", "2", "--source", str(tree), at=project).out)
    assert (document["schema"], [record["outcome"] for record in document["results"]]) == ("kvdocs/run/v1", ["failed", "failed"])
    assert document["scripts"] == [
        {"script": "d10-agents-static", "verdict": "reproduced", "reason": "reproduced in 2 of 2 eligible runs", "reproduced": 2, "clean": 0, "ineligible": []}
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("D100",), "error: no record has the id 'D100'\n  hint: did you mean 'D10'?\n"),
        (("D6",), "error: D6 has no script\n  hint: a record names one in `script` or in its gates; a script names records in `about`\n"),
        (("D10", "--env", "benhc"), "error: there is no environment 'benhc'\n  hint: did you mean 'bench'?\n"),
    ],
)
def test_wrong_use(kvdocs: Callable[..., Any], project: Path, arguments: tuple[str, ...], message: str) -> None:
    ran = kvdocs("run", *arguments, at=project)
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_the_environment_has_to_be_clear(kvdocs: Callable[..., Any], project: Path) -> None:
    (project / "registry" / "environments" / "h200.yaml").write_text("id: h200\ntitle: Another machine\n")
    ran = kvdocs("run", "D10", at=project)
    assert (ran.code, ran.err) == (2, "error: which environment do the results belong to?\n  hint: say `--env`, or set KVDOCS_ENV; on record: bench, h200\n")
    assert kvdocs("run", "D10", at=project, env={"KVDOCS_ENV": "h200"}).code == 1


def test_a_job_is_packed_run_elsewhere_and_taken_in(kvdocs: Callable[..., Any], project: Path, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    ran = kvdocs("pack", "D10", "-o", str(elsewhere / "job.pyz"), "--env", "bench", at=project)
    assert (ran.code, plain(ran.out)) == (
        0,
        (
            f"wrote {elsewhere}/job.pyz with d10-agents-static and 2 files\n"
            "  sha256 SHA256\n"
            "  run it:          python3 job.pyz --out results\n"
            "  take them in:    kvdocs import results results\n"
        ),
    )
    done = subprocess.run(
        [sys.executable, "-I", "job.pyz", "--out", "results", "--source", str(tree)],
        cwd=elsewhere,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    [folder] = results(elsewhere / "results")
    assert (load_result(folder)["judgement"]["verdict"], load_result(folder)["about"]) == ("reproduced", ["D10", "R12"])


def test_a_result_is_a_record_of_the_registry(kvdocs: Callable[..., Any], project: Path, tree: Path) -> None:
    kvdocs("run", "D10", "--source", str(tree), at=project)
    ran = kvdocs("check", at=project)
    assert (ran.code, ran.out) == (0, "no problems\n")
