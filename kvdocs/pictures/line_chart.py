"""Lines over numbers: how a figure grows with what it depends on, on linear or logarithmic scales."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kvdocs.pictures.chart_data import Chart, Point, said, short
from kvdocs.pictures.chart_frame import LINE, chart_svg, colour, left_label, legend, line
from kvdocs.pictures.scales import Scale, powers, spanning, ticks
from kvdocs.pictures.svg import character_data, element, lines_of, percent, text

PLOT = 220.0
LEFT, RIGHT = 0.13, 0.98
"""The points stand right of the numbers along the vertical scale."""
APART = 0.17
"""Labels of places nearer than this share of the width would run into each other on a phone."""


def line_chart(chart: Chart, places: Sequence[float], name: str) -> str:
    """The chart as SVG; `places` are the numbers behind the chart's labels.

    A scale is logarithmic when its numbers are positive and differ by a factor of eight or more; the vertical one only together with the horizontal one,
    so that growth in proportion stays a straight line.
    """
    points = [point for series in chart.series for point in series.points if point is not None]
    x_scale = spanning(places) if places else Scale(0, 1)
    y_scale, marks = _vertical(points, x_scale)
    drawn = [left_label(chart.unit, LINE - 4)]
    top = LINE + 6
    if len(chart.series) > 1:
        head, top = legend([series.name for series in chart.series], 2 * LINE)
        top += 6
        drawn.append(head)
    drawn += [_mark(value, y_scale, top) for value in marks]
    for number, series in enumerate(chart.series):
        drawn.append(_series(chart, number, series.points, [LEFT + (RIGHT - LEFT) * x_scale.share(x) for x in places], y_scale, top))
    bottom = top + PLOT
    drawn += _places(chart.places, [x_scale.share(x) for x in places], bottom)
    drawn.append(text(chart.place_title, {"class": "kv-label", "x": "100%", "y": bottom + 2 * LINE + 2, "text-anchor": "end"}))
    return chart_svg(name, "line", chart.title, f"{chart.spoken()} {scale_words(x_scale, y_scale)}", bottom + 2 * LINE + 8, *drawn)


def scale_words(x_scale: Scale, y_scale: Scale) -> str:
    """Which scales are logarithmic, as a sentence."""
    if x_scale.kind == y_scale.kind:
        return f"Both scales are {'logarithmic' if x_scale.kind == 'log' else 'linear'}."
    return "The horizontal scale is logarithmic, the vertical one is linear." if x_scale.kind == "log" else "The horizontal scale is linear, the vertical one is logarithmic."


def _vertical(points: Sequence[Point], x_scale: Scale) -> tuple[Scale, list[float]]:
    """The vertical scale and the numbers written along it."""
    if not points:
        return Scale(0, 1), []
    low, high = min(p.reach[0] for p in points), max(p.reach[1] for p in points)
    if x_scale.kind == "log" and spanning([low, high]).kind == "log":
        marks = powers(low, high)
        return Scale(marks[0], marks[-1], "log"), marks
    marks = ticks(min(0.0, low), max(high, 0.0) or 1.0)
    return Scale(marks[0], marks[-1]), marks


def _mark(value: float, scale: Scale, top: float) -> str:
    """A line across the plot with its number on it at the left, so that no room is lost beside the plot."""
    y = top + PLOT * (1 - scale.share(value))
    return line(0, y, 1, y, "kv-rule") + text(short(value), {"class": "kv-tick", "x": 0, "y": y - 4})


def _series(chart: Chart, number: int, points: Sequence[Point | None], xs: Sequence[float], scale: Scale, top: float) -> str:
    placed = [(x, top + PLOT * (1 - scale.share(point.value)), point, place) for x, point, place in zip(xs, points, chart.places, strict=True) if point is not None]
    placed.sort(key=lambda p: p[0])
    strokes = [line(a[0], a[1], b[0], b[1], f"{colour(number)} kv-stroke") for a, b in pairwise(placed)]
    dots = []
    for x, y, point, place in placed:
        title = element("title", {}, character_data(f"{chart.place} {place}, {chart.series[number].name}: {said(point)} {chart.unit}"))
        low, high = (top + PLOT * (1 - scale.share(end)) for end in point.reach)
        interval = line(x, low, x, high, "kv-whisker") if abs(low - high) > 1 else ""
        dots.append(element("g", {}, title, interval, element("circle", {"class": colour(number), "cx": percent(x), "cy": y, "r": 4.5})))
    return lines_of(*strokes, *dots)


def _places(labels: Sequence[str], shares: Sequence[float], bottom: float) -> list[str]:
    """A stroke at each place, and the labels that have room; the last one always has."""
    drawn: list[str] = []
    free = 1.0
    for share, label in sorted(zip(shares, labels, strict=True), reverse=True):
        x = LEFT + (RIGHT - LEFT) * share
        drawn.append(line(x, bottom, x, bottom + 5, "kv-rule"))
        if share == max(shares) or share <= free - APART:
            anchor = "end" if share > 1 - APART / 2 else "middle"
            drawn.append(text(label, {"class": "kv-tick", "x": percent(1 if anchor == "end" else x), "y": bottom + LINE, "text-anchor": anchor}))
            free = share
    return drawn
