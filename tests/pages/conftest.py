"""Fixtures: a small registry as YAML, and its publication."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from kvdocs.pages.context import Publication
from kvdocs.pipeline import Inspection, publication

SMALL = {
    "registry/owners/ann.yaml": """
        id: ann
        title: Ann
        owns: The prefix sum.
        """,
    "registry/references/ours-7.yaml": """
        id: ours-7
        title: Guard the empty list
        type: pull-request
        repository: us/ours
        number: 7
        state: open
        state_on: 2026-01-02
        """,
    "registry/defects/D1.yaml": """
        id: D1
        title: "`sum([])` fails"
        status: confirmed
        status_note: exit 1 at `scan.py:3`
        severity: raises | in the caller
        owners: [ann]
        repository: us/ours
        commit: 0123abcde
        symptom: |-
          It fails, see R1 and D1.
        command: python3 scan.py
        output: |-
          Traceback
            scan.py:3 IndexError
        locations:
          - {path: scan.py, line: 3, what: "`values[0] | none`"}
        fixed_by: [R1]
        """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Give an empty list
        status: implemented
        owners: [ann]
        size: S-M
        blast_radius: low
        implemented_by: [ours-7]
        next_step: review
        """,
    "registry/roadmap/R2.yaml": """
        id: R2
        title: Name the operation
        status: open
        owner_open: nobody has time
        blocked_by: [R1]
        """,
}
"""A registry of five records that uses most of what a page can show."""


@pytest.fixture
def small(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> Publication:
    """What the pages of the small registry are made from, without pictures: their lines differ with the layout program of the machine."""
    whole = publication(inspect_files(SMALL))
    return replace(whole, providers={name: provider for name, provider in whole.providers.items() if name != "surroundings"})


@pytest.fixture
def as_expected() -> Callable[[str, str], None]:
    """Compare a text with `tests/pages/expected/NAME`, whole. `KVDOCS_UPDATE=1` writes it anew; read the difference."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "expected" / name
        if os.environ.get("KVDOCS_UPDATE"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
