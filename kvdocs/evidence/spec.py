"""A script as the runner takes it: what to execute, what it needs, what counts as reproduced; and the machine's settings for it.

A spec is plain data that travels as JSON in a packed job. Paths in it are relative to the project's folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from .record import NAME

PLACES = ("scratch", "source", "build", "project")


@dataclass(frozen=True)
class ProbeSpec:
    """A patch that must be in the source tree. Without a path nobody can look for it, and it is taken to be there as declared."""

    id: str
    path: str = ""
    output_correct: bool = True


@dataclass(frozen=True)
class ScriptSpec:
    """One script.

    `argv` may hold `{file}`, `{python}`, `{source}`, `{build}`, `{model}`, `{scratch}` and `{project}`; empty means the file itself,
    by Python for `.py` and by bash for `.sh`. `cwd` is one of `PLACES`.
    `needs` and `expect` are described in `requirements` and `expect`. `env` are variables with fixed values.
    """

    id: str
    title: str = ""
    purpose: str = "reproduction"
    about: tuple[str, ...] = ()
    file: str = ""
    argv: tuple[str, ...] = ()
    cwd: str = "scratch"
    files: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 3600.0
    repeat: int = 1
    lock: bool = False
    cpus: str = ""
    probes: tuple[ProbeSpec, ...] = ()
    expect: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_name(self.id)
        if self.cwd not in PLACES:
            raise ValueError(f"cwd is one of {', '.join(PLACES)}, not {self.cwd!r}")
        for path in (self.file, *self.files, *(probe.path for probe in self.probes)):
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise ValueError(f"{path} does not lie inside the project")

    def as_mapping(self) -> dict[str, Any]:
        """The spec as plain data."""
        return asdict(self)


def spec_from(data: Mapping[str, Any]) -> ScriptSpec:
    """The spec from plain data. ValueError or TypeError when it is none."""
    known = {f.name for f in fields(ScriptSpec)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not part of a script")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    values["probes"] = tuple(ProbeSpec(**probe) for probe in data.get("probes", ()))
    empty = ScriptSpec("empty")
    for name, value in values.items():
        wanted = type(getattr(empty, name))
        if not isinstance(value, (int, float) if wanted is float else wanted):
            raise TypeError(f"`{name}` of a script is a {wanted.__name__}, not {value!r}")
    spec = ScriptSpec(**values)
    texts = {"about": spec.about, "argv": spec.argv, "files": spec.files, "env": tuple(spec.env.values())}
    for name, held in texts.items():
        if not all(isinstance(text, str) for text in held):
            raise TypeError(f"`{name}` of a script holds text, not {values[name]!r}")
    return spec


def check_name(name: str) -> str:
    """The name itself. ValueError when it cannot be the name of a folder."""
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a script or an environment: letters, digits, `.`, `_` and `-`, first a letter or digit")
    return name


@dataclass(frozen=True)
class Setting:
    """Where things are on this machine, for results of the environment `environment`, and the GPUs that are on record for it (see `likeness`).

    From variables: `KVDOCS_SOURCE`, `KVDOCS_BUILD` (and `KVDOCS_BUILD_NAME` for the build tree `build-name`), `KVDOCS_MODEL`, `KVDOCS_CPUS`.
    """

    environment: str
    environ: Mapping[str, str]
    gpus: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        check_name(self.environment)

    @property
    def source(self) -> Path | None:
        """The source tree."""
        return self._path("KVDOCS_SOURCE")

    @property
    def model(self) -> Path | None:
        """The model file."""
        return self._path("KVDOCS_MODEL")

    def build(self, tree: str | None = None) -> Path | None:
        """The build tree of that name, or the one that is named for all."""
        return (self._path(build_variable(tree)) if tree else None) or self._path("KVDOCS_BUILD")

    def _path(self, variable: str) -> Path | None:
        value = self.environ.get(variable)
        return Path(value).absolute() if value else None


def build_variable(tree: str) -> str:
    """The variable for a build tree: `build-kvarn` -> `KVDOCS_BUILD_KVARN`."""
    return "KVDOCS_BUILD_" + re.sub(r"\W", "_", tree.removeprefix("build-")).upper()


def parse_cpus(text: str) -> tuple[int, ...]:
    """The CPUs of a list as `taskset -c` takes it (`0,2,4`, `0-3`, `0-6:2`). ValueError when it is none."""
    cpus: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+)(?::(\d+))?)?\s*", part)
        if not match:
            raise ValueError(f"{text!r} is not a list of CPUs such as 0,2,4 or 0-3")
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        cpus.update(range(first, last + 1, max(1, step)))
    return tuple(sorted(cpus))
