"""A record under a new id: everywhere, at once, and only where it is meant."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.edit.conftest import files_of, git

Kvdocs = Callable[..., Any]


def text(block: str) -> str:
    return dedent(block).lstrip("\n")


def test_rename_reaches_links_prose_comments_pages_and_the_file(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("rename", "D1", "D7", at=small)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == text("""
        --- a/registry/defects/D2.yaml
        +++ b/registry/defects/D2.yaml
        @@ -3,7 +3,7 @@
         owners: [bob]
         status: suspected
         severity: hangs
        -symptom: Seen once, after D1.
        +symptom: Seen once, after D7.
         correlated_with:
        -  - defect: D1
        +  - defect: D7
             note: Both need a long context.
        diff --git a/registry/defects/D1.yaml b/registry/defects/D7.yaml
        rename from registry/defects/D1.yaml
        rename to registry/defects/D7.yaml
        --- a/registry/defects/D1.yaml
        +++ b/registry/defects/D7.yaml
        @@ -1,4 +1,4 @@
        -id: D1  # the first
        +id: D7  # the first
         title: 'Out of bounds'
         owners: [ann]
         status: confirmed
        @@ -9,4 +9,5 @@
         command: ./run D1
         fixed_by: [R1]   # see R1
         not_established:
        -  - That D1 explains D2.
        +  - That D7 explains D2.
        +formerly: [D1]
        --- a/registry/roadmap/R1.yaml
        +++ b/registry/roadmap/R1.yaml
        @@ -5,6 +5,6 @@
         size: S
         # what it brings
         payoffs:
        -  - what: No more crashes as in D1.
        +  - what: No more crashes as in D7.
             gain: 1.50
             basis: measured
        --- a/site_src/index.md
        +++ b/site_src/index.md
        @@ -1,3 +1,3 @@
         # Home

        -D1 comes first, as [its page](records/D1.md) says; `D1` is an id.
        +D7 comes first, as [its page](records/D7.md) says; `D1` is an id.
        note: left alone: registry/defects/D7.yaml:9: command: ./run D1
        note: left alone: site_src/index.md:3: D7 comes first, as [its page](records/D7.md) says; `D1` is an id.
        removed registry/defects/D1.yaml
        wrote registry/defects/D2.yaml
        wrote registry/defects/D7.yaml
        wrote registry/roadmap/R1.yaml
        wrote site_src/index.md
    """).replace("# Home\n\n", "# Home\n \n")
    assert kvdocs("check", "--quiet", at=small).out == "no errors or warnings\n"


@pytest.mark.parametrize("command", [("show", "R1"), ("order", "--explain", "R1"), ("run", "R1"), ("gate", "R1"), ("set", "R1", "size=S"), ("export", "issue", "R1")])
def test_a_command_that_is_given_the_old_id_names_the_new_one(kvdocs: Kvdocs, small: Path, command: tuple[str, ...]) -> None:
    assert kvdocs("rename", "R1", "R7", at=small).code == 0
    ran = kvdocs(*command, at=small)
    assert (ran.code, ran.out, ran.err.replace("roadmap item", "record")) == (2, "", "error: no record has the id 'R1'\n  hint: R1 was renamed to R7\n")


def test_the_difference_is_one_that_git_applies(kvdocs: Kvdocs, small: Path) -> None:
    git(small, "init")
    git(small, "add", ".")
    ran = kvdocs("rename", "D1", "D7", "--dry-run", at=small)
    (small / "change.diff").write_text(ran.out.partition("\nnote: ")[0] + "\n")
    git(small, "apply", "--check", "change.diff")


def test_a_comment_and_a_citation_follow_the_id(kvdocs: Kvdocs, small: Path) -> None:
    (small / "registry/measurements").mkdir()
    (small / "registry/measurements/M1.yaml").write_text(
        text("""
        id: M1
        title: Cost  # as M1 has it
        key: depth
        columns:
          - {name: depth, title: depth, exact: true}
          - {name: ms, title: time, unit: ms}
          - {name: twice, title: twice, unit: ms, compute: M1.ms + ms}
        rows:
          - {depth: 1, ms: 2.0}
    """)
    )
    kvdocs("set", "D2", "symptom=It takes {{ M1.ms[1] }}, see M1; `M1.ms` is code.", at=small)
    assert kvdocs("rename", "M1", "M4", at=small).code == 0
    assert (small / "registry/measurements/M4.yaml").read_text() == text("""
        id: M4
        title: Cost  # as M4 has it
        key: depth
        columns:
          - {name: depth, title: depth, exact: true}
          - {name: ms, title: time, unit: ms}
          - {name: twice, title: twice, unit: ms, compute: M4.ms + ms}
        rows:
          - {depth: 1, ms: 2.0}
        formerly: [M1]
    """)
    assert "symptom: It takes {{ M4.ms[1] }}, see M4; `M1.ms` is code.\n" in (small / "registry/defects/D2.yaml").read_text()


def test_an_id_that_is_taken_or_does_not_fit_is_refused(kvdocs: Kvdocs, small: Path) -> None:
    said = {
        ("rename", "D1", "D2"): "error: the id D2 is taken: registry/defects/D2.yaml:1\n",
        ("rename", "D1", "R9"): "error: the id of a record of kind defect is D and a number, not 'R9'\n",
        ("rename", "D1", "D1"): "error: D1 is its id already\n",
        ("rename", "D9", "D3"): "error: no record has the id 'D9'\n  hint: those of this form go from D1 to D2\n",
        ("rename", "D1", "D3", "--at", "registry/defects/D2.yaml:1"): "error: no record D1 stands at registry/defects/D2.yaml:1\n  hint: it stands at registry/defects/D1.yaml:1\n",
    }
    before = files_of(small)
    assert {command: kvdocs(*command, at=small).err for command in said} == said
    assert files_of(small) == before


KILLED_AT = """
import os, signal, sys
from pathlib import Path
import kvdocs.edit.journal as journal

