"""What all charts share: a frame that is as wide as the page, with letters that keep their size.

Widths are per cent and heights are pixels, so a chart fits a phone without letters shrinking.
A chart has the role `img`: its description says all that it shows, and the table beside it holds the same figures.
"""

from __future__ import annotations

from kvdocs.pictures.lettering import width_of
from kvdocs.pictures.svg import element, lines_of, percent, picture, text

LETTER = 13.0
LINE = 18.0
NARROWEST = 320.0
"""The width in pixels that a chart has to do with: a phone's, less the margins of the page."""

GAP = 10.0
RIGHT = 0.995
"""Where the right edge of the drawing is; the rest keeps strokes from being cut."""

Shape = dict[str, object]


def chart_svg(name: str, kind: str, title: str, description: str, height: float, *drawn: str) -> str:
    """A chart; `name` starts its ids, `kind` is a class for the stylesheet."""
    attributes = {"class": f"kv-chart kv-{kind}", "role": "img", "width": "100%", "height": height, "fill": "currentColor", "font-size": LETTER, "data-search-exclude": ""}
    return picture(name, title, description, attributes, *drawn)


def colour(number: int) -> str:
    """The class of a series: six colours, which come again."""
    return f"kv-series-{number % 6 + 1}"


def left_label(content: str, y: float, css: str = "kv-label") -> str:
    """Text at the left edge."""
    return text(content, {"class": css, "x": 0, "y": y})


def right_label(content: str, y: float, css: str = "kv-value") -> str:
    """Text at the right edge."""
    return text(content, {"class": css, "x": "100%", "y": y, "text-anchor": "end"})


def label_pair(left: str, right: str, y: float, css: tuple[str, str] = ("kv-label", "kv-value")) -> tuple[str, float]:
    """Text at both edges and the y of its last line: one below the other where a phone has no room for them side by side."""
    below = y if width_of(left, LETTER) + width_of(right, LETTER) + GAP <= NARROWEST else y + LINE
    return left_label(left, y, css[0]) + right_label(right, below, css[1]), below


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """A line whose x are shares of the width and whose y are pixels."""
    return element("line", {"class": css, "x1": percent(x1), "y1": y1, "x2": percent(x2), "y2": y2, "stroke": "currentColor"})


def whisker(low: float, high: float, y: float, half: float = 4) -> str:
    """An interval across a bar: a line with an end stroke at both sides; nothing when both ends fall together for the eye."""
    if high - low < 0.0005:
        return ""
    return line(low, y, high, y, "kv-whisker") + line(low, y - half, low, y + half, "kv-whisker") + line(high, y - half, high, y + half, "kv-whisker")


def legend(names: list[str], y: float) -> tuple[str, float]:
    """A line for each series with its colour, and the y below them: side by side they would not fit a phone."""
    rows = []
    for number, name in enumerate(names):
        middle = y + number * LINE
        rows.append(element("rect", {"class": colour(number), "x": 0, "y": middle - 10, "width": 12, "height": 12, "rx": 2}))
        rows.append(text(name, {"class": "kv-label", "x": 18, "y": middle}))
    return lines_of(*rows), y + len(names) * LINE
