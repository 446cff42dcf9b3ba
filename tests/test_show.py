"""`kvdocs show`: a record in the terminal, with what executions say of it, whatever its kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from kvdocs.cli.blocks import block_lines, written
from kvdocs.view import Badge, Code, CodeBlock, Folded, Items, Link, Md, Prose, Table
from tests.conftest import MakeProject, Ran

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: The kernels.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/environments/lab.yaml": "id: lab\ntitle: The lab\n",
    "registry/scripts/crash.sh": "#!/bin/sh\necho BAD\n",
    "registry/scripts/crash.yaml": """
        id: crash
        title: Shows the crash
        purpose: reproduction
        about: [D1]
        file: crash.sh
        expect:
          reproduced: [{pattern: BAD}]
          not_reproduced: [{pattern: FINE}]
    """,
    "registry/defects/D1.yaml": """
        id: D1
        title: It crashes on `x < 1`
        owners: [ann]
        status: confirmed
        severity: aborts the process
        environment: box
        symptom: |-
          The kernel stops as soon as the first row is empty, and says nothing of what it was doing until then.
          - Seen with one thread.
          - Seen with two threads, with a longer row, with a shorter row, and with no row that has anything in it.
        command: ./run --rows 0 --threads 1 --first-of-a-line-that-is-longer-than-any-terminal --and-is-copied-as-a-whole
        script: crash
        locations:
          - {path: src/a.cu, line: 7, what: The loop.}
        observations:
          - {what: It crashed on the first day., environment: box}
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Check the rows
        owners: [ann]
        status: open
        gates:
          - {id: clean, text: It no longer crashes., script: crash}
    """,
}


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


def execute(kvdocs: Callable[..., Ran], root: Path, says: str, environment: str, commit: str) -> str:
    """Take in a log as an execution; its id."""
    (root / "log").write_text(f"{says}\n")
    given = ("--script", "crash", "--env", environment, "--exit", "0", "--commit", commit, "--command", "./run", "--json")
    return str(json.loads(kvdocs("import", "log", "log", *given, at=root).out)["record"]["id"])


def test_a_defect_is_shown_with_the_verdict_of_each_environment_and_every_execution(kvdocs: Callable[..., Ran], root: Path) -> None:
    crashed = execute(kvdocs, root, "BAD", "box", "946c1e5b6")
    fine = execute(kvdocs, root, "FINE", "lab", "775450a68")
    sums = {crashed: "box          946c1e5b6  reproduced in 1 of 1", fine: "lab          775450a68  not reproduced in 1"}
    rows = {crashed: "box          946c1e5b6  reproduced      supports        lines with `BAD`: 1 found",
            fine: "lab          775450a68  not reproduced  contradicts     lines with `FINE`: 1 found"}  # fmt: skip
    badges = {crashed: "box: reproduced in 1 of 1", fine: "lab: not reproduced in 1"}
    one, two = sorted(rows)  # logs have no dates, so their ids decide which comes first
    assert kvdocs("show", "D1", at=root).out == dedent(f"""\
        D1  It crashes on x < 1  defect  confirmed

        info[contradicted-elsewhere]: D1 is confirmed, and 1 execution in lab (775450a68) did not reproduce
          it

        Status    confirmed
        Executed  {badges[one]}, {badges[two]}
        Severity  aborts the process
        Owner     ann
        Seen on   box

        What goes wrong
          The kernel stops as soon as the first row is empty, and says nothing of what it was doing until
          then.
          - Seen with one thread.
          - Seen with two threads, with a longer row, with a shorter row, and with no row that has anything
            in it.

        How to see it
          ./run --rows 0 --threads 1 --first-of-a-line-that-is-longer-than-any-terminal --and-is-copied-as-a-whole

          Or with its script, crash, which says by itself whether it reproduced the defect:

          kvdocs run crash

        Where in the source
          Place       What stands there
          src/a.cu:7  The loop.

        Evidence
          By environment and source
          Environment  Source     What executions show
          {sums[one]}
          {sums[two]}

          Each execution
          Execution  Environment  Source     Verdict         For the status  Why
          {one[:8]}   {rows[one]}
          {two[:8]}   {rows[two]}

        What was reported
          Observation                   Environment
          It crashed on the first day.  box

        What points here
          Record  Kind    Title            As
          crash   script  Shows the crash  about

        registry/defects/D1.yaml:1
        """)
    document = json.loads(kvdocs("show", "D1", "--json", at=root).out)["evidence"]
    assert sorted(document["summary"], key=lambda tally: tally["environment"]) == [
        {"environment": "box", "source": "946c1e5b6", "words": "reproduced in 1 of 1"},
        {"environment": "lab", "source": "775450a68", "words": "not reproduced in 1"},
    ]
    assert {e["result"]: e["bearing"] for e in document["executions"]} == {crashed: "supports", fine: "contradicts"}


def test_an_item_is_shown_with_its_gates_and_a_result_by_its_first_digits(kvdocs: Callable[..., Ran], root: Path) -> None:
    made = execute(kvdocs, root, "BAD", "box", "946c1e5b6")
    item = kvdocs("show", "R1", at=root).out
    assert item[item.index("When it counts") : item.index("registry/")] == dedent("""\
        When it counts as done
          Gate   Condition              Script  Verdict  Why
          clean  It no longer crashes.  crash   not run  no commit is known to hold the work, so 1 execution
                                                         of crash does not count

        """)
    short, whole = kvdocs("show", made[:8], at=root), kvdocs("show", made, at=root)
    assert short.out == whole.out
    assert whole.out.startswith(f"{made}  crash on box, imported (no date)  result  reproduced\n")
    assert kvdocs("show", made[:3], at=root).err.startswith(f"error: no record has the id '{made[:3]}'\n")


def test_a_wide_table_is_wrapped_in_its_cells_and_a_wider_one_taken_apart() -> None:
    row = ("R1", Badge("can be done now", "good"), "A sentence that is longer than the terminal is wide.", "4.5")
    table = Table(("Record", "State", "What it is about", "Size"), (row,), numeric=frozenset({3}))
    assert list(block_lines(table, 60)) == [
        "Record  State            What it is about               Size",
        "R1      can be done now  A sentence that is longer       4.5",
        "                         than the terminal is wide.",
    ]
    assert list(block_lines(table, 24)) == [
        "Record R1",
        "  State             can be done now",
        "  What it is about  A sentence that is",
        "                    longer than the",
        "                    terminal is wide.",
        "  Size              4.5",
    ]


SPEEDS = Table(
    ("Depth", "Decode rate (token/s)", "Copy (ms/token)", "Gain"),
    (("4,096", "31.6", "6.31", "+21.4%"), ("16,384", "19.69", "24.05", None), ("32,768", "13.03", "47.10", "+5%")),
    numeric=frozenset({0, 1, 2, 3}),
)


def test_a_wide_table_of_numbers_is_turned_on_its_side() -> None:
    """Its columns were so narrow that the headings had a word a line, or each row was a paragraph."""
    assert list(block_lines(SPEEDS, 60)) == [
        " Depth  Decode rate (token/s)  Copy (ms/token)    Gain",
        " 4,096                   31.6             6.31  +21.4%",
        "16,384                  19.69            24.05       –",
        "32,768                  13.03            47.10     +5%",
    ]
    assert list(block_lines(SPEEDS, 50)) == [
        "Depth                   4,096  16,384  32,768",
        "Decode rate (token/s)    31.6   19.69   13.03",
        "Copy (ms/token)          6.31   24.05   47.10",
        "Gain                   +21.4%       –     +5%",
    ]
    assert list(block_lines(SPEEDS, 40)) == [
        " Depth  Decode rate         Copy    Gain",
        "          (token/s)   (ms/token)",
        " 4,096         31.6         6.31  +21.4%",
        "16,384        19.69        24.05       –",
        "32,768        13.03        47.10     +5%",
    ]


def test_what_each_row_says_alike_is_told_once_where_it_would_make_the_others_narrow() -> None:
    good = Badge("holds", "good")
    rows = tuple((Link(name), Md(text), good, "reported") for name, text in (("K1", "The copies run at 24.1 GB/s."), ("K2", "The store moves 34.8 kB."), ("K3", "It is 63 times as much.")))
    table = Table(("Claim", "Text", "Verdict", "Rests on"), rows)
    assert list(block_lines(table, 60)) == [
        "Claim  Text                          Verdict  Rests on",
        "K1     The copies run at 24.1 GB/s.  holds    reported",
        "K2     The store moves 34.8 kB.      holds    reported",
        "K3     It is 63 times as much.       holds    reported",
    ]
    assert list(block_lines(table, 50)) == [
        "Claim  Text                          Verdict",
        "K1     The copies run at 24.1 GB/s.  holds",
        "K2     The store moves 34.8 kB.      holds",
        "K3     It is 63 times as much.       holds",
        "The same in each row: Rests on reported",
    ]
    assert list(block_lines(table, 20)) == [
        "Claim  Text",
        "K1     The copies",
        "       run at 24.1",
        "       GB/s.",
        "K2     The store",
        "       moves 34.8",
        "       kB.",
        "K3     It is 63",
        "       times as",
        "       much.",
        "The same in each",
        "row: Verdict holds;",
        "Rests on reported",
    ]


def test_a_number_is_not_parted_from_its_unit() -> None:
    table = Table(("Figure", "Rounding allows", "Formula"), (("M1.rate", "31.521 ms/token to 31.531 ms/token", "1 / host"),), numeric=frozenset({1}))
    assert list(block_lines(table, 44)) == [
        "Figure             Rounding allows  Formula",
        "M1.rate         31.521 ms/token to  1 / host",
        "                   31.531 ms/token",
    ]


def test_a_column_without_any_value_is_left_out_and_an_absent_value_is_a_dash() -> None:
    table = Table(("ID", "Note", "Size"), (("R1", None, "S"), ("R2", None, None)))
    assert list(block_lines(table, 80)) == ["ID  Size", "R1  S", "R2  –"]


def test_commands_are_never_wrapped_and_folded_blocks_are_named() -> None:
    long = "x" * 200
    assert list(block_lines(CodeBlock(long, "bash", "On a machine"), 40)) == ["On a machine", long]
    folded = Folded("All 2 figures", (Items((Code("a"), Md("b **c**")), numbered=True),))
    assert list(block_lines(folded, 40)) == ["All 2 figures", "… --all shows them"]
    assert list(block_lines(folded, 40, everything=True)) == ["All 2 figures", "1. a", "2. b c"]
    assert list(block_lines(Prose(Md("See:\n\n```\n- as it is\n```")), 40)) == ["See:", "", "- as it is"]


def test_what_markdown_adds_for_a_page_is_taken_away() -> None:
    assert written(r'[M1.gain\[4096\]](../M1.md "Two arms") is &lt; 1, as `a_b` and **R1** say') == "M1.gain[4096] is < 1, as `a_b` and R1 say"
    assert written("<del>reproduced</del> withdrawn by ann") == "~~reproduced~~ withdrawn by ann"
    assert list(block_lines(Items((Link("D2", "records/D2.md", "A crash"),)), 40)) == ["- D2"]


def test_a_record_whose_file_cannot_be_read_was_denied(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/roadmap/R8.yaml": "id: R8\ntitle: [\n"}).root
    ran = kvdocs("show", "R8", at=root)
    assert (ran.code, ran.out, ran.err) == (2, "", "error: R8 cannot be read\n  hint: `kvdocs check` says what is wrong with it\n")
