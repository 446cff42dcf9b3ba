"""Each problem code has the smallest registry that earns it, and the exact text that it earns.

The folders under `tests/problems/` are also the examples of the user's page of problems.
`KVDOCS_UPDATE=1 pytest tests/test_problems.py` writes the texts anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kvdocs.kinds import all_codes
from kvdocs.pipeline import inspect
from kvdocs.problems import Place, Problem
from kvdocs.project import find_project

FOLDER = Path(__file__).parent / "problems"
UNTESTABLE = {"unreadable": "it needs a file without permission, which the superuser reads all the same"}


def _codes() -> list[str]:
    return [code.name for code in all_codes()]


def test_every_code_has_its_example_and_every_example_its_code() -> None:
    assert sorted(p.name for p in FOLDER.iterdir()) == sorted(set(_codes()) - set(UNTESTABLE))


def test_codes_are_unique_and_say_what_they_mean() -> None:
    assert len(set(_codes())) == len(_codes())
    assert [code.name for code in all_codes() if not code.meaning.endswith(".")] == []


@pytest.mark.parametrize("code", [c for c in _codes() if c not in UNTESTABLE])
def test_the_example_earns_exactly_this(code: str, tmp_path: Path) -> None:
    root = tmp_path / "outer" / "project"
    shutil.copytree(FOLDER / code / "registry", root / "registry")
    for name, text in (("mkdocs.yml", "site_name: test\n"), ("registry/project.yaml", "title: Test\nrepository: us/ours\n")):
        if not (root / name).exists():
            (root / name).write_text(text, encoding="utf-8")
    problems = inspect(find_project(root)).problems
    text = "".join(f"{problem}\n" for problem in problems)
    expected = FOLDER / code / "expected.txt"
    if os.environ.get("KVDOCS_UPDATE"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")
    assert code in {problem.code.name for problem in problems}


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    from kvdocs.source import read_records

    (tmp_path / "folder.yaml").mkdir()
    records, problems = read_records(tmp_path, "folder.yaml")
    assert (records, [str(p) for p in problems]) == ([], ["folder.yaml:1:1: error[unreadable]: cannot be read: Is a directory"])


def test_problems_print_their_place_code_message_and_hint() -> None:
    from kvdocs.problems import UNKNOWN_REF

    problem = Problem(UNKNOWN_REF, "it names 'R11'", Place("registry/a.yaml", 3, 7), "R1", hint="did you mean 'R1'?", related=((Place("b.yaml", 1, 1), "here"),))
    assert str(problem) == "registry/a.yaml:3:7: error[unknown-ref]: it names 'R11'\n    b.yaml:1:1: here\n    hint: did you mean 'R1'?"
