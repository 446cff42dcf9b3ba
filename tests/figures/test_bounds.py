"""Numbers of which only a lower bound is known: a tool prints at most so many reports. They are shown as `≥ 100` and decide what a bound can decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.figures import numerals
from kvdocs.figures.interval import Interval
from kvdocs.ledger import Ledger, ledger_of
from kvdocs.pipeline import inspect
from kvdocs.project import Project
from tests.conftest import MakeProject, Ran, write_files

MEASUREMENT = """
    id: M1
    title: Errors by run
    key: run
    columns:
      - {name: run, title: Run, exact: true}
      - {name: errors, title: Errors, exact: true}
      - {name: ten, title: Of ten such runs, compute: 10 * errors}
      - {name: rest, title: Left of a thousand, compute: 1000 - errors}
      - {name: share, title: Against the first, unit: x, compute: "errors / M1.errors[1]", relative_to: the first run}
      - {name: either, title: Of two capped ones, compute: "errors - M1.errors[2]"}
      - {name: each, title: Part of each, compute: 1 / errors}
      - {name: ratio, title: Of two capped ones, compute: "errors / M1.errors[2]"}
    rows:
      - {run: 1, errors: 50}
      - {run: 2, errors: {at_least: 100}, ten: {published: 1000}}
      - {run: 3, errors: {at_least: 70}}
"""
CLAIMS = """
    - {id: K1, title: There are at least a hundred, expression: "M1.errors[2]", at_least: 100}
    - {id: K2, title: There are a hundred, expression: "M1.errors[2]", equals: 100}
    - {id: K3, title: There are two hundred or more, expression: "M1.errors[2]", at_least: 200}
    - {id: K4, title: There are at most ninety, expression: "M1.errors[2]", at_most: 90}
    - {id: K5, title: There are at most two hundred, expression: "M1.errors[2]", at_most: 200}
    - {id: K6, title: Ten runs give at least a thousand, expression: "M1.ten[2]", at_least: 1000}
    - {id: K7, title: Less than 901 are left, expression: "M1.rest[2]", at_most: 901}
