"""A folder of source -> which source it is: commit, what differs from it, and which patches are in it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .canonical import sha256

GIT_LIMIT_S = 60.0
LARGEST_DIFF = 4 * 1024 * 1024
"""A larger diff is hashed and not stored."""
MOST_UNTRACKED = 200
LARGEST_UNTRACKED = 1024 * 1024
"""Larger untracked files are listed without a hash."""


@dataclass(frozen=True)
class Patch:
    """A patch that may be in a source tree. `output_correct` is false when the patched program computes wrong results by design."""

    id: str
    path: str
    data: bytes
    output_correct: bool


@dataclass(frozen=True)
class SourceTree:
    """What identifies a source tree: `facts` for the record, the `diff` against the commit, and what could not be had."""

    facts: dict[str, Any] = field(default_factory=dict)
    diff: bytes = b""
    missing: tuple[dict[str, str], ...] = ()


class GitError(Exception):
    """git could not answer; the message is its own first line."""


def describe_source(folder: Path, patches: Sequence[Patch] = (), results: Path | None = None) -> SourceTree:
    """The facts of a source tree; never raises for a folder that is no git tree, has no commit, or is not there.

    Untracked files below `results`, where the runner itself writes, are no change of the source.
    """
    if not folder.is_dir():
        return SourceTree(missing=({"what": "source", "why": f"{folder} is not a folder"},))
    try:
        facts = _commit_facts(folder)
        diff = git(folder, "diff", "--binary", "--no-ext-diff", "--no-textconv", "HEAD")
        untracked = _untracked(folder, results)
        applied, exact = applied_patches(folder, patches)
    except GitError as error:
        return SourceTree(missing=({"what": "source.commit", "why": str(error)},))
    facts["dirty"] = bool(diff or untracked)
    facts["diff_sha256"] = sha256(diff) if diff else None
    facts["diff_stored"] = bool(diff) and len(diff) <= LARGEST_DIFF
    facts["untracked"] = untracked
    facts["patches"] = applied
    facts["only_patches"] = exact
    return SourceTree(facts, diff if len(diff) <= LARGEST_DIFF else b"")


def git(folder: Path, *arguments: str, environ: Mapping[str, str] | None = None, stdin: bytes = b"") -> bytes:
    """The output of a git command that reads; GitError when it fails, is absent, or takes longer than a minute."""
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", **(environ or {})}
    command = ["git", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, env=env, input=stdin, capture_output=True, timeout=GIT_LIMIT_S, check=False)
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]}: {error}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise GitError(f"git {arguments[0]}: {lines[0]}")
    return done.stdout


def applied_patches(folder: Path, patches: Sequence[Patch]) -> tuple[list[dict[str, Any]], bool | None]:
    """Which of the patches are in the tree, and whether the tree is its commit and these patches and nothing else.

    A patch is in the tree when it can be taken out of it. Patches that lie on top of one another are taken off from the top,
    in a copy of the index; neither the tree nor the repository is written to.
    A patch that the commit itself contains is `where: commit`. None for the second value when no patch was asked for.
    """
    if not patches:
        return [], None
    with tempfile.TemporaryDirectory(prefix="kvdocs-index-") as scratch:
        scratch_objects = Path(scratch) / "objects"
        scratch_objects.mkdir()
        objects = _text(git(folder, "rev-parse", "--path-format=absolute", "--git-path", "objects"))
        environ = {
            "GIT_INDEX_FILE": str(Path(scratch) / "index"),
            "GIT_OBJECT_DIRECTORY": str(scratch_objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
        }
        git(folder, "read-tree", "HEAD", environ=environ)
        in_commit = [p for p in patches if _takes_out(folder, p, environ, keep=False)]
        _copy_index(folder, Path(environ["GIT_INDEX_FILE"]))
        git(folder, "add", "-u", environ=environ)
        peeled = _peel(folder, [p for p in patches if p not in in_commit], environ)
        left = git(folder, "diff", "--cached", "--binary", "HEAD", environ=environ)
    where = [(p, "commit") for p in in_commit] + [(p, "tree") for p in reversed(peeled)]
    return [_patch_facts(p, w) for p, w in where], not left


def _peel(folder: Path, patches: Sequence[Patch], environ: Mapping[str, str]) -> list[Patch]:
    """The patches that could be taken off one after the other, the topmost first."""
    left = list(patches)
    peeled: list[Patch] = []
    while True:
        top = next((p for p in reversed(left) if _takes_out(folder, p, environ, keep=True)), None)
        if top is None:
            return peeled
        left.remove(top)
        peeled.append(top)


def _takes_out(folder: Path, patch: Patch, environ: Mapping[str, str], *, keep: bool) -> bool:
    """Whether a patch comes out of the index; with `keep` it is out afterwards."""
    options = ["--cached", "--reverse"] + ([] if keep else ["--check"])
    try:
        git(folder, "apply", *options, "-", environ=environ, stdin=patch.data)
    except GitError:
        return False
    return True


def _copy_index(folder: Path, target: Path) -> None:
    """The real index with what git knows of the files' times, so that `add` reads only what changed."""
    real = Path(_text(git(folder, "rev-parse", "--path-format=absolute", "--git-path", "index")))
    shutil.copyfile(real, target)


