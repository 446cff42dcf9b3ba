"""Figures of executions in formulas: what they read, how claims on them are judged, and what they rest on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.figures.formula import evaluate
from kvdocs.figures.names import FormulaError
from kvdocs.ledger import Ledger, ledger_of
from kvdocs.pipeline import inspect, publication
from kvdocs.project import find_project
from kvdocs.view import Badge, Link, Table
from tests.conftest import MakeProject, Ran, write_files

pytestmark = pytest.mark.slow  # what is read was really executed

FILES = {
    "registry/environments/lab.yaml": "id: lab\ntitle: The lab\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/scripts/compare.yaml": """
        id: compare
        title: Compares two programs
        purpose: reproduction
        file: compare.sh
        expect:
          captures:
            error: {pattern: 'ERR = (\\S+)', take: max}
            shape: {pattern: 'shape (\\w+)'}
            reports: {pattern: 'reported', take: count, capped_at: 2}
          reproduced:
            - pattern: ERR
    """,
    "registry/scripts/compare.sh": """
        echo "ERR = 1.50"
        [ -z "$KVDOCS_METRICS" ] || echo '{"rates": {"a": [10.0, 10.2]}, "cases": 3, "units": {"rates.a": "token/s"}}' > "$KVDOCS_METRICS"
    """,
    "registry/claims/claims.yaml": """
        - {id: K1, title: The error is above the limit in every execution, expression: results('compare').error, at_least: 1.25, rows: all}
        - {id: K2, title: On the box it is never so large, expression: "max(results('compare', environment='box').error)", at_most: 1.6}
        - {id: K3, title: It was tried on another source, expression: "max(results('compare', commit='0123abc').error)", at_least: 1}
        - {id: K4, title: The rate is ten, expression: "mean(results('compare').rates.a)", equals: 10, unit: token/s}
        - {id: K5, title: Both agree with the report, expression: "max(results('compare').error) / M1.error[0]", between: [0.9, 1.3], unit: x}
    """,
    "registry/measurements/M1.yaml": """
        id: M1
        title: What the report says
        key: seed
        columns:
          - {name: seed, title: Seed, exact: true}
          - {name: error, title: Error}
          - {name: again, title: Executed, compute: max(results('compare').error)}
        rows:
          - {seed: 0, error: 1.40}
    """,
}
LOGS = {"box-1": "ERR = 1.50\nshape square\n", "box-2": "ERR = 1.7407\nreported\nreported\n", "cut": "ERR = 9.9\n"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two executions on the box, known from their logs, one here, and one on the box that was cut off. No test changes it."""
    root = tmp_path_factory.mktemp("project")
    write_files(root, {"mkdocs.yml": "site_name: test\n", "registry/project.yaml": "title: Test\nrepository: us/ours\n", **FILES})
    for name, log in LOGS.items():
        (root / name).write_text(log, encoding="utf-8")
    common = ["--script", "compare", "--env", "box"]
    commands = [["import", "log", name, *common, "--command", name, *(["--timed-out"] if name == "cut" else ["--exit", "0", "--commit", "775450a68"])] for name in LOGS]
    for command in (*commands, ["run", "compare", "--env", "lab"]):
        subprocess.run([sys.executable, "-m", "kvdocs", *command], cwd=root, capture_output=True, check=True, timeout=120)
    return root


def ledger(root: Path) -> Ledger:
    return ledger_of(inspect(find_project(root)).registry)


def test_what_a_formula_reads(project: Path) -> None:
    book = ledger(project).workbook
    values = {
        text: float(evaluate(text, book.scope()).value)
        for text in (
            "max(results('compare').error)",
            "min(results('compare', environment='box').error)",
            "count(results('compare').error)",
            "count(results('compare', environment='lab').error)",
            "count(results('compare', commit='775450a68').error)",
            "mean(results('compare').rates.a)",
            "sum(results('compare').cases)",
        )
    }
    assert values == {
        "max(results('compare').error)": 1.7407,
        "min(results('compare', environment='box').error)": 1.5,
        "count(results('compare').error)": 3,
        "count(results('compare', environment='lab').error)": 1,
        "count(results('compare', commit='775450a68').error)": 2,
        "mean(results('compare').rates.a)": 10.1,
        "sum(results('compare').cases)": 3,
    }


