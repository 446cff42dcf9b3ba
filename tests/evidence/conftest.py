"""Fixtures for executions: a script given as text is executed by the real runner, and its record is read back from disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from executions import HANG_S, Execute

from kvdocs.evidence.runner import Limits, Listener, run
from kvdocs.evidence.seals import load_result
from kvdocs.evidence.source_tree import Patch
from kvdocs.evidence.spec import ScriptSpec, Setting
from kvdocs.evidence.store import Stored


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Variables of a user whose home and GPU lock are in the test's folder."""
    home = tmp_path / "home" / "ada"
    home.mkdir(parents=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "KVDOCS_GPU_LOCK": str(tmp_path / "gpu.lock")}


@pytest.fixture
def execute(tmp_path: Path, environ: dict[str, str]) -> Execute:
    """Execute a script once: `execute("exit 3", expect={...})`; other arguments are those of a `ScriptSpec`."""

    def execute_text(
        text: str,
        *,
        suffix: str = ".sh",
        limits: Limits | None = None,
        settings: Mapping[str, str] = {},
        patches: tuple[Patch, ...] = (),
        listener: Listener | None = None,
        **spec: Any,
    ) -> Stored:
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        (project / f"it{suffix}").write_text(text)
        whole = ScriptSpec(**{"id": "it", "file": f"it{suffix}", "timeout_s": HANG_S, **spec})
        stored = run(whole, Setting("here", {**environ, **settings}), project, tmp_path / "results", limits=limits, patches=patches, listener=listener)
        return Stored(stored.folder, load_result(stored.folder))

    return execute_text