left = int(sys.argv[1])
replace, unlink = Path.replace, Path.unlink

def counted(act):
    def run(path, *rest, **named):
        global left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return act(path, *rest, **named)
    return run

def whole(project, changes, write=journal.write_all):
    Path.replace, Path.unlink = counted(replace), counted(unlink)
    write(project, changes)

import kvdocs.edit.plan as plan
plan.write_all = whole
sys.argv = ["kvdocs", "rename", "D1", "D7"]
from kvdocs.cli import cli
cli()
"""
"""`kvdocs rename` in a process that is killed just before its nth rename or removal of a file."""


@pytest.mark.slow
def test_a_kill_in_the_middle_leaves_all_old_or_all_new_after_the_next_command(kvdocs: Kvdocs, small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    old = files_of(small)
    finished = _copy(small, tmp_path_factory.mktemp("new"))
    assert kvdocs("rename", "D1", "D7", at=finished).code == 0
    new = files_of(finished)
    outcomes = []
    for step in range(12):
        root = _copy(small, tmp_path_factory.mktemp("killed"))
        done = subprocess.run([sys.executable, "-c", KILLED_AT, str(step)], cwd=root, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False)
        between = files_of(root)
        following = kvdocs("check", "--quiet", at=root)
        assert following.out == "no errors or warnings\n"
        after = files_of(root)
        assert after in (old, new), f"killed at step {step}"
        assert not (root / ".kvdocs/edit/journal.json").exists()
        outcomes.append(("killed" if done.returncode == -signal.SIGKILL else "done", "old" if between == old else "new" if between == new else "half", "old" if after == old else "new"))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert outcomes[0] == ("killed", "old", "old")
    assert ("killed", "half", "new") in outcomes
    assert outcomes[-1] == ("done", "new", "new")


def _copy(source: Path, target: Path) -> Path:
    for name, data in files_of(source).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)
    return target


def test_an_interrupted_edit_does_not_write_over_what_was_typed_since(kvdocs: Kvdocs, small: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED_AT, "2"], cwd=small, capture_output=True, check=False)
    assert (small / ".kvdocs/edit/journal.json").exists()
    (small / "registry/roadmap/R1.yaml").write_text("id: R1\ntitle: Typed since\nstatus: open\nowner_open: nobody yet\n")
    ran = kvdocs("check", at=small)
    assert ran.code == 2
    assert ran.err.startswith("error: an edit was interrupted, and registry/roadmap/R1.yaml was changed since: it cannot be finished by itself\n")
    assert (small / "registry/roadmap/R1.yaml").read_text().startswith("id: R1\ntitle: Typed since\n")


def branch(root: Path, name: str, title: str, item: str, kvdocs: Kvdocs) -> None:
    """A branch on which somebody finds a defect, gets its number from the program, and writes an item and a sentence about it."""
    git(root, "checkout", "-q", "-b", name, "main")
    new = ("--set", f"title={title}", "--set", "status=suspected", "--set", "severity=hangs", "--set", "owners=[ann]")
    assert kvdocs("new", "defect", *new, "--set", "symptom=D3 is new.", "--set", f"fixed_by=[{item}]", at=root).code == 0
    assert kvdocs("set", item, f"summary=It is about D3 ({name}).", at=root).code == 0
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", f"Find D3 on {name}")


@pytest.mark.slow
def test_two_branches_that_took_the_same_number_are_merged_and_mended(kvdocs: Kvdocs, small: Path) -> None:
    git(small, "init", "-b", "main")
    git(small, "add", ".")
    git(small, "commit", "-q", "-m", "Start")
    branch(small, "ours", "Wrong sum", "R1", kvdocs)
    branch(small, "theirs", "Lost token", "R2", kvdocs)
    git(small, "checkout", "-q", "ours")
    git(small, "merge", "-q", "--no-edit", "theirs")  # no conflict: the files have different names

    check = kvdocs("check", "--quiet", at=small)
    assert check.code == 1
    assert check.out == text("""
        registry/defects/D3-wrong-sum.yaml:1:5: error[duplicate-id]: the id D3 is taken
            registry/defects/D3-lost-token.yaml:1:5: D3 is here too
            hint: give one of them a new id: `kvdocs rename D3 NEW --at registry/defects/D3-wrong-sum.yaml:1`
        1 error
    """)

    unclear = kvdocs("rename", "D3", "D4", at=small)
    assert unclear.err == text("""
        error: 2 records have the id D3: registry/defects/D3-lost-token.yaml:1, registry/defects/D3-wrong-sum.yaml:1
          hint: give one of them a new id: `kvdocs rename D3 NEW --at registry/defects/D3-wrong-sum.yaml:1`
    """)

    mended = kvdocs("rename", "D3", "D4", "--at", "registry/defects/D3-wrong-sum.yaml:1", at=small)
    assert mended.code == 0, mended.err
    assert mended.out.split("solved: ")[1] == text("""
        error[duplicate-id]: the id D3 is taken
        removed registry/defects/D3-wrong-sum.yaml
        wrote registry/defects/D4-wrong-sum.yaml
        wrote registry/roadmap/R1.yaml
    """)
    assert "It is about D4 (ours)." in (small / "registry/roadmap/R1.yaml").read_text()
    assert "It is about D3 (theirs)." in (small / "registry/roadmap/R2.yaml").read_text()
    assert "symptom: D4 is new." in (small / "registry/defects/D4-wrong-sum.yaml").read_text()
    assert "formerly" not in (small / "registry/defects/D4-wrong-sum.yaml").read_text()
    assert kvdocs("check", "--quiet", at=small).out == "no errors or warnings\n"


@pytest.mark.slow
def test_what_could_mean_either_record_is_left_alone_and_named(kvdocs: Kvdocs, small: Path) -> None:
    git(small, "init", "-b", "main")
    git(small, "add", ".")
    git(small, "commit", "-q", "-m", "Start")
    branch(small, "ours", "Wrong sum", "R1", kvdocs)
    branch(small, "theirs", "Lost token", "R2", kvdocs)
    git(small, "checkout", "-q", "ours")
    git(small, "merge", "-q", "--no-edit", "theirs")
    (small / "site_src/index.md").write_text("Since the merge nobody knows which D3 is meant.\n")
    mended = kvdocs("rename", "D3", "D4", "--at", "registry/defects/D3-wrong-sum.yaml:1", at=small)
    assert "note: site_src/index.md:1 names D3 and could mean either record: change it by hand if it means D4\n" in mended.out
    assert (small / "site_src/index.md").read_text() == "Since the merge nobody knows which D3 is meant.\n"


def test_without_git_a_record_keeps_its_own_mentions_and_the_rest_is_named(kvdocs: Kvdocs, small: Path) -> None:
    (small / "registry/defects/D2-again.yaml").write_text("id: D2\ntitle: Another\nowners: [ann]\nstatus: suspected\nseverity: hangs\nsymptom: D2 is this one.\n")
    ran = kvdocs("rename", "D2", "D3", "--at", "registry/defects/D2-again.yaml", at=small, env={"GIT_CEILING_DIRECTORIES": str(small.parent)})
    assert ran.code == 0
    assert (small / "registry/defects/D3-again.yaml").read_text() == "id: D3\ntitle: Another\nowners: [ann]\nstatus: suspected\nseverity: hangs\nsymptom: D3 is this one.\n"
    assert [line for line in ran.out.split("\n") if line.startswith("note: ")] == [
        "note: registry/defects/D1.yaml:8 names D2 and could mean either record: change it by hand if it means D3",
        "note: registry/defects/D1.yaml:12 names D2 and could mean either record: change it by hand if it means D3",
    ]
