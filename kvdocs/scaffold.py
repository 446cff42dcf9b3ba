"""A new project: a small record that is sound, builds, and can be changed step by step."""

from __future__ import annotations

from pathlib import Path

STARTER = Path(__file__).parent / "starter"
RENAMED = {"gitignore": ".gitignore"}
"""Files that would act on this package if they had their own names in it."""


class NotEmptyError(Exception):
    """The folder holds something already; nothing was written."""


def make_project(folder: Path) -> list[str]:
    """Write the sample project into a folder that is empty or does not exist; the paths written, in order."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NotEmptyError(f"{folder} is not an empty folder")
    written = []
    for source in sorted(STARTER.rglob("*")):
        if source.is_dir() or "__pycache__" in source.parts:
            continue
        name = source.relative_to(STARTER)
        target = folder / name.with_name(RENAMED.get(name.name, name.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(0o755 if source.read_bytes().startswith(b"#!") else 0o644)
        written.append(target.relative_to(folder).as_posix())
    return written
