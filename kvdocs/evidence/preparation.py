"""A script on this machine -> the command line, the variables and the folders that it is given.

A script finds in its environment what the list `ALLOWED` lets through, and
`KVDOCS_SCRATCH` (an empty folder, its working folder unless it says otherwise; removed afterwards),
`KVDOCS_METRICS` (a file into which it may write a JSON object of figures),
`KVDOCS_PROJECT`, `KVDOCS_SOURCE`, `KVDOCS_BUILD`, `KVDOCS_MODEL`, `KVDOCS_CPUS` as far as they are known,
`KVDOCS_GPU_LOCK` and, when the runner holds the lock for it, `KVDOCS_GPU_LOCK_HELD=1`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .canonical import digest, sha256
from .descendants import MARKER
from .lock import HELD, VARIABLE, lock_path
from .redaction import Redactor
from .requirements import CUDA_TOOLS
from .source_tree import git_blob
from .spec import ScriptSpec, Setting, parse_cpus

ALLOWED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR")
ALLOWED_PREFIXES = ("LC_", "CUDA_", "NVIDIA_", "GGML_", "LLAMA_", "OMP_", "KVDOCS_")
NOT_RECORDED = ("HOME", "USER", "LOGNAME", "SHELL", "XDG_RUNTIME_DIR", MARKER)
"""Variables that say something about the user and nothing about the run."""


@dataclass(frozen=True)
class Prepared:
    """A script ready to be executed: its command, its variables, where it runs, and what stands for the paths of this machine."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    cpus: tuple[int, ...]
    scratch: Path
    metrics: Path
    lock: Path
    folders: Mapping[str, str]

    def redactor(self) -> Redactor:
        """What takes secrets and the paths of this machine out of the output and the record."""
        return Redactor(self.folders, {**os.environ, **self.env})


def prepare(spec: ScriptSpec, setting: Setting, project: Path, scratch: Path, nonce: str) -> Prepared:
    """The command of a script; nothing is looked at but the names of things, and nothing is made."""
    project = project.absolute()
    build = setting.build((spec.needs.get("build") or {}).get("tree"))
    places = {"project": project, "scratch": scratch / "work", "source": setting.source, "build": build, "model": setting.model}
    lock = lock_path(setting.environ)
    cpus = setting.environ.get("KVDOCS_CPUS") or spec.cpus
    env = {name: value for name, value in setting.environ.items() if _allowed(name, spec)}
    env["PATH"] = _with_cuda(env.get("PATH", os.defpath))
    env.update({f"KVDOCS_{name.upper()}": str(path) for name, path in places.items() if path is not None})
    env["PYTHONPYCACHEPREFIX"] = str(scratch / "pycache")  # no compiled files in the project
    env.update({MARKER: nonce, "TMPDIR": str(scratch / "tmp"), "KVDOCS_METRICS": str(scratch / "metrics.json"), VARIABLE: str(lock)})
    env.update({"KVDOCS_CPUS": cpus} if cpus else {})
    env.update({HELD: "1"} if spec.lock else {})
    env.update(spec.env)
    argv = tuple(_fill(part, spec, project, places) for part in (spec.argv or _by_suffix(spec.file)))
    return Prepared(
        argv, places.get(spec.cwd) or scratch / "work", env, _cpus(cpus), scratch, scratch / "metrics.json", lock,
        _folders(places, scratch, setting.environ),
    )  # fmt: skip


def _allowed(name: str, spec: ScriptSpec) -> bool:
    if name in (HELD, MARKER):
        return False
    return name in ALLOWED or name.startswith(ALLOWED_PREFIXES) or name in spec.needs.get("variables", ())


def _with_cuda(path: str) -> str:
    """PATH, with CUDA's own tools behind everything else when they are installed and not there already."""
    return path if CUDA_TOOLS in path.split(os.pathsep) or not Path(CUDA_TOOLS).is_dir() else f"{path}{os.pathsep}{CUDA_TOOLS}"


def _by_suffix(file: str) -> tuple[str, ...]:
    if file.endswith(".py"):
        return "{python}", "{file}"
    return ("bash", "{file}") if file.endswith(".sh") else ("{file}",)


def _fill(part: str, spec: ScriptSpec, project: Path, places: Mapping[str, Path | None]) -> str:
    """A word of a command line with its placeholders filled in; what is not known stays as it is."""
    values = {"file": str(project / spec.file), "python": sys.executable or shutil.which("python3") or "python3"}
    values.update({name: str(path) for name, path in places.items() if path is not None})
    for name, value in values.items():
        part = part.replace("{" + name + "}", value)
    return part


def _cpus(text: str) -> tuple[int, ...]:
    try:
        return parse_cpus(text) if text else ()
    except ValueError:
        return ()


def _folders(places: Mapping[str, Path | None], scratch: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Paths of this machine and the names that replace them in what is kept."""
    folders = {str(path): f"<{name}>" for name, path in places.items() if path is not None}
    folders[str(scratch)] = "<run>"
    folders[sys.executable] = "<python>"
    if environ.get("HOME"):
        folders[environ["HOME"].rstrip("/")] = "~"
    for path in list(folders):
        real = os.path.realpath(path)
        folders.setdefault(real, folders[path])
    return folders


def describe_invocation(spec: ScriptSpec, prepared: Prepared, setting: Setting, project: Path) -> dict[str, Any]:
    """What is executed, for the record: the command, the script's hash, the hashes of what counts as reproduced and of further files."""
    script = _file_facts(project, spec.file) if spec.file else None
    if script is not None:
        script["git_blob"] = git_blob((project / spec.file).read_bytes()) if (project / spec.file).is_file() else None
    return {
        "argv": list(prepared.argv),
        "cwd": str(prepared.cwd),
        "script": script,
        "files": [_file_facts(project, name) for name in spec.files],
        "expect_sha256": digest(dict(spec.expect)),
        "needs": dict(spec.needs),
        "env": {name: value for name, value in sorted(prepared.env.items()) if name not in NOT_RECORDED},
        "cpus": list(prepared.cpus),
        "timeout_s": spec.timeout_s,
        "operator": setting.environ.get("KVDOCS_OPERATOR"),
    }


def _file_facts(project: Path, name: str) -> dict[str, Any]:
    try:
        data = (project / name).read_bytes()
    except OSError:
        return {"path": name, "sha256": None}
    return {"path": name, "sha256": sha256(data)}
