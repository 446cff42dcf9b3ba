"""What a chart shows: series of points with their intervals, in words and numbers that were computed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scale = Literal["linear", "log"]
MINUS = "\u2212"


@dataclass(frozen=True, slots=True)
class Point:
    """A figure: `text` is how the table shows it, `low` and `high` are the ends of its interval where it has one."""

    value: float
    text: str
    low: float | None = None
    high: float | None = None

    @property
    def reach(self) -> tuple[float, float]:
        """The least and the greatest of the figure and its interval."""
        ends = [end for end in (self.low, self.value, self.high) if end is not None]
        return min(ends), max(ends)


@dataclass(frozen=True, slots=True)
class Series:
    """A named row of points, one for each place of the chart; None where there is no figure."""

    name: str
    points: tuple[Point | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over places. `place` says what a place is (`Depth`), `place_unit` in which unit, and `places` are their labels.

    `unit` is the unit of all figures, `interval` says what the intervals are, and is empty when there are none.
    """

    title: str
    unit: str
    place: str
    place_unit: str
    places: tuple[str, ...]
    series: tuple[Series, ...]
    interval: str = ""

    @property
    def place_title(self) -> str:
        """The heading of the places: `Depth (token)`."""
        return f"{self.place} ({self.place_unit})" if self.place_unit else self.place

    def spoken(self) -> str:
        """Every figure in words: place by place."""
        sentences = []
        for number, place in enumerate(self.places):
            figures = [f"{series.name} {said(point)}" for series in self.series if (point := series.points[number]) is not None]
            sentences.append(f"{place}: {', '.join(figures) or 'no figure'}.")
        unit = f" in {self.unit}" if self.unit else ""
        return f"{self.title}{unit}, by {self.place_title}. {' '.join(sentences)}" + (f" Intervals: {self.interval}." if self.interval else "")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A row of a comparison: what is compared, the change with its interval, the verdict and its tone."""

    label: str
    point: Point
    verdict: str
    tone: str = "plain"


def said(point: Point) -> str:
    """A figure with the ends of its interval, where it has one that can be seen."""
    if point.low is None or point.high is None or short(point.low) == short(point.high):
        return point.text
    return f"{point.text} ({short(point.low)} to {short(point.high)})"


def short(value: float) -> str:
    """A number with four significant digits at most, for the end of an interval or a place on an axis; thousands are set apart, and the minus is a true one."""
    if value and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.4g}".replace("-", MINUS)
    rounded = float(f"{value:.4g}")
    written = f"{abs(rounded):,.7f}".rstrip("0").rstrip(".")
    return MINUS + written if rounded < 0 else written
