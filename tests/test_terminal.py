"""What the commands do with odd streams: closed, full, of another encoding, or holding what a terminal would obey."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kvdocs.cli import cli
from kvdocs.cli.columns import fitted, noted
from tests.conftest import MakeProject

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Änn 日本\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n",
}


def in_shell(line: str, at: Path, **environment: str) -> tuple[int, str, str]:
    """Exit code, output and error output of a shell line in which $KVDOCS is the program."""
    done = subprocess.run(["bash", "-c", line], cwd=at, capture_output=True, env={**os.environ, "KVDOCS": f"{sys.executable} -m kvdocs", **environment}, check=False, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


@pytest.mark.parametrize("line", ["$KVDOCS order >&-", "$KVDOCS check >&- 2>&- <&-", "$KVDOCS order --json 2>&-"])
def test_a_command_without_streams_does_its_work(line: str, root: Path) -> None:
    code, _, errors = in_shell(line, root)
    assert (code, errors) == (0, "")


@pytest.mark.parametrize("arguments", ["order", "check --json", "--help", "show R1 --json"])
def test_an_output_that_takes_nothing_is_said_in_a_sentence(arguments: str, root: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    assert in_shell(f"$KVDOCS {arguments} >/dev/full", root) == (2, "", "error: No space left on device\n")


def test_a_reader_that_has_seen_enough_ends_the_command_quietly(root: Path) -> None:
    assert in_shell("$KVDOCS order --json | head -1", root) == (0, "{\n", "")


def test_what_the_encoding_of_the_output_lacks_is_printed_as_an_escape(root: Path) -> None:
    code, output, errors = in_shell("$KVDOCS show ann", root, PYTHONIOENCODING="latin-1")
    assert (code, output.split("\n")[0], errors) == (0, "ann  \ufffdnn \\u65e5\\u672c  owner", "")


def test_a_file_that_cannot_be_written_is_said_in_a_sentence(root: Path) -> None:
    (root / "file").touch()
    assert in_shell("$KVDOCS render --out file/docs", root) == (2, "", "error: file/docs: Not a directory\n")


def test_a_file_that_could_not_be_written_whole_left_a_half_one_beside_it(root: Path) -> None:
    program = "import resource, sys; from kvdocs.cli import cli; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); cli()"
    done = subprocess.run([sys.executable, "-c", program, "--no-cache", "render", "--out", "docs"], cwd=root, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert (done.returncode, done.stderr) == (2, "error: docs/record-roadmap.md: File too large\n")
    assert list((root / "docs").rglob("*")) == []


def test_a_record_cannot_give_orders_to_the_terminal(make_project: MakeProject) -> None:
    files = {**FILES, "registry/owners/bob.yaml": 'id: bob\ntitle: "\\e]0;mine\\a \\e[31mred \\u202Ereversed"\nowns: Nothing.\n'}
    result = CliRunner().invoke(cli, ["-C", str(make_project(files).root), "show", "bob"])
    assert result.output.split("\n")[0] == "bob  \\x1b]0;mine\\x07 \\x1b[31mred \\u202ereversed  owner"


def test_an_error_cannot_give_orders_to_the_terminal(root: Path) -> None:
    result = CliRunner().invoke(cli, ["-C", str(root), "-C", f"{root}/\x1b[31mred", "check"])
    assert (result.exit_code, result.stderr) == (2, f"error: {root}/\\x1b[31mred is not a folder\n")


def test_a_value_from_a_closed_input_is_refused_and_wipes_nothing(root: Path) -> None:
    before = (root / "registry/roadmap/R1.yaml").read_bytes()
    assert in_shell("$KVDOCS set R1 title=@- <&-", root) == (2, "", "error: the standard input is closed\n")
    assert (root / "registry/roadmap/R1.yaml").read_bytes() == before


def test_a_word_of_a_million_characters_is_shown_whole(make_project: MakeProject) -> None:
    files = {**FILES, "registry/owners/bob.yaml": f"id: bob\ntitle: Bob\nowns: {'x' * 1_000_000}\n"}
    result = CliRunner().invoke(cli, ["-C", str(make_project(files).root), "show", "bob"])
    assert result.output.split("\n")[2:4] == ["What is theirs", "  " + "x" * 1_000_000]


def test_a_table_that_is_too_wide_for_the_terminal_keeps_all_that_it_says() -> None:
    headings = ("#", "ID", "Title", "Why")
    rows = [("1", "R1", "Repair the barrier of the kernel", "largest measured payoff +75.9%; unlocks R5"), ("12", "R10", "Tune it", "nothing waits for it")]
    tones = [("plain",) * 4] * 2
    assert fitted(headings, rows, tones, 52) == [
        "#   ID   Title                 Why",
        "1   R1   Repair the barrier    largest measured",
        "         of the kernel         payoff +75.9%;",
        "                               unlocks R5",
        "12  R10  Tune it               nothing waits for it",
    ]
    assert fitted(headings, rows, tones, 20) == [
        "1  R1",
        "  Title  Repair the barrier",
        "         of the kernel",
        "  Why    largest measured",
        "         payoff +75.9%;",
        "         unlocks R5",
        "",
        "12  R10",
        "  Title  Tune it",
        "  Why    nothing waits for it",
    ]


def test_the_order_in_a_narrow_terminal_is_one_table_with_the_reasons_below_the_rows() -> None:
    """Each row stood by itself there, in six lines."""
    rows = [("1", "R1", "Repair the barrier", "M-L", "largest measured payoff +75.9%; unlocks R5"), ("12", "R10", "Tune it", "S", "nothing waits for it")]
    assert noted(("#", "ID", "Title", "Size", "Why"), rows, [("plain",) * 5] * 2, 40, 2) == [
        "#   ID   Title               Size",
        "1   R1   Repair the barrier  M-L",
        "         largest measured payoff +75.9%;",
        "         unlocks R5",
        "12  R10  Tune it             S",
        "         nothing waits for it",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")
def test_why_a_record_stands_where_it_does_was_broken_in_the_middle_of_words(make_project: MakeProject) -> None:
    import pty

    files = {"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/roadmap/R1.yaml": "id: R1\ntitle: Repair the barrier of the kernel that is divergent\nstatus: open\nowners: [ann]\n"}
    ours, theirs = pty.openpty()
    ran = subprocess.run([sys.executable, "-m", "kvdocs", "order", "--explain", "R1"], cwd=make_project(files).root, stdout=theirs, env={**os.environ, "COLUMNS": "50", "NO_COLOR": "1"}, check=False)
    os.close(theirs)
    assert (ran.returncode, os.read(ours, 10_000).decode().splitlines()[:3]) == (
        0,
        ["R1 Repair the barrier of the kernel that is", "divergent – rank 1, actionable: nothing waits for", "it; size unknown, blast radius unknown"],
    )
    os.close(ours)


def test_a_long_path_pushed_what_stood_beside_it_out_of_its_column() -> None:
    rows = [("ggml/src/ggml-cuda/fattn-mma-kvarn-case.cuh:178", "the call site that the errors name"), ("ggml/src/common.cuh:2", "the other")]
    assert fitted(("Place", "What stands there"), rows, [("plain",) * 2] * 2, 80) == [
        "Place                                            What stands there",
        "ggml/src/ggml-cuda/fattn-mma-kvarn-case.cuh:178  the call site that the errors",
        "                                                 name",
        "ggml/src/common.cuh:2                            the other",
    ]


def test_the_parts_of_a_command_are_told_in_whole_sentences() -> None:
    told = CliRunner().invoke(cli, ["export", "--help"]).output
    assert "..." not in told.partition("Commands:")[2]
