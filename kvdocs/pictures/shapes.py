"""The outline of each kind of record: work is a box, a question a hexagon, what is elsewhere a pill, what goes wrong a sheet with a folded corner."""

from __future__ import annotations

from kvdocs.pictures.layout import BOX_HEIGHT, BOX_WIDTH
from kvdocs.pictures.svg import element, number

POINT = 14.0
FOLD = 12.0

WORDS = {
    "item": "boxes with round corners are roadmap items",
    "decision": "hexagons are decisions",
    "reference": "pills are pull requests, issues and commits elsewhere",
    "defect": "sheets with a folded corner are defects",
}
"""What the outlines stand for, for a legend; all other kinds are plain rectangles."""


def outline(kind: str, width: float = BOX_WIDTH, height: float = BOX_HEIGHT) -> str:
    """The outline with its upper left corner at the origin; it touches the middle of the left and right side, where arrows end."""
    style = {"class": "kv-shape", "fill": "none", "stroke": "currentColor"}
    w, h = number(width), number(height)
    if kind == "decision":
        middle, inner = number(height / 2), number(width - POINT)
        return element("path", {**style, "d": f"M{number(POINT)},0 {inner},0 {w},{middle} {inner},{h} {number(POINT)},{h} 0,{middle}Z"})
    if kind == "defect":
        inner, fold = number(width - FOLD), number(FOLD)
        return element("path", {**style, "d": f"M0,0 {inner},0 {w},{fold} {w},{h} 0,{h}ZM{inner},0 {inner},{fold} {w},{fold}"})
    radius = {"item": 6.0, "reference": height / 2}.get(kind, 0.0)
    return element("rect", {**style, "width": width, "height": height, "rx": radius or None})
