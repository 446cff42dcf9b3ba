"""How a ggml program dies: the message of GGML_ABORT or GGML_ASSERT, a CUDA error, and the frames printed after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_AT = re.compile(r"^(?P<path>\S+\.(?:c|cc|cpp|cu|cuh|h|hpp|m|mm)):(?P<line>\d+): (?P<message>\S.*)$")
_MAY_BE_AT = re.compile(rb"\.(?:cc?|cpp|cuh?|h|hpp|mm?):[^ :\n]+: ")
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


class AbortSearch:
    """Looks for the first abort in the lines of a log, which it is given one after the other."""

    def __init__(self) -> None:
        self.at: re.Match[str] | None = None
        self.frames: list[str] = []
        self.ended = False
        """Whether what follows makes no difference any more."""
        self.cuda_error: str | None = None
        self.cuda_at: str | None = None

    def take(self, line: str) -> None:
        """The next line."""
        if self.ended:
            return
        if self.at is not None:
            self._take_frame(line)
        elif (cuda := _CUDA.search(line.rstrip())) is not None:
            self.cuda_error = cuda["message"]
        elif self.cuda_error is not None and (where := _CUDA_WHERE.search(line)) is not None:
            self.cuda_at = f"{where['path']}:{where['line']}"
        else:
            self.at = _AT.match(line)

    def _take_frame(self, line: str) -> None:
        """A frame that directly follows, unless it is one of the abort machinery itself."""
        match = _FRAME.match(line.strip())
        if match is None:
            self.ended = True
        elif match["symbol"] and match["symbol"] not in ("ggml_print_backtrace", "ggml_abort", "__libc_start_main"):
            self.frames.append(match["symbol"])

    def may_take(self, block: bytes) -> bool:
        """Whether anything in these whole lines can make a difference: what an abort or a CUDA error has to hold is there."""
        if self.at is not None:
            return not self.ended
        return b"CUDA error: " in block or (self.cuda_error is not None and b"in function " in block) or _MAY_BE_AT.search(block) is not None


def find_abort(lines: Sequence[str]) -> Abort | None:
    """The first abort in the lines of a log, or None."""
    search, found = AbortSearch(), 0
    for number, line in enumerate(lines, start=1):
        search.take(line)
        if search.at is not None:
            found = found or number
            if search.ended:
                break
    at = search.at
    return None if at is None else Abort(at["message"], at["path"], int(at["line"]), tuple(search.frames), found, search.cuda_error, search.cuda_at)
