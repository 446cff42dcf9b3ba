"""What a build that was killed leaves behind goes with the next one, and what another build is just writing stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.disk import SETTLED_S
from tests.conftest import MakeProject, Ran
from tests.site.test_cached_engine import SETTINGS, STOOD

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n",
}

KILLED = """
import os, signal, sys
from kvdocs.cli import cli
rename = os.replace
def replace(source, target):
    if str(target).endswith("R1.md"):
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
os.replace = replace
cli(["build", "--no-site"])
"""
"""A build that is killed just before the page of R1 gets its name."""


def _left(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "build").rglob(".*"))


def _age(root: Path) -> None:
    long_ago = time.time() - SETTLED_S - 5
    for path in (root / "build").rglob(".*"):
        os.utime(path, (long_ago, long_ago))


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES | {"mkdocs.yml": SETTINGS}).root


def test_what_a_killed_build_left_is_cleared_away(root: Path, kvdocs: Callable[..., Ran]) -> None:
    """It lay in `build/docs` for good."""
    killed = subprocess.Popen([sys.executable, "-c", KILLED], cwd=root, stdout=subprocess.DEVNULL)
    assert killed.wait(timeout=120) == -signal.SIGKILL
    assert _left(root) == [f".R1.md.{killed.pid}.tmp"]
    _age(root)
    assert kvdocs("build", "--no-site", at=root).code == 0
    assert _left(root) == []
    assert (root / "build/docs/records/R1.md").is_file()


def test_what_may_still_get_its_name_stays_and_what_is_something_else_too(root: Path, kvdocs: Callable[..., Ran]) -> None:
    assert kvdocs("build", "--no-site", at=root).code == 0
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = {"living": f".a.md.{os.getpid()}.tmp", "ended": f".b.md.{ended.pid}.tmp", "settings": f".mkdocs.yml.{ended.pid}.tmp", "other": ".c.md.tmp", "hidden": ".nojekyll"}
    for key, name in names.items():
        (root / "build" / ("docs/records" if key != "settings" else "") / name).write_text("half", encoding="utf-8")
    kvdocs("build", "--no-site", at=root)
    assert _left(root) == sorted(names.values())
    _age(root)
    kvdocs("build", "--no-site", at=root)
    assert _left(root) == sorted([names["living"], names["other"], names["hidden"]])


@pytest.mark.slow
def test_it_goes_too_when_there_is_nothing_to_build(root: Path, kvdocs: Callable[..., Ran]) -> None:
    for _ in range(2):
        kvdocs("build", at=root)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (root / "build/docs" / f".index.md.{ended.pid}.tmp").write_text("half", encoding="utf-8")
    _age(root)
    assert STOOD in kvdocs("build", at=root).out
    assert _left(root) == []
