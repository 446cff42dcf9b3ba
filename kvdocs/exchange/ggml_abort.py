"""How a ggml program dies: the message of GGML_ABORT or GGML_ASSERT, a CUDA error, and the frames printed after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_AT = re.compile(r"^(?P<path>\S+\.(?:c|cc|cpp|cu|cuh|h|hpp|m|mm)):(?P<line>\d+): (?P<message>\S.*)$")
_CUDA = re.compile(r"(?:^|\s)CUDA error: (?P<message>.+)$")
_CUDA_WHERE = re.compile(r"in function (?P<function>\S+) at (?P<path>\S+):(?P<line>\d+)")
_FRAME = re.compile(r"^(?P<module>\S+)\((?P<symbol>[^()+]*)\+0x[0-9a-f]+\)\[0x[0-9a-f]+\]$")


@dataclass(frozen=True, slots=True)
class Abort:
    """The end of a process in ggml: what it said, at which source line, and the named functions on the stack.

    `cuda_error` and `cuda_at` are the message of the failed CUDA call and the source line that it names, where
    the abort is one.
    """

    message: str
    path: str
    line: int
    frames: tuple[str, ...]
    log_line: int
    cuda_error: str | None = None
    cuda_at: str | None = None


def find_abort(lines: Sequence[str]) -> Abort | None:
    """The first abort in the lines of a log, or None."""
    cuda_error: str | None = None
    cuda_at: str | None = None
    for number, line in enumerate(lines, start=1):
        if (cuda := _CUDA.search(line.rstrip())) is not None:
            cuda_error = cuda["message"]
        elif cuda_error is not None and (where := _CUDA_WHERE.search(line)) is not None:
            cuda_at = f"{where['path']}:{where['line']}"
        elif (at := _AT.match(line)) is not None:
            frames = tuple(_frames(lines[number:]))
            return Abort(at["message"], at["path"], int(at["line"]), frames, number, cuda_error, cuda_at)
    return None


def _frames(lines: Sequence[str]) -> list[str]:
    """The symbols of the frames that directly follow, without those of the abort machinery itself."""
    symbols = []
    for line in lines:
        match = _FRAME.match(line.strip())
        if match is None:
            break
        if match["symbol"] and match["symbol"] not in ("ggml_print_backtrace", "ggml_abort", "__libc_start_main"):
            symbols.append(match["symbol"])
    return symbols
