"""Imports go down only, and heavy libraries are met where they belong."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "kvdocs"

FLOORS: tuple[tuple[str, ...], ...] = (
    ("cli", "__main__"),
    ("pipeline", "site", "edit", "exchange", "upstream", "review", "publish", "scaffold"),
    ("render", "history"),
    ("pages", "checks"),
    ("judge", "failure_rates", "order", "chains", "drawing", "document", "figure_documents", "reports", "pictures", "schema", "answers"),
    ("graph", "ledger", "basis", "gathered", "filled", "cited", "mentions", "memo", "named_files"),
    ("load", "shape", "kept"),
    ("kinds",),
    ("figures",),
    ("registry", "entry", "kind"),
    ("source", "project"),
    ("model", "view", "prose", "markup", "exhibit", "work"),
    ("problems", "numbered", "cache", "two_parts", "disk", "no_plugins", "leaving", "evidence"),
)
"""From the roof down. A module may import what is on its own floor or below."""

ONLY_IN = {
    "click": ("cli",),
    "jinja2": ("render",),
    "networkx": ("graph", "chains"),
}
"""Libraries that one room keeps to itself."""

NEVER = ("mkdocs", "material")
"""The site's engine is a child process: nothing imports it."""


def _modules() -> Iterator[tuple[Path, str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if "starter" in path.parts:  # files of the sample project: they are copied, never imported
            continue
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield path, parts[0] if parts[0] != "__init__" else "kvdocs", ast.parse(path.read_text(encoding="utf-8"))


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from ((node.lineno, f"{node.module}.{alias.name}" if node.module == "kvdocs" else node.module) for alias in node.names)


def _floor(room: str) -> int | None:
    return next((number for number, rooms in enumerate(FLOORS) if room in rooms), None)


def test_every_module_stands_on_a_floor() -> None:
    homeless = {room for _, room, _ in _modules()} - {room for floor in FLOORS for room in floor} - {"kvdocs"}
    assert homeless == set()


def test_imports_go_down() -> None:
    upward = []
    for path, room, tree in _modules():
        for line, name in _imports(tree):
            if not name.startswith("kvdocs.") or room == "kvdocs":
                continue
            target = name.split(".")[1]
            here, there = _floor(room), _floor(target)
            if here is not None and there is not None and there < here:
                upward.append(f"{path.relative_to(PACKAGE.parent)}:{line}: {room} imports {target}, which is above it")
    assert upward == []


def test_libraries_stay_in_their_rooms() -> None:
    strays = []
    for path, room, tree in _modules():
        for line, name in _imports(tree):
            library = name.split(".")[0]
            if library in NEVER or (library in ONLY_IN and room not in ONLY_IN[library]):
                strays.append(f"{path.relative_to(PACKAGE.parent)}:{line}: {library}")
    assert strays == []


def test_files_stay_readable() -> None:
    long = [f"{path.relative_to(PACKAGE.parent)}: {count} lines" for path, _, _ in _modules() if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400]
    assert long == []
