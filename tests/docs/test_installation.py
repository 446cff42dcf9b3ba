"""What the readme promises of installing: the wheel holds templates, assets and the sample project, and works without this repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kvdocs.render import default_templates
from kvdocs.scaffold import STARTER
from tests.conftest import REPOSITORY


def run(*command: str | Path, at: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], cwd=at, env={**os.environ, "NO_COLOR": "1", **env}, capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as `pip install .` lays it out, without its dependencies, which are here already."""
    target = tmp_path_factory.mktemp("installed")
    done = run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", target, REPOSITORY, at=target)
    if done.returncode != 0 and re.search(r"hatchling|Temporary failure|Connection", done.stderr):
        pytest.skip("the build backend cannot be had here")
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.slow
def test_the_wheel_holds_what_a_project_elsewhere_needs(installed: Path) -> None:
    package = installed / "kvdocs"
    assert sorted(p.name for p in (package / "templates").rglob("*.j2")) == sorted(p.name for p in default_templates().rglob("*.j2"))
    assert sorted(p.relative_to(package / "starter").as_posix() for p in (package / "starter").rglob("*.yaml")) == sorted(p.relative_to(STARTER).as_posix() for p in STARTER.rglob("*.yaml"))
    assert (package / "assets" / "stylesheets" / "kvdocs.css").is_file()
    assert not [p for p in installed.rglob("*") if p.is_dir() and p.name in ("tests", "registry") and "starter" not in p.parts]


@pytest.mark.slow
def test_the_commands_of_the_readme_work_without_this_repository(installed: Path, tmp_path: Path) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    block = readme.partition("pip install .\n")[2].partition("```")[0]
    commands = [line.partition("#")[0].split() for line in block.splitlines()]
    assert [c[0:2] for c in commands] == [["kvdocs", "init"], ["cd", "my-record"], ["kvdocs", "order"], ["kvdocs", "check"], ["kvdocs", "build"]]
    folder = tmp_path
    for command in commands:
        if command[0] == "cd":
            folder = folder / command[1]
            continue
        done = run(sys.executable, "-m", *command, at=folder, PYTHONPATH=str(installed))
        assert done.returncode == 0, done.stderr
    where = run(sys.executable, "-c", "import kvdocs; print(kvdocs.__file__)", at=folder, PYTHONPATH=str(installed))
    assert Path(where.stdout.strip()).is_relative_to(installed)
    assert (folder / "site" / "records" / "D1" / "index.html").is_file()
    assert (folder / "site" / "assets" / "stylesheets" / "kvdocs.css").is_file()


def test_the_two_commands_of_the_readme_are_targets() -> None:
    readme, makefile = ((REPOSITORY / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    named = re.findall(r"^make (\w+)", readme, re.MULTILINE)
    assert named == ["site", "test"]
    assert [name for name in named if not re.search(rf"^{name}: \$\(STAMP\)", makefile, re.MULTILINE)] == []
    assert (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("make test")
    contributing = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in re.findall(r"^\| `make (\w+)`", contributing, re.MULTILINE) if f"\n{name}:" not in makefile] == []
