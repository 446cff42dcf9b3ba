"""The commands of kvdocs over a registry of some size: with an empty cache, with a full one, after one edit, after the edit of a template."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.process import Cost, measured, middle

SETTLED_S = 2.1
"""A file that was written less than this ago is read again: edits are measured after it, as a person makes them."""

QUICK_S = 10
"""What takes less is measured again right after each program that it is held against: how fast a machine is can change in the minutes between."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "order": ("order",),
    "check": ("check",),
    "show": ("show", "R1"),
    "render": ("render", "--out", "documents"),
    "build": ("build",),
}
TEMPLATES = {"render": "documents/document.md.j2", "build": "record.md.j2"}


def kvdocs(*arguments: str) -> list[str]:
    """How kvdocs is started: as its users' installed command starts it."""
    return [sys.executable, "-m", "kvdocs", *arguments]


def empty_process(at: Path) -> Cost:
    """An empty Python process: what no Python program can be below."""
    return middle([measured([sys.executable, "-c", "pass"], at, 30) for _ in range(5)])


class Bench:
    """The measurements of one registry."""

    def __init__(self, root: Path, limit_s: float, times: int) -> None:
        self.root, self.limit_s, self.times = root, limit_s, times
        self.template_edits = 0

    def measure(self, command: str) -> Iterator[tuple[str, Cost]]:
        """Every case of a command, in the order in which a person meets them."""
        yield "cold", self._run(command, self._forget, 1)
        yield "warm", self._run(command, lambda: None, self.times)
        yield "one record edited", self._run(command, self._edit, self.times)
        yield "one item closed or opened", self._run(command, self._close_or_open, self.times)
        if command in TEMPLATES:
            yield "one template edited", self._run(command, lambda: self._edit_template(TEMPLATES[command]), 1)

    def again(self, command: str, case: str) -> Cost:
        """A case once more; unless it is the one with an empty cache, after a run that is not measured."""
        if case == "cold":
            return self._run(command, self._forget, self.times)
        self._run(command, lambda: None, 1)
        return self._run(command, self._edit if case == "one record edited" else lambda: None, self.times)

    def _run(self, command: str, before: Callable[[], None], times: int) -> Cost:
        costs = []
        for _ in range(times):
            before()
            time.sleep(SETTLED_S)
            costs.append(measured(kvdocs(*COMMANDS[command]), self.root, self.limit_s))
            if isinstance(costs[-1].ended, str):
                break
        return middle(costs)

    def _forget(self) -> None:
        for folder in (".kvdocs", "build", "site", "documents"):
            shutil.rmtree(self.root / folder, ignore_errors=True)

    def _items(self) -> list[Path]:
        """The files of the items from the middle on."""
        items = sorted((self.root / "registry" / "roadmap").glob("R*.yaml"), key=lambda path: int(path.stem[1:]))
        return items[len(items) // 2 :]

    def _close_or_open(self) -> None:
        """An item goes from open to done, the next time back."""
        other = {"status: open": "status: done", "status: done": "status: open"}
        path, lines = next((path, lines) for path in self._items() if other.keys() & set(lines := path.read_text(encoding="utf-8").splitlines()))
        path.write_text("\n".join(other.get(line, line) for line in lines) + "\n", encoding="utf-8")

    def _edit(self) -> None:
        """An item in the middle gets another sentence and, where it has one of these, another size."""
        path = self._items()[0]
        lines = path.read_text(encoding="utf-8").splitlines()
        prose = next(number for number, line in enumerate(lines) if line.startswith("summary: |")) + 1
        sentence, _, before = lines[prose].partition(" Edited ")
        edits = int(before.partition(" ")[0] or 0) + 1
        lines = [f"size: {'SML'[edits % 3]}" if line in ("size: S", "size: M", "size: L") else line for line in lines]
        lines[prose] = f"{sentence} Edited {edits} times."
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _edit_template(self, name: str) -> None:
        """A template of the project's own that adds a line to what the shipped one gives."""
        self.template_edits += 1
        path = self.root / "templates" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{{% include "kvdocs/{name}" %}}\n\nEdited {self.template_edits} times.\n', encoding="utf-8")
