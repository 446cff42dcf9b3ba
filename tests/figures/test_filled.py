"""Measurements that are read from executions: their cells, units, words and order, the median of samples, and what a page says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kvdocs.evidence.canonical import pretty
from kvdocs.evidence.record import sealed
from kvdocs.figures.comparison import Order
from kvdocs.ledger import ledger_of
from kvdocs.pipeline import Inspection, publication
from kvdocs.view import Md, Table

SCRIPT = "{id: time-it, title: Times the program, purpose: measurement, file: time-it.sh}\n"

FIGURES: Mapping[str, Any] = {
    "small": {
        "bytes": 2097152,
        "serial": {"samples_ms": [2.41, 2.401, 3.0]},
        "overlapped": {"samples_ms": [2.24, 2.2, 2.22]},
        "share": 0.99438,
        "order": ["serial", "copy", "overlapped", "overlapped", "copy", "serial", "serial", "overlapped"],
        "places": ["a.cu:63 x128", "a.cu:66 x1"],
        "errors": 129,
    },
    "units": {"small.bytes": "B", "small.serial.samples_ms": "ms", "small.overlapped.samples_ms": "ms", "small.errors": "errors"},
}

MEASUREMENT = """
    id: M1
    title: The time of a token
    script: time-it
    environment: box
    results: [RESULTS]
    key: point
    columns:
      - {name: point, title: Point, unit: text}
      - {name: layer, title: layer, unit: MiB, metric: "{point}.bytes"}
      - {name: serial, title: serial, unit: us, better: lower, decimals: 1, metric: "{point}.serial.samples_ms", centre: median}
      - {name: overlapped, title: overlapped, unit: us, better: lower, metric: "{point}.overlapped.samples_ms"}
      - {name: gain, title: gain, unit: "%", better: higher, compute: serial / overlapped - 1, relative_to: overlapped, decimals: 2}
      - {name: share, title: share, unit: "%", decimals: 2, metric: "{point}.share"}
      - {name: errors, title: errors, exact: true}
      - {name: place, title: place, unit: text, metric: "{point}.places"}
    rows:
      - {point: small, errors: {metric: small.errors, published: 100}}
      - {point: typed, layer: 4, serial: {samples: [2, 2]}, overlapped: 2, share: 50, place: none}
    order_metric: small.order
    comparisons:
      - {a: serial, b: overlapped}
"""


def result(metrics: Mapping[str, Any]) -> tuple[str, str]:
    """The id and the file of an execution that gave these figures."""
    record = sealed(
        {
            "schema": "kvdocs/evidence/v1", "title": "time-it on box", "kind": "import", "script": "time-it", "environment": "box", "purpose": "measurement",
            "outcome": "passed", "status": "DONE", "end": {"exit_code": 0, "reason": "exit code 0"}, "invocation": {"argv": ["./program"]},
            "judgement": {"verdict": "inconclusive", "reasons": ["the script declares no expectation"]}, "metrics": metrics, "streams": {}, "files": [],
        }
    )  # fmt: skip
    return record["id"], pretty(record).decode()


def files(*executions: Mapping[str, Any], measurement: str = MEASUREMENT) -> dict[str, str]:
    """A project with one measurement and these executions."""
    results = dict(map(result, executions))
    return {
        "registry/environments/box.yaml": "{id: box, title: The box}\n",
        "registry/scripts/time-it.yaml": SCRIPT,
        "registry/scripts/time-it.sh": "exec ./program\n",
        "registry/measurements/M1.yaml": measurement.replace("RESULTS", ", ".join(results)),
        **{f"registry/results/box/time-it/{name}/result.json": text for name, text in results.items()},
    }


def test_cells_are_read_from_the_execution_in_the_unit_of_their_column(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspected = inspect_files(files(FIGURES))
    table = ledger_of(inspected.registry).table("M1")
    assert {column: figure.text for column, figure in table.rows["small"].items() if figure.value is not None} == {
        "layer": "2 MiB",
        "serial": "2,410.0 us",
        "overlapped": "2,220 us",
        "gain": "+8.56%",
        "share": "99.44%",
        "errors": "129",
    }
    assert [str(p) for p in inspected.problems if p.code.name not in ("published-differs", "order-drifts")] == []


def test_what_the_row_has_itself_wins(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    ledger = ledger_of(inspect_files(files(FIGURES)).registry)
    assert [ledger.table("M1").rows["typed"][name].text for name in ("layer", "serial", "overlapped", "share")] == ["4 MiB", "2 us", "2 us", "50%"]
    assert ledger.figures("M1").words == {("small", "point"): "small", ("small", "place"): "a.cu:63 x128, a.cu:66 x1", ("typed", "point"): "typed", ("typed", "place"): "none"}


def test_one_slow_sample_does_not_move_a_median(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    at = "centre: median"
    middle, mean = (ledger_of(inspect_files(files(FIGURES, measurement=text)).registry).table("M1").rows["small"]["serial"] for text in (MEASUREMENT, MEASUREMENT.replace(at, "centre: mean")))
    assert [str(figure.value) for figure in (middle, mean)] == ["2410", "7811/3"]
    assert middle.uncertainty is not None
    assert mean.uncertainty is not None
    assert round(middle.uncertainty / mean.uncertainty, 4) == 1.2533


def test_several_executions_are_the_samples_of_a_cell(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    again = {**FIGURES, "small": {**FIGURES["small"], "share": 0.98}}
    share = ledger_of(inspect_files(files(FIGURES, again)).registry).table("M1").rows["small"]["share"]
    assert [str(sample) for sample in share.cell.samples] in (["99.44", "98.00"], ["98.00", "99.44"])


def test_the_order_is_that_of_the_execution_for_the_arms_on_record(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspected = inspect_files(files(FIGURES))
    figures = ledger_of(inspected.registry).figures("M1")
    assert figures.order == ("serial", "overlapped", "overlapped", "serial", "serial", "overlapped")
    assert [one.result.order for one in figures.comparisons if one.row == "small"] == [Order.DRIFTS]
    assert [str(p) for p in inspected.problems if p.code.name == "order-drifts"] == [
        "registry/measurements/M1.yaml:19:1: warning[order-drifts]: in the order serial overlapped overlapped serial serial overlapped a steady drift does not cancel\n    hint: run A B B A"
    ]


def test_the_page_says_where_the_figures_stand(inspect_files: Callable[[Mapping[str, str]], Inspection]) -> None:
    inspected = inspect_files(files(FIGURES))
    entry = inspected.registry.get("M1")
    assert entry is not None
    shown = entry.kind.view(entry, publication(inspected).at("records/M1.md"))
    assert shown is not None
    facts = {fact.label: fact.value for fact in shown.facts}
    assert facts["Order of the arms"] == Md("6 samples of the arms below, as the executions tell (`small.order`), in an order that does not cancel drift")
    read = next(block for section in shown.sections for block in section.blocks if isinstance(block, Table) and block.headings[1] == "Formula")
    assert [row[:2] for row in read.rows if row[0] in ("serial", "place")] == [
        ("serial", Md("the median of the samples from the executions: `{point}.serial.samples_ms`")),
        ("place", Md("read from the executions: `{point}.places`")),
    ]
