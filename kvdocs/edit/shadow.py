"""A project as it would be after an edit: a folder of links to the files as they are, with the changed ones laid over."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kvdocs.disk import replace_file
from kvdocs.edit.drafts import FileChange
from kvdocs.project import Project
from kvdocs.registry import Registry


@contextmanager
def shadow(project: Project, changes: Sequence[FileChange], registry: Registry) -> Iterator[Project]:
    """A project with the changes made, in a folder of its own that goes afterwards. The real files are not touched.

    It holds the registry, the pages, the templates, and whatever else the records name.
    """
    root = project.root.resolve()
    base = project.root / ".kvdocs" / "edit"
    try:
        base.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="shadow-", dir=base))
    except OSError:  # a project that cannot be written to can still be asked with --dry-run
        folder = Path(tempfile.mkdtemp(prefix="kvdocs-shadow-"))
    try:
        for name in ("mkdocs.yml", "registry", "site_src", "templates"):
            _link(project.root / name, folder / name, root)
        for path in _named_elsewhere(project, registry, changes):
            _link(path, folder / path.relative_to(project.root), root)
        for change in changes:
            target = folder / change.path
            target.unlink(missing_ok=True)  # never written through: the name may be a link to the real file
            if change.after is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                replace_file(str(target), change.after)
        if project.cache.is_dir():
            (folder / ".kvdocs").symlink_to(project.cache.resolve(), target_is_directory=True)
        yield Project(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _link(source: Path, target: Path, inside: Path) -> None:
    """The same files under another folder: hard links where the file system has them, else copies."""
    if source.is_dir():
        _link_folder(os.fspath(source), target, inside)
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            _link_file(str(source), str(target))


def _link_folder(source: str, target: Path, inside: Path) -> None:
    """What is read of a folder; a link to something else than a file below `inside` stays one."""
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            place = target / entry.name
            if entry.is_dir(follow_symlinks=False):
                _link_folder(entry.path, place, inside)
            elif not entry.is_symlink():
                _link_file(entry.path, str(place))
            elif (behind := Path(os.path.realpath(entry.path))).is_file() and behind.is_relative_to(inside):
                _link_file(str(behind), str(place))
            else:
                place.symlink_to(Path(entry.path).absolute())


def _link_file(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        if Path(source).is_file():
            shutil.copy2(source, target)


def _named_elsewhere(project: Project, registry: Registry, changes: Sequence[FileChange]) -> Iterator[Path]:
    """Files outside the registry that its records name, or that the changed files name with `../`."""
    root = project.root.resolve()
    for entry in registry:
        folder = (project.root / entry.path).parent
        for _, name in entry.extract.files:
            yield from _inside(root, folder / name)
    for change in changes:
        folder = (project.root / change.path).parent
        for word in (change.after or b"").decode("utf-8", "ignore").split():
            if word.strip("\"'").startswith("../"):
                yield from _inside(root, folder / word.strip("\"'"))


def _inside(root: Path, path: Path) -> Iterator[Path]:
    path = Path(os.path.realpath(path))
    if path.is_file() and path.is_relative_to(root) and not path.is_relative_to(root / "registry"):
        yield path
