"""Scripts -> one file that runs them on a machine with nothing but Python 3.9.

The file is a zip archive that Python executes (`zipapp`'s format): the runner's own modules, the scripts and their files.
The same scripts give the same bytes.
"""

from __future__ import annotations

import io
import os
import pkgutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .canonical import pretty, sha256
from .disk import write_durably
from .job import JOB_FILE, JOB_SCHEMA, PROJECT
from .shipped import MODULES
from .source_tree import Patch
from .spec import ScriptSpec, check_name

SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = b"""import sys

if sys.version_info < (3, 9):
    sys.exit("this job needs Python 3.9 or newer, and this is %d.%d" % sys.version_info[:2])
from kvdocs.evidence.job import main

sys.exit(main())
"""
_DAY_ZERO = (1980, 1, 1, 0, 0, 0)


class PackError(Exception):
    """The job cannot be packed; the message names what is in the way."""


@dataclass(frozen=True)
class PackedJob:
    """A job that was written: where, its SHA-256, and the project's files that it carries."""

    path: Path
    sha256: str
    files: tuple[str, ...]


def pack(specs: Sequence[ScriptSpec], output: Path, project: Path, *, environment: str | None = None, patches: Sequence[Patch] = (),
         gpus: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> PackedJob:  # fmt: skip
    """Write the job. `gpus` are those on record for each environment (see `likeness`); `patches` are looked for in the source tree there. PackError when a file is missing or outside the project."""
    if not specs:
        raise PackError("there is nothing to pack")
    if environment is not None:
        check_name(environment)
    files = {name: _read(project, name) for name in sorted(set(_files(specs)))}
    files.update({patch.path: (patch.data, False) for patch in patches})
    job = {
        "schema": JOB_SCHEMA,
        "environment": environment,
        "gpus": {name: [dict(gpu) for gpu in recorded] for name, recorded in (gpus or {}).items()},
        "specs": [spec.as_mapping() for spec in specs],
        "patches": [{"id": p.id, "path": p.path, "output_correct": p.output_correct} for p in patches],
        "files": [{"path": name, "sha256": sha256(data), "executable": executable} for name, (data, executable) in sorted(files.items())],
    }
    data = SHEBANG + _archive(job, {name: content for name, (content, _) in files.items()})
    write_durably(output, data)
    output.chmod(0o755)
    return PackedJob(output, sha256(data), tuple(sorted(files)))


def _files(specs: Sequence[ScriptSpec]) -> Iterable[str]:
    for spec in specs:
        yield from (spec.file,) if spec.file else ()
        yield from spec.files
        yield from (probe.path for probe in spec.probes if probe.path)


def _read(project: Path, name: str) -> tuple[bytes, bool]:
    """The content of a project's file and whether it may be executed."""
    path = project / name
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(project)):
        raise PackError(f"{name} lies outside the project")
    if path.exists() and not path.is_file():
        raise PackError(f"{name} is no file")
    try:
        return path.read_bytes(), os.access(path, os.X_OK)
    except OSError as error:
        raise PackError(f"{name} cannot be read: {error.strerror}") from None


def _archive(job: dict[str, Any], files: dict[str, bytes]) -> bytes:
    entries = {"__main__.py": MAIN, JOB_FILE: pretty(job), "kvdocs/__init__.py": _module("kvdocs", "__init__.py")}
    entries.update({f"kvdocs/evidence/{name}.py": _module("kvdocs.evidence", f"{name}.py") for name in MODULES})
    entries.update({PROJECT + name: content for name, content in files.items()})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(entries):
            info = zipfile.ZipInfo(name, _DAY_ZERO)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, entries[name])
    return buffer.getvalue()


def _module(package: str, name: str) -> bytes:
    source = pkgutil.get_data(package, name)
    if source is None:
        raise PackError(f"the source of {package} cannot be read")
    return source
