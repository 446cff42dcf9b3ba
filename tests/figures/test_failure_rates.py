"""How often a defect shows, on its page, on the page of what guards against it, and in `kvdocs gate`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from kvdocs.failure_rates import decisive, gate_worths, rate_pools
from kvdocs.judge import Judge
from kvdocs.kinds.item import Item
from kvdocs.pipeline import Inspection, inspect, publication
from kvdocs.project import find_project
from kvdocs.view import Items, Table
from tests.conftest import MakeProject, Ran

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/scripts/abort.sh": "exec ./program\n",
    "registry/scripts/abort.yaml": """
        id: abort
        title: Runs the program
        purpose: reproduction
        file: abort.sh
        expect:
          reproduced:
            - pattern: illegal access
          not_reproduced:
            - pattern: completed
    """,
    "registry/defects/D1.yaml": """
        id: D1
        title: It aborts at times
        status: confirmed
        owners: [ann]
        severity: aborts the process
        environment: box
        commit: 946c1e5b6
        symptom: It stops.
        script: abort
        observations:
          - {what: A first pass, environment: box, commit: 946c1e5b6, failures: 1, runs: 3, ineligible: [the fourth had no device]}
          - {what: A second pass, environment: box, commit: 946c1e5b6, failures: 1, runs: 3}
          - {what: An earlier one, environment: box, failures: 2, runs: 3}
          - {what: With another cache it completes, environment: box}
        fixed_by: [R1]
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Guard it
        status: open
        owners: [ann]
        gates:
          - {id: ten, text: Ten runs complete., script: abort, runs: 10}
          - {id: once, text: One run completes., script: abort}
    """,
}


def pools(inspection: Inspection) -> list[str]:
    judge = Judge(inspection.registry, inspection.project.root)
    return [
        f"{p.where} ({p.basis}{', at home' if p.at_home else ''}): {p.rate.words}, {p.rate.interval()[0]:.3f} to {p.rate.interval()[1]:.3f}"
        for p in rate_pools(inspection.registry.entries["D1"], judge)
    ]


def test_runs_are_pooled_by_machine_and_source(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    """The intervals are those of the tables in the literature: 2 of 6 is 0.043 to 0.777, 4 of 9 is 0.137 to 0.788."""
    assert pools(inspect_files(FILES)) == [
        "box, 946c1e5b6 (reported, at home): 2 of 6 runs (1 not eligible), 0.043 to 0.777",
        "box, source not told (reported): 2 of 3 runs, 0.094 to 0.992",
        "all that was reported (reported): 4 of 9 runs (1 not eligible), 0.137 to 0.788",
    ]


def test_a_gate_is_weighed_by_what_was_seen_at_home(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspection = inspect_files(FILES)
    item = inspection.registry.record("R1", Item)
    assert item is not None
    worths = gate_worths(item, Judge(inspection.registry, inspection.project.root))
    assert [(w.gate, w.pool.where, w.worth.advised, w.worth.enough) for w in worths] == [
        ("ten", "box, 946c1e5b6", 13, False),
        ("ten", "box, source not told", 8, True),
        ("ten", "all that was reported", 8, True),
    ]
    found = decisive(worths, "ten")
    assert found is not None
    assert (found.pool.where, round(found.worth.missed, 3), round(found.worth.leaves, 2)) == ("box, 946c1e5b6", 0.068, 0.26)
    assert decisive(worths, "once") is None


@pytest.fixture
def executed(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> Path:
    """Three executions on the base commit, one of which aborts and one decides nothing."""
    root = make_project(FILES).root
    for name, log in (("one", "illegal access\n"), ("two", "completed\n"), ("three", "no device\n")):
        (tmp_path / name).write_text(log, encoding="utf-8")
        done = kvdocs("import", "log", str(tmp_path / name), "--script", "abort", "--env", "box", "--exit", "0", "--commit", "946c1e5b6", "--command", name, at=root)
        assert done.code == 0, done.err
    return root


def test_executions_are_counted_beside_what_is_reported(executed: Path) -> None:
    assert pools(inspect(find_project(executed)))[3:] == ["box, 946c1e5b6 (executed, at home): 1 of 2 runs (1 not eligible), 0.013 to 0.987"]


def test_the_page_of_a_defect_tells_how_often_it_happens(executed: Path) -> None:
    inspection = inspect(find_project(executed))
    context = publication(inspection).at("records/D1.md")
    entry = inspection.registry.entries["D1"]
    (section,) = [s for s in entry.kind.view(entry, context).sections if s.anchor == "rate"]
    rates, _, _, left_out = section.blocks
    assert isinstance(rates, Table)
    assert isinstance(left_out, Items)
    assert rates.headings == ("Where", "Rests on", "Seen in", "Rate, exact 95% interval", "Clean runs that a repair needs")
    assert rates.rows == (
        ("box, 946c1e5b6", "reported", "2 of 6 runs (1 not eligible)", "4.3% to 77.7%", "13"),
        ("box, source not told", "reported", "2 of 3 runs", "9.4% to 99.2%", "8"),
        ("all that was reported", "reported", "4 of 9 runs (1 not eligible)", "13.7% to 78.8%", "8"),
        ("box, 946c1e5b6", "executed", "1 of 2 runs (1 not eligible)", "1.3% to 98.7%", "11"),
    )
    assert [str(item).split(": ")[0] for item in left_out.items] == ["box, 946c1e5b6", "all that was reported", "box, 946c1e5b6"]


def test_a_defect_that_always_shows_has_no_such_section(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    always = FILES["registry/defects/D1.yaml"].replace("failures: 1, runs: 3", "failures: 3, runs: 3").replace("failures: 2, runs: 3", "failures: 3, runs: 3")
    inspection = inspect_files({**FILES, "registry/defects/D1.yaml": always})
    entry = inspection.registry.entries["D1"]
    assert "rate" not in [s.anchor for s in entry.kind.view(entry, publication(inspection).at("records/D1.md")).sections]


def test_gate_prints_what_the_gate_is_worth(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project(FILES).root
    ran = kvdocs("gate", "R1", at=root)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == dedent("""\
        R1  Guard it
        Gate  Verdict  Why                                  Condition
        ten   not run  no commit is known to hold the work  Ten runs complete.
        once  not run  no commit is known to hold the work  One run completes.

        ten: 10 clean runs leave a failure rate of up to 26% possible (95% confidence)
          Defect  Seen where                        Seen in                       Rate, exact 95%  Unrepaired, it passes  Runs to ask for
          D1      box, 946c1e5b6 (reported)         2 of 6 runs (1 not eligible)  4.3% to 77.7%    6.8%                   13
          D1      box, source not told (reported)   2 of 3 runs                   9.4% to 99.2%    1.3%                   8
          D1      all that was reported (reported)  4 of 9 runs (1 not eligible)  13.7% to 78.8%   1.9%                   8
    """)
    gates = json.loads(kvdocs("gate", "R1", "--json", at=root).out)["gates"]
    assert [[(w["where"], w["failures"], w["runs"], w["advised"], w["enough"]) for w in gate["worth"]] for gate in gates] == [
        [("box, 946c1e5b6", 2, 6, 13, False), ("box, source not told", 2, 3, 8, True), ("all that was reported", 4, 9, 8, True)],
        [],
    ]


def test_runs_after_the_repair_are_not_counted_against_it(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    files = {**FILES, "registry/roadmap/R1.yaml": FILES["registry/roadmap/R1.yaml"].replace("status: open", "status: implemented\n        landed_in: [775450a68]")}
    root = make_project(files).root
    (tmp_path / "late").write_text("illegal access\n", encoding="utf-8")
    assert kvdocs("import", "log", str(tmp_path / "late"), "--script", "abort", "--env", "box", "--exit", "0", "--commit", "775450a68", "--command", "late", at=root).code == 0
    inspection = inspect(find_project(root))
    item = inspection.registry.record("R1", Item)
    assert item is not None
    assert {w.pool.basis for w in gate_worths(item, Judge(inspection.registry, root))} == {"reported"}
