"""A small project for the commands that edit, in its own folder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.project import Project

SMALL = {
    ".gitignore": "/.kvdocs/\n",
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: The kernels.\n",
    "registry/owners/bob.yaml": "id: bob\ntitle: Bob\nowns: The build.\n",
    "registry/defects/D1.yaml": """
        id: D1  # the first
        title: 'Out of bounds'
        owners: [ann]
        status: confirmed
        severity: aborts the process
        symptom: |-
          The kernel reads behind its buffer.
          It is not the cause of D2.
        command: ./run D1
        fixed_by: [R1]   # see R1
        not_established:
          - That D1 explains D2.
    """,
    "registry/defects/D2.yaml": """
        id: D2
        title: A rare hang
        owners: [bob]
        status: suspected
        severity: hangs
        symptom: Seen once, after D1.
        correlated_with:
          - defect: D1
            note: Both need a long context.
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Check the bounds
        owners: [ann]
        status: open
        size: S
        # what it brings
        payoffs:
          - what: No more crashes as in D1.
            gain: 1.50
            basis: measured
    """,
    "registry/roadmap/R2.yaml": """
        id: R2
        title: Tune it
        owners: [bob]
        status: open
        blocked_by: [R1]
    """,
    "site_src/index.md": """
        # Home

        D1 comes first, as [its page](records/D1.md) says; `D1` is an id.
    """,
}
"""A registry without an error or a warning."""


@pytest.fixture
def small(make_project: Callable[[dict[str, str]], Project]) -> Path:
    """The folder of a small project without an error or a warning."""
    return make_project(SMALL).root


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of a project with its bytes, without what the program keeps for itself."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file() and ".kvdocs" not in p.parts and ".git" not in p.parts}


def git(root: Path, *arguments: str) -> str:
    """Run git in a folder, as a person whose name does not matter."""
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", "-C", str(root), *who, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
