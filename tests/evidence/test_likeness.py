"""The GPUs on record for an environment against those of a machine, and what commands do when the machine cannot be that environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kvdocs.evidence.likeness import unlikeness
from kvdocs.evidence.seals import load_result, results
from kvdocs.project import Project
from tests.conftest import MakeProject, Ran

H200 = {"name": "NVIDIA H200", "compute_capability": "9.0", "memory_mib": 143771}
RTX4070 = {"name": "NVIDIA GeForce RTX 4070", "compute_capability": "8.9", "memory_mib": 12282}


@pytest.mark.parametrize(
    ("recorded", "present", "sentence"),
    [
        ([], [], None),
        ([], [H200], None),
        ([H200], [H200], None),
        ([{"name": "H200"}], [H200], None),
        ([{"name": "RTX 4070"}], [RTX4070], None),
        ([{"name": "H200", "count": 2}], [H200, H200], None),
        ([H200], [H200, H200], None),
        ([{"name": "AMD Instinct MI300X"}], [], None),
        ([H200], [{"compute_capability": "9.0"}], None),
        ([H200], [{"compute_capability": "8.9"}], "this machine has a GPU without a name (sm_89), and lab has NVIDIA H200 (sm_90, 143771 MiB)"),
        ([H200], [], "this machine has no GPU that its driver tells of, and lab has NVIDIA H200 (sm_90, 143771 MiB)"),
        ([H200], [RTX4070], "this machine has NVIDIA GeForce RTX 4070 (sm_89, 12282 MiB), and lab has NVIDIA H200 (sm_90, 143771 MiB)"),
        ([{"name": "RTX 4070"}], [{"name": "NVIDIA GeForce RTX 4070 Ti"}], "this machine has NVIDIA GeForce RTX 4070 Ti, and lab has RTX 4070"),
        ([{"name": "H200", "count": 2}], [H200], "this machine has NVIDIA H200 (sm_90, 143771 MiB), and lab has 2 × H200"),
        ([{"name": "H100", "memory_mib": 81559}], [{"name": "NVIDIA H100 NVL", "memory_mib": 95830}], "this machine has NVIDIA H100 NVL (95830 MiB), and lab has H100 (81559 MiB)"),
    ],
)
def test_a_machine_is_an_environment_unless_its_gpus_contradict_that(recorded: list[Mapping[str, Any]], present: list[Mapping[str, Any]], sentence: str | None) -> None:
    assert unlikeness("lab", recorded, present) == sentence


FILES = {
    "registry/environments/lab.yaml": "id: lab\ntitle: The lab\ngpus:\n  - {name: NVIDIA Nonesuch 1}\n",
    "registry/environments/here.yaml": "id: here\ntitle: This machine\n",
    "registry/scripts/say.sh": "echo HELLO\n",
    "registry/scripts/say.yaml": """
        id: say
        title: Says hello
        purpose: reproduction
        file: say.sh
        expect:
          reproduced: [{pattern: HELLO}]
          not_reproduced: [{absent: HELLO}]
    """,
}
REFUSED = r"this machine has (no GPU that its driver tells of|.+), and lab has NVIDIA Nonesuch 1"
LABEL = f"the machine is not the one on record: {REFUSED}"


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project(FILES)


def labels(folder: Path) -> list[list[str]]:
    return [load_result(found)["labels"] for found in results(folder)]


def test_nothing_is_filed_under_an_environment_that_this_machine_is_not(project: Project, kvdocs: Callable[..., Ran]) -> None:
    refused = kvdocs("run", "say", "--env", "lab", at=project.root)
    assert (refused.code, refused.out) == (2, "")
    hint = "  hint: name the environment that this machine is, or record it with `kvdocs new environment NAME`; --other-machine files the results under lab all the same, and each says so\n"
    assert re.fullmatch(f"error: {REFUSED}\n{re.escape(hint)}", refused.err)
    plan = json.loads(kvdocs("run", "say", "--env", "lab", "--plan", "--json", at=project.root).out)
    assert re.fullmatch(REFUSED, plan["scripts"][0]["missing"][0])
    assert list(results(project.registry / "results")) == []
    assert kvdocs("run", "say", "--env", "here", at=project.root).code == 0
    assert labels(project.registry / "results") == [[]]


def test_a_result_that_is_filed_all_the_same_says_so(project: Project, kvdocs: Callable[..., Ran]) -> None:
    assert kvdocs("run", "say", "--env", "lab", "--other-machine", at=project.root).code == 0
    [[label]] = labels(project.registry / "results")
    assert re.fullmatch(LABEL, label)
    assert "other-machine" not in kvdocs("check", at=project.root).out


def test_a_packed_job_refuses_too(project: Project, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    job = tmp_path / "job.pyz"
    assert kvdocs("pack", "say", "-o", str(job), "--env", "lab", at=project.root).code == 0

    def execute(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([sys.executable, str(job), "--out", "made", *arguments], cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    code, told = execute()
    assert code == 2
    assert re.fullmatch(f"error: {REFUSED}; name the environment of this machine with --env, or say --other-machine, and each result tells of it\n", told)
    assert not (tmp_path / "made").exists()
    assert execute("--env", "here")[0] == 0
    assert execute("--other-machine")[0] == 0
    found = sorted(labels(tmp_path / "made"), key=len)
    assert found[0] == []
    assert re.fullmatch(LABEL, found[1][0])
