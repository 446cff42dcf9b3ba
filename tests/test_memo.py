"""Problems that are kept from one run to the next: after any edits they are those that are found from nothing."""

from __future__ import annotations

import os
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Scan
from kvdocs.checks.inputs import names_in_formula
from kvdocs.evidence.canonical import digest, pretty, sha256
from kvdocs.evidence.record import sealed
from kvdocs.kinds import all_kinds
from kvdocs.memo import Recorder, State
from kvdocs.pipeline import inspect
from kvdocs.registry import Registry
from tests.conftest import MakeProject

EXPECT: dict[str, Any] = {"reproduced": [{"exit": 1}], "not_reproduced": [{"exit": 0}]}
SCRIPT = "echo one\n"


def execution(name: str, verdict: str, commit: str, **more: Any) -> tuple[str, str]:
    """The id and the file of an execution of the script."""
    record = sealed(
        {
            "schema": "kvdocs/evidence/v1", "title": name, "kind": "run", "script": "run", "environment": "box", "purpose": "reproduction",
            "outcome": "passed", "status": "DONE", "end": {"exit_code": 0}, "judgement": {"verdict": verdict}, "streams": {}, "files": [],
            "invocation": {"expect_sha256": digest(EXPECT), "script": {"path": "run.sh", "sha256": sha256(SCRIPT.encode())}},
            "source": {"commit": commit, "dirty": False}, **more,
        }
    )  # fmt: skip
    return record["id"], pretty(record).decode()


SHOWN, SHOWN_FILE = execution("It hung", "reproduced", "946c1e5b6")
CLEAN, CLEAN_FILE = execution("It ran", "not-reproduced", "946c1e5b6", metrics={"rate": 2.5})
LATER, LATER_FILE = execution("It ran again", "not-reproduced", "aaaaaaaaa", supersedes=SHOWN)
DEFECT = "id: {id}\ntitle: It hangs\nstatus: {status}\nowners: [ann]\nseverity: hang\nenvironment: box\ncommit: {commit}\nsymptom: It hangs.\nscript: run\n"
MEASUREMENT = (
    "id: M1\ntitle: Speed\nenvironment: box\nkey: depth\ncolumns:\n  - {name: depth, title: Depth, unit: token, exact: true}\n  - {name: host, title: Host, unit: token/s}\n"
    "  - {name: time, title: Time, unit: ms/token, compute: 1 / host}\nrows:\n  - {depth: 1, host: HOST}\n"
)
CLAIM = "id: K1\ntitle: Fast\npublished: It is fast.\nexpression: EXPRESSION\nat_most: 500\nunit: ms/token\nabout: [M1]\n"

EDITS: dict[str, tuple[str, str | None]] = {
    "another script": ("scripts/run.sh", "echo two\n"),
    "the same script": ("scripts/run.sh", SCRIPT),
    "no script": ("scripts/run.sh", None),
    "other expectations": ("scripts/run.yaml", "id: run\ntitle: Run it\npurpose: reproduction\nfile: run.sh\nexpect:\n  reproduced:\n    - exit: 3\n  not_reproduced:\n    - exit: 0\n"),
    "the same expectations": ("scripts/run.yaml", "id: run\ntitle: Run it\npurpose: reproduction\nfile: run.sh\nexpect:\n  reproduced:\n    - exit: 1\n  not_reproduced:\n    - exit: 0\n"),
    "an execution": (f"results/box/run/{SHOWN}/result.json", SHOWN_FILE),
    "a clean execution": (f"results/box/run/{CLEAN}/result.json", CLEAN_FILE),
    "an execution in place of another": (f"results/box/run/{LATER}/result.json", LATER_FILE),
    "no execution": (f"results/box/run/{SHOWN}/result.json", None),
    "an edited execution": (f"results/box/run/{SHOWN}/result.json", SHOWN_FILE.replace("It hung", "It ran")),
    "a withdrawal": ("withdrawals/W1.yaml", f"id: W1\ntitle: The wrong machine\nresults: [{SHOWN}]\nby: ann\non: 2026-08-24\nbecause: It was another machine.\n"),
    "a withdrawal withdrawn": ("withdrawals/W1.yaml", None),
    "a defect": ("defects/D1.yaml", DEFECT.format(id="D1", status="confirmed", commit="946c1e5b6")),
    "a defect of another commit": ("defects/D1.yaml", DEFECT.format(id="D1", status="confirmed", commit="bbbbbbbbb")),
    "a defect that is gone": ("defects/D2.yaml", DEFECT.format(id="D2", status="not-reproduced", commit="946c1e5b6")),
    "no other defect": ("defects/D2.yaml", None),
    "an item that is done": ("roadmap/R1.yaml", "id: R1\ntitle: Repair it\nstatus: done\nowners: [ann]\nlanded_in: [aaaaaaaaa]\ngates:\n  - {id: a, text: It does not hang., script: run}\n"),
    "an item that waits": ("roadmap/R1.yaml", 'id: R1\ntitle: Repair it\nstatus: open\nowners: [ann]\nblocked_by: ["R7\\nR8", R2]\nsummary: It took 400 ms/token, see M1 and R2.\n'),
    "an item in review": ("roadmap/R1.yaml", "id: R1\ntitle: Repair it\nstatus: implemented\nowners: [ann]\nimplemented_by: [us-7]\ngates:\n  - {id: a, text: It does not hang., script: run}\n"),
    "its pull request": ("references/us-7.yaml", "id: us-7\ntitle: Repair\ntype: pull-request\nrepository: us/ours\nnumber: 7\nstate: open\nstate_on: 2026-08-24\n"),
    "its merge": ("references/us-7.yaml", "id: us-7\ntitle: Repair\ntype: pull-request\nrepository: us/ours\nnumber: 7\nstate: merged\nstate_on: 2026-08-25\nmerge_commit: aaaaaaaaa\nclosed_on: 2026-08-25\n"),
    "an item with a payoff": ("roadmap/R3.yaml", "id: R3\ntitle: Faster by {{ M1.host[1] }}\nstatus: open\nowners: [ann]\nblocked_by: [R1, box]\npayoffs: [{what: It, figure: '100 * M1.host[1]', basis: measured}]\n"),
    "the same id twice": ("defects/D9.yaml", DEFECT.format(id="D1", status="fixed", commit="946c1e5b6")),
    "the same id once": ("defects/D9.yaml", None),
    "what it waits for": ("roadmap/R2.yaml", "id: R2\ntitle: First\nstatus: open\nowners: [ann]\nblocked_by: [R1]\n"),
    "a figure": ("measurements/M1.yaml", MEASUREMENT.replace("HOST", "2.5")),
    "a slow figure": ("measurements/M1.yaml", MEASUREMENT.replace("HOST", "1.5")),
    "a figure that may be zero": ("measurements/M1.yaml", MEASUREMENT.replace("HOST", "0.0")),
    "no measurement": ("measurements/M1.yaml", None),
    "a claim": ("claims/K1.yaml", CLAIM.replace("EXPRESSION", "M1.time[1]")),
    "a claim that counts": ("claims/K2.yaml", "id: K2\ntitle: One\npublished: One hangs.\nexpression: count('defect', status='confirmed')\nequals: 1\n"),
    "a claim that counts several": ("claims/K2.yaml", "id: K2\ntitle: One\npublished: One hangs.\nexpression: count( \"defect\" ) - count('item')\nequals: 1\n"),
    "a claim over executions": ("claims/K1.yaml", CLAIM.replace("EXPRESSION", "1 / results('run', unit='token/s').rate")),
}

