"""What all scripts of this folder share: where things are, the GPU lock, pinned CPUs, running a program, reporting figures.

Python 3.9 and its standard library are enough. A script reads these variables, and refuses with exit code 77 and one sentence
when one that it needs is missing or names something that is not there:

    KVDOCS_SOURCE          the source tree of llama.cpp
    KVDOCS_BUILD           the build tree; its programs are in KVDOCS_BUILD/bin
    KVDOCS_MODEL           the model, a GGUF file
    KVDOCS_CPUS            the CPUs to pin programs to, as `taskset -c` takes them; not pinned when unset, and measurements need it
    KVDOCS_GPU_LOCK        the file of the one-GPU-job lock (see `lock_path`)
    KVDOCS_GPU_LOCK_HELD   set to 1 by a caller that holds the lock already
    KVDOCS_METRICS         where to write the figures as JSON too

What a program prints goes to standard output as it comes; the figures follow, as lines `name = value unit`.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Union

CANNOT_RUN = 77
"""The exit code of a script that lacks something it needs; test harnesses read it as *skipped*."""

CUDA_TOOLS = "/usr/local/cuda/bin"

Word = Union[str, Path]


class RefusalError(Exception):
    """The script cannot run here; the message says what is missing."""


@dataclass(frozen=True)
class Output:
    """What a program left: `lines` of both streams, or of standard error when `stdout` was kept apart; 128 + N after signal N."""

    exit_code: int
    lines: list[str]
    stdout: str = ""

    def matching(self, pattern: str) -> list[re.Match[str]]:
        """The first match in each line that has one, without the colours of a terminal."""
        return matching(self.lines, pattern)


def matching(lines: Sequence[str], pattern: str) -> list[re.Match[str]]:
    """The first match of a pattern in each line that has one, without the colours of a terminal."""
    search = re.compile(pattern).search
    return [match for line in lines if (match := search(re.sub(r"\x1b\[[0-9;]*m", "", line)))]


def lock_path(environ: Mapping[str, str]) -> Path:
    """The file that all GPU jobs of this machine lock: `$KVDOCS_GPU_LOCK`, else one in `$XDG_RUNTIME_DIR`, else one in /tmp."""
    if environ.get("KVDOCS_GPU_LOCK"):
        return Path(environ["KVDOCS_GPU_LOCK"])
    runtime = environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "kvdocs-gpu.lock" if runtime and Path(runtime).is_dir() else Path("/tmp") / f"kvdocs-gpu-{os.getuid()}.lock"


class Run:
    """One execution of a script: what it is given, what it runs, and what it reports."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.figures: list[tuple[str, Any, str]] = []
        self._lock: int | None = None

    # what the script is given

    def setting(self, name: str, default: str) -> str:
        """The value of a variable that has a default."""
        return self.environ.get(name) or default

    def number(self, name: str, default: int) -> int:
        """A variable that holds a positive whole number."""
        text = self.setting(name, str(default))
        if not text.isascii() or not text.isdigit() or int(text) == 0:
            raise RefusalError(f"{name} is a positive whole number, not {text!r}")
        return int(text)

    def tree(self, *files: str) -> Path:
        """The source tree, which has these files."""
        return self._folder("KVDOCS_SOURCE", "the source tree of llama.cpp", files)

    def build(self, *files: str) -> Path:
        """The build tree, which has these files."""
        return self._folder("KVDOCS_BUILD", "the build tree of llama.cpp", files)

    def program(self, name: str) -> Path:
        """A program of the build tree."""
        return self.build(f"bin/{name}") / "bin" / name

    def model(self) -> Path:
        """The model."""
        path = Path(self._needed("KVDOCS_MODEL", "the model, a GGUF file"))
        if not path.is_file():
            raise RefusalError(f"KVDOCS_MODEL names {path}, and there is no such file")
        return path

    def tool(self, name: str) -> str:
        """A program on the PATH, or one of CUDA's own."""
        found = shutil.which(name, path=self.environ.get("PATH")) or shutil.which(name, path=CUDA_TOOLS)
        if found is None:
            raise RefusalError(f"{name} is neither on the PATH nor in {CUDA_TOOLS}")
        return found

    def need_pinning(self) -> None:
        """Measurements are made on pinned CPUs only."""
        self._needed("KVDOCS_CPUS", "the CPUs to pin to, such as 0,2,4")

    def build_option(self, name: str) -> str:
        """An option of the build tree as CMake remembers it; empty when it was never set."""
        cache = (self.build("CMakeCache.txt") / "CMakeCache.txt").read_text(errors="replace")
        found = re.search(rf"^{re.escape(name)}:\w+=(.*)$", cache, re.MULTILINE)
        return found[1] if found else ""

    def need_probe(self, variable: str, probe: str) -> None:
        """The build has to carry a probe: the variable that turns it on is text in one of its programs or libraries."""
        folder = self.build("bin") / "bin"
        if not any(_contains(path, variable.encode()) for path in sorted(folder.iterdir()) if path.is_file()):
            raise RefusalError(f"KVDOCS_BUILD was built without {probe}: nothing in {folder} knows {variable}")

    def _needed(self, name: str, what: str) -> str:
        value = self.environ.get(name)
        if not value:
            raise RefusalError(f"{name} is not set: it names {what}")
        return value

    def _folder(self, name: str, what: str, files: Sequence[str]) -> Path:
        folder = Path(self._needed(name, what)).absolute()
        for file in ("", *files):
            if not (folder / file).exists():
                raise RefusalError(f"{name} names {folder}, which " + (f"has no {file}" if file else "does not exist"))
        return folder

    # what it runs

    def pinned(self, command: Sequence[Word]) -> list[str]:
        """The command with its CPUs pinned, when they are given."""
        cpus = self.environ.get("KVDOCS_CPUS")
        return [*([self.tool("taskset"), "-c", cpus] if cpus else []), *map(str, command)]

    def hold_gpu(self) -> tuple[int, ...]:
        """Wait for the one-GPU-job lock and keep it until the script ends; the descriptors that children inherit with it."""
        if self._lock is None and self.environ.get("KVDOCS_GPU_LOCK_HELD") != "1":
            self._lock = self._locked(lock_path(self.environ))
        return () if self._lock is None else (self._lock,)

    def _locked(self, path: Path) -> int:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for {path}", file=sys.stderr, flush=True)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            try:
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    holder = {"pid": os.getpid(), "script": Path(sys.argv[0]).stem, "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, json.dumps(holder).encode(), 0)
                    return descriptor
            except FileNotFoundError:
                pass
            os.close(descriptor)  # somebody removed the file in between: that lock keeps nobody out

    def run_on_gpu(self, command: Sequence[Word], *, environ: Mapping[str, str] | None = None, keep_stdout_apart: bool = False) -> Output:
        """Run a program under the lock and on the pinned CPUs, and pass on what it prints."""
        return self._run(self.pinned(command), environ, keep_stdout_apart, self.hold_gpu())

    def run(self, command: Sequence[Word], *, folder: Path | None = None) -> Output:
        """Run a program that does not touch the GPU, and pass on what it prints."""
        return self._run(list(map(str, command)), None, False, (), folder)

    def _run(self, command: list[str], extra: Mapping[str, str] | None, apart: bool, inherited: tuple[int, ...], folder: Path | None = None) -> Output:
        print("$", " ".join([*(f"{k}={v}" for k, v in (extra or {}).items()), *command]), flush=True)
        lines = []
        with tempfile.TemporaryFile() as kept:
            child = subprocess.Popen(command, cwd=folder, env={**self.environ, **(extra or {})}, stdin=subprocess.DEVNULL, pass_fds=inherited,
                                     stdout=kept if apart else subprocess.PIPE, stderr=subprocess.PIPE if apart else subprocess.STDOUT)  # fmt: skip
            stream = child.stderr if apart else child.stdout
            assert stream is not None
            for raw in stream:
                lines.append(pass_on(raw))
            code = child.wait()
            kept.seek(0)
            stdout = kept.read().decode(errors="replace") if apart else ""
        sys.stdout.write(stdout)
        return Output(code if code >= 0 else 128 - code, lines, stdout)

    # what it reports

    def report(self, name: str, value: Any, unit: str = "") -> None:
        """A figure or word; dots in the name group figures."""
        self.figures.append((name, value, unit))

    def finish(self) -> None:
        """Print the figures, and write them as JSON where the caller wants them."""
        for name, value, unit in self.figures:
            print(f"{name} = {_shown(value)} {unit}".rstrip())
        sys.stdout.flush()
        if self.environ.get("KVDOCS_METRICS"):
            write_json(Path(self.environ["KVDOCS_METRICS"]), self.document())

    def document(self) -> dict[str, Any]:
        """The figures as nested mappings, and under `units` the unit of each."""
        nested: dict[str, Any] = {}
        for name, value, _ in self.figures:
            *groups, last = name.split(".")
            place = nested
            for group in groups:
                place = place.setdefault(group, {})
            place[last] = value
        return {**nested, "units": {name: unit for name, _, unit in self.figures if unit}}


def pass_on(raw: bytes) -> str:
    """Print a line of a program, and return it as text."""
    line = raw.decode(errors="replace").rstrip("\n")
    print(line, flush=True)
    return line


def write_json(path: Path, document: Any) -> None:
    """Write a whole file or none."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(document, indent=1) + "\n")
    beside.replace(path)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return " ".join(map(_shown, value)) if isinstance(value, (list, tuple)) else str(value)


def _contains(path: Path, text: bytes) -> bool:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(text) >= 0


def execute(script: Callable[[Run], int]) -> NoReturn:
    """Run a script and end the process: with its exit code, or with 77 and the sentence of its refusal."""

    def end(number: int, frame: Any) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    run = Run(os.environ)
    try:
        code = script(run)
    except RefusalError as refusal:
        print(f"{Path(sys.argv[0]).stem} cannot run: {refusal}", file=sys.stderr)
        sys.exit(CANNOT_RUN)
    except SystemExit:
        run.finish()  # what was measured before
        raise
    run.finish()
    sys.exit(code)
