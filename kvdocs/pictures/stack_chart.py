"""Stacked bars: what a whole (the time of a token) is made of, for each place."""

from __future__ import annotations

from kvdocs.pictures.chart_data import Chart, Point, short
from kvdocs.pictures.chart_frame import LINE, RIGHT, chart_svg, colour, label_pair, legend
from kvdocs.pictures.scales import Scale, from_zero
from kvdocs.pictures.svg import character_data, element, lines_of, percent, text

BAR = 24.0
BETWEEN = 16.0
ROOM = 0.13
"""A part narrower than this share of the width has no room for its figure; the table and the tooltip have it."""


def stack_chart(chart: Chart, name: str) -> str:
    """The chart as SVG. The parts of a bar stand in the order of the series; the sum is at its right.

    A part below zero cannot be stacked and is left out of the bar; words say so.
    """
    sums = [_sum(chart, number) for number in range(len(chart.places))]
    scale = from_zero(max(sums, default=0.0))
    head, y = legend([series.name for series in chart.series], LINE)
    drawn = [head]
    for number, place in enumerate(chart.places):
        y += LINE / 2 + 4
        labels, y = label_pair(f"{chart.place} {place}", _total(chart, number, sums[number]), y, ("kv-place", "kv-value"))
        drawn.append(labels)
        drawn.append(_bar(chart, number, scale, y + 6))
        y += 6 + BAR + BETWEEN
    return chart_svg(name, "stack", chart.title, _spoken(chart, sums), y - BETWEEN + 2, *drawn)


def _parts(chart: Chart, place: int) -> list[tuple[int, Point]]:
    """The parts that can be stacked, with the number of their series."""
    return [(number, point) for number, series in enumerate(chart.series) if (point := series.points[place]) is not None and point.value >= 0]


def _total(chart: Chart, place: int, total: float) -> str:
    """The sum with its unit, and which parts it lacks."""
    missing = [series.name for series in chart.series if series.points[place] is None]
    return f"{short(total)} {chart.unit}".strip() + (f" without {', '.join(missing)}" if missing else "")


def _sum(chart: Chart, place: int) -> float:
    return sum(point.value for _, point in _parts(chart, place))


def _bar(chart: Chart, place: int, scale: Scale, top: float) -> str:
    drawn = []
    start = 0.0
    for number, point in _parts(chart, place):
        width = RIGHT * scale.share(point.value)
        title = element("title", {}, character_data(f"{chart.place} {chart.places[place]}, {chart.series[number].name}: {point.text} {chart.unit}"))
        bar = element("rect", {"class": f"{colour(number)} kv-piece", "x": percent(start), "y": top, "width": percent(width), "height": BAR})
        figure = text(point.text, {"class": "kv-inside", "x": percent(start + width / 2), "y": top + BAR / 2 + 4.5, "text-anchor": "middle"}) if width >= ROOM else ""
        drawn.append(element("g", {}, title, bar, figure))
        start += width
    return lines_of(*drawn)


def _spoken(chart: Chart, sums: list[float]) -> str:
    left_out = [f"{series.name} at {place}" for series in chart.series for place, point in zip(chart.places, series.points, strict=True) if point is not None and point.value < 0]
    totals = "; ".join(f"{place}: {_total(chart, number, sums[number])}" for number, place in enumerate(chart.places))
    return f"{chart.spoken()} In all {totals}." + (f" Below zero and not in the bars: {', '.join(left_out)}." if left_out else "")
