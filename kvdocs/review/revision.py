"""A project as it was at a commit, in a folder of its own; the work tree, the index and the repository are not touched."""

from __future__ import annotations

import os.path
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kvdocs.history.git import Contents, GitError, Repository
from kvdocs.kinds import all_kinds
from kvdocs.load import load_registry
from kvdocs.project import Project


@contextmanager
def at_revision(project: Project, revision: str) -> Iterator[Project]:
    """The project at a tag, branch or commit. GitError when the name means nothing, or when the project was not there then."""
    repository = Repository(project.root)
    repository.head()
    commit = repository.commit(revision)
    if commit is None:
        raise GitError(f"{revision!r} is no revision here")
    files = repository.tree(commit, "registry", "mkdocs.yml", "site_src", "templates")
    if "registry/project.yaml" not in files:
        raise GitError(f"there is no registry at {revision}")
    with tempfile.TemporaryDirectory(prefix="kvdocs-") as name, repository.contents() as contents:
        then = Project(Path(name))
        _write(then.root, files, contents)
        named = _named_elsewhere(then)
        _write(then.root, repository.tree(commit, *named) if named else {}, contents)
        yield then


def _write(root: Path, files: dict[str, str], contents: Contents) -> None:
    for path, blob in files.items():
        data = contents.read(blob, path)
        if data is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)


def _named_elsewhere(project: Project) -> list[str]:
    """Files outside the registry that its records name: the checks look for them."""
    registry, _ = load_registry(project, all_kinds())
    names: Iterable[str] = (os.path.normpath(os.path.join(os.path.dirname(entry.path), name)) for entry in registry for _, name in entry.extract.files)  # noqa: PTH118, PTH120  # paths inside the repository, where no file need be
    return sorted({name.replace(os.sep, "/") for name in names if not name.startswith(("..", "registry", os.sep))})
