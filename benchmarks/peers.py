"""Other programs on data of the same size: each installed for itself, each with a limit of time."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.installing import Install, Npm, OnPath, Pip
from benchmarks.peer_data import edit_sphinx, write_backlog, write_doorstop, write_sphinx, write_strictdoc, write_taskwarrior
from benchmarks.process import Cost, measured

REASON_LENGTH = 200


@dataclass(frozen=True)
class Task:
    """What a peer is asked to do: the kvdocs command and case that it is held against, and its own command."""

    name: str
    against: tuple[str, str]
    command: tuple[str, ...]
    before: Callable[[Path], None] = lambda root: None
    runs: int = 1
    """So often the command is run; the last one counts, which has what the others kept."""


@dataclass(frozen=True)
class Peer:
    """A program: how it is installed, how its data are written, and its tasks in their order."""

    name: str
    install: Install
    write: Callable[[Path, int], None]
    tasks: tuple[Task, ...]
    load: tuple[str, ...] = ()
    """The command that takes in what was written, for a program that has a store of its own; it is not measured."""
    env: Mapping[str, str] = field(default_factory=dict)


def run_peer(peer: Peer, folder: Path, size: int, limit_s: float) -> Iterator[dict[str, Any]]:
    """A row for each task: what it takes, or in words why there is no figure."""
    at = folder / f"programs-{peer.name}"
    programs = peer.install.programs(at)
    if programs is None:
        yield from (_row(peer, task, size, "", "not installed") for task in peer.tasks)
        return
    version = peer.install.version(at)
    bench = _Bench(programs, folder / f"{peer.name}-{size}", peer.env, limit_s)
    shutil.rmtree(bench.root, ignore_errors=True)
    bench.root.mkdir(parents=True)
    peer.write(bench.root, size)
    loaded = bench.run(peer.load) if peer.load else None
    for task in peer.tasks:
        yield _row(peer, task, size, version, loaded if isinstance(loaded, str) else bench.measure(task))


def _row(peer: Peer, task: Task, size: int, version: str, told: Cost | str) -> dict[str, Any]:
    figures = {"ended": told} if isinstance(told, str) else told.document()
    return {"size": size, "peer": peer.name, "version": version, "task": task.name, "against": list(task.against), **figures}


@dataclass(frozen=True)
class _Bench:
    """Where a peer is measured: its programs, the folder of its data, its variables, and the time that a command has."""

    programs: Path
    root: Path
    env: Mapping[str, str]
    limit_s: float

    def measure(self, task: Task) -> Cost | str:
        """What the last run of a task took, or what went wrong in the first that failed."""
        task.before(self.root)
        told = self.run(task.command)
        for _ in range(task.runs - 1):
            told = told if isinstance(told, str) else self.run(task.command)
        return told

    def run(self, command: Sequence[str]) -> Cost | str:
        """What a command took, or what went wrong with it."""
        errors = self.root.with_name(f"{self.root.name}.stderr")
        cost = measured([str(self.programs / command[0]), *command[1:]], self.root, self.limit_s, self.env, errors)
        if cost.ended == 0:
            return cost
        if isinstance(cost.ended, str):
            return f"timed out after {self.limit_s:.0f} s"
        reason = reason_in(errors.read_text(encoding="utf-8", errors="replace"))
        return f"ended with {cost.ended}" + (f": {reason}" if reason else "")


def reason_in(errors: str) -> str:
    """The line of a standard error that says what went wrong: the last that calls itself an error, or else the last; without folders of the machine."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", errors).splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"[\w.]*(error|exception):", line, re.IGNORECASE)]
    line = (named or lines or [""])[-1]
    return re.sub(r"(?<![\w/])(?:/[^\s/:'\"]+)+/(?=[^\s/])", "", line)[:REASON_LENGTH]


NEXT = ("order", "warm")

PEERS = (
    Peer("sphinx-needs", Pip(("sphinx", "sphinx-needs")), write_sphinx, (
        Task("full build", ("build", "cold"), ("sphinx-build", "-q", "-b", "html", ".", "out")),
        Task("build after one edit", ("build", "one record edited"), ("sphinx-build", "-q", "-b", "html", ".", "out"), edit_sphinx),
        Task("list of what is open, warm", NEXT, ("sphinx-build", "-q", "-b", "needs", ".", "needs")),
    )),
    Peer("doorstop", Pip(("doorstop",)), write_doorstop, (
        Task("check", ("check", "cold"), ("doorstop", "--quiet")),
        Task("check, its fast mode", ("check", "cold"), ("doorstop", "--quiet", "--no-reformat", "--no-ref-check", "--no-child-check", "--no-suspect-check", "--no-review-check")),
    )),
    Peer("strictdoc", Pip(("strictdoc",)), write_strictdoc, (Task("full export without deep traceability", ("build", "cold"), ("strictdoc", "export", ".")),)),
    Peer("Backlog.md", Npm("backlog.md"), write_backlog, (Task("list of what is ready, warm", NEXT, ("backlog", "task", "list", "--ready", "--plain"), runs=2),)),
    Peer("Taskwarrior", OnPath("task"), write_taskwarrior, (
        Task("list of what is ready, warm", NEXT, ("task", "ready"), runs=2),
        Task("list of what is ready, titles only, warm", NEXT, ("task", "+READY", "minimal"), runs=2),
    ), load=("task", "import", "items.json"), env={"TASKRC": "taskrc", "TASKDATA": "."}),
)  # fmt: skip


def plain_mkdocs(root: Path, limit_s: float) -> Cost:
    """MkDocs with Material on the pages that kvdocs wrote, without anything of kvdocs.

    Its site goes into a folder of its own: to delete the one of kvdocs just before would make the file system slower at new files for minutes.
    """
    return measured([sys.executable, "-m", "mkdocs", "build", "-q", "-f", "build/mkdocs.yml", "-d", "../site-plain"], root, limit_s, {"NO_MKDOCS_2_WARNING": "1"})