@pytest.mark.parametrize(
    ("formula", "message", "hint"),
    [
        ("results('compare').error", "0: the formula gives a whole column", "take one row of it, such as `M3.gain[4096]`, or one of min, max, mean, sum, count"),
        ("1 + max(results('compar').error)", "8: there is no script 'compar'", "did you mean 'compare'?"),
        ("max(results('compare', environment='bax').error)", "4: there is no environment 'bax'", "did you mean 'box'?"),
        ("max(results('compare').eror)", "4: no execution of compare gives 'eror'", "did you mean 'error'?"),
        ("max(results('compare').rates.b)", "4: no execution of compare gives 'rates.b'", "did you mean 'rates.a'?"),
        ("max(results('compare', unit='token/s').rates.a) + 1", "48: adds token / second and a pure number", None),
        ("max(results('compare', unit='ms').rates.a)", "4: rates.a is in token/s in RESULT, not in ms", "leave out `unit`"),
        ("max(results('compare', unit='parrots').error)", "4: 'parrots' is not a unit", None),
        ("max(results('compare', day='today').error)", "27: results is narrowed by texts for environment, commit, unit", "such as `results('d8-q2-fa64', environment='h200').error`"),
        ("max(results('compare'))", "4: a figure belongs after results(…)", "such as `results('d8-q2-fa64').error`"),
        ("max(results(M1).error)", "4: results takes the id of one script", "such as `results('d8-q2-fa64', environment='h200').error`"),
        ("results('compare').__class__", "0: a name does not begin with an underscore: '__class__'", None),
        ("max(results('compare').shape)", "4: results('compare').shape is 'square' in RESULT, which is no number", None),
    ],
)
def test_what_is_wrong_is_said_with_its_place(formula: str, message: str, hint: str | None, project: Path) -> None:
    book = ledger(project)
    with pytest.raises(FormulaError) as raised:
        evaluate(formula, book.workbook.scope())
    said = f"{raised.value.offset}: {raised.value.message}"
    for entry in book.registry.of("result"):
        said = said.replace(entry.id, "RESULT")
    assert (said, raised.value.hint) == (message, hint)


def test_claims_on_executions(project: Path) -> None:
    """Execution by execution where the claim is meant for all; what nobody has executed decides nothing."""
    book = ledger(project)
    names = {entry.id: str(entry.raw.data["invocation"].get("command") or "here") for entry in book.registry.of("result")}
    said = {}
    for claim, judgement in book.judgements.items():
        reason = judgement.reason
        for result, name in names.items():
            reason = reason.replace(result, name)
        said[claim] = (str(judgement.verdict), reason, len(judgement.results), book.basis_of(claim))
    assert said == {
        "K1": ("holds", "the value at box-1 is 1.500, and the claim is that it is at least 1.25", 3, "executed"),
        "K2": ("fails", "the value is 1.74, and the claim is that it is at most 1.6", 2, "executed"),
        "K3": ("undecided", "cannot be computed: nothing was executed that gives results('compare', commit='0123abc').error", 0, None),
        "K4": ("holds", "the value is 10.1 token/s, and the claim is that it rounds to 10 token/s", 1, "executed"),
        "K5": ("holds", "the value is 1.24×, and the claim is that it rounds to a number from 0.9× to 1.3×", 3, "executed and reported"),
    }
    assert [str(f) for f in map(book.basis, [[f.name] for f in book.table("M1").figures()])] == ["counted", "reported", "executed"]