ANN = {"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/environments/box.yaml": "id: box\ntitle: The box\n"}


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=12))
@example(["the same script", "the same expectations", "a defect", "an execution", "a withdrawal", "a withdrawal withdrawn", "an execution in place of another", "another script"])
@example(["the same script", "the same expectations", "an item that is done", "a defect that is gone", "a clean execution", "an execution", "other expectations", "no execution"])
@example(["the same script", "the same expectations", "an execution", "a defect", "a defect that is gone", "a defect of another commit"])
@example(["the same script", "the same expectations", "the same id twice", "a defect", "an execution", "no execution", "a defect of another commit", "the same id once"])
@example(["an item in review", "its pull request", "a figure", "an item with a payoff", "its merge", "a slow figure", "the same script", "the same expectations", "a clean execution", "no measurement"])
@example(["a claim that counts", "a defect", "a defect of another commit", "a claim that counts several", "a defect that is gone", "what it waits for", "no other defect"])
@example(["a claim over executions", "the same script", "the same expectations", "a clean execution", "another script", "an execution", "a withdrawal"])
@example(["a claim", "a figure", "an item that waits", "a slow figure", "a figure that may be zero", "what it waits for", "no measurement", "a claim over executions", "a clean execution"])
def test_after_any_edits_the_problems_and_the_order_are_those_found_from_nothing(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, edits: list[str]) -> None:
    project = make_project(ANN)
    for edit in edits:
        path, text = project.registry / EDITS[edit][0], EDITS[edit][1]
        if text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.delenv("KVDOCS_NO_CACHE", raising=False)
        kept = inspect(project)
        known = [str(problem) for problem in kept.problems], kept.order.document()
        monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
        fresh = inspect(project)
        assert known == ([str(problem) for problem in fresh.problems], fresh.order.document())


def test_what_was_looked_at_to_work_something_out_once_is_noted_for_everybody_who_asks() -> None:
    registry, asked = Registry((), all_kinds()), []

    def work_out(given: Registry) -> bool:
        asked.append(given.has("R1"))
        return asked[-1]

    first, second = Recorder(registry), Recorder(registry)
    assert [first.once("whether it is there", work_out), second.once("whether it is there", work_out)] == [False, False]
    assert (len(asked), list(first.looks), list(second.looks)) == (1, ["R1"], ["R1"])


@pytest.mark.parametrize(
    ("formula", "names"),
    [
        ("count('defect', status='confirmed') - count( \"item\" )", ["#defect", "#item"]),
        ("count('def' 'ect')", ["count"]),
        ("count(('defect'))", ["count"]),
        (r"count('de\x66ect')", ["count"]),
        ("count(M1.rate[:])", ["count", "M1"]),
        ("results ('run').rate / M12.time[1]", ["results", "M12"]),
        ("account('defect')", []),
    ],
)
def test_what_a_formula_rests_on_is_told_from_its_text_and_where_the_text_does_not_tell_it_is_everything(formula: str, names: list[str]) -> None:
    assert list(names_in_formula(formula)) == names


def test_what_was_put_into_a_folder_whose_time_was_set_back_was_not_seen(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that copy folders give them the times of the originals."""
    monkeypatch.setattr(Scan, "RACY_NS", 0)
    project = make_project({"registry/results/h200/s1/4cbde792/result.json": "{}"})
    name = "registry/results/h200/s1/4cbde792"
    state, folder = State(Registry((), ()), project.root), project.root / name
    before, times = state.folder(name), folder.stat()
    time.sleep(0.05)  # so that the system gives another time
    assert state.folder(name) == before
    (folder / ".hidden").write_text("x")
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert state.folder(name) != before
