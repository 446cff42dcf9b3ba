"""Two versions of a registry compared in words, without touching the work tree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kvdocs.project import Project
from tests.conftest import write_files
from tests.edit.conftest import SMALL, files_of, git

Kvdocs = Callable[..., Any]

MEASURED = {
    "registry/measurements/M1.yaml": """
        id: M1
        title: Cost
        key: depth
        columns:
          - {name: depth, title: depth, exact: true}
          - {name: copy, title: copy, unit: ms}
          - {name: token, title: token, unit: ms}
          - {name: share, title: share, unit: "%", compute: copy / token, relative_to: a token, decimals: 1}
        rows:
          - {depth: 4096, copy: 2.00, token: 4.00}
    """,
    "registry/claims/K1.yaml": """
        id: K1
        title: Half of a token is the copy
        published: half of it
        expression: M1.share[4096]
        between: [45, 55]
        unit: "%"
    """,
}


def text(block: str) -> str:
    return dedent(block).lstrip("\n")


@pytest.fixture
def versions(make_project: Callable[[dict[str, str]], Project], kvdocs: Kvdocs) -> Path:
    """A repository with two commits: tag `v1`, then a version with a bit of everything changed."""
    root = make_project({**SMALL, **MEASURED}).root
    git(root, "init", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "First")
    git(root, "tag", "v1")
    for command in (
        ("set", "R1", "status=done"),
        ("set", "R2", "owners=[ann]", "summary=Turn the knobs."),
        ("set", "M1", "rows[0].copy=3.00"),
        ("rename", "D2", "D5"),
        ("new", "item", "--set", "title=Write it down", "--set", "status=open", "--set", "owners=[ann]", "--set", "blocked_by=[R2]"),
    ):
        assert kvdocs(*command, at=root).code == 0
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Second")
    return root


def test_the_difference_in_words(kvdocs: Kvdocs, versions: Path) -> None:
    before = files_of(versions)
    ran = kvdocs("diff", "v1", "main", at=versions)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == text("""
        v1 → main

        Next
          R2  can be worked on now: rank 1, unlocks R3
          R1  is no longer there to be worked on

        Order of work
          R2  waiting → actionable: unlocks R3
          R1  actionable → done: done

        Records
          D5  renamed from D2
          R3  added: Write it down

        Status
          R1  status open → done

        Owners
          R2  owners bob → ann

        Claims
          K1  holds → fails: the value is 75.0%, and the claim is that it rounds to a number from 45% to 55%

        Figures
          M1.share[4096] 50.0% → 75.0%

        Values
          M1  rows[4096].copy 2.00 → 3.00

        Texts
          D1  symptom rewritten; not established rewritten
          R2  summary written

        New problems
          K1  warning claim-fails: K1 (Half of a token is the copy) fails: the value is 75.0%, and the claim is that it rounds to a number from 45% to 55%
          D1  warning still-confirmed: D1 is confirmed, but R1 is done
    """)
    assert files_of(versions) == before
    assert git(versions, "status", "--porcelain") == ""


def test_a_renamed_item_is_no_other_item(kvdocs: Kvdocs, versions: Path) -> None:
    assert kvdocs("rename", "R2", "R7", at=versions).code == 0
    assert kvdocs("diff", at=versions).out == text("""
        HEAD → working tree

        Records
          R7  renamed from R2

        Blockers
          R3  blocked by R2 → R7
    """)


def test_executions_turn_the_records_that_they_bear_on_and_not_one_another(kvdocs: Kvdocs, versions: Path) -> None:
    write_files(
        versions,
        {
            "registry/environments/box.yaml": "id: box\ntitle: The box\n",
            "registry/scripts/reads.sh": "echo BROKEN\n",
            "registry/scripts/reads.yaml": """
                id: reads
                title: Reads behind the buffer
                purpose: reproduction
                file: reads.sh
                about: [D1]
                expect:
                  reproduced: [{pattern: ^BROKEN$}]
            """,
        },
    )
    for _ in range(2):
        assert kvdocs("run", "D1", "--env", "box", at=versions).code == 0
        git(versions, "add", ".")
        git(versions, "commit", "-q", "-m", "Run it")
    found = kvdocs("diff", "HEAD~1", "HEAD", at=versions).out
    assert found[found.index("Evidence") :].splitlines() == ["Evidence", "  D1                executions box: reproduced in 1 of 1 → box: reproduced in 2 of 2"]


def test_without_a_second_version_the_files_as_they_are_count(kvdocs: Kvdocs, versions: Path) -> None:
    assert kvdocs("diff", at=versions).out == "HEAD → working tree\nnothing changed\n"
    (versions / "registry/roadmap/R3-write-it-down.yaml").write_text("id: R3\ntitle: [\n")
    assert kvdocs("diff", at=versions).out == text("""
        HEAD → working tree

        Records
          R3  cannot be read any more

        New problems
          registry/roadmap/R3-write-it-down.yaml: error yaml-syntax: did not find expected node content
    """)


def test_the_difference_as_a_comment(kvdocs: Kvdocs, versions: Path) -> None:
    ran = kvdocs("diff", "v1", "main", "--format", "markdown", at=versions)
    assert ran.out.startswith(
        text("""
        <!-- kvdocs diff -->

        ### What this changes in the record (`v1` → `main`)

        6 records changed; R2 can be worked on now; 1 claim no longer holds.

        **Next**

        - **R2** can be worked on now: rank 1, unlocks R3
        - **R1** is no longer there to be worked on
    """)
    )
    assert "<details><summary>Figures (1)</summary>\n\n- M1.share\\[4096\\] 50.0% → 75.0%\n\n</details>\n" in ran.out


def test_the_difference_as_a_document(kvdocs: Kvdocs, versions: Path) -> None:
    document = json.loads(kvdocs("diff", "v1", "main", "--json", at=versions).out)
    assert document["schema"] == "kvdocs/diff/v1"
    assert document["actionable"] == {"before": ["R1"], "after": ["R2"]}
    assert document["claims"] == [
        {"record": "K1", "name": "Half of a token is the copy", "before": "holds", "after": "fails", "reason": "the value is 75.0%, and the claim is that it rounds to a number from 45% to 55%"}
    ]
    assert document["figures"] == [{"record": "M1", "name": "M1.share[4096]", "before": "50.0%", "after": "75.0%", "reason": ""}]
    assert document["changes"][0] == {"record": "D1", "kind": "defect", "topic": "text", "field": "symptom", "before": "The kernel reads behind its buffer. It is not the cause of D2.", "after": "The kernel reads behind its buffer. It is not the cause of D5.", "words": "symptom rewritten"}
    assert [p["code"] for p in document["problems"]["new"]] == ["claim-fails", "still-confirmed"]


def test_a_version_that_is_none_is_said(kvdocs: Kvdocs, versions: Path, tmp_path: Path) -> None:
    assert (ran := kvdocs("diff", "v7", at=versions)).code == 2
    assert ran.err == "error: 'v7' is no revision here\n"


def test_without_git_it_is_said(kvdocs: Kvdocs, make_project: Callable[[dict[str, str]], Project]) -> None:
    root = make_project(SMALL).root
    ran = kvdocs("diff", at=root, env={"GIT_CEILING_DIRECTORIES": str(root.parent)})
    assert (ran.code, ran.err) == (2, "error: the project is not in a git repository\n")
