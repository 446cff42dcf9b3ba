"""What the tests of executions share: a time that only a hang reaches, and how a run ended, in words to compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvdocs.evidence.logs import read_log
from kvdocs.evidence.store import Stored

Execute = Callable[..., Stored]

HANG_S = 60.0
"""No test asserts on time; what is still running after this many seconds hangs."""


def ending(stored: Stored) -> dict[str, Any]:
    """How a run ended, as its record tells, with what was kept of its output."""
    record = stored.record
    return {
        "outcome": record["outcome"],
        "exit_code": record["end"]["exit_code"],
        "signal": record["end"]["signal"],
        "reason": record["end"]["reason"],
        "left_behind": record["end"]["left_behind"],
        "stdout": read_log(stored.folder, record, "stdout"),
        "stderr": read_log(stored.folder, record, "stderr"),
    }
