"""Files as they would be after an edit, kept beside the files as they are; nothing is written here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from kvdocs.edit.text import EditError, YamlText
from kvdocs.project import Project


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, by its path from the project's root; `None` stands for a file that is not there."""

    path: str
    before: bytes | None
    after: bytes | None

    @property
    def action(self) -> str:
        """`created`, `changed` or `deleted`."""
        return "created" if self.before is None else "deleted" if self.after is None else "changed"


class Draft:
    """The files of a project, each read when it is first asked for, with the changes made so far."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a file as drafted, None when there is none; EditError when it cannot be read."""
        if path not in self._before:
            try:
                self._before[path] = (self.project.root / path).read_bytes()
            except FileNotFoundError:
                self._before[path] = None
            except OSError as error:
                raise EditError(f"{path} cannot be read: {error.strerror}") from None
            self._after[path] = self._before[path]
        return self._after[path]

    def text(self, path: str) -> YamlText:
        """A file as text; SourceError when it is none."""
        data = self.read(path)
        if data is None:
            raise EditError(f"there is no file {path}")
        return YamlText.read(data)

    def write(self, path: str, data: bytes | None) -> None:
        """Draft other bytes for a file; None removes it."""
        self.read(path)
        self._after[path] = data

    def move(self, old: str, new: str) -> None:
        """Draft another name for a file; EditError when the name is taken."""
        if self.read(new) is not None:
            raise EditError(f"there is a file {new} already", "rename or remove it first")
        self.write(new, self.read(old))
        self.write(old, None)

    def changes(self) -> tuple[FileChange, ...]:
        """The files whose bytes differ, by path."""
        return tuple(FileChange(path, self._before[path], after) for path, after in sorted(self._after.items()) if after != self._before[path])


def unified(changes: tuple[FileChange, ...]) -> str:
    """All changes as one unified diff, as `git apply` and `patch -p1` take it; a file that only moved is shown as moved."""
    moved = _moves(changes)
    lines: list[str] = []
    for change in changes:
        if change.path in moved.values():
            continue
        source = next((c for c in changes if c.path == moved.get(change.path)), None)
        lines += _file_diff(change, source)
    return "".join(lines)


def _moves(changes: tuple[FileChange, ...]) -> dict[str, str]:
    """New path to old path, for a deleted file that another one takes over with most of its lines."""
    gone = [c for c in changes if c.action == "deleted"]
    moved: dict[str, str] = {}
    for change in (c for c in changes if c.action == "created"):
        lines = set((change.after or b"").splitlines())
        best = max((c for c in gone if c.path not in moved.values()), key=lambda c: len(lines & set((c.before or b"").splitlines())), default=None)
        if best is not None and 2 * len(lines & set((best.before or b"").splitlines())) >= len(lines):
            moved[change.path] = best.path
    return moved


def _file_diff(change: FileChange, source: FileChange | None) -> Iterator[str]:
    before = change.before if source is None else source.before
    old = f"a/{source.path if source is not None else change.path}" if before is not None else "/dev/null"
    new = f"b/{change.path}" if change.after is not None else "/dev/null"
    if source is not None:
        yield f"diff --git {old} {new}\nrename from {source.path}\nrename to {change.path}\n"
    for line in unified_diff(_lines(before), _lines(change.after), old, new):
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").replace("\r\n", "\n").splitlines(keepends=True)
