"""The hooks that this repository offers and uses: they call commands that exist, and the registry is as they leave it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kvdocs.cli import COMMANDS
from kvdocs.source import load_yaml

Kvdocs = Callable[..., Any]
REPOSITORY = Path(__file__).resolve().parent.parent.parent
OFFERED = load_yaml((REPOSITORY / ".pre-commit-hooks.yaml").read_bytes())
USED = load_yaml((REPOSITORY / ".pre-commit-config.yaml").read_bytes())["repos"][0]["hooks"]


@pytest.mark.parametrize("hook", [*OFFERED, *(h for h in USED if h["id"].startswith("kvdocs"))], ids=lambda h: f"{h['language']}:{h['id']}")
def test_a_hook_calls_a_command_with_options_that_it_has(kvdocs: Kvdocs, hook: dict[str, Any]) -> None:
    program, command, *options = hook["entry"].split()
    assert program.endswith("kvdocs")
    assert command in COMMANDS
    helped = kvdocs(command, "--help", at=REPOSITORY).out
    assert all(option in helped for option in options)


def test_this_repository_uses_the_hooks_that_it_offers() -> None:
    own = {hook["id"]: hook for hook in USED}
    for hook in OFFERED:
        same = {key: hook.get(key) for key in ("name", "files", "pass_filenames", "always_run", "stages", "require_serial")}
        assert {key: own[hook["id"]].get(key) for key in same} == same


def test_the_files_of_a_hook_are_record_files() -> None:
    pattern = re.compile(next(h["files"] for h in OFFERED if h["id"] == "kvdocs-fmt"))
    files = ["registry/defects/D1.yaml", "registry/scripts/a/b.yml", "registry/results/r/result.json", "site_src/index.md"]
    assert [bool(pattern.search(name)) for name in files] == [True, True, False, False]


def test_the_registry_has_its_stable_form(kvdocs: Kvdocs) -> None:
    assert kvdocs("fmt", "--check", at=REPOSITORY).out == "every file has its stable form\n"
