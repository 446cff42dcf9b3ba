"""Other programs on data of the same size: each in a virtual environment of its own, each with a limit of time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import Cost, measured

INSTALL_LIMIT_S = 600
PER_FILE = 100
"""So many needs stand in one page of Sphinx: a page for each would be slower still."""


@dataclass(frozen=True)
class Task:
    """What a peer is asked to do: the kvdocs command and case that it is held against, and its own command."""

    name: str
    against: tuple[str, str]
    command: tuple[str, ...]
    before: Callable[[Path], None] = lambda root: None


@dataclass(frozen=True)
class Peer:
    """A program: what pip installs, how its data are written, and its tasks in their order."""

    name: str
    packages: tuple[str, ...]
    write: Callable[[Path, int], None]
    tasks: tuple[Task, ...]


def run_peer(peer: Peer, folder: Path, size: int, limit_s: float) -> Iterator[tuple[Task, Cost | str]]:
    """The cost of each task, or in words why there is none."""
    binaries = _installed(peer, folder)
    if binaries is None:
        yield from ((task, "not installed") for task in peer.tasks)
        return
    root = folder / f"{peer.name}-{size}"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    peer.write(root, size)
    for task in peer.tasks:
        task.before(root)
        cost = measured([str(binaries / task.command[0]), *task.command[1:]], root, limit_s)
        yield task, cost if cost.ended == 0 else f"timed out after {limit_s:.0f} s" if isinstance(cost.ended, str) else f"ended with {cost.ended}"


def _installed(peer: Peer, folder: Path) -> Path | None:
    """The programs of a peer; None when they cannot be installed here."""
    venv = folder / f"venv-{peer.name}"
    done = venv / "installed"
    if not done.exists():
        shutil.rmtree(venv, ignore_errors=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, capture_output=True, timeout=INSTALL_LIMIT_S)
            subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", *peer.packages], check=True, capture_output=True, timeout=INSTALL_LIMIT_S)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
            return None
        done.write_text(" ".join(peer.packages), encoding="utf-8")
    return venv / "bin"


def _prose(number: int) -> str:
    words = "the copy waits behind compute while a staging slot drains and the next layer asks for its block before the event fires".split()  # noqa: SIM905  # a sentence reads better than a list
    return " ".join(words[(number + position) % len(words)] for position in range(60))


def _blockers(number: int) -> list[int]:
    return sorted({max(1, number - step) for step in (7, 31)} - {number}) if number > 31 else []


def _write_sphinx(root: Path, size: int) -> None:
    (root / "conf.py").write_text("project = 'benchmark'\nextensions = ['sphinx_needs']\nneeds_id_regex = '^[A-Z0-9_]{3,}'\n", encoding="utf-8")
    names = []
    for start in range(1, size + 1, PER_FILE):
        names.append(f"page{start}")
        needs = [
            f".. req:: Item {n} of the work\n   :id: R{n:05d}\n   :status: open\n" + (f"   :links: {', '.join(f'R{b:05d}' for b in _blockers(n))}\n" if _blockers(n) else "") + f"\n   {_prose(n)}\n"
            for n in range(start, min(start + PER_FILE, size + 1))
        ]
        (root / f"page{start}.rst").write_text(f"Page {start}\n{'=' * 12}\n\n" + "\n".join(needs), encoding="utf-8")
    toctree = "".join(f"   {name}\n" for name in names)
    (root / "index.rst").write_text(f"Items\n=====\n\n.. toctree::\n\n{toctree}\n.. needtable::\n   :filter: status == 'open'\n   :columns: id, title\n", encoding="utf-8")


def _edit_sphinx(root: Path) -> None:
    path = root / "page1.rst"
    path.write_text(path.read_text(encoding="utf-8").replace("Item 3 of", "Item 3 again of"), encoding="utf-8")


def _write_doorstop(root: Path, size: int) -> None:
    subprocess.run(["git", "init", "--quiet", str(root)], check=True, capture_output=True)
    folder = root / "reqs"
    folder.mkdir()
    (folder / ".doorstop.yml").write_text("settings:\n  digits: 5\n  prefix: R\n  sep: ''\n", encoding="utf-8")
    for n in range(1, size + 1):
        links = "".join(f"- R{b:05d}\n" for b in _blockers(n))
        (folder / f"R{n:05d}.yml").write_text(
            f"active: true\nderived: false\nheader: ''\nlevel: 1.{n}\nlinks: {'[]' if not links else ''}\n{links}normative: true\nref: ''\nreviewed: null\ntext: |\n  {_prose(n)}\n", encoding="utf-8"
        )


def _write_strictdoc(root: Path, size: int) -> None:
    parts = ["[DOCUMENT]\nTITLE: Benchmark\n"]
    for n in range(1, size + 1):
        relations = "".join(f"- TYPE: Parent\n  VALUE: R{b:05d}\n" for b in _blockers(n))
        parts.append(f"[REQUIREMENT]\nUID: R{n:05d}\nTITLE: Item {n} of the work\nSTATEMENT: >>>\n{_prose(n)}\n<<<\n" + (f"RELATIONS:\n{relations}" if relations else ""))
    (root / "items.sdoc").write_text("\n".join(parts), encoding="utf-8")


PEERS = (
    Peer("sphinx-needs", ("sphinx", "sphinx-needs"), _write_sphinx, (
        Task("full build", ("build", "cold"), ("sphinx-build", "-q", "-b", "html", ".", "out")),
        Task("build after one edit", ("build", "one record edited"), ("sphinx-build", "-q", "-b", "html", ".", "out"), _edit_sphinx),
        Task("list of what is open, warm", ("order", "warm"), ("sphinx-build", "-q", "-b", "needs", ".", "needs")),
    )),
    Peer("doorstop", ("doorstop",), _write_doorstop, (
        Task("check", ("check", "cold"), ("doorstop", "--quiet")),
        Task("check, its fast mode", ("check", "cold"), ("doorstop", "--quiet", "--no-reformat", "--no-ref-check", "--no-child-check", "--no-suspect-check", "--no-review-check")),
    )),
    Peer("strictdoc", ("strictdoc",), _write_strictdoc, (Task("full export", ("build", "cold"), ("strictdoc", "export", ".")),)),
)  # fmt: skip


def plain_mkdocs(root: Path, limit_s: float) -> Cost:
    """MkDocs with Material on the pages that kvdocs wrote, without anything of kvdocs.

    Its site goes into a folder of its own: to delete the one of kvdocs just before would make the file system slower at new files for minutes.
    """
    return measured([sys.executable, "-m", "mkdocs", "build", "-q", "-f", "build/mkdocs.yml", "-d", "../site-plain"], root, limit_s, {"NO_MKDOCS_2_WARNING": "1"})
