"""The ledger: all that is computed from a project's measurements and claims, and what changes with a cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kvdocs.figures.summary import MeasurementFigures
from kvdocs.figures.table import CellName
from kvdocs.ledger import Ledger, ledger_of
from kvdocs.pipeline import Inspection

MEASUREMENT = """
    id: M1
    title: Two arms, worth {{ M1.gain[4096] }}
    rules_out: At twice the depth it is {{ M1.gain[8192] | .0f }}, in {{ count('measurement') | words }} measurement.
    key: depth
    columns:
      - {name: depth, title: Depth, unit: token}
      - {name: before, title: Before, unit: token/s, better: higher}
      - {name: after, title: After, unit: token/s, better: higher}
      - {name: gain, title: Gain, unit: "%", better: higher, compute: mean(after) / mean(before) - 1, relative_to: before}
    rows:
      - {depth: 4096, before: {samples: [31.72, 31.71]}, after: {samples: [38.49, 38.50]}, gain: {published: 21.4}}
      - {depth: 8192, before: {samples: [25.42, 25.41]}, after: {samples: [AFTER, 35.61]}}
      - {depth: 16384, before: 19.69}
    order: [before, after, after, before]
    noise_floor: [M1]
    comparisons:
      - {a: before, b: after}
"""
CLAIMS = """
    - {id: K1, title: It is worth a fifth, published: a fifth, expression: M1.gain, at_least: 20, unit: "%", rows: all}
    - {id: K2, title: The first depth gains 21 %, published: 21 %, expression: "M1.gain[4096]", equals: 21, unit: "%"}
    - {id: K3, title: One measurement, published: one, expression: "count('measurement', id='M1')", equals: 1}
    - {id: K4, title: Nobody knows, published: hm, unsupported: It was not measured.}
"""


def files(after: str = "35.62") -> Mapping[str, str]:
    return {"registry/measurements/M1.yaml": MEASUREMENT.replace("AFTER", after), "registry/claims/claims.yaml": CLAIMS}


def ledger(inspected: Inspection) -> Ledger:
    return ledger_of(inspected.registry)


def said(of: Ledger) -> dict[str, str]:
    """Everything that a reader is told: figures, verdicts and sentences."""
    found = {str(figure.name): figure.text for figure in of.workbook.figures()}
    found |= {name: f"{judgement.verdict}: {judgement.reason}" for name, judgement in of.judgements.items()}
    found |= {f"{cited.record}.{cited.loc[0]}@{cited.citation.start}": cited.citation.text for cited in of.citations}
    return found


def test_everything_is_computed_from_the_records(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    assert said(ledger(inspect_files(files()))) == {
        "M1.depth[4096]": "4,096 token",
        "M1.before[4096]": "31.72 token/s",
        "M1.after[4096]": "38.50 token/s",
        "M1.gain[4096]": "+21.4%",
        "M1.depth[8192]": "8,192 token",
        "M1.before[8192]": "25.42 token/s",
        "M1.after[8192]": "35.62 token/s",
        "M1.gain[8192]": "+40.1%",
        "M1.depth[16384]": "16,384 token",
        "M1.before[16384]": "19.69 token/s",
        "M1.after[16384]": "—",
        "M1.gain[16384]": "—",
        "K1": "holds: the value at 4,096 is 21.4%, and the claim is that it is at least 20%",
        "K2": "holds: the value is 21.4%, and the claim is that it rounds to 21%",
        "K3": "holds: the value is 1, and the claim is that it rounds to 1",
        "M1.title@16": "+21.4%",
        "M1.rules_out@25": "+40%",
        "M1.rules_out@55": "one",
    }


def test_a_changed_cell_changes_exactly_what_the_ledger_says(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    before = ledger(inspect_files(files()))
    after = ledger(inspect_files(files("30.62")))
    dependents = before.dependents(CellName("M1", "after", 8192))
    named = {"M1.after[8192]", *map(str, dependents.cells), *dependents.claims, *(f"{c.record}.{c.loc[0]}@{c.citation.start}" for c in dependents.citations)}
    old, new = said(before), said(after)
    assert {name for name in old if old[name] != new[name]} == named


def test_arms_are_compared_where_both_have_samples(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    figures = ledger(inspect_files(files())).of("M1")
    assert isinstance(figures, MeasurementFigures)
    assert [(c.row, c.a, c.b, c.result.words, str(c.result.order), c.result.basis) for c in figures.comparisons] == [
        (4096, "before", "after", "gain", "cancels drift", "paired"),
        (8192, "before", "after", "gain", "cancels drift", "paired"),
    ]


def test_what_is_computed_for_a_record(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    book = ledger(inspect_files(files()))
    figures = book.of("M1")
    assert isinstance(figures, MeasurementFigures)
    assert [judgement.claim.id for judgement in figures.claims] == ["K1", "K2"]
    assert dict(figures.reproduction) == {"reproduced": 1}
    assert (book.of("K4"), book.of("nothing")) == (None, None)
