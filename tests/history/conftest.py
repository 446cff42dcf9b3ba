"""A project in a git repository of its own, with commits at fixed times, so that whole histories can be compared."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kvdocs.history.timeline import History, read_history
from kvdocs.project import Project, find_project
from tests.conftest import write_files


@dataclass
class Story:
    """A repository that a test writes, commit by commit; each commit is a day later than the one before."""

    root: Path
    day: int = field(default=0)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        """Run git without the settings of whoever runs the test."""
        date = f"2026-08-{self.day:02d}T12:00:00+02:00"
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
            "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "Bob", "GIT_COMMITTER_EMAIL": "bob@example.org",
            "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date,
        }  # fmt: skip
        done = subprocess.run(["git", *arguments], cwd=at or self.root, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files below the project; None deletes one."""
        for name, text in files.items():
            if text is None:
                (self.root / name).unlink()
        write_files(self.root, {name: text for name, text in files.items() if text is not None})

    def commit(self, subject: str, files: Mapping[str, str | None] | None = None) -> str:
        """Write files and commit everything; the name of the commit."""
        self.day += 1
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", subject)
        return self.git("rev-parse", "HEAD")

    @property
    def project(self) -> Project:
        return find_project(self.root)

    def history(self) -> History:
        return read_history(self.project)


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """A project with nothing in it yet, in a repository without commits."""
    write_files(tmp_path, {"mkdocs.yml": "site_name: test\n", "registry/project.yaml": "title: Test\n", ".gitignore": ".kvdocs/\n"})
    told = Story(tmp_path)
    told.git("init", "--quiet", "--initial-branch", "main")
    return told


@pytest.fixture
def lines() -> Callable[[History], list[str]]:
    """A history as lines: day, author, record, words."""
    return lambda history: [f"{(c.date or 'not committed')[:10]} {c.author or '-'} {c.record}: {c.words}" if c.date else f"not committed - {c.record}: {c.words}" for c in history.changes]


def item(name: str, **fields: str) -> str:
    """The YAML of an item: `item("R1", status="open")`."""
    return "".join(f"{key}: {value}\n" for key, value in {"id": name, "title": f"Title of {name}", "status": "open", "owners": "[ann]", **fields}.items())
