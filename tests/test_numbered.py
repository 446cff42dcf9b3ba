"""Words that end in a number: a slip is named, another number is not taken for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from kvdocs.numbered import numbered, those_there_are
from kvdocs.problems import did_you_mean
from tests.conftest import MakeProject, Ran

KNOWN = [*(f"R{number}" for number in range(1, 61)), "R340", "M3", "M5", "Q1", "ann", "h200", "upstream", "upstream-34"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("r9", "R9"), ("R09", "R9"), ("R-9", "R9"), ("RR9", "R9"), ("upsteam-34", "upstream-34"),  # the same number
        ("R95", "R59"), ("r430", "R340"),  # digits that were swapped
        ("R588", "R58"), ("R11O", "R11"),  # one digit too many
        ("R5O", "R50"), ("r1l", "R11"), ("D1O", None),  # letters that look like digits
        ("h20", "h200"), ("R30", "R30"), ("R40", "R40"),  # one too few
        ("R349", None), ("R106", None), ("R1200", None),  # several are as near
        ("R0", None), ("M", None), ("M4", None), ("Q2", None), ("h100", None), ("upstream-35", None),  # another number
        ("Z5", None), ("R", None), ("9", None), ("an", "ann"),
    ],
)  # fmt: skip
def test_what_was_meant(typed: str, meant: str | None) -> None:
    assert did_you_mean(typed, KNOWN) == (f"did you mean {meant!r}?" if meant is not None else None)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("R349", "those of this form go from R1 to R340"),
        ("r0", "those of this form go from R1 to R340"),
        ("R106", "there is none between R60 and R340"),
        ("R" + "9" * 5000, "those of this form go from R1 to R340"),
        ("M4", "there is none between M3 and M5"),
        ("Q2", "the only one of this form is 'Q1'"),
        ("Z5", None),
        ("ann", None),
    ],
)
def test_which_ones_there_are(typed: str, told: str | None) -> None:
    assert those_there_are(typed, KNOWN) == told


@pytest.mark.parametrize(("word", "parts"), [("R09", ("r", "9")), ("R0", ("r", "0")), ("upstream-34", ("upstream", "34")), ("q8_0", ("q8", "0")), ("34", None), ("-34", None), ("ann", None)])
def test_the_parts_of_a_word(word: str, parts: tuple[str, str] | None) -> None:
    assert numbered(word) == parts


FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    **{f"registry/roadmap/R{number}.yaml": f"id: R{number}\ntitle: Work {number}\nstatus: open\nowners: [ann]\n" for number in (1, 2, 3, 4, 6, 49)},
}


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("show R349", "error: no record has the id 'R349'\n  hint: those of this form go from R1 to R49\n"),
        ("show R5", "error: no record has the id 'R5'\n  hint: there is none between R4 and R6\n"),
        ("show r4", "error: no record has the id 'r4'\n  hint: did you mean 'R4'?\n"),
        ("gate R94", "error: no roadmap item has the id 'R94'\n  hint: did you mean 'R49'?\n"),
        ("order --explain R80", "error: no record has the id 'R80'\n  hint: those of this form go from R1 to R49\n"),
        ("set R80 size=S", "error: no record has the id 'R80'\n  hint: those of this form go from R1 to R49\n"),
    ],
)
def test_commands_name_no_other_record_for_a_number_that_there_is_not(command: str, told: str, root: Path, kvdocs: Callable[..., Ran]) -> None:
    """`R349` was answered with R49, which shares two digits with it and nothing else."""
    ran = kvdocs(*command.split(), at=root)
    assert (ran.code, ran.err) == (2, told)


def test_the_same_is_said_of_a_link(root: Path, kvdocs: Callable[..., Ran]) -> None:
    (root / "registry/roadmap/R1.yaml").write_text("id: R1\ntitle: Work\nstatus: open\nowners: [ann]\nblocked_by: [R349, R09, r3]\n", encoding="utf-8")
    assert kvdocs("check", at=root).out == dedent("""\
        registry/roadmap/R1.yaml:5:14: error[unknown-ref]: `blocked_by` of R1 names 'R349', which no record has
            hint: those of this form go from R1 to R49
        registry/roadmap/R1.yaml:5:20: error[unknown-ref]: `blocked_by` of R1 names 'R09', which no record has
            hint: there is none between R6 and R49
        registry/roadmap/R1.yaml:5:25: error[unknown-ref]: `blocked_by` of R1 names 'r3', which no record has
            hint: did you mean 'R3'?
        3 errors
    """)
