"""Rectangles -> places without overlap: each goes to the highest free place, of these the leftmost (skyline).

`graph.js` packs in the same way when a filter leaves some parts only; a browser test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence


def pack(sizes: Sequence[tuple[float, float]], width: float, gap: float) -> list[tuple[float, float]]:
    """The upper left corner of each rectangle, in their order, with `gap` between them.

    One that is wider than `width` starts at the left edge and reaches over it.
    """
    skyline = [(0.0, 0.0, width)]
    places = []
    for w, h in sizes:
        spot = min(((y, x) for x in [start for start, _, _ in skyline] if (y := _height_at(skyline, x, w, width, gap)) is not None), default=None)
        y, x = spot if spot is not None else (max(top for _, top, _ in skyline), 0.0)
        places.append((x, y))
        skyline = _raised(skyline, x, x + w + gap, y + h + gap)
    return places


_Skyline = list[tuple[float, float, float]]
"""Stretches from left to right: where each starts, how far down it is filled, where it ends."""


def _height_at(skyline: _Skyline, x: float, w: float, width: float, gap: float) -> float | None:
    """How far down a rectangle at `x` would lie, or None when it does not fit there; its gap may reach over the right edge."""
    if x and x + w > width:
        return None
    return max(top for start, top, end in skyline if start < x + w + gap and end > x)


def _raised(skyline: _Skyline, left: float, right: float, bottom: float) -> _Skyline:
    result: _Skyline = []
    for start, top, end in skyline:
        if start < left:
            result.append((start, top, min(end, left)))
        if end > right:
            result.append((max(start, right), top, end))
    result.append((left, bottom, max(right, left)))
    return sorted(result)
