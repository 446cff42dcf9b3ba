"""A build tree and its inputs -> what was built, from which commit, with which options; and which model it was given."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .source_tree import file_sha256

_CACHE_LINE = re.compile(r"([A-Za-z0-9_.-]+):([A-Z]+)=(.*)")
_KEPT_OPTIONS = re.compile(r"GGML_|LLAMA_|CMAKE_(?:CUDA|C|CXX)_(?:COMPILER|FLAGS|ARCHITECTURES)|CMAKE_BUILD_TYPE$|CMAKE_GENERATOR$|BUILD_SHARED_LIBS$")
_INTERNAL = ("INTERNAL", "STATIC")

_COMMIT = r"(?P<commit>[0-9a-f]{7,40})(?P<dirty>-dirty)?"
_EMBEDDED = (
    re.compile(rf"\bbuild:\s*{_COMMIT}\s*\((?P<number>\d+)\)"),
    re.compile(rf"\bversion:\s*(?P<number>\d+)\s*\({_COMMIT}\)"),
    re.compile(rf"\bbuild\s*[:=]\s*(?P<number>\d+)\s*\({_COMMIT}\)"),
    re.compile(rf'"build_commit":\s*"{_COMMIT}"'),
)
_BUILD_INFO = re.compile(rf'LLAMA_COMMIT\s*=\s*"{_COMMIT}"')
VERSION_LIMIT_S = 20.0
MODEL_END = 1024 * 1024
SMALL_MODEL = 64 * 1024 * 1024


def cmake_options(build: Path) -> dict[str, str]:
    """The options of a CMake build tree that decide what is built; empty when it has no cache."""
    try:
        text = (build / "CMakeCache.txt").read_text(errors="replace")
    except OSError:
        return {}
    found = (_CACHE_LINE.fullmatch(line) for line in text.splitlines())
    return {m[1]: m[3] for m in found if m and m[2] not in _INTERNAL and _KEPT_OPTIONS.match(m[1])}


def describe_build(build: Path, binaries: Sequence[str], commit: str | None) -> dict[str, Any]:
    """The facts of a build tree: its options, its binaries with hashes, and the commit that is embedded in them.

    `matches_source` is whether that commit is `commit`; None when either is not known.
    """
    paths = [(name, build / name) for name in binaries]
    embedded = next((e for _, p in paths if (e := _ask_version(p))), None) or _build_info(build)
    return {
        "dir": str(build),
        "cmake": cmake_options(build),
        "binaries": [{"path": name, "sha256": file_sha256(path), "build_id": build_id(path)} for name, path in paths],
        "embedded_commit": embedded,
        "matches_source": matches(embedded, commit),
    }


def embedded_commit(output: str) -> dict[str, Any] | None:
    """The commit that a llama.cpp program says it was built from, in any of the forms that these programs print.

    The forms are `build: HASH (N)`, `version: N (HASH)`, `build: N (HASH)` and `"build_commit": "HASH"` of JSON output.
    """
    for pattern in _EMBEDDED:
        match = pattern.search(output)
        if match:
            return _embedded(match, "output")
    return None


def _embedded(match: re.Match[str], where: str) -> dict[str, Any]:
    groups = match.groupdict()
    number = groups.get("number")
    return {"commit": groups["commit"], "number": int(number) if number else None, "dirty": bool(groups["dirty"]), "from": where}


def matches(embedded: dict[str, Any] | None, commit: str | None) -> bool | None:
    """Whether the embedded commit is this one (both may be short); None when one is not known."""
    if not embedded or not commit:
        return None
    short, long = sorted((str(embedded["commit"]), commit), key=len)
    return long.startswith(short)


def _ask_version(binary: Path) -> dict[str, Any] | None:
    """What `BINARY --version` says, for the programs that know the option; others are not executed."""
    if not re.match(r"llama-(?:cli|server|completion|mtmd-cli|perplexity)$", binary.name) or not os.access(binary, os.X_OK):
        return None
    try:
        done = subprocess.run([str(binary), "--version"], capture_output=True, timeout=VERSION_LIMIT_S, check=False,
                              stdin=subprocess.DEVNULL, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = embedded_commit((done.stderr + b"\n" + done.stdout).decode("utf-8", "replace"))
    return {**found, "from": f"{binary.name} --version"} if found else None


def _build_info(build: Path) -> dict[str, Any] | None:
    """The commit in the source file that llama.cpp's build generates for its programs."""
    for name in ("common/build-info.cpp", "src/build-info.cpp"):
        try:
            match = _BUILD_INFO.search((build / name).read_text(errors="replace"))
        except OSError:
            continue
        if match:
            return _embedded(match, name)
    return None


def build_id(binary: Path) -> str | None:
    """The GNU build id of an ELF file (the note that linkers write), or None."""
    try:
        with binary.open("rb") as stream:
            head = stream.read(64 * 1024)
    except OSError:
        return None
    position = head.find(b"\x04\x00\x00\x00\x14\x00\x00\x00\x03\x00\x00\x00GNU\x00") if head[:4] == b"\x7fELF" else -1
    return head[position + 16 : position + 36].hex() if position >= 0 else None


def describe_model(path: Path) -> dict[str, Any]:
    """Name, size and hash of a model file; a large one is told by its first and last MiB."""
    try:
        size = path.stat().st_size
        if size <= SMALL_MODEL:
            return {"name": path.name, "bytes": size, "sha256": file_sha256(path)}
        with path.open("rb") as stream:
            head = hashlib.sha256(stream.read(MODEL_END)).hexdigest()
            stream.seek(-MODEL_END, os.SEEK_END)
            tail = hashlib.sha256(stream.read(MODEL_END)).hexdigest()
    except OSError as error:
        return {"name": path.name, "bytes": None, "sha256": None, "why": error.strerror or str(error)}
    return {"name": path.name, "bytes": size, "sha256": None, "head_sha256": head, "tail_sha256": tail, "end_bytes": MODEL_END}
