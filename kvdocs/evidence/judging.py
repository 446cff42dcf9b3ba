"""Expectations held against an execution in a process of its own, which may compute only so long.

A pattern such as `(a+)+$` can try a line in more ways than there is time for, and nothing inside of Python stops it.
Without a limit, a script that ran for hours would leave no result because of a pattern in its record, today and on every recovery.
"""

from __future__ import annotations

import json
import os
import signal
import struct
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .expect import INCONCLUSIVE, Verdict, evaluate, verdict_from
from .observation import Observation
from .terminal import PlainText

LIMIT_S = 30.0
"""Seconds of computing time for all patterns of a script; a log as long as one is kept takes patterns of the usual kind a second or two."""
SHARE = 64 * 1024 * 1024
"""After so many bytes of output that passes by, the time begins anew."""
_STREAMS = ("stdout", "stderr")
_FRAME = struct.Struct("<BBI")
"""Before each piece on its way to the judging process: the stream, whether a part is missing before the piece, and its length."""


def judge(expect: Mapping[str, Any], seen: Observation, limit_s: float = LIMIT_S) -> Verdict:
    """The verdict of `evaluate`; inconclusive, and saying why, when its patterns do not come to an end. ValueError when the expectations are malformed."""
    child, ours = _fork(lambda: evaluate(expect, seen), limit_s)
    return _verdict(child, ours, limit_s)


class Judging:
    """The verdict on an execution whose output passes by and is kept nowhere: that of `judge` on the whole.

    The outputs of `seen` are empty ones that keep nothing. An end of the `with` block before the verdict ends the process.
    """

    def __init__(self, expect: Mapping[str, Any], seen: Observation, limit_s: float = LIMIT_S) -> None:
        theirs, self._pipe = os.pipe()
        self._limit_s = limit_s

        def hear() -> Verdict:
            os.close(self._pipe)
            return _hear(theirs, expect, seen, limit_s)

        self._child, self._answer = _fork(hear, limit_s)
        os.close(theirs)

    def feed(self, stream: str, raw: bytes, *, after_gap: bool = False) -> None:
        """The next piece of `stdout` or `stderr`, of any size."""
        rest = memoryview(_FRAME.pack(_STREAMS.index(stream), after_gap, len(raw)) + raw)
        while rest and self._pipe >= 0:
            try:
                rest = rest[os.write(self._pipe, rest) :]
            except BrokenPipeError:  # it has ended, and the verdict says why
                self._close()

    def verdict(self) -> Verdict:
        """The verdict, when all has been fed. ValueError when the expectations are malformed."""
        self._close()
        child, self._child = self._child, 0
        return _verdict(child, self._answer, self._limit_s)

    def __enter__(self) -> Judging:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if self._child:
            os.kill(self._child, signal.SIGKILL)
            os.close(self._answer)
            os.waitpid(self._child, 0)

    def _close(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1


def _hear(pipe: int, expect: Mapping[str, Any], seen: Observation, limit_s: float) -> Verdict:
    """Evaluate once to know what is looked for, look at all that comes, and evaluate what was found."""
    evaluate(expect, seen)
    texts = {name: PlainText() for name in _STREAMS}
    outputs = seen.streams("any")
    heard = 0
    with os.fdopen(pipe, "rb") as pieces:
        while frame := pieces.read(_FRAME.size):
            number, after_gap, length = _FRAME.unpack(frame)
            name = _STREAMS[number]
            if after_gap:
                outputs[name].feed(texts[name].end())
                outputs[name].part()
            outputs[name].feed(texts[name].feed(pieces.read(length)))
            heard += length
            if heard >= SHARE:
                heard = 0
                signal.setitimer(signal.ITIMER_PROF, limit_s)
    for name, text in texts.items():
        outputs[name].feed(text.end())
    return evaluate(expect, seen)


def _fork(work: Callable[[], Verdict], limit_s: float) -> tuple[int, int]:
    """A process that finds a verdict, and the pipe that it answers through."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _answer(theirs, work, limit_s)
    os.close(theirs)
    return child, ours


def _verdict(child: int, ours: int, limit_s: float) -> Verdict:
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        return Verdict(INCONCLUSIVE, (_unjudged(os.waitstatus_to_exitcode(status), limit_s),))
    answer = json.loads(said)
    if "malformed" in answer:
        raise ValueError(answer["malformed"])
    return verdict_from(answer)


def _unjudged(code: int, limit_s: float) -> str:
    if code == -signal.SIGPROF:
        return f"its patterns did not come to an end over this output in {limit_s:g} s of computing: write them so that no part of a line can be matched in many ways"
    return "its patterns could not be held against this output: there was not enough memory"


def _answer(pipe: int, work: Callable[[], Verdict], limit_s: float) -> NoReturn:
    """Evaluate, write the answer and end. The kernel ends the process at the limit, whether or not somebody still waits for it."""
    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # whoever stops the runner gets a result from it
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            answer = work().as_record()
        except ValueError as error:
            answer = {"malformed": str(error)}
        with os.fdopen(pipe, "wb") as file:
            file.write(json.dumps(answer).encode())
        code = 0
    finally:
        os._exit(code)
