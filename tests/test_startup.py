"""What a command imports: a warm `order` or `check` reads a kept answer and needs none of the heavy libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

HEAVY = ("pydantic", "networkx", "jinja2", "ruamel", "pint", "scipy", "numpy", "rich", "mkdocs", "watchdog", "yaml", "simpleeval")


def _imported(*arguments: str, at: Path = REPOSITORY) -> set[str]:
    """The heavy libraries that a command has loaded when it ends."""
    code = f"import sys; sys.argv = ['kvdocs', *{arguments!r}]\ntry:\n    from kvdocs.__main__ import main; main()\nexcept SystemExit: pass\nprint('\\n@', *sorted({{m.split('.')[0] for m in sys.modules}} & {set(HEAVY)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=at, capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.rsplit("@", 1)[1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("order", "--help"), ("check", "--help")])
def test_asking_for_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert _imported(*arguments) == set()


@pytest.mark.parametrize("arguments", [("order",), ("order", "--json"), ("check",), ("check", "--format", "sarif")])
def test_a_kept_answer_needs_nothing_heavy(arguments: tuple[str, ...]) -> None:
    _imported(*arguments)
    assert _imported(*arguments) == set()


def test_order_without_a_cache_needs_only_what_it_works_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
    assert _imported("order") == {"pydantic", "networkx", "yaml"}
