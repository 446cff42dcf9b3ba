"""The benchmark of other programs: what is written for them, how they are installed, and what a row says when there is no figure."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from benchmarks import installing
from benchmarks.__main__ import main
from benchmarks.installing import Install, Npm, OnPath, Pip
from benchmarks.page import page_of
from benchmarks.peer_data import blockers, is_done, prose, waits_for, write_backlog, write_strictdoc, write_taskwarrior
from benchmarks.peers import PEERS, Peer, Task, reason_in, run_peer
from benchmarks.targets import RATIOS
from tests.conftest import REPOSITORY

MKDOCS = "plain MkDocs with Material"
"""Not one of PEERS: it is given the pages that kvdocs wrote."""


def _program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{dedent(script)}", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for programs that is all of PATH, but for the shell's own."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    return tmp_path / "bin"


# What is written


def test_the_items_of_backlog_md_are_files_as_its_own_command_makes_them(tmp_path: Path) -> None:
    write_backlog(tmp_path, 40)
    tasks = tmp_path / "backlog" / "tasks"
    assert len(list(tasks.iterdir())) == 40
    assert (tasks / "task-38 - Item-38-of-the-work.md").read_text(encoding="utf-8") == (
        "---\nid: TASK-38\ntitle: Item 38 of the work\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01 00:00'\nlabels: []\n"
        "dependencies:\n  - TASK-7\n  - TASK-31\nordinal: 38000\n---\n\n## Description\n\n"
        f"<!-- SECTION:DESCRIPTION:BEGIN -->\n{prose(38)}\n<!-- SECTION:DESCRIPTION:END -->\n"
    )
    assert (tasks / "task-1 - Item-1-of-the-work.md").read_text(encoding="utf-8").startswith(
        "---\nid: TASK-1\ntitle: Item 1 of the work\nstatus: Done\nassignee: []\ncreated_date: '2026-01-01 00:00'\nlabels: []\ndependencies: []\nordinal: 1000\n---\n"
    )


def test_the_items_of_taskwarrior_are_lines_that_task_import_reads(tmp_path: Path) -> None:
    write_taskwarrior(tmp_path, 40)
    assert (tmp_path / "taskrc").read_text(encoding="utf-8") == "confirmation=off\ncolor=off\n"
    items = [json.loads(line) for line in (tmp_path / "items.json").read_text(encoding="utf-8").splitlines()]
    assert len(items) == 40
    assert items[37] == {
        "uuid": "00000000-0000-4000-8000-000000000038",
        "description": "Item 38 of the work",
        "entry": "20260101T000000Z",
        "status": "pending",
        "depends": ["00000000-0000-4000-8000-000000000007", "00000000-0000-4000-8000-000000000031"],
        "annotations": [{"entry": "20260101T000000Z", "description": prose(38)}],
    }
    assert items[0] == {
        "uuid": "00000000-0000-4000-8000-000000000001",
        "description": "Item 1 of the work",
        "entry": "20260101T000000Z",
        "status": "completed",
        "end": "20260101T000000Z",
        "annotations": [{"entry": "20260101T000000Z", "description": prose(1)}],
    }


def test_of_the_items_some_are_ready_because_others_are_done_and_most_wait() -> None:
    size = 1_000
    unfinished = [n for n in range(1, size + 1) if not is_done(n, size)]
    ready = [n for n in unfinished if all(is_done(b, size) for b in waits_for(n, size))]
    assert (len(unfinished), len(ready), len([n for n in ready if waits_for(n, size)])) == (889, 60, 50)
    assert all(b < n for n in unfinished for b in blockers(n))


def test_strictdoc_failed_on_the_page_that_repeats_an_item_for_each_path_to_it(tmp_path: Path) -> None:
    write_strictdoc(tmp_path, 1)
    assert (tmp_path / "strictdoc_config.py").read_text(encoding="utf-8") == (
        "from strictdoc.core.project_config import ProjectConfig\n\n\n"
        "def create_config() -> ProjectConfig:\n"
        '    return ProjectConfig(project_features=["TABLE_SCREEN", "TRACEABILITY_SCREEN", "SEARCH"])\n'
    )
    assert (tmp_path / "items.sdoc").read_text(encoding="utf-8") == (
        f"[DOCUMENT]\nTITLE: Benchmark\n\n[REQUIREMENT]\nUID: R00001\nTITLE: Item 1 of the work\nSTATEMENT: >>>\n{prose(1)}\n<<<\n"
    )


# How they are installed


@pytest.mark.parametrize(
    ("install", "programs", "commands"),
    [
        (Pip(("sphinx", "sphinx-needs")), "bin", [[sys.executable, "-m", "venv", "AT"], ["AT/bin/pip", "install", "--quiet", "sphinx", "sphinx-needs"]]),
        (Npm("backlog.md"), "node_modules/.bin", [["npm", "install", "--prefix", "AT", "--silent", "--no-fund", "--no-audit", "backlog.md"]]),
    ],
)
def test_packages_are_installed_once_into_a_folder_of_their_own(install: Install, programs: str, commands: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = tmp_path / "programs"
    seen: list[list[str]] = []

    def run(command: Sequence[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        seen.append([part.replace(str(at), "AT") for part in command])
        at.mkdir(exist_ok=True)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(installing.subprocess, "run", run)
    assert install.programs(at) == at / programs
    assert install.programs(at) == at / programs
    assert seen == commands


def test_npm_tells_the_version_that_it_installed(tmp_path: Path, on_path: Path) -> None:
    _program(on_path, "npm", """\
        mkdir -p "$3/node_modules/backlog.md"
        echo '{"name": "backlog.md", "version": "1.52.0"}' > "$3/node_modules/backlog.md/package.json"
    """)  # fmt: skip
    install = Npm("backlog.md")
    assert install.programs(tmp_path / "npm") == tmp_path / "npm" / "node_modules" / ".bin"
    assert install.version(tmp_path / "npm") == "1.52.0"


def test_what_was_left_half_installed_is_installed_anew(tmp_path: Path, on_path: Path) -> None:
    at = tmp_path / "npm"
    _program(on_path, "npm", 'mkdir -p "$3"; touch "$3/half"; exit 1\n')
    assert Npm("backlog.md").programs(at) is None
    _program(on_path, "npm", 'mkdir "$3"\n')
    assert Npm("backlog.md").programs(at) == at / "node_modules" / ".bin"
    assert not (at / "half").exists()


def test_a_program_of_the_system_is_looked_for_on_path(tmp_path: Path, on_path: Path) -> None:
    install = OnPath("kvdocs-peer")
    assert install.programs(tmp_path) is None
    _program(on_path, "kvdocs-peer", "echo 2.6.2\n")
    assert install.programs(tmp_path) == on_path
    assert install.version(tmp_path) == "2.6.2"


# What a row says

PEER = Peer(
    "other",
    OnPath("kvdocs-peer"),
    lambda root, size: (root / "items").write_text(f"{size} items\n", encoding="utf-8") and None,
    (Task("warm", ("order", "warm"), ("kvdocs-peer", "ready"), runs=2), Task("strict", ("check", "cold"), ("kvdocs-peer", "check"), runs=2)),
    load=("kvdocs-peer", "import"),
    env={"PEER_DATA": "store"},
)


def _without_figures(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in ("cpu", "wall", "peak_mib")} for row in rows]


def test_a_peer_takes_in_its_data_once_and_a_failed_task_says_why(tmp_path: Path, on_path: Path) -> None:
    _program(on_path, "kvdocs-peer", """\
        [ "$1" = --version ] && echo 7 && exit
        echo "$1" >> "$PEER_DATA"
        [ "$1" = import ] && cat items >> "$PEER_DATA"
        [ "$1" = check ] && echo "error: $PWD/items: no owner" >&2 && exit 3
        exit 0
    """)  # fmt: skip
    rows = list(run_peer(PEER, tmp_path, 100, 60))
    assert ["cpu" in row for row in rows] == [True, False]
    assert _without_figures(rows) == [
        {"size": 100, "peer": "other", "version": "7", "task": "warm", "against": ["order", "warm"], "ended": 0},
        {"size": 100, "peer": "other", "version": "7", "task": "strict", "against": ["check", "cold"], "ended": "ended with 3: error: items: no owner"},
    ]
    assert (tmp_path / "other-100" / "store").read_text(encoding="utf-8") == "import\n100 items\nready\nready\ncheck\n"


def test_a_peer_that_does_not_take_in_its_data_has_no_figures(tmp_path: Path, on_path: Path) -> None:
    _program(on_path, "kvdocs-peer", '[ "$1" = import ] && exit 2; exit 0\n')
    assert [row["ended"] for row in run_peer(PEER, tmp_path, 100, 60)] == ["ended with 2", "ended with 2"]


def test_a_peer_that_is_not_there_has_rows_that_say_so(tmp_path: Path, on_path: Path) -> None:
    assert list(run_peer(PEER, tmp_path, 100, 60)) == [
        {"size": 100, "peer": "other", "version": "", "task": "warm", "against": ["order", "warm"], "ended": "not installed"},
        {"size": 100, "peer": "other", "version": "", "task": "strict", "against": ["check", "cold"], "ended": "not installed"},
    ]


def test_a_peer_that_takes_too_long_is_ended(tmp_path: Path, on_path: Path) -> None:
    _program(on_path, "kvdocs-peer", '[ "$1" = ready ] && exec sleep 60; exit 0\n')
    assert [row["ended"] for row in run_peer(PEER, tmp_path, 100, 1)] == ["timed out after 1 s", 0]


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        ("error: maximum recursion depth exceeded\nerror source: /opt/lib/file_system.py:93\nRerun with --debug to see more.\n", "error: maximum recursion depth exceeded"),
        ('Traceback (most recent call last):\n  File "/opt/lib/a.py", line 3\nyaml.scanner.ScannerError: bad\n\nrequests.Error: /opt/lib/b.py is bad\n', "requests.Error: b.py is bad"),
        ("\x1b[31mNo project found in '/srv/data'.\x1b[0m\n\n", "No project found in 'data'."),
        ("see https://example.org/a/b and/or file:/srv/a/b\n", "see https://example.org/a/b and/or file:b"),
        ("x" * 300, "x" * 200),
        ("", ""),
    ],
)
def test_the_reason_is_the_line_that_calls_itself_an_error_without_folders(errors: str, reason: str) -> None:
    assert reason_in(errors) == reason


def test_the_page_shows_ratios_versions_and_reasons() -> None:
    figures = {"wall": 1.0, "peak_mib": 10, "ended": 0}
    peer = {"size": 10_000, "against": ["order", "warm"], "task": "list of what is ready, warm"}
    result = {
        "at": "2026-01-01T00:00:00+00:00", "machine": {"cpus": 2, "python": "3.11.7"}, "calibration": [0.05], "empty": {"cpu": 0.01},
        "kvdocs": [{"size": 10_000, "command": "order", "case": "warm", "cpu": 0.25, **figures}],
        "peers": [
            {**peer, "peer": "Backlog.md", "version": "1.52.0", "cpu": 10.0, **figures},
            {**peer, "peer": "Taskwarrior", "version": "2.6.2", "cpu": 6.0, "beside": 0.3, **figures},
            {**peer, "peer": "sphinx-needs", "task": "list of what is open, warm", "ended": "not installed"},
            {**peer, "peer": "doorstop", "task": "check", "ended": "ended with 1: KeyError: 'a|b' <c>"},
        ],
    }  # fmt: skip
    assert page_of(result).partition("## Other programs\n\n")[2] == dedent("""\
        In the same run, on as many items as kvdocs has records: each with a title, about sixty words of prose and up to two others that it waits for.
        Of the records of kvdocs, 35% are such items; it reads and checks the others too.
        Of a ratio of 4, kvdocs needs a quarter of the CPU time; the last column says what was aimed at.

        StrictDoc exports without its page of deep traceability, which repeats an item for each path that leads to it: with paths as many and as long as here that fails, or does not end in its time.

        What kvdocs does in less than 10 seconds was measured again right after the program that it is held against.

        | Records | Program | Task | CPU (s) | kvdocs | CPU (s) | Ratio | At least |
        | ---: | --- | --- | ---: | --- | ---: | ---: | ---: |
        | 10,000 | Backlog.md 1.52.0 | list of what is ready, warm | 10.00 | order, warm | 0.25 | 40.0 | 25: reached |
        | 10,000 | Taskwarrior 2.6.2 | list of what is ready, warm | 6.00 | order, warm | 0.30 | 20.0 | 25: not reached |
        | 10,000 | sphinx-needs | list of what is open, warm | not installed | order, warm | 0.25 | – | 25 |
        | 10,000 | doorstop | check | ended with 1: KeyError: 'a&#124;b' &lt;c&gt; | order, warm | 0.25 | – | 40 |
    """)


def test_each_ratio_that_is_aimed_at_is_of_a_task_that_is_measured() -> None:
    measured = {(peer.name, task.name) for peer in PEERS for task in peer.tasks}
    assert {pair for pair in RATIOS if pair[0] != MKDOCS} <= measured


def test_the_page_of_the_site_is_made_from_the_figures_that_are_kept() -> None:
    result = json.loads((REPOSITORY / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    assert (REPOSITORY / "site_src" / "reference" / "benchmarks.md").read_text(encoding="utf-8") == page_of(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "10,abc"], "argument --sizes: '10,abc' is no list of numbers, such as 0,1000"),
        (["--sizes", "-5"], "argument --sizes: '-5' is no list of numbers, such as 0,1000"),
        (["--commands", "order,foo"], "argument --commands: 'foo' is not one of order, check, show, render, build"),
        (["--out", "nowhere/x.json"], "argument --out: there is no folder nowhere"),
    ],
)
def test_what_the_benchmark_cannot_do_is_said_before_it_measures(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.splitlines()[-1] == f"python -m benchmarks: error: {message}"
