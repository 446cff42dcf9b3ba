"""Comparisons side by side: the change in each row with its interval, against no change and against what would matter."""

from __future__ import annotations

from collections.abc import Sequence

from kvdocs.pictures.chart_data import Estimate, said, short
from kvdocs.pictures.chart_frame import LINE, chart_svg, label_pair, line, whisker
from kvdocs.pictures.scales import Scale, ticks
from kvdocs.pictures.svg import character_data, element, percent, text

LEFT, RIGHT = 0.02, 0.98


def forest_plot(title: str, unit: str, estimates: Sequence[Estimate], name: str, *, threshold: float | None = None, interval: str = "") -> str:
    """The plot as SVG: one row for each estimate, zero as a line, and the band within which a change has no practical use."""
    reaches = [end for estimate in estimates for end in estimate.point.reach] + [0.0] + ([threshold, -threshold] if threshold else [])
    edge = 0.04 * ((max(reaches) - min(reaches)) or 1.0)
    scale = Scale(min(reaches) - edge, max(reaches) + edge)
    marks = [mark for mark in ticks(scale.low, scale.high) if scale.low <= mark <= scale.high]
    drawn = []
    height = 0.0
    rows = []
    for estimate in estimates:
        row, height = _row(estimate, scale, height, unit)
        rows.append(row)
    if threshold:
        left, right = _x(scale, -threshold), _x(scale, threshold)
        drawn.append(element("rect", {"class": "kv-band", "x": percent(left), "y": 0, "width": percent(right - left), "height": height}))
    drawn += [line(_x(scale, mark), 0, _x(scale, mark), height + 4, "kv-zero" if mark == 0 else "kv-rule") for mark in marks]
    drawn += rows
    for mark in marks:
        x = _x(scale, mark)
        anchor = "start" if x < 0.08 else "end" if x > 0.92 else "middle"
        drawn.append(text(_tick(mark, unit), {"class": "kv-tick", "x": percent(x), "y": height + LINE + 4, "text-anchor": anchor}))
    return chart_svg(name, "forest", title, _spoken(title, estimates, unit, threshold, interval), height + LINE + 12, *drawn)


def _row(estimate: Estimate, scale: Scale, top: float, unit: str) -> tuple[str, float]:
    """A row and the y below it."""
    point = estimate.point
    labels, y = label_pair(estimate.label, f"{point.text}, {estimate.verdict}", top + LINE, ("kv-label", "kv-value kv-toned"))
    middle = y + 14
    interval = whisker(_x(scale, point.reach[0]), _x(scale, point.reach[1]), middle, 5)
    square = element("rect", {"class": "kv-estimate", "x": percent(_x(scale, point.value)), "y": middle - 5, "width": 10, "height": 10, "transform": "translate(-5 0)"})
    title = element("title", {}, character_data(f"{estimate.label}: {said(point)} {unit}, {estimate.verdict}"))
    return element("g", {"class": f"kv-tone-{estimate.tone}"}, title, labels, interval, square), middle + LINE - 4


def _x(scale: Scale, value: float) -> float:
    return LEFT + (RIGHT - LEFT) * scale.share(value)


def _tick(value: float, unit: str) -> str:
    return f"{'+' if value > 0 else ''}{short(value)}{' ' + unit if unit else ''}"


def _spoken(title: str, estimates: Sequence[Estimate], unit: str, threshold: float | None, interval: str) -> str:
    rows = " ".join(f"{e.label}: {said(e.point)}, {e.verdict}." for e in estimates)
    band = f" Changes up to {short(threshold)} {unit} count as of no practical use." if threshold else ""
    return f"{title}, in {unit}. {rows}{band}" + (f" Intervals: {interval}." if interval else "")
