"""Git as a child process: the commits that touched the registry in one pass, and the content of files at any commit.

Nothing is written to the repository, no lock is taken, and nothing is fetched.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kvdocs.disk import read_file

NO_FILE = "0" * 40
PATIENCE_SECONDS = 300.0


class GitError(Exception):
    """Git is not there, this is no repository, or a name means nothing; the message says which."""


@dataclass(frozen=True, slots=True)
class Touched:
    """A file in a commit: its content before (one for each parent of a merge) and after, by object name; None where there was none."""

    path: str
    before: tuple[str | None, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit and the files of the registry that it touched; in a merge, those that differ from every parent."""

    id: str
    parents: tuple[str, ...]
    date: str
    author: str
    subject: str
    files: tuple[Touched, ...]


class Repository:
    """The repository that holds a project; paths are relative to the project's folder, and only what lies in `inside` is looked at."""

    def __init__(self, root: Path, inside: str = "registry") -> None:
        self.root = root
        self.inside = inside

    def head(self) -> str | None:
        """The commit that is checked out; None in a repository without commits. GitError where there is no repository."""
        self._ask("rev-parse", "--git-dir")
        try:
            return self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
        except GitError:
            return None

    def commit(self, name: str) -> str | None:
        """The full name of the commit that a tag, branch or shorter name means; None when it means nothing here."""
        if name.startswith("-"):
            return None
        try:
            return self._ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").strip() or None
        except GitError:
            return None

    def tags(self) -> list[str]:
        """All tags, the newest first."""
        return self._ask("tag", "--list", "--sort=-creatordate").split()

    def releases(self, head: str) -> list[tuple[str, set[str]]]:
        """The tags that `head` comes from, the oldest first, each with the commits that came since the tag before it."""
        names = self._ask("tag", "--list", "--sort=creatordate", "--merged", head).split()
        found: list[tuple[str, set[str]]] = []
        for number, name in enumerate(names):
            before = [f"^refs/tags/{earlier}" for earlier in names[:number]]
            found.append((name, set(self._ask("rev-list", f"refs/tags/{name}", *before).split())))
        return found

    def ancestors(self, commit: str) -> set[str]:
        """A commit and all that it comes from, as far as this clone knows."""
        return set(self._ask("rev-list", commit).split())

    def beginnings(self) -> tuple[str, ...]:
        """The commits before which a shallow clone knows nothing; empty in a full clone."""
        path = Path(self._ask("rev-parse", "--git-path", "shallow").rstrip("\n"))
        try:
            return tuple(sorted((self.root / path).read_text(encoding="ascii").split()))
        except OSError:
            return ()

    def state(self) -> str:
        """A text that is another one whenever the history is, as long as no file has changed since; GitError where there is no repository."""
        head = self.head()
        return repr([head, self.beginnings(), [(name, sorted(commits)) for name, commits in self.releases(head)] if head is not None else (), self.uncommitted(head)])

    def commits(self, head: str, without: str | None = None) -> list[Commit]:
        """The commits up to `head` that touched the registry, parents first; those up to `without` are left out."""
        span = [head] if without is None else [head, f"^{without}"]
        return list(
            _commits(
                self._ask(
                    "-c", "core.quotePath=false", "log", "--reverse", "--topo-order", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative",
                    "--diff-merges=combined", "--root", "--no-show-signature", "--no-color", "--format=%x01%H%x00%P%x00%cI%x00%aN%x00%s", *span, "--", self.inside,
                )
            )
        )  # fmt: skip

    def uncommitted(self, head: str | None) -> list[Touched]:
        """Files that differ from the checked-out commit or are not in git yet; what is there now has the name `WORKING`."""
        changed: list[Touched] = []
        if head is not None:
            tokens = iter(self._ask("diff", "--raw", "--no-abbrev", "--no-renames", "-z", "--relative", "--no-ext-diff", head, "--", self.inside).split("\0"))
            for token in tokens:
                if token.startswith(":"):
                    changed.append(_in_working_tree(token, next(tokens)))
        new = self._ask("ls-files", "--others", *(() if head is not None else ("--cached",)), "--exclude-standard", "-z", "--", self.inside).split("\0")
        return changed + [Touched(path, (None,), WORKING) for path in dict.fromkeys(new) if path]

    def tree(self, commit: str, *paths: str) -> dict[str, str]:
        """The plain files of a commit below some paths: path to object name. Symbolic links and submodules are left out."""
        rows = self._ask("ls-tree", "-r", "-z", commit, "--", *paths).split("\0")
        files = {}
        for row in rows:
            head, _, path = row.partition("\t")
            mode, _, name = head.partition(" ")
            if mode.startswith("100"):
                files[path] = name.split()[-1]
        return files

    @contextmanager
    def contents(self) -> Iterator[Contents]:
        """The content of files by object name, from one child process."""
        with subprocess.Popen(self._command("cat-file", "--batch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                yield Contents(self.root, child.stdin, child.stdout)
            finally:
                child.stdin.close()

    def _command(self, *arguments: str) -> list[str]:
        return ["git", "-C", str(self.root), *arguments]

    def _ask(self, *arguments: str) -> str:
        try:
            done = subprocess.run(self._command(*arguments), capture_output=True, env=_environment(), check=False, timeout=PATIENCE_SECONDS)
        except FileNotFoundError:
            raise GitError("git is not installed") from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitError(f"git cannot be asked: {error}") from None
        if done.returncode:
            message = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
            raise GitError("the project is not in a git repository" if "not a git repository" in message else f"git says: {message or 'nothing'}")
        return done.stdout.decode("utf-8", "surrogateescape")


WORKING = "working"


class Contents:
    """Reads objects one after the other; a child process answers in the order of the questions."""

    def __init__(self, root: Path, questions: IO[bytes], answers: IO[bytes]) -> None:
        self.root, self.questions, self.answers = root, questions, answers

    def read(self, name: str, path: str) -> bytes | None:
        """The content of an object, or of the file at `path` when its name is `WORKING`; None when it is not here."""
        if name == WORKING:
            try:
                return read_file(str(self.root / path))
            except OSError:
                return None
        self.questions.write(name.encode("ascii") + b"\n")
        self.questions.flush()
        head = self.answers.readline().split()
        if len(head) != 3 or head[1] != b"blob":
            if len(head) == 3:
                self.answers.read(int(head[2]) + 1)
            return None
        data = self.answers.read(int(head[2]))
        self.answers.read(1)
        return data


def _environment() -> dict[str, str]:
    """No lock on the index, no download in a partial clone, messages that can be told apart."""
    return {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _commits(log: str) -> Iterator[Commit]:
    """The commits of a log in the format above: fields and files are separated by NUL, and each commit begins with U+0001."""
    head: list[str] | None = None
    files: list[Touched] = []
    tokens = iter(log.split("\0"))
    for token in tokens:
        word = token.lstrip("\n")
        if word.startswith("\x01"):
            if head is not None:
                yield _commit(head, files)
            head, files = [word[1:], *(next(tokens) for _ in range(4))], []
        elif word.startswith(":"):
            files.append(_touched(word, next(tokens)))
    if head is not None:
        yield _commit(head, files)


def _commit(head: list[str], files: list[Touched]) -> Commit:
    return Commit(head[0], tuple(head[1].split()), head[2], head[3], head[4], tuple(files))


def _touched(entry: str, path: str) -> Touched:
    """A line of git's raw format: `:modes objects status`, with one more colon, mode and object for each further parent."""
    parents = len(entry) - len(entry.lstrip(":"))
    words = entry.lstrip(":").split()
    modes, objects = words[: parents + 1], words[parents + 1 : 2 * parents + 2]
    # A symbolic link or a submodule is no record file, whatever its name.
    names = [name if name != NO_FILE and mode.startswith("100") else None for mode, name in zip(modes, objects, strict=True)]
    return Touched(path, tuple(names[:-1]), names[-1])


def _in_working_tree(entry: str, path: str) -> Touched:
    """As `_touched`, for a file whose content is in the working tree, where it has no object name yet."""
    there = entry.split()[1].startswith("100")
    return Touched(path, _touched(entry, path).before, WORKING if there else None)
