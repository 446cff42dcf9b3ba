"""The data of other programs, in the form of each: items with a title, about sixty words of prose, and up to two others that they wait for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

PER_FILE = 100
"""So many needs stand in one page of Sphinx: a page for each would be slower still."""


def prose(number: int) -> str:
    words = "the copy waits behind compute while a staging slot drains and the next layer asks for its block before the event fires".split()  # noqa: SIM905  # a sentence reads better than a list
    return " ".join(words[(number + position) % len(words)] for position in range(60))


def blockers(number: int) -> list[int]:
    return sorted({max(1, number - step) for step in (7, 31)} - {number}) if number > 31 else []


def is_done(number: int, size: int) -> bool:
    """Two of three items in the first sixth, as in the registries of kvdocs: without them only what waits for nothing would be ready."""
    return number <= size // 6 and number % 3 != 0


def waits_for(number: int, size: int) -> list[int]:
    """What an item names as its blockers: none when it is done."""
    return [] if is_done(number, size) else blockers(number)


def write_sphinx(root: Path, size: int) -> None:
    (root / "conf.py").write_text("project = 'benchmark'\nextensions = ['sphinx_needs']\nneeds_id_regex = '^[A-Z0-9_]{3,}'\n", encoding="utf-8")
    names = []
    for start in range(1, size + 1, PER_FILE):
        names.append(f"page{start}")
        needs = [
            f".. req:: Item {n} of the work\n   :id: R{n:05d}\n   :status: open\n" + (f"   :links: {', '.join(f'R{b:05d}' for b in blockers(n))}\n" if blockers(n) else "") + f"\n   {prose(n)}\n"
            for n in range(start, min(start + PER_FILE, size + 1))
        ]
        (root / f"page{start}.rst").write_text(f"Page {start}\n{'=' * 12}\n\n" + "\n".join(needs), encoding="utf-8")
    toctree = "".join(f"   {name}\n" for name in names)
    (root / "index.rst").write_text(f"Items\n=====\n\n.. toctree::\n\n{toctree}\n.. needtable::\n   :filter: status == 'open'\n   :columns: id, title\n", encoding="utf-8")


def edit_sphinx(root: Path) -> None:
    path = root / "page1.rst"
    path.write_text(path.read_text(encoding="utf-8").replace("Item 3 of", "Item 3 again of"), encoding="utf-8")


def write_doorstop(root: Path, size: int) -> None:
    subprocess.run(["git", "init", "--quiet", str(root)], check=True, capture_output=True)
    folder = root / "reqs"
    folder.mkdir()
    (folder / ".doorstop.yml").write_text("settings:\n  digits: 5\n  prefix: R\n  sep: ''\n", encoding="utf-8")
    for n in range(1, size + 1):
        links = "".join(f"- R{b:05d}\n" for b in blockers(n))
        (folder / f"R{n:05d}.yml").write_text(
            f"active: true\nderived: false\nheader: ''\nlevel: 1.{n}\nlinks: {'[]' if not links else ''}\n{links}normative: true\nref: ''\nreviewed: null\ntext: |\n  {prose(n)}\n", encoding="utf-8"
        )


STRICTDOC_CONFIG = """\
from strictdoc.core.project_config import ProjectConfig


def create_config() -> ProjectConfig:
    return ProjectConfig(project_features=["TABLE_SCREEN", "TRACEABILITY_SCREEN", "SEARCH"])
"""
"""What is on by default but for DEEP_TRACEABILITY_SCREEN: its page repeats an item for every path that leads to it. With 1,000 of these items that takes longer than ten minutes, and with 10,000 Python's limit of recursion is met."""


def write_strictdoc(root: Path, size: int) -> None:
    (root / "strictdoc_config.py").write_text(STRICTDOC_CONFIG, encoding="utf-8")
    parts = ["[DOCUMENT]\nTITLE: Benchmark\n"]
    for n in range(1, size + 1):
        relations = "".join(f"- TYPE: Parent\n  VALUE: R{b:05d}\n" for b in blockers(n))
        parts.append(f"[REQUIREMENT]\nUID: R{n:05d}\nTITLE: Item {n} of the work\nSTATEMENT: >>>\n{prose(n)}\n<<<\n" + (f"RELATIONS:\n{relations}" if relations else ""))
    (root / "items.sdoc").write_text("\n".join(parts), encoding="utf-8")


BACKLOG_CONFIG = """\
project_name: "Benchmark"
default_status: "To Do"
statuses: ["To Do", "In Progress", "Done"]
labels: []
date_format: yyyy-mm-dd
max_column_width: 20
auto_open_browser: true
default_port: 6420
remote_operations: false
auto_commit: false
filesystem_only: true
bypass_git_hooks: false
check_active_branches: false
active_branch_days: 30
task_prefix: "task"
"""
"""As `backlog init --defaults --no-git` writes it. Without git it is faster: it need not look into other branches."""


def write_backlog(root: Path, size: int) -> None:
    folder = root / "backlog" / "tasks"
    folder.mkdir(parents=True)
    (root / "backlog" / "config.yml").write_text(BACKLOG_CONFIG, encoding="utf-8")
    for n in range(1, size + 1):
        waits = "".join(f"\n  - TASK-{b}" for b in waits_for(n, size)) or " []"
        (folder / f"task-{n} - Item-{n}-of-the-work.md").write_text(
            f"---\nid: TASK-{n}\ntitle: Item {n} of the work\nstatus: {'Done' if is_done(n, size) else 'To Do'}\nassignee: []\ncreated_date: '2026-01-01 00:00'\nlabels: []\n"
            f"dependencies:{waits}\nordinal: {n * 1000}\n---\n\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\n{prose(n)}\n<!-- SECTION:DESCRIPTION:END -->\n",
            encoding="utf-8",
        )


def write_taskwarrior(root: Path, size: int) -> None:
    """What `task import` reads, and settings of its own beside it. A title is the description there, and prose an annotation."""
    (root / "taskrc").write_text("confirmation=off\ncolor=off\n", encoding="utf-8")
    (root / "items.json").write_text("\n".join(json.dumps(_task(n, size)) for n in range(1, size + 1)) + "\n", encoding="utf-8")


def _task(number: int, size: int) -> dict[str, object]:
    entry = "20260101T000000Z"
    state = {"status": "completed", "end": entry} if is_done(number, size) else {"status": "pending", "depends": [_uuid(b) for b in waits_for(number, size)]}
    return {"uuid": _uuid(number), "description": f"Item {number} of the work", "entry": entry, **state, "annotations": [{"entry": entry, "description": prose(number)}]}


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"
