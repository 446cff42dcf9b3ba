"""Bars with their intervals: for each place (a depth, a context length) one bar for each arm."""

from __future__ import annotations

from kvdocs.pictures.chart_data import Chart, Point, said
from kvdocs.pictures.chart_frame import LINE, RIGHT, chart_svg, colour, label_pair, left_label, whisker
from kvdocs.pictures.scales import Scale, from_zero
from kvdocs.pictures.svg import character_data, element, lines_of, percent

BAR = 13.0
BETWEEN_BARS = 8.0
BETWEEN_PLACES = 14.0


def bar_chart(chart: Chart, name: str) -> str:
    """The chart as SVG. Every bar begins at zero; the figure stands at its right as the table has it."""
    points = [point for series in chart.series for point in series.points if point is not None]
    scale = from_zero(max((p.reach[1] for p in points), default=0.0), min((p.reach[0] for p in points), default=0.0))
    drawn: list[str] = []
    y = 0.0
    for number, place in enumerate(chart.places):
        y += LINE
        drawn.append(left_label(f"{chart.place} {place}", y, "kv-place"))
        for position, series in enumerate(chart.series):
            point = series.points[number]
            y += LINE
            labels, y = label_pair(series.name, _value(point, chart.unit), y)
            drawn.append(labels)
            if point is not None:
                drawn.append(_bar(point, scale, y + 5, colour(position), f"{chart.place} {place}, {series.name}: {said(point)} {chart.unit}"))
            y += BAR + BETWEEN_BARS
        y += BETWEEN_PLACES
    return chart_svg(name, "bars", chart.title, chart.spoken(), max(0.0, y - BETWEEN_PLACES), *drawn)


def _value(point: Point | None, unit: str) -> str:
    return "no figure" if point is None else f"{point.text} {unit}".strip()


def _bar(point: Point, scale: Scale, top: float, css: str, tooltip: str) -> str:
    ends = sorted((RIGHT * scale.share(0), RIGHT * scale.share(point.value)))
    bar = element("rect", {"class": css, "x": percent(ends[0]), "y": top, "width": percent(ends[1] - ends[0]), "height": BAR, "rx": 2})
    middle = top + BAR / 2
    interval = whisker(RIGHT * scale.share(point.reach[0]), RIGHT * scale.share(point.reach[1]), middle) if point.low is not None and point.high is not None else ""
    return element("g", {}, element("title", {}, character_data(tooltip)), lines_of(bar, interval))
