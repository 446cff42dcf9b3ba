"""The workflows for GitHub Actions: they call what exists, with the rights that they need and no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kvdocs.cli import COMMANDS
from kvdocs.source import load_yaml

Kvdocs = Callable[..., Any]
REPOSITORY = Path(__file__).resolve().parent.parent
WORKFLOWS = {path.stem: load_yaml(path.read_bytes()) for path in sorted((REPOSITORY / ".github/workflows").glob("*.yml"))}
ACTIONS = {"actions/checkout@v7", "actions/setup-python@v6", "actions/configure-pages@v6", "actions/upload-pages-artifact@v5", "actions/deploy-pages@v5"}
"""The official actions, at the versions that were current in November 2026."""

every_workflow = pytest.mark.parametrize("name", WORKFLOWS)


def steps(name: str) -> Iterator[dict[str, Any]]:
    for job in WORKFLOWS[name]["jobs"].values():
        yield from job["steps"]


def scripts(name: str) -> list[str]:
    return [step["run"] for step in steps(name) if "run" in step]


@every_workflow
def test_a_workflow_calls_commands_with_options_that_they_have(kvdocs: Kvdocs, name: str) -> None:
    for command, rest in re.findall(r"\.venv/bin/kvdocs (\S+)([^\n|>;]*)", "\n".join(scripts(name))):
        assert command in COMMANDS
        helped = kvdocs(command, "--help", at=REPOSITORY).out
        assert [option for option in re.findall(r"--[a-z-]+", rest) if option not in helped] == []


@every_workflow
def test_actions_are_the_official_ones(name: str) -> None:
    assert {step["uses"] for step in steps(name) if "uses" in step} <= ACTIONS


@every_workflow
def test_nothing_that_a_stranger_writes_gets_into_a_script(name: str) -> None:
    assert [script for script in scripts(name) if "${{" in script] == []
    assert "pull_request_target" not in WORKFLOWS[name]["on"]


def test_only_what_has_to_write_may_write() -> None:
    rights = {name: dict(workflow["permissions"]) for name, workflow in WORKFLOWS.items()}
    assert rights == {
        "check": {"contents": "read"},
        "publish": {"contents": "read"},
        "review": {"contents": "read", "pull-requests": "write"},
        "sync": {"contents": "write", "pull-requests": "write"},
    }
    assert WORKFLOWS["publish"]["jobs"]["deploy"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_problems_show_beside_the_lines() -> None:
    assert ".venv/bin/kvdocs check --format github" in scripts("check")


def test_the_comment_is_found_by_the_mark_of_the_report() -> None:
    from kvdocs.review.report import MARK

    assert any(f'startswith("{MARK}")' in script for script in scripts("review"))
