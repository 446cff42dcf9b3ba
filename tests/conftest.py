"""Fixtures: a project written from the user's own YAML, and the command line as a user runs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import settings

from kvdocs.pipeline import Inspection, inspect
from kvdocs.project import Project, find_project

# How long an example takes depends on what else the machine does, and tests never assert time.
# In CI the examples are the same each time: what fails there fails on a developer's machine too; elsewhere they are new ones in each run.
settings.register_profile("kvdocs", deadline=None)
settings.register_profile("ci", settings.get_profile("kvdocs"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "kvdocs")

# A shell starts what it runs in the background with SIGINT ignored; the tests that send it are right there too.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent
MakeProject = Callable[[Mapping[str, str]], Project]


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write each file below `root`; the texts may be indented as the test is."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")


@pytest.fixture
def make_project(tmp_path: Path) -> MakeProject:
    """Make a project from its files, given as `{"registry/defects/D1.yaml": "..."}`."""

    def make(files: Mapping[str, str]) -> Project:
        write_files(tmp_path, {"mkdocs.yml": "site_name: test\n", "registry/project.yaml": "title: Test\nrepository: us/ours\n", **files})
        return find_project(tmp_path)

    return make


@pytest.fixture
def inspect_files(make_project: MakeProject) -> Callable[[Mapping[str, str]], Inspection]:
    """Read and check a project made from its files."""
    return lambda files: inspect(make_project(files))


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def kvdocs() -> Callable[..., Ran]:
    """Run the command line as a user does, in a process of its own, without colours: `kvdocs("order", at=folder)`."""

    def run(*arguments: str, at: Path, env: Mapping[str, str] | None = None) -> Ran:
        environment = {**{k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "KVDOCS_CACHE")}, "NO_COLOR": "1", **(env or {})}
        done = subprocess.run([sys.executable, "-m", "kvdocs", *arguments], cwd=at, env=environment, capture_output=True, text=True, check=False, timeout=120)
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def this_registry() -> Inspection:
    """The registry that this repository carries, read and checked once."""
    return inspect(find_project(REPOSITORY))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository's site, built strictly from a copy, so that a test never touches the working tree. `KVDOCS_SITE` names one that is built already."""
    if built := os.environ.get("KVDOCS_SITE"):
        return Path(built).resolve()
    copy = tmp_path_factory.mktemp("built") / "project"
    copy.mkdir()
    for name in ("registry", "site_src", "templates", "tests/problems"):
        shutil.copytree(REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "mkdocs.yml", copy / "mkdocs.yml")
    done = subprocess.run([sys.executable, "-m", "kvdocs", "build", "--strict"], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return copy / "site"