"""


@pytest.fixture
def project(make_project: MakeProject) -> Project:
    return make_project({"registry/measurements/M1.yaml": MEASUREMENT, "registry/claims/claims.yaml": CLAIMS})


def book(project: Project) -> Ledger:
    return ledger_of(inspect(project).registry)


def test_a_bound_is_shown_as_one_and_stays_one(project: Project) -> None:
    row = book(project).table("M1").rows[2]
    assert {name: figure.text for name, figure in row.items()} == {
        "run": "2",
        "errors": "≥ 100",
        "ten": "≥ 1,000",
        "rest": "≤ 900",
        "share": "≥ 2×",
        "either": "0",  # the same number, whatever it is
        "each": "≤ 0.01",
        "ratio": "unknown",
    }
    assert [book(project).table("M1").rows[3][column].text for column in ("either", "ratio")] == ["unknown", "unknown"]


def test_a_claim_holds_or_fails_only_where_the_bound_decides(project: Project) -> None:
    judged = book(project).judgements
    assert {name: (str(judgement.verdict), judgement.reason) for name, judgement in judged.items()} == {
        "K1": ("holds", "the value is ≥ 100, and the claim is that it is at least 100"),
        "K2": ("undecided", "the value is ≥ 100, and the claim is that it rounds to 100"),
        "K3": ("undecided", "the value is ≥ 100, and the claim is that it is at least 200"),
        "K4": ("fails", "the value is ≥ 100, and the claim is that it is at most 90"),
        "K5": ("undecided", "the value is ≥ 100, and the claim is that it is at most 200"),
        "K6": ("holds", "the value is ≥ 1,000, and the claim is that it is at least 1,000"),
        "K7": ("holds", "the value is ≤ 900, and the claim is that it is at most 901"),
    }


def test_a_bound_does_not_confirm_what_was_published(project: Project) -> None:
    problems = [str(p).splitlines()[0] for p in inspect(project).problems if p.code.name.startswith("published")]
    assert problems == ["registry/measurements/M1.yaml:15:56: info[published-undecided]: M1.ten[2]: 1,000 was published, and the inputs give ≥ 1,000"]


def test_programs_are_told_that_there_is_no_upper_end(project: Project, kvdocs: Callable[..., Ran]) -> None:
    figure = json.loads(kvdocs("show", "M1.errors[2]", "--json", at=project.root).out)["figure"]
    assert {key: figure[key] for key in ("text", "value", "low", "high")} == {"text": "≥ 100", "value": 100.0, "low": 100.0, "high": None}
    assert kvdocs("show", "M1.errors[2]", at=project.root).out.splitlines()[0] == "M1.errors[2]  ≥ 100  reported"


def test_a_text_cites_a_bound(project: Project) -> None:
    write_files(project.root, {"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Errors in a run, {{ M1.errors[2] }}.\n"})
    from kvdocs.cited import with_figures

    assert with_figures("{{ M1.errors[2] }} errors, {{ M1.ten[2] | words }} in ten", inspect(project).registry) == "≥ 100 errors, ≥ 1,000 in ten"


def test_a_count_that_a_tool_capped_fills_a_cell_and_a_formula(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    """It was refused: `errors is at least 2 in …, and no number`."""
    project = make_project(
        {
            "registry/environments/box.yaml": "id: box\ntitle: The box\n",
            "registry/scripts/check.sh": "#!/bin/sh\n",
            "registry/scripts/check.yaml": "id: check\ntitle: Checks\npurpose: reproduction\nfile: check.sh\nexpect:\n  captures:\n    errors: {pattern: 'bad', take: count, capped_at: 2}\n  reproduced:\n    - {value: errors, at_least: 1}\n",
        }
    )
    log = tmp_path / "run.log"
    log.write_text("bad\nbad\n", encoding="utf-8")
    done = kvdocs("import", "log", str(log), "--script", "check", "--env", "box", "--exit", "0", "--command", "./check", "--json", at=project.root)
    assert done.code == 0, done.err
    result = next(path.parent.name for path in project.root.rglob("result.json"))
    write_files(
        project.root,
        {
            "registry/measurements/M1.yaml": f"id: M1\ntitle: Errors\nkey: run\ncolumns:\n  - {{name: run, title: Run, exact: true}}\n  - {{name: errors, title: Errors, metric: errors}}\nrows:\n  - {{run: 1}}\nresults: [{result}]\n",
            "registry/claims/K1.yaml": "id: K1\ntitle: There are two\nexpression: max(results('check').errors)\nequals: 2\n",
        },
    )
    ledger = book(project)
    assert ledger.table("M1").rows[1]["errors"].text == "≥ 2"
    assert (str(ledger.judgements["K1"].verdict), ledger.judgements["K1"].reason) == ("undecided", "the value is ≥ 2, and the claim is that it rounds to 2")
    assert [str(p) for p in inspect(project).problems if p.code.name in ("no-metric", "formula-error")] == []


numbers = st.fractions(min_value=Fraction(1, 1000), max_value=10**6)


@given(numbers, numbers, numbers)
def test_arithmetic_never_loses_a_number_above_the_bound(bound: Fraction, above: Fraction, other: Fraction) -> None:
    capped, known, true = Interval.at_least(bound), Interval.exact(other), bound + above
    assert true + other in capped + known
    assert other - true in known - capped
    assert true * other in capped * known
    assert true / other in capped / known
    assert other / true in known / capped
    assert [(capped + known).bound, (known - capped).bound, (capped * known).bound, (capped / known).bound] == ["≥", "≤", "≥", "≥"]
    assert [(known / capped).bound, (-known / capped).bound, (capped / capped).bound] == ["≤", "≥", "?"]


def test_the_quotient_by_a_bound_stays_a_bound_through_every_function() -> None:
    """It was shown as if it were known: `0.01` for one of at least a hundred."""
    share = Interval.exact(1) / Interval.at_least(100)
    images = [share, share * share * share * share, share.sqrt(), share.log(), share.exp(), share.power(3), -share, share.log().exp(), share - Interval.exact(2)]
    assert [image.bound for image in images] == ["≤", "≤", "≤", "≤", "", "≤", "≥", "≤", ""]
    assert [numerals.shown(Fraction(1, 100), share, 2), numerals.shown(Fraction(1, 10), share.sqrt(), 1), numerals.shown(Fraction(-1, 100), -share, 2)] == ["≤ 0.01", "≤ 0.1", "≥ −0.01"]
    assert (share - Interval.exact(2)).low == -2  # how far it goes is known again


def test_a_root_and_a_logarithm_of_a_bound_are_bounds() -> None:
    """The root of the number that stands for no end was taken for an honest number."""
    hundred = Interval.at_least(100)
    assert (hundred.sqrt().bound, hundred.log().bound) == ("≥", "≥")
    assert [numerals.shown(Fraction(10), hundred.sqrt(), 0), numerals.shown(Fraction(460517, 10**5), hundred.log(), 2)] == ["≥ 10", "≥ 4.60"]
    assert (Interval.exact(4).sqrt().bound, Interval.exact(4).log().bound) == ("", "")


@pytest.mark.parametrize(("interval", "shown"), [(Interval.exact(5), "5"), (Interval.at_least(5), "≥ 5"), (-Interval.at_least(5), "≤ −5"), (Interval.at_least(5) - Interval.at_least(5), "unknown")])
def test_a_number_is_printed_with_what_is_known_of_it(interval: Interval, shown: str) -> None:
    assert numerals.shown(Fraction(5), interval, 0) == shown
