"""Charts that a record asks for, from the user's own YAML."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kvdocs.kinds.measurement import Measurement
from kvdocs.ledger import Ledger
from kvdocs.pictures.measurement_charts import charts, comparison_plot
from kvdocs.pipeline import Inspection
from kvdocs.view import Picture

InspectFiles = Callable[[Mapping[str, str]], Inspection]

YAML = """
    id: M1
    title: Two arms
    key: depth
    columns:
      - {name: depth, title: Depth, unit: token, exact: true}
      - {name: before, title: rate, unit: token/s, better: higher}
      - {name: after, title: rate, unit: token/s, better: higher}
      - {name: gain, title: gain, unit: "%", better: higher, compute: mean(after) / mean(before) - 1, relative_to: before}
    rows:
      - {depth: 4096, before: {samples: [31.72, 31.71]}, after: {samples: [38.48, 38.50]}}
      - {depth: 32768, before: 13.01}
    order: [before, after, after, before]
    comparisons: [{a: before, b: after}]
    charts:
      - {type: CHART, columns: [COLUMNS], title: Decode rate, note: Two processes each.}
"""


def drawn(inspect_files: InspectFiles, chart: str, columns: str) -> tuple[tuple[Picture, ...], Picture | None]:
    """The charts and the plot of the record above."""
    registry = inspect_files({"registry/measurements/M1.yaml": YAML.replace("CHART", chart).replace("COLUMNS", columns)}).registry
    record = registry.record("M1", Measurement)
    assert record is not None
    figures = Ledger(registry).figures("M1")
    return charts(record, figures), comparison_plot(record, figures)


def test_bars_of_two_arms(inspect_files: InspectFiles) -> None:
    ((picture,), _) = drawn(inspect_files, "bars", "before, after")
    assert picture.text == (
        "Decode rate in token/s, by Depth (token). 4,096: before 31.72 (31.7 to 31.73), after 38.49 (38.47 to 38.51). 32,768: before 13.01."
        " Intervals: 95%, from the spread of the samples and the rounding of the figures."
    )
    assert picture.caption == "Decode rate. Two processes each. Intervals: 95%, from the spread of the samples and the rounding of the figures."
    assert 'id="chart-1-title"' in picture.svg


def test_columns_with_different_units_make_no_chart(inspect_files: InspectFiles) -> None:
    assert drawn(inspect_files, "bars", "before, gain")[0] == ()


def test_the_plot_of_the_comparisons(inspect_files: InspectFiles) -> None:
    _, plot = drawn(inspect_files, "bars", "before")
    assert plot is not None
    assert "4,096: after against before: +21.36%" in plot.svg
    assert plot.caption == "Intervals: 95%, from the pairs alone. The grey band is what counts as of no practical use."


def test_every_chart_that_this_registry_asks_for_is_drawn(this_registry: Inspection) -> None:
    ledger = Ledger(this_registry.registry)
    records = this_registry.registry.records("measurement", Measurement)
    assert {record.id: len(charts(record, ledger.figures(record.id))) for record in records if record.charts} == {record.id: len(record.charts) for record in records if record.charts}
