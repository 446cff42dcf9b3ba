"""How a program comes to be measured: with pip or npm into a folder of its own, or on PATH already. Nothing else of the machine is changed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

LIMIT_S = 600
FAILURES = (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError)


class Install(Protocol):
    """A way to install a program."""

    def programs(self, at: Path, /) -> Path | None:
        """The folder of the programs, which are installed below `at` unless they were before; None when they are not to be had here."""

    def version(self, at: Path, /) -> str:
        """The version of what `programs` found; empty when it does not tell."""


@dataclass(frozen=True)
class Pip:
    """Packages in a virtual environment of their own."""

    packages: tuple[str, ...]
    """The last one is the program that is measured; the others are what it needs beside it."""

    def programs(self, at: Path) -> Path | None:
        venv = [sys.executable, "-m", "venv", str(at)]
        install = [str(at / "bin" / "pip"), "install", "--quiet", *self.packages]
        return at / "bin" if _made(at, self.packages, (venv, install)) else None

    def version(self, at: Path) -> str:
        return _first_line([str(at / "bin" / "python"), "-c", f"from importlib.metadata import version; print(version({self.packages[-1]!r}))"])


@dataclass(frozen=True)
class Npm:
    """A package of npm in a folder of its own."""

    package: str

    def programs(self, at: Path) -> Path | None:
        install = ["npm", "install", "--prefix", str(at), "--silent", "--no-fund", "--no-audit", self.package]
        return at / "node_modules" / ".bin" if _made(at, (self.package,), (install,)) else None

    def version(self, at: Path) -> str:
        return str(json.loads((at / "node_modules" / self.package / "package.json").read_text(encoding="utf-8"))["version"])


@dataclass(frozen=True)
class OnPath:
    """A program that the machine has already: what comes as a package of the system is for its user to install."""

    program: str

    def programs(self, _at: Path) -> Path | None:
        found = shutil.which(self.program)
        return Path(found).absolute().parent if found else None

    def version(self, _at: Path) -> str:
        return _first_line([self.program, "--version"])


def _made(at: Path, packages: Sequence[str], commands: Sequence[Sequence[str]]) -> bool:
    """Whether the packages are below the folder, after the commands if they were not before. One that was left half made is made anew."""
    done = at / "installed"
    if not done.exists():
        shutil.rmtree(at, ignore_errors=True)
        try:
            for command in commands:
                subprocess.run(command, check=True, capture_output=True, timeout=LIMIT_S)
        except FAILURES:
            return False
        done.write_text(" ".join(packages), encoding="utf-8")
    return True


def _first_line(command: Sequence[str]) -> str:
    try:
        said = subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=LIMIT_S).stdout
    except FAILURES:
        return ""
    return said.partition("\n")[0].strip()
