"""Graphs -> places: boxes and routes from left to right, by Graphviz where there is one, else by an own layout.

Each connected part is laid out alone and the parts are then packed by importance,
so that a large graph does not become a column of thousands of boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from kvdocs.pictures.graph_data import Arrow, Graph, components
from kvdocs.pictures.packing import pack

BOX_WIDTH = 204.0
BOX_HEIGHT = 58.0
COLUMN_GAP = 52.0
ROW_GAP = 16.0
PART_GAP = 20.0
"""Sizes in pixels; every box has the same size, whatever its shape."""

READING_WIDTH = 1160.0
"""A picture is made at least this wide before it grows downwards."""

GROWTH = 1.3
"""A large picture is this times as wide as a square of the same area."""

XY = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an arrow: the points of joined cubic Bézier curves, 3n + 1 of them."""

    arrow: Arrow
    points: tuple[XY, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A connected part with its own origin: the upper left corner of each box, and the routes. Its size is in whole pixels, so that a script packs as Python does."""

    boxes: dict[str, XY]
    routes: tuple[Route, ...]
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Parts and where each of them stands."""

    parts: tuple[Part, ...]
    places: tuple[XY, ...]
    width: float
    height: float


Engine = Callable[[Sequence[Graph]], list[Part]]
"""Lays out connected graphs, each for itself."""


def lay_out(graphs: Sequence[Graph], engine: Engine | None = None) -> list[Layout]:
    """A layout of each graph; all of them go to the engine together, since starting it costs more than a small graph does."""
    split = [components(graph) for graph in graphs]
    flat = [part for parts in split for part in parts]
    placed = iter((engine or best_engine())([part for part in flat if len(part.nodes) > 1]))
    return [_packed([next(placed) if len(part.nodes) > 1 else _single(part) for part in parts]) for parts in split]


def best_engine() -> Engine:
    """Graphviz when a `dot` or pygraphviz is there and works; else the own layout."""
    from kvdocs.pictures.graphviz import graphviz_engine
    from kvdocs.pictures.layered import layered_parts

    return graphviz_engine() or layered_parts


def _single(graph: Graph) -> Part:
    (name,) = graph.nodes
    return Part({name: (0.0, 0.0)}, (), ceil(BOX_WIDTH), ceil(BOX_HEIGHT))


def _packed(parts: list[Part]) -> Layout:
    sizes = [(part.width, part.height) for part in parts]
    area = sum((w + PART_GAP) * (h + PART_GAP) for w, h in sizes)
    width = max([READING_WIDTH, GROWTH * sqrt(area), *(w for w, _ in sizes)])
    places = pack(sizes, width, PART_GAP)
    right = max((x + w for (x, _), (w, _) in zip(places, sizes, strict=True)), default=0.0)
    bottom = max((y + h for (_, y), (_, h) in zip(places, sizes, strict=True)), default=0.0)
    return Layout(tuple(parts), tuple(places), right, bottom)