def test_check_says_what_nobody_has_executed(project: Path) -> None:
    found = [str(p) for p in inspect(find_project(project)).problems if p.record and p.record.startswith("K")]
    assert found == [
        "registry/claims/claims.yaml:2:52: warning[claim-fails]: K2 (On the box it is never so large) fails: the value is 1.74, and the claim is that it is at most 1.6",
        "registry/claims/claims.yaml:3:51: info[claim-unsupported]: K3 (It was tried on another source): nothing was executed that gives results('compare', commit='0123abc').error",
    ]


def test_the_page_of_a_claim_names_the_executions(project: Path) -> None:
    inspection = inspect(find_project(project))
    context = publication(inspection).at("records/K2.md")
    entry = inspection.registry.entries["K2"]
    view = entry.kind.view(entry, context)
    (section,) = [s for s in view.sections if s.title == "What it rests on"]
    (executions,) = section.blocks
    assert isinstance(executions, Table)
    on_the_box = [e.id for e in inspection.registry.of("result") if e.raw.data["environment"] == "box" and e.raw.data["outcome"] == "passed"]
    commit = Link("us/ours@775450a68", "https://github.com/us/ours/commit/775450a68")
    assert [fact.value for fact in view.facts if fact.label == "Rests on"] == [Badge("executed", "good")]
    assert executions.headings == ("Execution", "Script", "Environment", "Source", "Verdict")
    assert sorted(map(repr, executions.rows)) == sorted(
        repr((context.link(name, name[:8]), context.link("compare"), context.link("box"), commit, Badge("reproduced", "bad"))) for name in on_the_box
    )
    assert len(on_the_box) == 2


def test_a_claim_on_executions_goes_stale_with_their_script(project: Path, tmp_path: Path) -> None:
    root = tmp_path / "copy"
    shutil.copytree(project, root)
    script = root / "registry/scripts/compare.sh"
    script.write_text(script.read_text().replace("1.50", "1.60"), encoding="utf-8")
    (here,) = [e.id for e in inspect(find_project(root)).registry.of("result") if e.raw.data["kind"] == "run"]
    found = [str(p).replace("\n    hint: ", " | ") for p in inspect(find_project(root)).problems if p.code.name == "stale-evidence"]
    assert found == [
        f"registry/claims/claims.yaml:{line}:3: warning[stale-evidence]: {here}: the script has changed since | run compare again" for line in (1, 4, 5)
    ]


def test_a_figure_of_a_log_has_the_unit_that_its_capture_names(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    """It was a pure number whatever the log said, so no column in ms could be filled from a log: `took is in no unit, and `time` in ms`."""
    files = {
        "registry/environments/box.yaml": "id: box\ntitle: The box\n",
        "registry/scripts/timed.sh": "exec ./program\n",
        "registry/scripts/timed.yaml": """
            id: timed
            title: Takes its time
            purpose: measurement
            file: timed.sh
            expect:
              captures:
                took: {pattern: 'took (\\S+) s', unit: s}
        """,
    }
    project = make_project(files)
    (tmp_path / "log").write_text("took 0.0125 s\n", encoding="utf-8")
    done = kvdocs("import", "log", str(tmp_path / "log"), "--script", "timed", "--env", "box", "--exit", "0", "--command", "./program", "--json", at=project.root)
    result = json.loads(done.out)["record"]["id"]
    measurement = f"""
        id: M1
        title: Its time
        key: run
        columns:
          - {{name: run, title: Run, exact: true}}
          - {{name: time, title: Time, unit: ms, metric: took}}
          - {{name: again, title: The same, unit: us, compute: max(results('timed').took)}}
        rows:
          - {{run: 1}}
        results: [{result}]
    """
    write_files(project.root, {"registry/measurements/M1.yaml": measurement})
    row = ledger_of(inspect(project).registry).table("M1").rows[1]
    assert (row["time"].text, float(row["again"].value or 0)) == ("12.5 ms", 12500.0)
    assert "0.0125 s" in kvdocs("show", result, at=project.root).out
