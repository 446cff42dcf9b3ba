"""Project: where the folders are, and the settings of the record as a whole."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kvdocs.cache import Cache

SETTINGS_FILE = "registry/project.yaml"

NO_CACHE = "KVDOCS_NO_CACHE"
"""The environment variable that switches the cache off, as `--no-cache` does."""


class ProjectError(Exception):
    """There is no usable project here; the message says what to do."""


@dataclass(frozen=True)
class Settings:
    """What `registry/project.yaml` holds.

    `title` names the project; `slug` starts the names of the rendered documents (`SLUG-roadmap.md`).
    `repository` (`owner/name`) is what a bare `#34` in prose and a source location without a repository mean.
    `host` is the base address of the host of all repositories.
    `source_url` is where the YAML of a record can be read, with `{path}` and `{line}`; empty means relative files.
    `site_url` is where the site is published; feeds and sitemaps need it.
    """

    title: str
    slug: str = "record"
    repository: str = ""
    host: str = "https://github.com"
    source_url: str = ""
    site_url: str = ""
    summary: str = ""


@dataclass(frozen=True)
class Project:
    """A folder that holds `mkdocs.yml` and `registry/`."""

    root: Path

    @property
    def registry(self) -> Path:
        return self.root / "registry"

    @property
    def templates(self) -> Path:
        return self.root / "templates"

    @property
    def site_src(self) -> Path:
        return self.root / "site_src"

    @property
    def build(self) -> Path:
        """Where the Markdown of the site is written; `mkdocs.yml` names it as `docs_dir`."""
        return self.root / "build" / "docs"

    @property
    def cache(self) -> Path:
        return self.root / ".kvdocs"

    def open_cache(self) -> Cache:
        """The project's cache, switched off when `KVDOCS_NO_CACHE` is set."""
        return Cache(self.cache / "cache", enabled=not os.environ.get(NO_CACHE))

    @cached_property
    def settings(self) -> Settings:
        """The settings; ProjectError when the file is missing or has a field that does not exist."""
        from kvdocs.source import SourceError, load_yaml

        path = self.root / SETTINGS_FILE
        try:
            data = load_yaml(path.read_bytes())
        except OSError:
            raise ProjectError(f"{SETTINGS_FILE} is missing: it holds at least `title`") from None
        except SourceError as error:
            raise ProjectError(f"{SETTINGS_FILE}:{error.line}:{error.col}: {error.message}") from None
        if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
            raise ProjectError(f"{SETTINGS_FILE} is a mapping of names to text")
        unknown = sorted(set(data) - set(Settings.__dataclass_fields__))
        if unknown:
            raise ProjectError(f"{SETTINGS_FILE} has an unknown key {unknown[0]!r}; known are {', '.join(Settings.__dataclass_fields__)}")
        if not data.get("title"):
            raise ProjectError(f"{SETTINGS_FILE} needs a `title`")
        return Settings(**data)


def find_project(start: Path) -> Project:
    """The project that holds `start`: the nearest folder upwards with `mkdocs.yml` and `registry/`."""
    start = start.resolve()
    if not start.is_dir():
        raise ProjectError(f"{start} is not a folder")
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() and (folder / "registry").is_dir():
            return Project(folder)
    raise ProjectError(f"no project here: neither {start} nor a folder above it holds mkdocs.yml and registry/ (`kvdocs init DIR` makes one)")
