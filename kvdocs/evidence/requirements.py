"""What a script needs against what this machine has -> a sentence for each thing that is missing.

`needs` of a script is a mapping of
    tools: [compute-sanitizer, …]                 programs on PATH (or in /usr/local/cuda/bin)
    source: true                                  a source tree (KVDOCS_SOURCE)
    build: {tree: build-li, binaries: [bin/x], cmake: {GGML_CUDA: ON}}   a build tree, programs in it, options (regular expressions)
    model: true                                   a model file (KVDOCS_MODEL)
    gpu: 1                                        how many GPUs at least
    compute_capability: ">=8.0,<10"               of the first GPU
    gpu_memory_mib, memory_mib: 12000             of the first GPU, of the host
    variables: [NAME, …]                          environment variables that must be set
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .build_tree import cmake_options
from .machine import Machine, allowed_cpus
from .spec import ScriptSpec, Setting, build_variable, parse_cpus

CUDA_TOOLS = "/usr/local/cuda/bin"


def unmet(spec: ScriptSpec, setting: Setting, machine: Machine, patches: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """What a script needs and this machine lacks, as sentences; empty when it can run.

    `patches` are the patches found in the source tree, None when it was not looked at.
    """
    needs = spec.needs
    found = [*_tools(needs, setting), *_trees(spec, setting), *_gpu(needs, machine), *_memory(needs, machine), *_variables(needs, setting)]
    found += _cpus(setting.environ.get("KVDOCS_CPUS") or spec.cpus)
    applied = {str(patch["id"]) for patch in patches or ()}
    return found + [f"the patch {probe.id} is not in the source tree" for probe in spec.probes if probe.path and probe.id not in applied]


def find_tool(name: str, environ: Mapping[str, str]) -> str | None:
    """Where a program is: on PATH, else among CUDA's own tools."""
    return shutil.which(name, path=environ.get("PATH", "")) or shutil.which(name, path=CUDA_TOOLS)


def _tools(needs: Mapping[str, Any], setting: Setting) -> Iterator[str]:
    for tool in needs.get("tools", ()):
        if find_tool(tool, setting.environ) is None:
            yield f"{tool} is not installed (neither on PATH nor in {CUDA_TOOLS})"


def _trees(spec: ScriptSpec, setting: Setting) -> Iterator[str]:
    needs = spec.needs
    if needs.get("source") or spec.cwd == "source" or any(probe.path for probe in spec.probes):
        yield from _folder("source tree", "KVDOCS_SOURCE", setting.source)
    if needs.get("build") is not None:
        yield from _build(needs["build"], setting)
    if needs.get("model"):
        if setting.model is None:
            yield "KVDOCS_MODEL is not set: it names the model file"
        elif not setting.model.is_file():
            yield f"KVDOCS_MODEL names {setting.model}, which is not a file"


def _folder(what: str, variable: str, path: Path | None) -> Iterator[str]:
    if path is None:
        yield f"{variable} is not set: it names the {what}"
    elif not path.is_dir():
        yield f"{variable} names {path}, which is not a folder"


def _build(wanted: Mapping[str, Any], setting: Setting) -> Iterator[str]:
    tree = wanted.get("tree")
    path = setting.build(tree)
    variable = f"{build_variable(tree)} (or KVDOCS_BUILD)" if tree else "KVDOCS_BUILD"
    faults = list(_folder(f"build tree {tree}" if tree else "build tree", variable, path))
    yield from faults
    if faults or path is None:
        return
    for name in wanted.get("binaries", ()):
        if shutil.which(str(path / name)) is None:
            yield f"{name} is not in the build tree, or cannot be executed"
    options = cmake_options(path) if wanted.get("cmake") else {}
    for name, pattern in (wanted.get("cmake") or {}).items():
        value = options.get(name)
        if value is None or not re.fullmatch(pattern, value):
            yield f"the build tree has {name}={value if value is not None else '(unset)'}, and {pattern} is needed"


def _gpu(needs: Mapping[str, Any], machine: Machine) -> Iterator[str]:
    wanted = int(needs.get("gpu", 0) or 0)
    if not wanted and not needs.get("compute_capability") and not needs.get("gpu_memory_mib"):
        return
    gpus = machine.gpus
    if len(gpus) < max(1, wanted):
        yield f"{max(1, wanted)} GPU{'s are' if wanted > 1 else ' is'} needed, and this machine has {len(gpus) or 'none'}"
        return
    has = gpus[0].get("compute_capability")
    if needs.get("compute_capability") and (has is None or not capability_fits(has, needs["compute_capability"])):
        yield f"compute capability {needs['compute_capability']} is needed, and the GPU has {has or 'one that it does not tell'}"
    memory = gpus[0].get("memory_mib")
    if needs.get("gpu_memory_mib") and (memory is None or memory < needs["gpu_memory_mib"]):
        yield f"{needs['gpu_memory_mib']} MiB of GPU memory are needed, and the GPU has {memory if memory is not None else 'not told how much'}"


def _memory(needs: Mapping[str, Any], machine: Machine) -> Iterator[str]:
    wanted, memory = needs.get("memory_mib"), machine.facts.get("memory")
    if wanted and memory and memory["total_mib"] < wanted:
        yield f"{wanted} MiB of memory are needed, and this machine has {memory['total_mib']}"


def _variables(needs: Mapping[str, Any], setting: Setting) -> Iterator[str]:
    for name in needs.get("variables", ()):
        if not setting.environ.get(name):
            yield f"{name} is not set"


def _cpus(text: str) -> Iterator[str]:
    if not text:
        return
    try:
        absent = sorted(set(parse_cpus(text)) - set(allowed_cpus()))
    except ValueError as error:
        yield str(error)
        return
    if absent:
        yield f"the script is pinned to CPUs {text}, and this process may not use {', '.join(map(str, absent))}"


def capability_fits(has: str, wanted: str) -> bool:
    """Whether a compute capability such as `8.9` satisfies every comparison of `>=8.0,<10`. ValueError when `wanted` is no such list."""
    version = _version(has)
    for part in wanted.split(","):
        match = re.fullmatch(r"\s*(>=|<=|==|>|<|!=)?\s*(\d+(?:\.\d+)?)\s*", part)
        if not match:
            raise ValueError(f"{wanted!r} is not a list of comparisons such as >=8.0,<10")
        bound = _version(match[2])
        fits = {">=": version >= bound, "<=": version <= bound, ">": version > bound, "<": version < bound, "!=": version != bound}
        if not fits.get(match[1] or "==", version == bound):
            return False
    return True


def _version(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)
