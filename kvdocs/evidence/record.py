"""The result record `kvdocs/evidence/v1`: its words, and how its identity is computed.

The record is one JSON object. Its groups are
`invocation` (what was executed), `end` (how it ended), `judgement` (what follows), `source`, `build`, `inputs`, `machine`,
`exclusivity` (lock, other jobs), `streams` and `files` (what lies beside the record), `metrics`, `redaction` and `missing`.
`digest` is the SHA-256 of the canonical JSON of everything but `id` and `digest`; `id` is its first 16 digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .canonical import digest, storable

SCHEMA = "kvdocs/evidence/v1"
ID_LENGTH = 16

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What may be the name of a script or an environment: they become names of folders."""

CANNOT_RUN = 77
"""The exit code by which a script says that something it needs is missing; test harnesses read it as *skipped*."""

OUTCOMES = ("passed", "failed", "signalled", "timed-out", "interrupted", "unavailable", "runner-died")
"""`passed`: exit 0. `failed`: another exit code. `unavailable`: something that the script needs is not here, as the runner found before or the script itself said with exit code 77."""

TELLS_NOTHING = ("interrupted", "unavailable", "runner-died")
"""Outcomes of an execution that tells nothing of what it was about: it takes no other's place."""

STATUSES = ("FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP")
"""KCIDB 5.3: FAIL, the tested code is faulty; ERROR, the test is; MISS, the harness is; PASS; DONE, it ran and decided nothing; SKIP."""


def outcome_of(how: str, exit_code: int | None) -> str:
    """The outcome for the end of a process (`process.Ended.how`)."""
    if how == "exited":
        return {0: "passed", CANNOT_RUN: "unavailable"}.get(exit_code if exit_code is not None else 1, "failed")
    return "unavailable" if how == "not-started" else how


def kcidb_status(outcome: str, verdict: str, purpose: str) -> str:
    """The KCIDB status of an execution: what it says about the code that was tested, then about the test, then about the harness."""
    if outcome == "unavailable":
        return "SKIP"
    if verdict == "reproduced":
        return "FAIL"
    if verdict == "not-reproduced":
        return "PASS"
    if outcome in ("interrupted", "runner-died"):
        return "MISS"
    return "DONE" if outcome == "passed" and purpose == "measurement" else "ERROR"


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with `digest` and `id`, and with everything in it made storable."""
    body = storable({key: value for key, value in record.items() if key not in ("id", "digest")})
    full = digest(body)
    return {**body, "digest": f"sha256:{full}", "id": full[:ID_LENGTH]}


def identity_holds(record: Mapping[str, Any]) -> bool:
    """Whether `digest` and `id` are those of the record's content."""
    body = {key: value for key, value in record.items() if key not in ("id", "digest")}
    full = digest(body)
    return record.get("digest") == f"sha256:{full}" and record.get("id") == full[:ID_LENGTH]


def labels_of(patches: list[dict[str, Any]]) -> list[str]:
    """What must be said wherever a figure of the result appears."""
    return [f"output incorrect by construction: {patch['id']}" for patch in patches if not patch["output_correct"]]
