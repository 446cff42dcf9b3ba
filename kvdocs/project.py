"""Project: where the folders are, and the settings of the record as a whole."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from kvdocs.cache import Cache

SETTINGS_FILE = "registry/project.yaml"

NO_CACHE = "KVDOCS_NO_CACHE"
"""The environment variable that switches the cache off, as `--no-cache` does."""


class ProjectError(Exception):
    """There is no usable project here; the message says what to do."""


class SettingsError(ProjectError):
    """The settings of a project cannot be used: why, and where in their file."""

    def __init__(self, what: str, line: int = 1, col: int = 1) -> None:
        super().__init__(f"{SETTINGS_FILE}:{line}:{col}: {what}")
        self.what, self.line, self.col = what, line, col


class Settings(NamedTuple):
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


class Project:
    """A folder that holds `mkdocs.yml` and `registry/`."""

    def __init__(self, root: Path) -> None:
        self.root = root

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
        """The settings; SettingsError when the file is missing, or holds what no setting is."""
        from kvdocs.source import SourceError, load_yaml

        path = self.root / SETTINGS_FILE
        try:
            if path.exists() and not path.is_file():
                raise SettingsError("it is no file")
            content = path.read_bytes()
            data = load_yaml(content)
        except FileNotFoundError:
            raise SettingsError("it is missing, and holds at least `title`") from None
        except OSError as error:
            raise SettingsError(f"it cannot be read: {error.strerror}") from None
        except SourceError as error:
            raise SettingsError(error.message, error.line, error.col) from None
        return _settings(data, content)


def _settings(data: Any, content: bytes) -> Settings:
    """The settings that a file holds; SettingsError for the first that is not as it has to be."""
    from kvdocs.source import locate

    if not isinstance(data, dict):
        raise SettingsError("it is a mapping of names to text")
    for name, value in data.items():
        if name not in Settings._fields:
            raise SettingsError(f"there is no setting {name!r}; known are {', '.join(Settings._fields)}", *locate(content, (name,)))
        if (wanted := wanted_of(name, value)) is not None:
            raise SettingsError(f"`{name}` is {wanted}", *locate(content, (name,), value=True))
    if "title" not in data:
        raise SettingsError("it needs a `title`")
    return Settings(**data)


def wanted_of(name: str, value: object) -> str | None:
    """What the setting of a name has to be, where a value is not that; None where it is."""
    form, words = _FORMS.get(name, (".*", "text"))
    if not isinstance(value, str) or not re.fullmatch(form, value, re.DOTALL):
        return words
    lack = _lack_of_address(name, value) if value and _FORMS.get(name) is _ADDRESS else None
    return lack and f"an address {lack}"


def _lack_of_address(name: str, value: str) -> str | None:
    """What a text that begins as an address lacks, in words that go on behind "an address"; None when it is one."""
    from urllib.parse import urlsplit

    filled = re.sub(r"\{(path|line)\}", "1", value) if name == "source_url" else value
    if not filled.isprintable() or re.search(r'["<>{}]', filled):
        return "without quotes, angle brackets and braces" + (", but for `{path}` and `{line}`" if name == "source_url" else "")
    try:
        parts = urlsplit(filled)
        _ = parts.port
    except ValueError:
        return "with the name of a host, and with a number where a port is named"
    return None if parts.hostname else "with the name of a host"


_ADDRESS = (r"(https?://\S+)?", "an address that begins with https:// or http://")
_FORMS = {
    "title": (r"[^\r\n]*\S[^\r\n]*", "one line of text"),
    "slug": (r"[A-Za-z0-9][A-Za-z0-9._-]*", "a word of letters, digits, dots, dashes and underscores: names of files begin with it"),
    "repository": (r"([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)?", "an owner and a name, such as `owner/name`"),
    "host": _ADDRESS, "source_url": _ADDRESS, "site_url": _ADDRESS,
}  # fmt: skip
"""What a setting has to look like, as a pattern and in words; others are any text."""


def find_project(start: Path) -> Project:
    """The project that holds `start`: the nearest folder upwards with `mkdocs.yml` and `registry/`."""
    start = Path(os.path.realpath(start))
    if not start.is_dir():
        raise ProjectError(f"{start} is not a folder")
    for folder in (start, *start.parents):
        if (folder / "mkdocs.yml").is_file() and (folder / "registry").is_dir():
            return Project(folder)
    raise ProjectError(f"no project here: neither {start} nor a folder above it holds mkdocs.yml and registry/ (`kvdocs init DIR` makes one)")
