"""The commands that edit, as a person meets them: their whole output, their exit codes, and what they leave on the disk."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.edit.conftest import files_of

Kvdocs = Callable[..., Any]


def text(block: str) -> str:
    return dedent(block).lstrip("\n")


def test_set_shows_the_difference_and_writes_it(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("set", "R2", "status=done", "size=M", "blocked_by-=R1", at=small)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == text("""
        --- a/registry/roadmap/R2.yaml
        +++ b/registry/roadmap/R2.yaml
        @@ -1,5 +1,5 @@
         id: R2
         title: Tune it
         owners: [bob]
        -status: open
        -blocked_by: [R1]
        +status: done
        +size: M
        wrote registry/roadmap/R2.yaml
    """)
    assert (small / "registry/roadmap/R2.yaml").read_text() == "id: R2\ntitle: Tune it\nowners: [bob]\nstatus: done\nsize: M\n"


def test_set_refuses_what_check_would_refuse_and_writes_nothing(kvdocs: Kvdocs, small: Path) -> None:
    before = files_of(small)
    ran = kvdocs("set", "R2", "status=done", at=small)
    assert ran.code == 1
    assert ran.out == text("""
        --- a/registry/roadmap/R2.yaml
        +++ b/registry/roadmap/R2.yaml
        @@ -1,5 +1,5 @@
         id: R2
         title: Tune it
         owners: [bob]
        -status: open
        +status: done
         blocked_by: [R1]
        new: registry/roadmap/R2.yaml:5:14: error[done-but-blocked]: R2 is done, but R1, which blocks it, is not
            hint: reopen R2, finish R1, or remove the link
    """)
    assert ran.err == "refused: 1 new error; nothing was written\n"
    assert files_of(small) == before


def test_a_dry_run_writes_nothing(kvdocs: Kvdocs, small: Path) -> None:
    before = files_of(small)
    ran = kvdocs("set", "R1", "payoffs[0].gain=2", "--dry-run", at=small)
    assert ran.code == 0
    assert ran.out == text("""
        --- a/registry/roadmap/R1.yaml
        +++ b/registry/roadmap/R1.yaml
        @@ -6,5 +6,5 @@
         # what it brings
         payoffs:
           - what: No more crashes as in D1.
        -    gain: 1.50
        +    gain: 2
             basis: measured
        would have written registry/roadmap/R1.yaml
    """)
    assert files_of(small) == before


def test_a_value_that_is_there_already_leaves_the_file_alone(kvdocs: Kvdocs, small: Path) -> None:
    path = small / "registry/roadmap/R1.yaml"
    stamp = path.stat()
    ran = kvdocs("set", "R1", "size=S", "payoffs[0].gain=1.50", "owners+=ann", at=small)
    assert (ran.code, ran.out, ran.err) == (0, "nothing changes: R1 has these values\n", "")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (stamp.st_mtime_ns, stamp.st_ino)


def test_text_comes_from_a_file_or_the_field_goes(kvdocs: Kvdocs, small: Path) -> None:
    (small / "words.md").write_text("First line.\nSecond line.\n")
    ran = kvdocs("set", "R2", "summary=@words.md", "--unset", "blocked_by", at=small)
    assert ran.out == text("""
        --- a/registry/roadmap/R2.yaml
        +++ b/registry/roadmap/R2.yaml
        @@ -2,4 +2,6 @@
         title: Tune it
         owners: [bob]
         status: open
        -blocked_by: [R1]
        +summary: |-
        +  First line.
        +  Second line.
        wrote registry/roadmap/R2.yaml
    """)


def test_what_cannot_be_set_is_said_with_the_nearest_name(kvdocs: Kvdocs, small: Path) -> None:
    said = {
        ("set", "R9", "size=S"): "error: no record has the id 'R9'\n  hint: those of this form go from R1 to R2\n",
        ("set", "R2", "siz=S"): "error: `siz` is no field\n  hint: did you mean 'size'?\n",
        ("set", "R2", "size"): "error: 'size' is no assignment\n  hint: write field=value, field+=entry or field-=entry\n",
        ("set", "R2", "owners=ann"): "error: `owners` is a list\n  hint: write owners=[ann] for the whole list, or owners+=ann to add to it\n",
        ("set", "R2", "owners-=eve"): "error: `owners` does not hold 'eve'\n  hint: it holds bob\n",
        ("set", "R1", "payoffs[3].gain=1"): "error: there is no `payoffs[3]`: the list has 1 entry, counted from 0\n",
        ("set", "R1", "title.x=1"): "error: `title` has no fields\n  hint: give it a value as a whole\n",
        ("set", "R1", "id=R7"): "error: an id is changed everywhere or nowhere\n  hint: kvdocs rename R1 R7\n",
        ("set", "R1", "title=@missing.md"): "error: cannot read missing.md: No such file or directory\n",
        ("link", "R2", "title", "R1"): "error: `title` holds no links\n  hint: links are in owners, blocked_by, implemented_by\n",
        ("unlink", "R2", "blocked_by", "D1"): "error: `blocked_by` does not hold 'D1'\n  hint: it holds R1\n",
        ("ack", "cycle", "R2", "--because", "it is so"): "error: cycle is an error: errors are repaired, not acknowledged\n",
        ("ack", "claim-fail", "R2", "--because", "it is so"): "error: there is no problem code 'claim-fail'\n  hint: did you mean 'claim-fails'?\n",
        ("ack", "only-reported", "D1", "--because", " "): "error: a warning is accepted for a reason, and this one is empty\n  hint: for example --because \"The published figure counts a warm-up run.\"\n",
        ("ack", "still-confirmed", "D1", "--because", "it is so"): "error: D1 has no warning still-confirmed\n  hint: it has only-reported\n",
    }
    before = files_of(small)
    assert {command: kvdocs(*command, at=small).err for command in said} == said
    assert files_of(small) == before


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (("gate", "D1"), "error: D1 is a record of kind defect: only items have gates\n  hint: what fixes it has: R1\n"),
        (("gate", "ann"), "error: ann is a record of kind owner: only items have gates\n"),
        (("gate", "R11"), "error: no roadmap item has the id 'R11'\n  hint: did you mean 'R1'?\n"),
        (("order", "--explain", "D1"), "error: D1 is a record of kind defect, not item or decision or reference\n  hint: what fixes it has a place: R1\n"),
        (("order", "--explain", "D2"), "error: D2 is a record of kind defect, not item or decision or reference\n  hint: no item fixes it yet: `kvdocs link D2 fixed_by ID` names one\n"),
        (("publish",), "error: the project is not in a git repository: its site is published to a branch of a remote\n"),
    ],
)
def test_a_command_that_cannot_be_meant_says_what_could_be(kvdocs: Kvdocs, small: Path, command: tuple[str, ...], error: str) -> None:
    ran = kvdocs(*command, at=small)
    assert (ran.code, ran.out, ran.err) == (2, "", error)


def test_letters_that_were_swapped_are_found_before_other_words(kvdocs: Kvdocs, small: Path) -> None:
    assert "hint: did you mean 'done'?" in kvdocs("set", "R1", "status=doen", at=small).out
    assert kvdocs("sync", at=small).out == "there is no reference to look at: `kvdocs new reference NAME` records one\n"


def test_link_refuses_a_circle_and_shows_all_of_it(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("link", "R1", "blocked_by", "R2", at=small)
    assert ran.code == 1
    assert ran.out == text("""
        --- a/registry/roadmap/R1.yaml
        +++ b/registry/roadmap/R1.yaml
        @@ -3,6 +3,7 @@
         owners: [ann]
         status: open
         size: S
        +blocked_by: [R2]
         # what it brings
         payoffs:
           - what: No more crashes as in D1.
        new: registry/roadmap/R2.yaml:5:14: error[cycle]: these block each other: R1 → R2 → R1
            registry/roadmap/R2.yaml:5:14: R2 waits for R1
            registry/roadmap/R1.yaml:6:14: R1 waits for R2
            hint: remove one of these links, or split a record so that the circle opens
    """)
    assert ran.err == "refused: 1 new error; nothing was written\n"


def test_link_and_unlink(kvdocs: Kvdocs, small: Path) -> None:
    assert kvdocs("link", "D2", "needs", "D1", at=small).out == text("""
        --- a/registry/defects/D2.yaml
        +++ b/registry/defects/D2.yaml
        @@ -7,3 +7,4 @@
         correlated_with:
           - defect: D1
             note: Both need a long context.
        +needs: [D1]
        wrote registry/defects/D2.yaml
    """)
    assert kvdocs("link", "D2", "needs", "D1", at=small).out == "nothing changes: D2 has this in `needs` already\n"
    assert kvdocs("unlink", "D2", "needs", "D1", at=small).code == 0
    assert "needs" not in (small / "registry/defects/D2.yaml").read_text()


def test_a_broken_record_is_mended_by_a_command(kvdocs: Kvdocs, small: Path) -> None:
    path = small / "registry/roadmap/R2.yaml"
    path.write_text(path.read_text().replace("status: open", "status: opne"))
    ran = kvdocs("set", "R2", "status=open", at=small)
    assert ran.code == 0
    assert ran.out == text("""
        --- a/registry/roadmap/R2.yaml
        +++ b/registry/roadmap/R2.yaml
        @@ -1,5 +1,5 @@
         id: R2
         title: Tune it
         owners: [bob]
        -status: opne
        +status: open
         blocked_by: [R1]
        solved: error[wrong-value]: `status`: `opne` is not one of 'open', 'implemented', 'done' or 'not-planned'
        wrote registry/roadmap/R2.yaml
    """)


def test_ack_records_the_reason_and_check_accepts_it(kvdocs: Kvdocs, small: Path) -> None:
    kvdocs("set", "R1", "status=done", at=small)
    ran = kvdocs("ack", "still-confirmed", "D1", "--because", "The script has to run again first.", at=small)
    assert ran.out == text("""
        --- a/registry/defects/D1.yaml
        +++ b/registry/defects/D1.yaml
        @@ -10,3 +10,6 @@
         fixed_by: [R1]   # see R1
         not_established:
           - That D1 explains D2.
        +acknowledged:
        +  - code: still-confirmed
        +    because: The script has to run again first.
        new: registry/defects/D1.yaml:4:9: info[still-confirmed]: D1 is confirmed, but R1 is done
            acknowledged: The script has to run again first.
        solved: warning[still-confirmed]: D1 is confirmed, but R1 is done
        wrote registry/defects/D1.yaml
    """)
    assert kvdocs("check", "--strict", at=small).code == 0
    again = kvdocs("ack", "still-confirmed", "D1", "--because", "Another reason than before.", at=small)
    assert "+    because: Another reason than before." in again.out


def test_the_plan_as_a_document(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("link", "R2", "blocked_by", "R7", "--json", at=small)
    assert ran.code == 1
    assert json.loads(ran.out) == {
        "schema": "kvdocs/edit/v1",
        "written": False,
        "refused": True,
        "files": [{"path": "registry/roadmap/R2.yaml", "action": "changed"}],
        "diff": text("""
            --- a/registry/roadmap/R2.yaml
            +++ b/registry/roadmap/R2.yaml
            @@ -2,4 +2,4 @@
             title: Tune it
             owners: [bob]
             status: open
            -blocked_by: [R1]
            +blocked_by: [R1, R7]
        """),
        "new_problems": [
            {
                "code": "unknown-ref",
                "severity": "error",
                "path": "registry/roadmap/R2.yaml",
                "line": 5,
                "col": 18,
                "record": "R2",
                "message": "`blocked_by` of R2 names 'R7', which no record has",
                "hint": "those of this form go from R1 to R2",
                "related": [],
                "acknowledged": None,
            }
        ],
        "solved_problems": [],
        "notes": [],
    }


def test_new_takes_the_next_number_and_names_the_file_for_the_title(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("new", "item", "--set", "title=Repair the `build`: at once", "--set", "status=open", "--set", "owners=[bob]", "--set", "blocked_by+=R1", at=small)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == text("""
        --- /dev/null
        +++ b/registry/roadmap/R3-repair-the-build-at-once.yaml
        @@ -0,0 +1,5 @@
        +id: R3
        +title: "Repair the `build`: at once"
        +owners: [bob]
        +status: open
        +blocked_by: [R1]
        wrote registry/roadmap/R3-repair-the-build-at-once.yaml
    """)
    assert kvdocs("check", "--quiet", at=small).out == "no errors or warnings\n"


def test_new_says_what_is_missing(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("new", "defect", "--set", "title=Crash", "--set", "owners+=ann", at=small)
    assert ran.code == 1
    assert ran.out == text("""
        --- /dev/null
        +++ b/registry/defects/D3-crash.yaml
        @@ -0,0 +1,3 @@
        +id: D3
        +title: Crash
        +owners: [ann]
        new: registry/defects/D3-crash.yaml:1:1: error[missing-field]: a defect needs `severity`
        new: registry/defects/D3-crash.yaml:1:1: error[missing-field]: a defect needs `status`
        new: registry/defects/D3-crash.yaml:1:1: error[missing-field]: a defect needs `symptom`
    """)
    assert ran.err == text("""
        note: give what is missing with --set, fill in the template with --edit, or write registry/defects/D3-crash.yaml unfinished with --draft
        refused: 3 new errors; nothing was written
    """)


def test_records_that_were_added_at_once_were_given_one_number(small: Path) -> None:
    """Each is numbered by what it read before it wrote; whoever comes second is given the next number."""
    words = ["--set", "status=open", "--set", "owners+=ann", "--set", "title=@-"]
    running = [subprocess.Popen([sys.executable, "-m", "kvdocs", "new", "item", *words], cwd=small, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(f"Work {number}", timeout=120) for number, process in enumerate(running)]
    assert [process.returncode for process in running] == [0, 0, 0], said
    made = sorted(path.name for path in (small / "registry/roadmap").glob("R*-work-*.yaml"))
    assert ([name.split("-")[0] for name in made], sorted(name.split("-")[2] for name in made)) == (["R3", "R4", "R5"], ["0.yaml", "1.yaml", "2.yaml"])


def test_a_draft_explains_every_field(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("new", "correction", "--draft", "--set", "title=The copies are not asynchronous", at=small)
    assert ran.code == 0
    assert (small / "registry/corrections/C1-the-copies-are-not-asynchronous.yaml").read_text() == text("""
        #: A new record of kind correction. Fill in what has no value yet; take the `# ` away from a field that you want to use.
        id: C1
        title: The copies are not asynchronous

        #: Needed. What the record said. Markdown.
        wrong:

        #: Needed. What replaced it. Markdown.
        right:

        #: What the error had led to. Markdown.
        # why_it_matters:

        #: Needed. The records that show it. A list: the id of a record.
        shown_by:

        #: The records that had it wrong. A list: the id of a record.
        # about: []

        #: Where the wrong statement stood. The id of a record of kind reference.
        # recorded_in:

        #: The day of the correction. A day as yyyy-mm-dd.
        # on:

        #: Ids that this record had before; their addresses lead to it. A list: text.
        # formerly: []

        #: Warnings about this record that are accepted, with the reason. A list: a mapping of code, because.
        # acknowledged: []
    """)


def test_the_editor_gets_the_template_and_the_file_gets_what_was_filled_in(kvdocs: Kvdocs, small: Path) -> None:
    editor = small / "editor.sh"
    editor.write_text(
        "#!/bin/sh\n"
        "sed -i -e 's/^status:.*/status: confirmed  # seen twice/' -e 's/^severity:.*/severity: aborts/' -e 's/^symptom:.*/symptom: |-\\n  One.\\n\\n  Two./' -e 's/^# owners:.*/owners: [ann]/' \"$1\"\n"
    )
    editor.chmod(0o755)
    ran = kvdocs("new", "defect", "--edit", "--set", "title=Crash", at=small, env={"EDITOR": str(editor), "VISUAL": ""})
    assert (ran.code, ran.err) == (0, "")
    assert (small / "registry/defects/D3-crash.yaml").read_text() == text("""
        id: D3
        title: Crash
        owners: [ann]
        status: confirmed  # seen twice
        severity: aborts
        symptom: |-
          One.

          Two.
    """)


def test_what_the_editor_leaves_wrong_is_kept_and_not_written(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("new", "defect", "--edit", "--set", "title=Crash", at=small, env={"EDITOR": "sed -i s/^status:.*/status:.confirmed/", "VISUAL": ""})
    assert ran.code == 1
    assert "note: your text is kept in .kvdocs/edit/rejected-D3.yaml\n" in ran.err
    assert "status:.confirmed" in (small / ".kvdocs/edit/rejected-D3.yaml").read_text()
    assert not list((small / "registry/defects").glob("D3*"))


def test_a_second_text_that_was_refused_took_the_place_of_the_first(kvdocs: Kvdocs, small: Path) -> None:
    for title in ("First", "Second"):
        ran = kvdocs("new", "defect", "--edit", "--set", f"title={title}", at=small, env={"EDITOR": "sed -i s/^status:.*/status:.confirmed/", "VISUAL": ""})
    assert "note: your text is kept in .kvdocs/edit/rejected-D3-2.yaml\n" in ran.err
    assert "First" in (small / ".kvdocs/edit/rejected-D3.yaml").read_text()
    assert "Second" in (small / ".kvdocs/edit/rejected-D3-2.yaml").read_text()


def test_what_cannot_be_new_is_said(kvdocs: Kvdocs, small: Path) -> None:
    said = {
        ("new", "defct"): "error: there is no kind 'defct'\n  hint: did you mean 'defect'?\n",
        ("new", "result"): "error: records of kind result are written by the program, when it executes something\n",
        ("new", "reference"): "error: a record of kind reference has a name for an id\n  hint: kvdocs new reference NAME\n",
        ("new", "reference", ""): "error: a record of kind reference has a name for an id\n  hint: kvdocs new reference NAME\n",
        ("new", "defect", "X1"): "error: the id of a record of kind defect is D and a number, not 'X1'\n",
        ("new", "defect", "D2"): "error: the id D2 is taken: registry/defects/D2.yaml:1\n",
        ("new", "defect"): 'error: a new record needs a title: its file is named for it\n  hint: --set "title=What it is about"\n',
    }
    assert {command: kvdocs(*command, at=small).err for command in said} == said


def test_fmt_puts_fields_in_order_and_keeps_comments(kvdocs: Kvdocs, small: Path) -> None:
    path = small / "registry/roadmap/R2.yaml"
    kvdocs("fmt", at=small)
    path.write_text("# by hand\nid: R2\n# the status\nstatus: open\ntitle: Tune it\nblocked_by:\n- R1   # first\nowners: [bob]\n")
    check = kvdocs("fmt", "--check", at=small)
    assert (check.code, check.out) == (1, "would format registry/roadmap/R2.yaml\n")
    ran = kvdocs("fmt", "--diff", at=small)
    assert ran.code == 0
    assert ran.out == text("""
        --- a/registry/roadmap/R2.yaml
        +++ b/registry/roadmap/R2.yaml
        @@ -1,8 +1,8 @@
         # by hand
         id: R2
        +title: Tune it
        +owners: [bob]
         # the status
         status: open
        -title: Tune it
         blocked_by:
        -- R1   # first
        -owners: [bob]
        +  - R1  # first
        formatted registry/roadmap/R2.yaml
    """)
    assert kvdocs("fmt", at=small).out == "every file has its stable form\n"


def test_fmt_of_a_misspelled_path_said_that_every_file_has_its_form(kvdocs: Kvdocs, small: Path) -> None:
    ran = kvdocs("fmt", "--check", "registry/roadmap/R111.yaml", at=small)
    assert (ran.code, ran.out, ran.err) == (2, "", "error: there is neither a file nor a folder registry/roadmap/R111.yaml\n")


def test_fmt_names_a_file_that_it_cannot_read(kvdocs: Kvdocs, small: Path) -> None:
    (small / "registry/roadmap/R2.yaml").write_text("id: R2\n title: x\n")
    ran = kvdocs("fmt", at=small)
    assert ran.code == 1
    assert ran.err == "registry/roadmap/R2.yaml:2:7: error[yaml-syntax]: mapping values are not allowed in this context\n"
