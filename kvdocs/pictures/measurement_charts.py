"""Measurements and their figures -> the charts that their records ask for, and the plot of their comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kvdocs.figures.summary import ArmComparison, MeasurementFigures
from kvdocs.figures.table import Figure, Table
from kvdocs.kinds.measurement import Chart as ChartField
from kvdocs.kinds.measurement import MeasuredColumn, Measurement
from kvdocs.pictures.bar_chart import bar_chart
from kvdocs.pictures.chart_data import Chart, Estimate, Point, Series
from kvdocs.pictures.forest_plot import forest_plot
from kvdocs.pictures.line_chart import line_chart
from kvdocs.pictures.stack_chart import stack_chart
from kvdocs.view import Picture

CHANGE_TONES = {"gain": "good", "loss": "bad", "equivalent": "plain", "no difference shown": "warn"}
BARE = ("1", "x", "%")
"""Units that stand with each number and not in a heading."""


def charts(record: Measurement, figures: MeasurementFigures) -> tuple[Picture, ...]:
    """The charts of a record in its order; ids start with `chart-1`, `chart-2`, …

    A chart whose columns have different units, or no figure at all, is left out: it would compare what cannot be compared.
    """
    drawn = (_picture(field, record, figures.table, f"chart-{number}") for number, field in enumerate(record.charts, 1))
    return tuple(picture for picture in drawn if picture is not None)


def comparison_plot(record: Measurement, figures: MeasurementFigures) -> Picture | None:
    """All comparisons of a record as a forest plot; None when it compares nothing. Its ids start with `comparisons`."""
    if not figures.comparisons:
        return None
    estimates = [_estimate(one, record) for one in figures.comparisons]
    threshold = max(one.result.threshold for one in figures.comparisons) * 100
    bases = dict.fromkeys(one.result.basis for one in figures.comparisons)
    words = {"pooled": "95%, from the noise floor of the machine", "paired": "95%, from the pairs alone", "none": "none where there is a single pair and no noise floor"}
    interval = "; ".join(words[basis] for basis in bases)
    title = f"Change between the arms of {record.id}"
    return Picture(forest_plot(title, "%", estimates, "comparisons", threshold=threshold, interval=interval), title, f"Intervals: {interval}. The grey band is what counts as of no practical use.")


def _picture(field: ChartField, record: Measurement, table: Table, name: str) -> Picture | None:
    columns = [column for column in (record.column(wanted) for wanted in field.columns) if column is not None]
    rows = [key for key in table.rows if any(_point(table, key, column) is not None for column in columns)]
    if not rows or len({column.unit for column in columns}) != 1:
        return None
    chart = _chart(field, record, table, columns, rows)
    if field.type == "stack":
        svg = stack_chart(chart, name)
    elif field.type == "line" and all(isinstance(key, int) for key in rows):
        svg = line_chart(chart, [float(key) for key in rows], name)
    else:
        svg = bar_chart(chart, name)
    remarks = [field.title, field.note, f"Intervals: {chart.interval}" if chart.interval and field.type != "stack" else ""]
    return Picture(svg, chart.spoken(), " ".join(f"{remark.rstrip('.')}." for remark in remarks if remark))


def _chart(field: ChartField, record: Measurement, table: Table, columns: Sequence[MeasuredColumn], rows: Sequence[int | str]) -> Chart:
    key = record.column(record.key)
    unit = columns[0].unit
    return Chart(
        title=field.title,
        unit="" if unit in BARE else unit,
        place=key.title if key is not None else record.key,
        place_unit=key.unit if key is not None and key.unit not in ("1", "text") else "",
        places=tuple(f"{row:,}" if isinstance(row, int) else row for row in rows),
        series=tuple(Series(_name(column, record), tuple(_point(table, row, column) for row in rows)) for column in columns),
        interval=_interval_words(list(_figures(table, columns, rows))),
    )


def _name(column: MeasuredColumn, record: Measurement) -> str:
    """The heading of a column; where another column has the same one, its name in the record."""
    return column.title if sum(c.title == column.title for c in record.columns) == 1 else column.name.replace("_", " ")


def _figures(table: Table, columns: Sequence[MeasuredColumn], rows: Sequence[int | str]) -> Iterator[Figure]:
    for row in rows:
        yield from (figure for column in columns if (figure := table.rows[row].get(column.name)) is not None)


def _point(table: Table, row: int | str, column: MeasuredColumn) -> Point | None:
    figure = table.rows[row].get(column.name)
    if figure is None or figure.value is None or figure.coverage is None:
        return None
    shown = figure.bare_text + (figure.unit.label if column.unit in BARE else "")
    return Point(float(figure.value), shown, *(figure.coverage if _has_interval(figure) else (None, None)))


def _has_interval(figure: Figure) -> bool:
    """Whether an interval tells more than the digits do: there are samples, or it was computed from figures that are rounded."""
    if figure.interval is None or figure.interval.bound:
        return False
    return bool(figure.uncertainty) or (figure.column.compute is not None and figure.interval.width > 0)


def _interval_words(figures: Sequence[Figure]) -> str:
    """What the intervals of the figures say; empty when there are none."""
    if any(figure.uncertainty for figure in figures):
        return "95%, from the spread of the samples and the rounding of the figures"
    return "what the rounding of the figures allows" if any(_has_interval(figure) for figure in figures) else ""


def _estimate(one: ArmComparison, record: Measurement) -> Estimate:
    result = one.result
    basis = result.pooled if result.basis == "pooled" else result.paired if result.basis == "paired" else None
    row = f"{one.row:,}" if isinstance(one.row, int) else one.row
    a, b = (_name(column, record) if (column := record.column(name)) is not None else name for name in (one.a, one.b))
    low, high = (basis.low * 100, basis.high * 100) if basis is not None else (None, None)
    return Estimate(f"{row}: {b} against {a}", Point(result.change * 100, f"{result.change:+.2%}".replace("-", "−"), low, high), result.words, CHANGE_TONES[str(result.verdict)])
