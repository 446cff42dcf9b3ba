"""The scripts of this registry and their records say the same."""

from __future__ import annotations

import ast

from stand_in import IDS, SCRIPTS

from kvdocs.kinds.script import Script
from kvdocs.pipeline import inspect
from kvdocs.project import find_project

RECORDS = {record.id: record for record in inspect(find_project(SCRIPTS)).registry.records("script", Script)}
SHARED = {path.stem for path in SCRIPTS.glob("*.py")} - set(IDS)


def imported(name: str) -> set[str]:
    """The modules beside the script that it imports, those that these import too."""
    tree = ast.parse((SCRIPTS / f"{name}.py").read_text())
    direct = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in SHARED}
    return direct.union(*(imported(module) for module in direct))


def test_every_script_has_a_record_and_every_record_a_script() -> None:
    assert {record.id: record.file for record in RECORDS.values() if "/" not in record.file} == {name: f"{name}.py" for name in IDS}


def test_a_record_names_the_files_that_its_script_imports_so_that_they_travel_with_it() -> None:
    assert {name: set(RECORDS[name].files) for name in IDS} == {name: {f"{module}.py" for module in imported(name)} for name in IDS}