def _patch_facts(patch: Patch, where: str) -> dict[str, Any]:
    return {"id": patch.id, "path": patch.path, "sha256": sha256(patch.data), "output_correct": patch.output_correct, "where": where}


def _commit_facts(folder: Path) -> dict[str, Any]:
    branch = _text(git(folder, "rev-parse", "--abbrev-ref", "HEAD"))
    return {
        "commit": _text(git(folder, "rev-parse", "--verify", "HEAD^{commit}")),
        "branch": None if branch == "HEAD" else branch,
        "describe": _try(folder, "describe", "--tags", "--always", "--long"),
        "commit_date": _text(git(folder, "show", "-s", "--format=%cI", "HEAD")),
        "repository": _without_credentials(_try(folder, "config", "--get", "remote.origin.url")),
        "submodules": _submodules(folder),
    }


def _submodules(folder: Path) -> list[dict[str, str]]:
    """The commit of each submodule and how it relates to the recorded one (git's mark: `-` absent, `+` other, `U` conflict)."""
    lines = (_try(folder, "submodule", "status", "--recursive") or "").splitlines()
    found = []
    for line in lines:
        match = re.match(r"([ +U-]?)([0-9a-f]{40,64}) (.+?)(?: \(.*\))?$", line)
        if match:
            found.append({"path": match[3], "commit": match[2], "mark": match[1].strip()})
    return found


def _untracked(folder: Path, without: Path | None) -> list[dict[str, Any]]:
    """Untracked files that are not ignored, with hashes of the small ones; a folder of them is one line."""
    names = git(folder, "ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z", *_all_but(folder, without)).split(b"\0")
    listed: list[dict[str, Any]] = []
    for raw in names[:MOST_UNTRACKED]:
        name = os.fsdecode(raw)
        if name:
            listed.append({"path": name, "sha256": file_sha256(folder / name, LARGEST_UNTRACKED)})
    if len(names) - 1 > MOST_UNTRACKED:
        listed.append({"path": f"… and {len(names) - 1 - MOST_UNTRACKED} more", "sha256": None})
    return listed


def _all_but(folder: Path, without: Path | None) -> list[str]:
    """What tells git to leave out a folder inside the tree; nothing when it lies outside."""
    top, inner = folder.resolve(), without.resolve() if without is not None else None
    return ["--", ".", f":(exclude,literal){inner.relative_to(top)}"] if inner is not None and top in inner.parents else []


def file_sha256(path: Path, limit: int | None = None) -> str | None:
    """The SHA-256 of a file; None when it is no regular file, cannot be read, or is larger than `limit` bytes."""
    try:
        if not path.is_file() or (limit is not None and path.stat().st_size > limit):
            return None
        hasher = hashlib.sha256()
        with path.open("rb") as stream:
            while chunk := stream.read(1024 * 1024):
                hasher.update(chunk)
    except OSError:
        return None
    return hasher.hexdigest()


def git_blob(data: bytes) -> str:
    """The name that git gives a file with this content (SHA-1 repositories)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _try(folder: Path, *arguments: str) -> str | None:
    try:
        return _text(git(folder, *arguments)) or None
    except GitError:
        return None


def _without_credentials(url: str | None) -> str | None:
    return re.sub(r"(://)[^/@]*@", r"\1", url) if url else None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").rstrip("\n")
