"""Every document that a command prints for programs is as the reference page describes it, field by field.

The examples of the page are what the commands print in the project that `kvdocs init` makes, under `tests/docs/documents/`.
`KVDOCS_UPDATE=1 pytest tests/docs` writes them anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kvdocs.pages.shapes import SHAPES, Document, Shape
from kvdocs.scaffold import make_project
from tests.conftest import REPOSITORY

DOCUMENTS = Path(__file__).parent / "documents"
HASH = re.compile(r"\b(?:[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})\b")
PACKAGE = REPOSITORY / "kvdocs"
OF_FILES = {"kvdocs/job/v1": "the settings inside a packed job, which only that job reads", "kvdocs/search/v1": "what the search of the site reads"}
"""Schema names that no command prints."""

MEASURE = """mkdir -p registry/measurements && cat > registry/measurements/M1.yaml <<'END'
id: M1
title: Two arms
key: depth
columns:
  - {name: depth, title: Depth, unit: token, exact: true}
  - {name: before, title: Before, unit: token/s, better: higher}
  - {name: after, title: After, unit: token/s, better: higher}
  - {name: gain, title: Gain, unit: "%", better: higher, compute: mean(after) / mean(before) - 1, relative_to: before}
  - {name: twice, title: Twice as much, unit: "%", compute: 2 * gain, relative_to: before}
rows:
  - {depth: 4096, before: {samples: [31.72, 31.71]}, after: {samples: [38.49, 38.50]}, gain: {published: 21.4}}
order: [before, after, after, before]
noise_floor: [M1]
comparisons: [{a: before, b: after}]
END
"""
"""Puts a measurement into a new project, which has none."""

COMMANDS: dict[str, str] = {
    "kvdocs/order/v1": "kvdocs order --json",
    "kvdocs/explanation/v1": "kvdocs order --explain R2 --json",
    "kvdocs/path/v1": "kvdocs order --for R2 --json",
    "kvdocs/problems/v1": "kvdocs check --json",
    "kvdocs/record/v1": "kvdocs show D1 --json",
    "kvdocs/figure/v1": f"{MEASURE}kvdocs show 'M1.gain[4096]' --json",
    "kvdocs/comparison/v1": f"{MEASURE}kvdocs compare M1 --json",
    "kvdocs/registry/v1": "kvdocs build --no-site > build.log && cat build/docs/api/registry.json",
    "kvdocs/export/v1": "kvdocs export json",
    "kvdocs/graph/v1": "kvdocs graph --format json",
    "kvdocs/history/v1": "kvdocs log --json --limit 2",
    "kvdocs/diff/v1": "kvdocs set R1 status=implemented > edit.log && kvdocs diff --json",
    "kvdocs/gates/v1": "kvdocs gate R1 --json",
    "kvdocs/plan/v1": "kvdocs run D1 --plan --json",
    "kvdocs/dry-run/v1": "kvdocs run D1 --dry-run --json",
    "kvdocs/run/v1": "kvdocs run D1 --json",
    "kvdocs/evidence/v1": "kvdocs run D1 > run.log && cat registry/results/laptop/d1-empty-list/*/result.json",
    "kvdocs/pack/v1": "kvdocs pack D1 --json",
    "kvdocs/intake/v1": "kvdocs -C . pack D1 --env laptop > pack.log && python3 job.pyz --out made > job.log && kvdocs import results made --json",
    "kvdocs/import/v1": "echo REPRODUCED | kvdocs import log - --script d1-empty-list --env laptop --exit 1 --command prefix --json",
    "kvdocs/edit/v1": "kvdocs set R2 size=L --dry-run --json",
    "kvdocs/format/v1": "kvdocs fmt --check --json",
    "kvdocs/render/v1": "kvdocs render --check ../other/docs --json",
    "kvdocs/sync/v1": "kvdocs sync --json --api http://127.0.0.1:9 || true",
    "kvdocs/publish/v1": "git init --quiet --bare ../host.git && git remote add origin ../host.git && kvdocs publish --dry-run --json 2> build.log",
    "kvdocs/error/v1": "kvdocs show D11 --json || true",
}
"""A command that prints each document in a new project that is under version control."""


@pytest.fixture
def project(tmp_path: Path, reader: dict[str, str]) -> Path:
    folder = tmp_path / "my-record"
    make_project(folder)
    for command in ("git init --quiet", "git add --all", "git commit --quiet --message 'Begin the record'"):
        subprocess.run(command, shell=True, cwd=folder, env=reader, check=True)
    return folder


def printed(command: str, folder: Path, reader: dict[str, str]) -> Any:
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=reader, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_every_schema_name_of_the_program_is_described_once() -> None:
    named = {name for path in PACKAGE.rglob("*.py") for name in re.findall(r'"(kvdocs/[a-z-]+/v[0-9]+)"', path.read_text(encoding="utf-8"))}
    assert sorted(named - set(OF_FILES)) == sorted(shape.name for shape in SHAPES)
    assert sorted(COMMANDS) == sorted(shape.name for shape in SHAPES)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_the_document_has_these_fields_and_no_others(shape: Shape, project: Path, reader: dict[str, str]) -> None:
    document = printed(COMMANDS[shape.name], project, reader)
    shape.model.model_validate_json(json.dumps(document))
    if shape.example:
        shown = json.loads(HASH.sub(lambda found: "0" * len(found[0]), json.dumps(document)))
        path = DOCUMENTS / f"{shape.example}.json"
        if os.environ.get("KVDOCS_UPDATE"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(shown, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        assert shown == json.loads(path.read_text(encoding="utf-8"))


def test_the_examples_are_those_of_the_page() -> None:
    assert sorted(p.stem for p in DOCUMENTS.iterdir()) == sorted(shape.example for shape in SHAPES if shape.example)


def test_a_document_with_another_field_would_be_found() -> None:
    class Small(Document):
        """A document."""

        id: str

    with pytest.raises(ValueError, match="extra_forbidden"):
        Small.model_validate_json('{"id": "D1", "new": 1}')
    with pytest.raises(ValueError, match="missing"):
        Small.model_validate_json("{}")


