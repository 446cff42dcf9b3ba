"""The files of the site that people wrote: pages and assets of a project, and what kvdocs ships."""

from __future__ import annotations

from pathlib import Path

from kvdocs.project import Project


def written_files(project: Project) -> dict[str, Path]:
    """The files of `site_src/` by their path in the site's source."""
    return {path.relative_to(project.site_src).as_posix(): path for path in _tree(project.site_src)}


def assets() -> dict[str, bytes]:
    """The style sheets and scripts that kvdocs ships, by their path in the site's source."""
    folder = default_assets()
    return {f"assets/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in _tree(folder)}


def default_assets() -> Path:
    """The style sheets and scripts that kvdocs ships: inside the package, or beside it in a source checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "site_src" / "assets"


def _tree(folder: Path) -> list[Path]:
    """Every file below a folder that is not hidden, linked folders and byte code left out; OSError when a folder may not be listed."""
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name.startswith(".") or path.name == "__pycache__":
            continue
        if path.is_dir() and not path.is_symlink():
            found += _tree(path)
        elif path.is_file():
            found.append(path)
    return sorted(found)
