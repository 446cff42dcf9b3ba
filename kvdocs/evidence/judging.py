"""Expectations held against an execution in a process of its own, which may compute only so long.

A pattern such as `(a+)+$` can try a line in more ways than there is time for, and nothing inside of Python stops it.
Without a limit, a script that ran for hours would leave no result because of a pattern in its record, today and on every recovery.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from typing import Any, NoReturn

from .expect import INCONCLUSIVE, Verdict, evaluate, verdict_from
from .observation import Observation

LIMIT_S = 30.0
"""Seconds of computing time for all patterns of a script; a log as long as one is kept takes patterns of the usual kind a second or two."""


def judge(expect: Mapping[str, Any], seen: Observation, limit_s: float = LIMIT_S) -> Verdict:
    """The verdict of `evaluate`; inconclusive, and saying why, when its patterns do not come to an end. ValueError when the expectations are malformed."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _answer(theirs, expect, seen, limit_s)
    os.close(theirs)
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


def _answer(pipe: int, expect: Mapping[str, Any], seen: Observation, limit_s: float) -> NoReturn:
    """Evaluate, write the answer and end. The kernel ends the process at the limit, whether or not somebody still waits for it."""
    code = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # whoever stops the runner gets a result from it
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            answer = evaluate(expect, seen).as_record()
        except ValueError as error:
            answer = {"malformed": str(error)}
        with os.fdopen(pipe, "wb") as file:
            file.write(json.dumps(answer).encode())
        code = 0
    finally:
        os._exit(code)
