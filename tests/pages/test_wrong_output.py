"""Figures that were measured while the program computed wrong output are called bounds wherever they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from kvdocs.pipeline import Inspection, publication

FILES = {
    "registry/probes/P1.yaml": """
        id: P1
        title: Leaves the waiting out
        file: p1.patch
        output_correct: false
        output_note: Tokens are wrong.
        base_commit: 946c1e5b6
        purpose: It shows what the waiting costs.
    """,
    "registry/probes/p1.patch": "--- a/x\n+++ b/x\n",
    "registry/measurements/M1.yaml": """
        id: M1
        title: Without the waiting
        key: depth
        columns:
          - {name: depth, title: Depth, unit: token, exact: true}
          - {name: rate, title: Rate, unit: token/s}
        rows:
          - {depth: 4096, rate: 38.50}
        probes: [P1]
    """,
    "registry/claims/K1.yaml": "id: K1\ntitle: It is fast\nexpression: M1.rate[4096]\nat_least: 30\nunit: token/s\n",
    "registry/experiments/X1.yaml": "id: X1\ntitle: Leave it out\nverdict: rejected\nwhy: The output is wrong.\nprobes: [P1]\noutcomes:\n  - {what: rate, figure: \"M1.rate[4096]\", unit: token/s}\n",
}


@pytest.mark.parametrize("record", ["M1", "K1", "X1"])
def test_a_record_with_such_figures_says_that_they_are_bounds(record: str, inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """A measurement said it; a claim on it and an experiment with it did not."""
    inspection = inspect_files(FILES)
    entry = inspection.registry.entries[record]
    notices = entry.kind.view(entry, publication(inspection).at(f"records/{record}.md")).notices
    assert [(notice.title, notice.text) for notice in notices] == [("These figures are bounds, not results", "The program's output is wrong under [P1](P1.md \"Leaves the waiting out\").")]
