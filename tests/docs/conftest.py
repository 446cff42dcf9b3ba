"""Fixtures: the hand-written pages of the documentation, and the places in which a reader would try them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kvdocs.scaffold import make_project
from tests.conftest import REPOSITORY
from tests.upstream.host import Reply, pull, serving

PARTS = ("tutorial", "how-to", "explanation", "reference")
PAGES = sorted([*(p for part in PARTS for p in (REPOSITORY / "site_src" / part).rglob("*.md")), REPOSITORY / "README.md"])
MERGE_COMMIT = "475622a091624fbf137b7ecba13f7bc12b7d795d"
"""The commit that the page on following a fix makes, and prints."""
NAMES = [p.relative_to(REPOSITORY).as_posix() for p in PAGES]


SYNC = """case "$1" in sync) shift; set -- sync --api "$HOST_OF_THE_PAGES" "$@";; esac"""
"""`kvdocs sync` asks the stand-in of the tests in place of GitHub."""


@pytest.fixture(scope="session")
def host() -> Iterator[str]:
    """A host of repositories on which the pull request of the page on following a fix has been merged."""
    merged = pull(12, state="closed", merged=True, merged_at="2026-08-25T09:30:00Z", closed_at="2026-08-25T09:30:00Z", title="Take the first row too", merge_commit_sha=MERGE_COMMIT)
    with serving(lambda _: {"/repos/scanners/scan/pulls/12": Reply(body=merged)}) as running:
        yield running.address


@pytest.fixture
def reader(tmp_path: Path, host: str) -> dict[str, str]:
    """The environment of somebody who reads along: `kvdocs`, `python3` and `git` on the path, and nothing of the machine's own settings."""
    programs, home = tmp_path / "programs", tmp_path / "home"
    programs.mkdir()
    home.mkdir()
    for name, line in (("kvdocs", f"{SYNC}\nexec '{sys.executable}' -m kvdocs"), ("python3", f"exec '{sys.executable}'")):
        (programs / name).write_text(f'#!/bin/sh\n{line} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    (home / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n", encoding="utf-8")
    date = "2026-08-24T12:00:00+00:00"
    return {
        "PATH": f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC",
        "NO_COLOR": "1", "HOST_OF_THE_PAGES": host, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "PYTHONDONTWRITEBYTECODE": "1", **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
    }  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Callable[[str], Path]:
    """Prepare the place that a page names in `runs_in`, and give its folder."""

    def prepare(name: str) -> Path:
        folder = tmp_path / "reader"
        folder.mkdir()
        if name == "a new project":
            make_project(folder / "my-record")
            return folder / "my-record"
        if name == "this registry":
            return copy_of_this_registry(folder / "record")
        if name == "a checkout":
            checkout = copy_of_this_registry(folder / "kvdocs")
            shutil.copytree(REPOSITORY / "kvdocs", checkout / "kvdocs", ignore=shutil.ignore_patterns("__pycache__"))
            return checkout
        assert name == "an empty folder", f"a page runs in an empty folder, a new project, a checkout or this registry, not in {name!r}"
        return folder

    return prepare


def copy_of_this_registry(folder: Path) -> Path:
    """This repository's record in a repository of its own, with one commit."""
    folder.mkdir()
    for part in ("registry", "site_src", "templates", "tests/problems"):
        shutil.copytree(REPOSITORY / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("mkdocs.yml", ".gitignore"):
        shutil.copy(REPOSITORY / name, folder / name)
    for command in (["init", "--quiet", "--initial-branch", "main"], ["add", "--all"], ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message", "The record"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder
