"""The judge: what executions say of statuses and gates, per environment and commit, and when they go stale."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kvdocs.evidence.canonical import pretty
from kvdocs.evidence.record import sealed
from kvdocs.judge import changes_of, judge_of, same_commit
from kvdocs.kinds.result import Result
from kvdocs.pipeline import Inspection, inspect
from kvdocs.project import Project
from tests.conftest import MakeProject, Ran, write_files

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/environments/lab.yaml": "id: lab\ntitle: The lab\n",
    "registry/scripts/abort.sh": "#!/bin/sh\nexec ./program\n",
    "registry/scripts/abort.yaml": """
        id: abort
        title: Runs the program
        purpose: reproduction
        file: abort.sh
        expect:
          reproduced:
            - pattern: 'fatal error'
          not_reproduced:
            - pattern: 'all passed'
    """,
    "registry/defects/D1.yaml": """
        id: D1
        title: It aborts
        status: confirmed
        owners: [ann]
        severity: aborts the process
        environment: box
        commit: 946c1e5b6
        script: abort
        symptom: It stops.
        fixed_by: [R1]
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Repair it
        status: implemented
        owners: [ann]
        size: S
        landed_in: [775450a68]
        gates:
          - id: three-of-three
            text: Three runs are clean.
            script: abort
            runs: 3
          - id: read
            text: Somebody has read the change.
    """,
}

Execute = Callable[..., None]


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project(FILES)


@pytest.fixture
def execute(project: Project, kvdocs: Callable[..., Ran], tmp_path: Path) -> Execute:
    """Take in one execution made elsewhere: what it printed, where, and on which commit."""
    count = iter(range(1, 99))

    def take(text: str, *, env: str, commit: str, exit_code: int = 0) -> None:
        log = tmp_path / "outside.log"
        log.write_text(f"run {next(count)}\n{text}\n", encoding="utf-8")
        ran = kvdocs("import", "log", str(log), "--script", "abort", "--env", env, "--exit", str(exit_code), "--commit", commit, "--command", "./program", at=project.root)
        assert ran.code == 0, ran.err

    return take


def _gates(project: Project) -> Mapping[str, tuple[str, str]]:
    judge = judge_of(inspect(project).registry, project.root)
    return {gate.id: (gate.word, gate.reason) for gate in judge.gates("R1")}


def test_executions_are_counted_by_environment_and_commit(project: Project, execute: Execute) -> None:
    execute("fatal error", env="box", commit="946c1e5b6", exit_code=134)
    execute("fatal error", env="box", commit="946c1e5b6", exit_code=134)
    execute("all passed", env="lab", commit="1111111aa")
    execute("cut short", env="lab", commit="1111111aa", exit_code=124)
    evidence = judge_of(inspect(project).registry, project.root).of("D1")
    assert evidence is not None
    assert [(t.environment, t.commit, t.words, t.tone) for t in sorted(evidence.tallies, key=lambda t: t.environment)] == [
        ("box", "946c1e5b6", "reproduced in 2 of 2", "bad"),
        ("lab", "1111111aa", "not reproduced in 1, 1 inconclusive", "good"),
    ]
    assert sorted((e.environment, e.bearing) for e in evidence.exhibits) == [("box", "supports"), ("box", "supports"), ("lab", "contradicts"), ("lab", "inconclusive")]


def test_one_execution_bears_on_each_record_in_its_own_way(project: Project, execute: Execute) -> None:
    defect = FILES["registry/defects/D1.yaml"]
    others = {"D2": defect.replace("confirmed", "not-reproduced"), "D3": defect.replace("946c1e5b6", "1111111aa")}
    write_files(project.root, {f"registry/defects/{name}.yaml": text.replace("id: D1", f"id: {name}") for name, text in others.items()})
    execute("fatal error", env="box", commit="946c1e5b6", exit_code=134)
    judge = judge_of(inspect(project).registry, project.root)
    found = {name: (evidence.exhibits[0].bearing, evidence.exhibits[0].stale) for name in ("D1", "D2", "D3") if (evidence := judge.of(name)) is not None}
    assert found == {"D1": ("supports", ()), "D2": ("contradicts", ()), "D3": ("supports", ("the record names commit 1111111aa, and this ran on 946c1e5b6",))}


def test_a_defect_that_shows_in_some_runs_is_not_contradicted_by_the_others(project: Project, execute: Execute) -> None:
    """Clean runs beside one that reproduces say nothing; those of another machine, or of another source, still do."""
    execute("fatal error", env="box", commit="946c1e5b6", exit_code=134)
    execute("all passed", env="box", commit="946c1e5b6")
    execute("all passed", env="box", commit="775450a68")
    execute("all passed", env="lab", commit="946c1e5b6")
    inspection = inspect(project)
    evidence = judge_of(inspection.registry, project.root).of("D1")
    assert evidence is not None
    assert sorted(badge.text for badge in evidence.badges) == [
        "box (775450a68): not reproduced in 1, stale",
        "box (946c1e5b6): reproduced in 1 of 2",
        "lab: not reproduced in 1",
    ]
    assert sorted((e.environment, e.source, e.bearing) for e in evidence.exhibits if e.verdict == "not-reproduced") == [
        ("box", "775450a68", "contradicts"),
        ("box", "946c1e5b6", "silent"),
        ("lab", "946c1e5b6", "contradicts"),
    ]
    assert [p.message for p in inspection.problems if p.code.name.startswith("contradicted")] == ["D1 is confirmed, and 1 execution in lab (946c1e5b6) did not reproduce it"]


def test_stale_executions_are_counted_apart(project: Project, execute: Execute) -> None:
    for _ in range(4):
        execute("fatal error", env="lab", commit="946c1e5b6", exit_code=134)
    write_files(project.root, {"registry/scripts/abort.yaml": FILES["registry/scripts/abort.yaml"].replace("'fatal error'", "'fatal error$'")})

    def told() -> tuple[list[tuple[str, str]], list[str]]:
        inspection = inspect(project)
        evidence = judge_of(inspection.registry, project.root).of("D1")
        assert evidence is not None
        return [(b.text, b.tone) for b in evidence.badges], [p.message for p in inspection.problems if p.record == "D1"]

    assert told() == (
        [("lab: reproduced in 4 of 4, all stale", "off")],
        ["4 executions: what the script expects has changed since", "D1 is confirmed by what was reported alone: the 4 executions that reproduced it are stale"],
    )
    execute("all passed", env="lab", commit="946c1e5b6")
    assert told()[0] == [("lab: not reproduced in 1, 4 stale", "good")]


def test_fixed_and_not_reproduced_are_words_for_what_was_executed_too(project: Project, execute: Execute) -> None:
    """Only `confirmed` was asked for its execution, and *fixed* could be typed without any."""

    def told(status: str) -> list[str]:
        write_files(project.root, {"registry/defects/D1.yaml": FILES["registry/defects/D1.yaml"].replace("confirmed", status).replace("fixed_by: [R1]", "")})
        return [p.message for p in inspect(project).problems if p.code.name == "only-reported"]

    alone = "by what was reported alone: no execution on record was clean"
    assert [told(status) for status in ("fixed", "not-reproduced", "suspected")] == [[f"D1 is fixed {alone}"], [f"D1 is not reproduced {alone}"], []]
    execute("all passed", env="lab", commit="775450a68")
    assert [told(status) for status in ("fixed", "not-reproduced")] == [[], []]
    write_files(project.root, {"registry/scripts/abort.yaml": FILES["registry/scripts/abort.yaml"].replace("'all passed'", "'all passed$'")})
    assert told("fixed") == ["D1 is fixed by what was reported alone: the execution that did not reproduce it is stale"]


def test_what_was_not_executed_has_no_evidence(project: Project) -> None:
    assert judge_of(inspect(project).registry, project.root).of("D1") is None


def test_a_gate_needs_all_its_runs_on_a_commit_with_the_work(project: Project, execute: Execute) -> None:
    execute("all passed", env="box", commit="946c1e5b6")
    assert _gates(project) == {
        "three-of-three": ("not run", "abort has decided nothing on 775450a68"),
        "read": ("for people", "no script decides it"),
    }
    execute("all passed", env="box", commit="775450a68b")
    execute("all passed", env="box", commit="775450a68b")
    assert _gates(project)["three-of-three"] == ("undecided", "not reproduced in 2 of the 3 executions that it needs")
    execute("all passed", env="box", commit="775450a68b")
    assert _gates(project)["three-of-three"] == (
        "passed",
        "not reproduced in 3 of 3 executions of abort; a failure rate up to 63% stays possible (95% confidence)",
    )
    assert inspect(project).order.rows["R1"].next_step == "its gates have passed, so set it done"
    execute("fatal error", env="box", commit="775450a68b", exit_code=134)
    assert _gates(project)["three-of-three"] == ("failed", "1 of 4 executions of abort did not end as not reproduced")


def test_a_gate_says_which_executions_do_not_count(project: Project, execute: Execute) -> None:
    """An execution on the right commit with something else in the tree, and executions while no commit holds the work."""
    execute("all passed", env="box", commit="775450a68b")
    path = next(project.root.rglob("result.json"))
    record = json.loads(path.read_text(encoding="utf-8"))
    changed = sealed({**record, "source": {**record["source"], "dirty": True, "patches": []}})
    path.write_bytes(pretty(changed))
    path.parent.rename(path.parent.with_name(changed["id"]))
    assert _gates(project)["three-of-three"] == ("not run", "abort has decided nothing on 775450a68; 1 execution there had changes in the source and does not count")
    execute("all passed", env="box", commit="775450a68b")
    assert _gates(project)["three-of-three"][1] == "not reproduced in 1 of the 3 executions that it needs; 1 execution there had changes in the source and does not count"
    write_files(project.root, {"registry/roadmap/R1.yaml": FILES["registry/roadmap/R1.yaml"].replace("        landed_in: [775450a68]\n", "")})
    assert _gates(project)["three-of-three"] == ("not run", "no commit is known to hold the work, so 2 executions of abort do not count")


def test_the_command_says_which_gate_holds_it_up(project: Project, kvdocs: Callable[..., Ran]) -> None:
    ran = kvdocs("gate", "R1", at=project.root)
    assert (ran.code, ran.out) == (
        1,
        "R1  Repair it\n"
        "Gate            Verdict     Why                                     Condition\n"
        "three-of-three  not run     abort has decided nothing on 775450a68  Three runs are clean.\n"
        "read            for people  no script decides it                    Somebody has read the change.\n",
    )


def test_a_changed_script_or_expectation_or_named_commit_makes_evidence_stale(project: Project, execute: Execute) -> None:
    execute("fatal error", env="box", commit="946c1e5b6", exit_code=134)

    def stale() -> list[tuple[str, ...]]:
        evidence = judge_of(inspect(project).registry, project.root).of("D1")
        assert evidence is not None
        return [e.stale for e in evidence.exhibits]

    assert stale() == [()]
    write_files(project.root, {"registry/scripts/abort.yaml": FILES["registry/scripts/abort.yaml"].replace("'fatal error'", "'fatal error$'")})
    assert stale() == [("what the script expects has changed since",)]
    write_files(project.root, {"registry/scripts/abort.yaml": FILES["registry/scripts/abort.yaml"], "registry/defects/D1.yaml": FILES["registry/defects/D1.yaml"].replace("946c1e5b6", "2222222bb")})
    assert stale() == [("the record names commit 2222222bb, and this ran on 946c1e5b6",)]


def test_a_tree_with_changes_is_another_source(project: Project, execute: Execute) -> None:
    """Runs on a repaired tree whose repair is not committed say nothing of the commit that it stands on."""
    execute("all passed", env="box", commit="946c1e5b6")
    path = next(project.root.rglob("result.json"))
    record = json.loads(path.read_text(encoding="utf-8"))
    for source, changes in (
        ({"dirty": True, "diff_sha256": "1a2b3c4d5e", "patches": [], "only_patches": False}, "changes 1a2b3c4"),
        ({"dirty": True, "diff_sha256": "1a2b3c4d5e", "patches": [{"id": "P6"}], "only_patches": True}, "P6"),
        ({"dirty": True, "diff_sha256": None, "patches": []}, "untracked files"),
        ({"dirty": False, "patches": []}, ""),
    ):
        result = Result.model_validate({**record, "source": {**record["source"], **source}})
        assert changes_of(result) == changes


def test_a_status_turns_what_an_execution_says(project: Project, execute: Execute) -> None:
    execute("all passed", env="box", commit="946c1e5b6")
    for status, bearing in (("confirmed", "contradicts"), ("historical", "silent"), ("not-reproduced", "supports"), ("superseded", "silent")):
        write_files(project.root, {"registry/defects/D1.yaml": FILES["registry/defects/D1.yaml"].replace("status: confirmed", f"status: {status}")})
        evidence = judge_of(inspect(project).registry, project.root).of("D1")
        assert evidence is not None
        assert [e.bearing for e in evidence.exhibits] == [bearing]


@pytest.mark.parametrize(("one", "other", "same"), [("946c1e5b6", "946c1e5b6d0f", True), ("946c1e5b6d0f", "946c1e5b6", True), ("946c1e5b6", "946c1e5b7", False)])
def test_abbreviated_commits_are_compared_by_what_both_have(one: str, other: str, same: bool) -> None:
    assert same_commit(one, other) is same


def test_the_executions_of_this_registry_say_what_they_say(this_registry: Inspection) -> None:
    judge = judge_of(this_registry.registry, this_registry.project.root)
    said = {name: sorted((t.commit or "", t.words) for t in evidence.tallies) for name in ("D1", "D2", "D4", "D6", "D8", "D10") if (evidence := judge.of(name)) is not None}
    assert said == {
        "D1": [("775450a68", "reproduced in 1 of 1, 1 inconclusive")],
        "D2": [("749f688fc", "not reproduced in 1"), ("775450a68", "reproduced in 1 of 1")],
        "D4": [("775450a68", "reproduced in 1 of 1")],
        "D6": [("775450a68", "not reproduced in 1")],
        "D8": [("775450a68", "reproduced in 3 of 3")],
        "D10": [("775450a68", "reproduced in 1 of 1")],
    }
