"""Withdrawals: an execution that is taken back stays as it was sealed, is shown struck out, and carries nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.judge import judge_of
from kvdocs.pipeline import inspect
from kvdocs.project import Project
from tests.conftest import MakeProject, Ran, write_files
from tests.test_judge import FILES

Execute = Callable[..., str]

MORE = {
    "registry/scripts/abort.yaml": """
        id: abort
        title: Runs the program
        purpose: reproduction
        file: abort.sh
        expect:
          captures:
            rate: {pattern: 'rate ([0-9.]+)', unit: token/s}
          reproduced:
            - pattern: 'fatal error'
          not_reproduced:
            - pattern: 'all passed'
    """,
    "registry/claims/K1.yaml": """
        id: K1
        title: The rate is at least 30.
        expression: min(results('abort').rate)
        at_least: 30
        unit: token/s
    """,
}


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project({**FILES, **MORE})


@pytest.fixture
def execute(project: Project, kvdocs: Callable[..., Ran], tmp_path: Path) -> Execute:
    """Take in one execution made elsewhere, and give its id."""
    count = iter(range(1, 99))

    def take(text: str, *, commit: str, exit_code: int = 0) -> str:
        log = tmp_path / "outside.log"
        log.write_text(f"run {next(count)}\n{text}\n", encoding="utf-8")
        ran = kvdocs("import", "log", str(log), "--script", "abort", "--env", "box", "--exit", str(exit_code), "--commit", commit, "--command", "./program", "--json", at=project.root)
        return str(json.loads(ran.out)["record"]["id"])

    return take


def withdraw(project: Project, *results: str, number: int = 1) -> None:
    names = ", ".join(results)
    text = f"""
        id: W{number}
        title: The machine had another job
        results: [{names}]
        by: ann
        on: 2026-11-20
        because: A second job held the GPU while these ran, as its log shows.
    """
    write_files(project.root, {f"registry/withdrawals/W{number}.yaml": text})


def told(project: Project, record: str) -> list[str]:
    return [str(problem) for problem in inspect(project).problems if problem.record == record]


def test_a_withdrawn_execution_supports_no_status(project: Project, execute: Execute) -> None:
    gone = execute("fatal error", commit="946c1e5b6", exit_code=134)
    seals = {path: path.read_bytes() for path in (project.root / "registry/results").rglob("*") if path.is_file()}
    assert told(project, "D1") == []
    withdraw(project, gone)
    assert told(project, "D1") == [
        "registry/defects/D1.yaml:3:9: info[only-reported]: D1 is confirmed by what was reported alone: no execution on record reproduces it\n"
        "    hint: `kvdocs run abort` on a machine that has what it needs"
    ]
    evidence = judge_of(inspect(project).registry, project.root).of("D1")
    assert evidence is not None
    assert [(e.bearing, e.left_out) for e in evidence.exhibits] == [("left out", "withdrawn by ann on 2026-11-20 (W1)")]
    assert [(b.text, b.tone) for b in evidence.badges] == [("box: 1 withdrawn", "off")]
    assert {path: path.read_bytes() for path in seals} == seals
    assert [p.code.name for p in inspect(project).problems if p.code.name == "not-as-stored"] == []


def test_a_withdrawn_execution_contradicts_nothing_either(project: Project, execute: Execute) -> None:
    clean = execute("all passed", commit="946c1e5b6")

    def against() -> list[str]:
        return [problem.message for problem in inspect(project).problems if problem.code.name == "contradicted"]

    assert against() == ["D1 is confirmed, and 1 execution in box (946c1e5b6) did not reproduce it on the same commit"]
    withdraw(project, clean)
    assert against() == []


def test_a_gate_leaves_it_out_and_says_so(project: Project, execute: Execute, kvdocs: Callable[..., Ran]) -> None:
    runs = [execute("all passed", commit="775450a68b") for _ in range(3)]
    assert kvdocs("gate", "R1", at=project.root).code == 0
    assert inspect(project).order.rows["R1"].next_step == "its gates have passed, so set it done"
    withdraw(project, *runs[:2])
    gates = judge_of(inspect(project).registry, project.root).gates("R1")
    assert (gates[0].word, gates[0].reason) == ("undecided", "not reproduced in 1 of the 3 executions that it needs; 2 withdrawn executions do not count")
    assert sorted(gates[0].left_out) == sorted(runs[:2])
    assert inspect(project).order.rows["R1"].next_step == "run its gates, then set it done (2 withdrawn executions do not count)"
    document = json.loads(kvdocs("gate", "R1", "--json", at=project.root).out)
    assert sorted(document["gates"][0]["left_out"]) == sorted(runs[:2])


def test_an_item_that_is_done_on_withdrawn_executions_is_an_error(project: Project, execute: Execute) -> None:
    runs = [execute("all passed", commit="775450a68b") for _ in range(3)]
    write_files(project.root, {"registry/roadmap/R1.yaml": FILES["registry/roadmap/R1.yaml"].replace("status: implemented", "status: done")})
    assert [line for line in told(project, "R1") if "gate-not-passed" in line] == []
    withdraw(project, runs[0])
    assert [line.splitlines()[0] for line in told(project, "R1") if "gate-not-passed" in line] == [
        "registry/roadmap/R1.yaml:8:9: error[gate-not-passed]: R1 is done, and its gate three-of-three is undecided: not reproduced in 2 of the 3 executions that it needs; 1 withdrawn execution does not count"
    ]


def test_a_claim_reads_no_figure_of_it(project: Project, execute: Execute) -> None:
    low = execute("all passed\nrate 24.1", commit="775450a68b")
    high = execute("all passed\nrate 31.5", commit="775450a68b")
    assert told(project, "K1")[0].splitlines()[0] == "registry/claims/K1.yaml:3:1: warning[claim-fails]: K1 (The rate is at least 30.) fails: the value is 24.1 token/s, and the claim is that it is at least 30 token/s"
    withdraw(project, low)
    assert told(project, "K1") == []
    withdraw(project, high, number=2)
    assert told(project, "K1") == [
        "registry/claims/K1.yaml:3:1: info[claim-unsupported]: K1 (The rate is at least 30.): nothing was executed that gives results('abort').rate, but for 2 executions that were withdrawn"
    ]


def test_a_measurement_that_takes_figures_from_it_is_told(project: Project, execute: Execute) -> None:
    gone = execute("all passed\nrate 24.1", commit="775450a68b")
    measurement = f"""
        id: M1
        title: Rates
        key: arm
        columns:
          - {{name: arm, title: Arm, unit: text}}
          - {{name: rate, title: Rate, unit: token/s, metric: rate}}
        rows:
          - {{arm: one}}
        results: [{gone}]
    """
    write_files(project.root, {"registry/measurements/M1.yaml": measurement})
    assert told(project, "M1") == []
    withdraw(project, gone)
    assert told(project, "M1") == [
        "registry/measurements/M1.yaml:6:54: error[no-metric]: rate is a figure of an execution, and those that M1 names were withdrawn\n"
        "    hint: execute the script again and name the new one in `results`",
        f"registry/measurements/M1.yaml:9:11: warning[withdrawn-evidence]: M1 takes figures from {gone}, which was withdrawn by ann on 2026-11-20 (W1)\n"
        "    hint: execute the script again, and name the new execution in its place",
    ]


def test_the_commands_tell_it(project: Project, execute: Execute, kvdocs: Callable[..., Ran]) -> None:
    gone = execute("fatal error", commit="946c1e5b6", exit_code=134)
    assert json.loads(kvdocs("show", gone, "--json", at=project.root).out)["left_out"] is None
    withdraw(project, gone)
    assert json.loads(kvdocs("show", gone, "--json", at=project.root).out)["left_out"] == {
        "words": "withdrawn by ann on 2026-11-20 (W1)",
        "by": "ann",
        "on": "2026-11-20",
        "because": "A second job held the GPU while these ran, as its log shows.",
        "record": "W1",
    }
    assert kvdocs("show", gone, at=project.root).out.splitlines()[:6] == [
        f"{gone}  abort on box, imported (no date)  result  withdrawn",
        "",
        "Withdrawn by ann on 2026-11-20 (W1): it carries no judgement",
        "  A second job held the GPU while these ran, as its log shows.",
        "",
        "Verdict       ~~reproduced~~, withdrawn",
    ]
    (execution,) = json.loads(kvdocs("show", "D1", "--json", at=project.root).out)["evidence"]["executions"]
    assert {name: execution[name] for name in ("result", "verdict", "bearing", "left_out")} == {
        "result": gone,
        "verdict": "reproduced",
        "bearing": "left out",
        "left_out": "withdrawn by ann on 2026-11-20 (W1)",
    }
    exported = kvdocs("export", "junit", at=project.root)
    assert 'tests="1"' not in exported.out
    assert f"note: {gone} is left out: withdrawn by ann on 2026-11-20 (W1)" in exported.err
    issue = kvdocs("export", "issue", "D1", at=project.root)
    assert "1 of 1" not in issue.out


def test_the_pages_show_it_struck_out(project: Project, execute: Execute, kvdocs: Callable[..., Ran]) -> None:
    gone = execute("fatal error", commit="946c1e5b6", exit_code=134)
    assert kvdocs("build", "--no-site", at=project.root).code == 0
    docs = project.root / "build/docs"
    pages = [docs / f"records/{gone}.md", docs / "results/index.md", docs / "records/D1.md"]
    assert [page.name for page in pages if "<del>" in page.read_text(encoding="utf-8")] == []
    withdraw(project, gone)
    assert kvdocs("build", "--no-site", at=project.root).code == 0
    assert [page.name for page in pages if "<del>reproduced</del>" in page.read_text(encoding="utf-8")] == [page.name for page in pages]
    own = pages[0].read_text(encoding="utf-8")
    assert 'danger "Withdrawn by ann on 2026-11-20 (W1): it carries no judgement"' in own
    assert "A second job held the GPU while these ran, as its log shows." in own
    assert "1 withdrawn" in (docs / "evidence.md").read_text(encoding="utf-8")


def test_a_withdrawal_makes_every_page_anew_that_rests_on_the_execution(project: Project, execute: Execute, kvdocs: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept from the build before, and what is made from nothing, are the same bytes; so are the problems."""

    def pages() -> dict[str, bytes]:
        assert kvdocs("build", "--no-site", at=project.root).code == 0
        docs = project.root / "build/docs"
        return {path.relative_to(docs).as_posix(): path.read_bytes() for path in docs.rglob("*") if path.is_file()}

    runs = [execute(f"all passed\nrate {rate}", commit="775450a68b") for rate in ("24.1", "31.5", "33.0")]
    measurement = f"""
        id: M1
        title: Rates
        key: arm
        columns:
          - {{name: arm, title: Arm, unit: text}}
          - {{name: rate, title: Rate, unit: token/s, metric: rate}}
        rows:
          - {{arm: one}}
        results: [{runs[0]}, {runs[1]}]
        about: [R1]
    """
    write_files(project.root, {"registry/measurements/M1.yaml": measurement})
    before = pages()
    withdraw(project, runs[0])
    kept = pages(), kvdocs("check", at=project.root).out
    monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
    anew = pages(), kvdocs("check", at=project.root).out
    assert [name for name in anew[0] if anew[0][name] != kept[0].get(name)] == []
    assert kept == anew
    changed = {name for name in kept[0] if kept[0][name] != before.get(name)}
    assert {"records/D1.md", "records/R1.md", "records/M1.md", "records/K1.md", f"records/{runs[0]}.md", "results/index.md", "evidence.md", "published.md"} <= changed


def test_an_execution_that_another_one_supersedes_counts_for_nothing_either(project: Project, execute: Execute, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    """A formula left it out; the judge did not, and no command could say it."""
    first = execute("fatal error", commit="946c1e5b6", exit_code=134)
    log = tmp_path / "right.log"
    log.write_text("all passed\n", encoding="utf-8")
    again = ("import", "log", str(log), "--script", "abort", "--env", "box", "--exit", "0", "--commit", "946c1e5b6", "--command", "./program")
    refused = kvdocs(*again, "--supersedes", "0123456789abcdef", at=project.root)
    assert (refused.code, refused.err) == (2, "error: there is no result '0123456789abcdef'\n")
    second = json.loads(kvdocs(*again, "--supersedes", first, "--json", at=project.root).out)["record"]["id"]
    evidence = judge_of(inspect(project).registry, project.root).of("D1")
    assert evidence is not None
    assert {e.result: (e.bearing, e.left_out) for e in evidence.exhibits} == {first: ("left out", f"superseded by {second}"), second: ("contradicts", "")}
    assert json.loads(kvdocs("show", first, "--json", at=project.root).out)["left_out"]["words"] == f"superseded by {second}"
