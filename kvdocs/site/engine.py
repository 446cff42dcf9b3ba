"""The engine that turns the folder of Markdown into a site: a child process, one of three, each given the same folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kvdocs.project import Project
from kvdocs.site.engine_cache import SCANNED, SITE
from kvdocs.site.progress import PROGRESS, Tell, told, untold
from kvdocs.site.settings import INSIDE, PATH

ENGINES: Mapping[str, str] = {"mkdocs": "mkdocs", "properdocs": "properdocs", "zensical": "zensical"}
"""The engines by name, and what `pip install` calls them."""


class EngineError(Exception):
    """The engine is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Built:
    """How the engine ended: its exit code, what it printed, how many pages the site has, how many of them were written, and how the site was left, where that is known (`kvdocs.site.engine_cache`)."""

    code: int
    output: str
    pages: int = 0
    written: int = 0
    site: Mapping[str, Any] | None = None

    @property
    def remarks(self) -> list[str]:
        """What it found wrong."""
        return [line for line in self.output.splitlines() if line.startswith(("WARNING", "ERROR"))]


def command_of(engine: str) -> list[str]:
    """How to start an engine: as a module of this Python, else as a program on the path."""
    if find_spec(engine) is not None:
        return [sys.executable, "-P", "-m", engine]  # what lies in the project's folder is not taken for a module
    program = shutil.which(engine)
    if program is None:
        raise EngineError(f"{engine} is not installed: `pip install {ENGINES[engine]}`, in an environment of its own if this one must stay as it is")
    return [program]


def run_engine(project: Project, engine: str, *, strict: bool, scanned: int = 0, tell: Tell | None = None) -> Built:
    """Build `site/` from `build/docs`; what the engine prints is kept and given back whole.

    `scanned` is when the scan of `build/docs` was made that says how it is now. `tell` is told how far the engine is, where it can say so.
    """
    cache = project.open_cache()
    kept = engine == "mkdocs" and cache.enabled and find_spec("mkdocs") is not None
    cache.write(SITE, None)
    program = _own_engine(project) if kept else command_of(engine)
    command = [*program, "build", "-f", str(project.root / PATH), "--clean", *(["--strict"] if strict else [])]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true", SCANNED: str(scanned), PROGRESS: "1" if tell is not None else ""}
    code, output = _run(command, project.root, environment, tell or untold)
    inside = project.root / INSIDE
    if code == 0 and engine == "zensical" and inside.is_dir():
        shutil.rmtree(project.root / "site", ignore_errors=True)
        inside.rename(project.root / "site")
    if code:
        return Built(code, _said(output, project.root / "build" / "docs"))
    kept_of_site: Any = cache.read(SITE)
    if kept_of_site is not None:
        return Built(0, output, kept_of_site["pages"], kept_of_site["written"], kept_of_site["left"])
    pages = count_pages(project.root / "site")
    return Built(0, output, pages, pages)


def _own_engine(project: Project) -> list[str]:
    """How to start the engine that keeps what it made: as a part of the kvdocs that runs now, also in a project that is another copy of its source."""
    runs_from_here = Path(__file__).parents[2].samefile(project.root)
    return [sys.executable, *([] if runs_from_here else ["-P"]), "-m", "kvdocs.site.cached_engine"]


def _run(command: list[str], folder: Path, environment: Mapping[str, str], tell: Tell) -> tuple[int, str]:
    """Run a command to its end: its exit code, and what it printed. What it tells of its progress is told on and left out."""
    said = []
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if (progress := told(line)) is not None:
                    tell(*progress)
                else:
                    said.append(line)
        except BaseException:  # as `subprocess.run` does: nothing goes on that nobody waits for
            process.kill()
            raise
    return process.returncode, "".join(said)


_TRACEBACK = r"^Traceback \(most recent call last\):\n(?:.*\n)*"
_REFUSED = re.compile(_TRACEBACK + r"\w+: \[Errno \d+\] (.+)\n*\Z", re.MULTILINE)
_NO_ICON = re.compile(_TRACEBACK + r"jinja2\.exceptions\.TemplateNotFound: '?\.icons/(.+?)\.svg\b.*\n*\Z", re.MULTILINE)


def _said(output: str, docs: Path) -> str:
    """What an engine printed; where the machine refused it a file, or the theme has no such icon, that in the place of its traceback."""
    if (refused := _REFUSED.search(output)) is not None:
        return output[: refused.start()] + refused[1] + "\n"
    if (missing := _NO_ICON.search(output)) is not None:
        pages = [path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md")) if f"icon: {missing[1]}" in path.read_text(encoding="utf-8", errors="replace")]
        return output[: missing.start()] + f"the theme has no icon {missing[1]}, which {' and '.join(pages) or 'mkdocs.yml'} asks for\n"
    return output


def count_pages(site: Path) -> int:
    """How many pages a built site has, its page for missing addresses left out."""
    return sum(path.name != "404.html" for path in site.rglob("*.html"))
