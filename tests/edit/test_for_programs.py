"""What programs and agents rely on: every command that reads or edits gives a document, and errors are documents too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kvdocs.cli import COMMANDS, cli

Kvdocs = Callable[..., Any]
WITHOUT_DOCUMENT = {"init", "build", "serve", "import", "export"}
"""Commands that write files or print another format; the parts of `import` have documents of their own."""


def test_every_other_command_has_json() -> None:
    context = cli.make_context("kvdocs", ["order"], resilient_parsing=True)
    lacking = {name for name in COMMANDS if not any("--json" in parameter.opts for parameter in getattr(cli.get_command(context, name), "params", []))}
    assert lacking == WITHOUT_DOCUMENT


def test_what_now_is_one_question(kvdocs: Kvdocs, small: Path) -> None:
    document = json.loads(kvdocs("order", "--json", "--limit", "1", at=small).out)
    assert [row["id"] for row in document["actionable"]] == ["R1"]
    assert document["actionable"][0]["next_step"] == "start"


def test_what_can_be_started_and_what_is_in_review_are_counted_together(kvdocs: Kvdocs, small: Path) -> None:
    for number, status in ((3, "open"), (4, "implemented"), (5, "implemented"), (6, "open")):
        payoff = f"payoffs: [{{what: Speed, gain: {number}, basis: measured}}]" if status == "implemented" else "size: S"
        (small / f"registry/roadmap/R{number}.yaml").write_text(f"id: R{number}\ntitle: Work {number}\nowners: [ann]\nstatus: {status}\n{payoff}\n", encoding="utf-8")

    def listed(limit: int) -> dict[str, list[str]]:
        document = json.loads(kvdocs("order", "--json", "--limit", str(limit), at=small).out)
        return {state: [row["id"] for row in document[state]] for state in ("actionable", "in_review", "waiting")}

    assert listed(1) == {"actionable": [], "in_review": ["R5"], "waiting": ["R2"]}
    assert listed(3) == {"actionable": ["R1"], "in_review": ["R5", "R4"], "waiting": ["R2"]}
    printed = kvdocs("order", "--limit", "2", at=small).out
    assert [line[:5] for line in printed.splitlines()] == ["Next", "#  ID", "1  R5", "2  R4", "and 3", "", "Waiti", "#  ID", "6  R2", "", "kvdoc"]


def test_what_a_limit_leaves_out_is_counted(kvdocs: Kvdocs, small: Path) -> None:
    for number, owner in ((3, "ann"), (4, "ann"), (5, "bob")):
        (small / f"registry/roadmap/R{number}.yaml").write_text(f"id: R{number}\ntitle: Work {number}\nowners: [{owner}]\nstatus: open\nsize: S\n", encoding="utf-8")
    for number in (6, 7, 8):
        (small / f"registry/roadmap/R{number}.yaml").write_text(f"id: R{number}\ntitle: Work {number}\nowners: [ann]\nstatus: done\n", encoding="utf-8")

    def left_out(*options: str) -> dict[str, int]:
        document: dict[str, dict[str, int]] = json.loads(kvdocs("order", "--json", *options, at=small).out)
        return {state: number for state, number in document["left_out"].items() if number}

    assert left_out() == {}
    assert left_out("--limit", "1") == {"actionable": 3, "done": 2}
    assert left_out("--limit", "1", "--owner", "ann") == {"actionable": 2, "done": 2}
    assert kvdocs("order", "--limit", "2", "--owner", "ann", "--all", at=small).out == dedent("""\
        Next
        #  ID  Title             Owner  Size  Unlocks  Why
        1  R1  Check the bounds  ann    S     R2       largest measured payoff +1.50%; unlocks R2
        2  R3  Work 3            ann    S     –        nothing waits for it; size S, blast radius unknown
        and 1 more

        Done
        #  ID  Title   Owner  Size  Unlocks  Why
        –  R6  Work 6  ann    –     –        done
        –  R7  Work 7  ann    –     –        done
        and 1 more

        kvdocs order --explain R1   why it stands there, and what would change it
    """)


@pytest.mark.parametrize(
    ("command", "error", "hint"),
    [
        (("show", "R11", "--json"), "no record has the id 'R11'", "did you mean 'R1'?"),
        (("set", "R2", "siz=S", "--json"), "`siz` is no field", "did you mean 'size'?"),
        (("order", "--assume", "R1=gone", "--json"), "R1 is a record of kind item: it cannot be 'gone'", "one of open, implemented, done, not-planned"),
        (("check", "--json", "--strikt"), "No such option '--strikt'. Did you mean '--strict'?", None),
        (("chek", "--json"), "no such command 'chek'; did you mean 'check'?", None),
        (("sync", "pr-1", "--json"), "no reference has the id 'pr-1'", None),
    ],
)
def test_an_error_is_a_document_too(kvdocs: Kvdocs, small: Path, command: tuple[str, ...], error: str, hint: str | None) -> None:
    ran = kvdocs(*command, at=small)
    assert (ran.code, ran.err) == (2, "")
    assert json.loads(ran.out) == {"schema": "kvdocs/error/v1", "error": error, "hint": hint}


def test_without_a_project_too(kvdocs: Kvdocs, tmp_path: Path) -> None:
    ran = kvdocs("order", "--json", at=tmp_path)
    assert ran.code == 2
    assert json.loads(ran.out)["error"].startswith("no project here: ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_a_completion_script(kvdocs: Kvdocs, small: Path, shell: str) -> None:
    ran = kvdocs(at=small, env={"_KVDOCS_COMPLETE": f"{shell}_source"})
    assert ran.code == 0
    assert "_KVDOCS_COMPLETE" in ran.out


def test_commands_and_options_are_completed(kvdocs: Kvdocs, small: Path) -> None:
    asked = {"_KVDOCS_COMPLETE": "bash_complete", "COMP_WORDS": "kvdocs sy", "COMP_CWORD": "1"}
    assert kvdocs(at=small, env=asked).out == "plain,sync\n"
    asked = {"_KVDOCS_COMPLETE": "bash_complete", "COMP_WORDS": "kvdocs sync --wr", "COMP_CWORD": "2"}
    assert kvdocs(at=small, env=asked).out == "plain,--write\n"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("set R", ["R1", "R2"]),
        ("set R2 si", ["size="]),
        ("set R2 status=", ["status=open", "status=implemented", "status=done", "status=not-planned"]),
        ("link R2 bl", ["blocked_by"]),
        ("link R2 blocked_by d", ["D1", "D2"]),
        ("new de", ["defect", "decision"]),
        ("ack claim-f", ["claim-fails"]),
        ("rename D", ["D1", "D2"]),
    ],
)
def test_ids_fields_words_and_codes_are_completed(kvdocs: Kvdocs, small: Path, typed: str, offered: list[str]) -> None:
    words = f"kvdocs {typed}"
    asked = {"_KVDOCS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    assert [line.partition(",")[2] for line in kvdocs(at=small, env=asked).out.split()] == offered
