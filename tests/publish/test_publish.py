"""`kvdocs publish` to a bare repository on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kvdocs.project import Project
from tests.edit.conftest import SMALL, git

Kvdocs = Callable[..., Any]
ANN = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org"}
needs_mike = pytest.mark.skipif(find_spec("mike") is None, reason="mike is not installed: pip install 'kvdocs[versions]'")


@pytest.fixture
def cloned(make_project: Callable[[dict[str, str]], Project], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed project whose `origin` is a bare repository in a folder of its own."""
    root = make_project({**SMALL, ".gitignore": "/.kvdocs/\n/build/\n/site/\n", "mkdocs.yml": "site_name: test\ndocs_dir: build/docs\n"}).root
    bare = tmp_path_factory.mktemp("remote")
    git(bare, "init", "--bare", "-q")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Start")
    git(root, "remote", "add", "origin", str(bare))
    return root


def remote_of(root: Path) -> Path:
    return Path(git(root, "remote", "get-url", "origin").strip())


def names(root: Path, revision: str = "gh-pages") -> set[str]:
    return set(git(remote_of(root), "ls-tree", "--name-only", revision).split())


@pytest.mark.slow
def test_the_site_becomes_a_commit_on_the_branch_and_the_next_one_comes_behind_it(kvdocs: Kvdocs, cloned: Path) -> None:
    head = git(cloned, "rev-parse", "--short", "HEAD").strip()
    first = kvdocs("publish", at=cloned, env=ANN)
    assert first.code == 0, first.err
    assert first.out.split("\n")[-2].startswith(f"published {head} to gh-pages of origin: ")
    assert {".nojekyll", "index.html", "records", "sitemap.xml"} <= names(cloned)
    assert git(cloned, "status", "--porcelain") == ""
    kvdocs("set", "R1", "size=M", at=cloned)
    git(cloned, "commit", "-q", "-a", "-m", "Say how much work it is")
    second = json.loads(kvdocs("publish", "--json", at=cloned, env=ANN).out)
    assert second == {
        "schema": "kvdocs/publish/v1",
        "published": git(cloned, "rev-parse", "--short", "HEAD").strip(),
        "remote": "origin",
        "branch": "gh-pages",
        "commit": git(remote_of(cloned), "rev-parse", "gh-pages").strip(),
        "version": None,
        "aliases": [],
    }
    subjects = git(remote_of(cloned), "log", "--format=%s", "gh-pages").split("\n")
    assert [subject.partition(" with ")[0] for subject in subjects[:2]] == [f"Publish {second['published']}", f"Publish {head}"]


@pytest.mark.slow
def test_somebody_else_published_in_between(kvdocs: Kvdocs, cloned: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    kvdocs("publish", at=cloned, env=ANN)
    other = tmp_path_factory.mktemp("other") / "clone"
    git(remote_of(cloned), "clone", "-q", "-b", "gh-pages", ".", str(other))
    (other / "extra.txt").write_text("by somebody else")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "Something else")
    git(other, "push", "-q")
    assert kvdocs("publish", at=cloned, env=ANN).code == 0
    assert git(remote_of(cloned), "log", "--format=%s", "gh-pages").split("\n")[1] == "Something else"
    assert "extra.txt" not in names(cloned)


def test_what_is_not_committed_is_refused(kvdocs: Kvdocs, cloned: Path) -> None:
    kvdocs("set", "R1", "size=M", at=cloned)
    ran = kvdocs("publish", at=cloned)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: registry/roadmap/R1.yaml is not committed\n  hint: commit it, or say --allow-dirty\n"


def test_a_registry_with_errors_is_refused(kvdocs: Kvdocs, cloned: Path) -> None:
    path = cloned / "registry/roadmap/R1.yaml"
    path.write_text(path.read_text().replace("status: open", "status: opne"))
    git(cloned, "commit", "-q", "-a", "-m", "Break it")
    ran = kvdocs("publish", at=cloned)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: the registry has 1 error; the first is registry/roadmap/R1.yaml:4:9: `status`: `opne` is not one of 'open', 'implemented', 'done' or 'not-planned'\n"
        "  hint: `kvdocs check` shows all; --allow-errors publishes all the same\n"
    )


@pytest.mark.slow
def test_both_are_published_when_told_so(kvdocs: Kvdocs, cloned: Path) -> None:
    path = cloned / "registry/roadmap/R2.yaml"
    path.write_text(path.read_text().replace("status: open", "status: opne"))
    ran = kvdocs("publish", "--allow-dirty", "--allow-errors", at=cloned, env=ANN)
    assert ran.code == 0, ran.err
    assert "index.html" in names(cloned)


@pytest.mark.slow
def test_a_dry_run_builds_and_publishes_nothing(kvdocs: Kvdocs, cloned: Path) -> None:
    ran = kvdocs("publish", "--dry-run", at=cloned, env=ANN)
    assert ran.code == 0
    assert ran.out.split("\n")[-2] == f"would publish {git(cloned, 'rev-parse', '--short', 'HEAD').strip()} to gh-pages of origin"
    assert git(remote_of(cloned), "branch", "--list") == ""


def test_what_stands_in_the_way_is_said(kvdocs: Kvdocs, cloned: Path, make_project: Callable[[dict[str, str]], Project]) -> None:
    assert kvdocs("publish", "--remote", "nowhere", at=cloned).err == "error: git ls-remote: 'nowhere' does not appear to be a git repository\n"
    assert kvdocs("publish", "--tag", at=cloned).err == "error: the commit that is checked out has no tag\n  hint: git tag v1.0, or name it with --version\n"
    assert kvdocs("publish", "--alias", "latest", at=cloned).err == "error: an alias belongs to a version\n  hint: add --version or --tag\n"


@needs_mike
@pytest.mark.slow
def test_versions_stand_side_by_side_and_the_root_leads_to_the_newest(kvdocs: Kvdocs, cloned: Path) -> None:
    git(cloned, "tag", "v1.0")
    assert kvdocs("publish", "--tag", "--alias", "latest", at=cloned, env=ANN).code == 0
    kvdocs("set", "R1", "size=M", at=cloned)
    git(cloned, "commit", "-q", "-a", "-m", "Say how much work it is")
    ran = kvdocs("publish", "--version", "v1.1", "--alias", "latest", at=cloned, env=ANN)
    assert ran.code == 0, ran.err
    assert ran.out.split("\n")[-2].startswith(f"published {git(cloned, 'rev-parse', '--short', 'HEAD').strip()} to gh-pages of origin as v1.1, latest: ")
    assert names(cloned) == {".nojekyll", "index.html", "latest", "v1.0", "v1.1", "versions.json"}
    assert json.loads(git(remote_of(cloned), "show", "gh-pages:versions.json")) == [
        {"version": "v1.1", "title": "v1.1", "aliases": ["latest"]},
        {"version": "v1.0", "title": "v1.0", "aliases": []},
    ]
    assert 'href="latest/"' in git(remote_of(cloned), "show", "gh-pages:index.html")
    assert not any(line.startswith("120000") for line in git(remote_of(cloned), "ls-tree", "gh-pages").split("\n"))
    single = kvdocs("publish", at=cloned)
    assert (single.code, single.err) == (2, "error: gh-pages of origin holds versions, which one site would replace\n  hint: name a --version, or say --replace-versions\n")
