"""A built site -> a branch of a remote, as a commit of its own; or one version of several on that branch.

`ghp-import`, which `mkdocs gh-deploy` is built on, makes the commit, for any engine; `mike` keeps versions side by side.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from contextlib import chdir
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from kvdocs import __version__
from kvdocs.project import Project

SOURCES = ("registry", "site_src", "templates", "mkdocs.yml")
"""What a site is made from: changes in it that are not committed would be published without a trace."""

VERSIONS_FILE = "versions.json"


class PublishError(Exception):
    """Why a site cannot be published; the message says what git or the remote said."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A branch of a remote."""

    remote: str
    branch: str

    def __str__(self) -> str:
        return f"{self.branch} of {self.remote}"


def uncommitted(project: Project) -> list[str]:
    """The files that a site is made from and that differ from the last commit; PublishError where there is no commit."""
    _git(project, "rev-parse", "--verify", "HEAD")
    lines = _git(project, "-c", "core.quotePath=false", "status", "--porcelain", "--", *(s for s in SOURCES if (project.root / s).exists())).splitlines()
    return [line[3:] for line in lines]


def revision(project: Project) -> str:
    """The commit that is published, as people write it."""
    return _git(project, "rev-parse", "--short", "HEAD").strip()


def tag_here(project: Project) -> str | None:
    """The tag of the commit that is checked out, or None."""
    try:
        return _git(project, "describe", "--tags", "--exact-match", "HEAD").strip()
    except PublishError:
        return None


def held(project: Project, destination: Destination) -> Literal["nothing", "site", "versions"]:
    """What the branch holds. PublishError when the remote cannot be asked."""
    if not _fetch(project, destination):
        return "nothing"
    return "versions" if _git(project, "ls-tree", "--name-only", "FETCH_HEAD", VERSIONS_FILE).strip() else "site"


def publish_site(project: Project, destination: Destination, *, cname: str = "") -> str:
    """Put `site/` on the branch in place of what is there, as one new commit behind the last; the name of the commit."""
    _follow(project, destination)
    command = [sys.executable, "-P", "-m", "ghp_import", "site", "--no-jekyll", "--push", "--remote", destination.remote, "--branch", destination.branch, "--message", _message(project)]
    done = subprocess.run([*command, *(["--cname", cname] if cname else [])], cwd=project.root, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise PublishError(f"ghp-import: {_reason(done.stderr)}")
    return _published(project, destination)


def publish_version(project: Project, destination: Destination, version: str, aliases: Iterable[str], *, cname: str = "") -> str:
    """Put `site/` on the branch as one version beside the others; the first one becomes what the root leads to. The name of the commit.

    Aliases are copies: GitHub Pages takes no symbolic links in what is uploaded.
    """
    if find_spec("mike") is None:
        raise PublishError("versions need mike: pip install 'kvdocs[versions]'")
    _follow(project, destination)
    from mike import commands, git_utils

    names = list(aliases)
    settings = {"site_dir": str(project.root / "site"), "use_directory_urls": True}
    with chdir(project.root):
        try:
            first = not commands.list_versions(destination.branch)
            deploying = commands.deploy(
                settings, version, None, names, True, commands.AliasType.copy, None, branch=destination.branch, message=f"{_message(project)} as {version}", allow_empty=True
            )
            with deploying:
                pass  # the site is built already
            if first:
                commands.set_default((names or [version])[0], branch=destination.branch, message=f"Lead to {(names or [version])[0]}", allow_empty=True)
            if cname:
                with git_utils.Commit(destination.branch, "Name the domain", allow_empty=True) as commit:
                    commit.add_file(git_utils.FileInfo("CNAME", cname + "\n"))
            git_utils.push_branch(destination.remote, destination.branch)
        except (ValueError, git_utils.GitError) as error:
            raise PublishError(f"mike: {_reason(str(error))}") from None
    return _published(project, destination)


def _message(project: Project) -> str:
    return f"Publish {revision(project)} with kvdocs {__version__}"


def _fetch(project: Project, destination: Destination) -> bool:
    """Get the branch as it is at the remote; False when it is not there yet."""
    there = _git(project, "ls-remote", "--heads", destination.remote, destination.branch)
    if not there.strip():
        return False
    _git(project, "fetch", "--quiet", destination.remote, destination.branch)
    return True


def _follow(project: Project, destination: Destination) -> None:
    """Let the local branch be what the remote has, so that the new commit comes behind it."""
    if _git(project, "rev-parse", "--abbrev-ref", "HEAD").strip() == destination.branch:
        raise PublishError(f"{destination.branch} is checked out here: the site goes to a branch of its own")
    if _fetch(project, destination):
        _git(project, "update-ref", f"refs/heads/{destination.branch}", "FETCH_HEAD")
        _git(project, "update-ref", f"refs/remotes/{destination.remote}/{destination.branch}", "FETCH_HEAD")


def _published(project: Project, destination: Destination) -> str:
    return _git(project, "ls-remote", "--heads", destination.remote, destination.branch).split()[0]


def _git(project: Project, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(project.root), *arguments], capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        raise PublishError("git is not installed") from None
    if "not a git repository" in done.stderr:
        raise PublishError("the project is not in a git repository: its site is published to a branch of a remote")
    if done.returncode:
        raise PublishError(f"git {arguments[0] if not arguments[0].startswith('-') else 'status'}: {_reason(done.stderr)}")
    return done.stdout


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line.removeprefix("fatal: ") for line in lines if line.startswith(("fatal: ", "error: ", "remote: "))), lines[-1] if lines else "it says nothing")
