"""Executions for generated registries, in the form in which the runner stores them."""

from __future__ import annotations

from typing import Any

from kvdocs.evidence.canonical import digest, sha256
from kvdocs.evidence.record import SCHEMA, sealed

EXPECT = {"reproduced": [{"exit": 1}], "not_reproduced": [{"exit": 0}]}


def execution(number: int, script: str, environment: str, commit: str, log: str) -> dict[str, Any]:
    """A sealed record of one execution that ended with exit code 1; `log` is what it printed."""
    second = number % 60
    minute = number // 60 % 60
    hour = number // 3600 % 24
    day = 1 + number // 86400
    content = log.encode()
    words = {"bytes": len(content), "stored_bytes": len(content), "sha256": sha256(content), "raw_sha256": sha256(content), "lost_bytes": 0, "gap_at": None}
    nothing = {"file": None, "bytes": 0, "stored_bytes": 0, "sha256": sha256(b""), "raw_sha256": sha256(b""), "lost_bytes": 0, "gap_at": None}
    started = f"2026-08-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}Z"
    return sealed(
        {
            "schema": SCHEMA,
            "title": f"{script} on {environment}, {started[:10]}",
            "kind": "run",
            "script": script,
            "environment": environment,
            "about": [],
            "purpose": "reproduction",
            "outcome": "failed",
            "status": "FAIL",
            "end": {"duration_ns": 1_000_000 * (number % 997), "exit_code": 1, "harness_error": None, "left_behind": [], "reason": "exit 1", "resources": {}, "signal": None},
            "judgement": {
                "captures": {},
                "matchers": [
                    {"censored": False, "condition": {"exit": 1}, "hit": True, "id": "reproduced[0]", "lines": [], "observed": "exit 1"},
                    {"censored": False, "condition": {"exit": 0}, "hit": False, "id": "not_reproduced[0]", "lines": [], "observed": "exit 1"},
                ],
                "reasons": ["exit 1 wanted: exit 1"],
                "verdict": "reproduced",
            },
            "expect": EXPECT,
            "invocation": {"argv": ["bash", f"{script}.sh"], "command": f"bash {script}.sh", "cpus": [], "cwd": "scratch", "env": {}, "expect_sha256": digest(EXPECT), "started": started},
            "repeat": {"index": 1, "name": "", "of": 1},
            "source": {"commit": commit, "dirty": False, "patches": [], "repository": "us/ours"},
            "streams": {"stdout": {"file": "stdout.log", **words}, "stderr": nothing},
            "files": [{"path": "stdout.log", "bytes": len(content), "sha256": sha256(content)}],
            "metrics": {},
            "labels": [],
            "output_correct": True,
        }
    )
