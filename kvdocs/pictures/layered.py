"""Connected graphs -> places without any other program: layers by longest path, as Sugiyama, Tagawa and Toda describe it.

1. A node stands one column right of the last of what comes before it.
2. An arrow over several columns gets a place in each column between.
3. Columns are put in an order with few crossings, by the mean place of the neighbours, to and fro.
4. Boxes move towards their neighbours as far as their order and distance allow (least squares by pooling adjacent violators).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

from kvdocs.pictures.graph_data import Graph
from kvdocs.pictures.layout import BOX_HEIGHT, BOX_WIDTH, COLUMN_GAP, ROW_GAP, XY, Part, Route
from kvdocs.pictures.reduction import depth_first

SWEEPS = 8
MOST_PLACES = 6000
"""With more places than that for arrows between columns, long arrows go straight: the order of columns would take too long."""

Cell = str | int
"""A node by its id, or a place of an arrow by a number."""


@dataclass
class _Columns:
    """The cells of each column from top to bottom, and their neighbours left and right."""

    cells: list[list[Cell]]
    before: dict[Cell, list[Cell]] = field(default_factory=dict)
    after: dict[Cell, list[Cell]] = field(default_factory=dict)

    def join(self, left: Cell, right: Cell) -> None:
        self.after.setdefault(left, []).append(right)
        self.before.setdefault(right, []).append(left)


def layered_parts(graphs: Sequence[Graph]) -> list[Part]:
    """A part for each graph; an engine of `layout`."""
    return [_part(graph) for graph in graphs]


def _part(graph: Graph) -> Part:
    column = column_of(graph)
    columns, ways = _with_places(graph, column)
    _put_in_order(columns)
    middle = _move(columns)
    top = min(y - _height(cell) / 2 for cell, y in middle.items())
    step = BOX_WIDTH + COLUMN_GAP
    boxes = {name: (column[name] * step, middle[name] - top - BOX_HEIGHT / 2) for name in graph.nodes}
    at = {cell: (number * step, middle[cell] - top) for number, cells in enumerate(columns.cells) for cell in cells}
    routes = tuple(Route(arrow, _curve([at[cell] for cell in way])) for arrow, way in zip(graph.arrows, ways, strict=True))
    height = max(y - top + _height(cell) / 2 for cell, y in middle.items())
    return Part(boxes, routes, ceil(len(columns.cells) * step - COLUMN_GAP), ceil(height))


def column_of(graph: Graph) -> dict[str, int]:
    """The column of each node: behind all that comes before it; what comes before nothing else stands next to what follows it."""
    order, backward = depth_first([(a.source, a.target) for a in graph.arrows])
    forward = [a for a in graph.arrows if (a.source, a.target) not in backward]
    column = dict.fromkeys([*order, *graph.nodes], 0)
    place = {name: number for number, name in enumerate(order)}
    for arrow in sorted(forward, key=lambda a: place[a.source]):
        column[arrow.target] = max(column[arrow.target], column[arrow.source] + 1)
    entered = {a.target for a in forward}
    follows: dict[str, int] = {}
    for arrow in forward:
        follows[arrow.source] = min(follows.get(arrow.source, column[arrow.target]), column[arrow.target])
    return {name: follows[name] - 1 if name not in entered and name in follows else number for name, number in column.items()}


def _with_places(graph: Graph, column: dict[str, int]) -> tuple[_Columns, list[list[Cell]]]:
    """The columns with a place for each arrow in each column that it crosses, and the way of each arrow."""
    columns = _Columns([[] for _ in range(max(column.values()) + 1)])
    for name in graph.nodes:
        columns.cells[column[name]].append(name)
    crossed = sum(max(0, column[a.target] - column[a.source] - 1) for a in graph.arrows)
    ways: list[list[Cell]] = []
    places = 0
    for arrow in graph.arrows:
        way: list[Cell] = [arrow.source]
        if crossed <= MOST_PLACES:
            for number in range(column[arrow.source] + 1, column[arrow.target]):
                places += 1
                columns.cells[number].append(places)
                way.append(places)
        way.append(arrow.target)
        if column[arrow.target] > column[arrow.source]:
            for left, right in pairwise(way):
                columns.join(left, right)
        ways.append(way)
    return columns, ways


def _put_in_order(columns: _Columns) -> None:
    position = {cell: float(n) for cells in columns.cells for n, cell in enumerate(cells)}
    for sweep in range(SWEEPS):
        neighbours = columns.before if sweep % 2 == 0 else columns.after
        for cells in columns.cells if sweep % 2 == 0 else reversed(columns.cells):
            cells.sort(key=lambda cell: _mean([position[n] for n in neighbours.get(cell, ())], position[cell]))
            position.update((cell, float(n)) for n, cell in enumerate(cells))


def _move(columns: _Columns) -> dict[Cell, float]:
    """The middle of each cell, close to its neighbours and never over another one."""
    middle: dict[Cell, float] = {}
    for cells in columns.cells:
        y = 0.0
        for cell in cells:
            middle[cell] = y + _height(cell) / 2
            y += _height(cell) + ROW_GAP
    for sweep in range(SWEEPS):
        neighbours = columns.before if sweep % 2 == 0 else columns.after
        for cells in columns.cells if sweep % 2 == 0 else reversed(columns.cells):
            wanted = [_mean([middle[n] for n in neighbours.get(cell, ())], middle[cell]) for cell in cells]
            apart = [(_height(a) + _height(b)) / 2 + ROW_GAP for a, b in pairwise(cells)]
            middle.update(zip(cells, spread_out(wanted, apart), strict=True))
    return middle


def spread_out(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (in the sum of squares) that keep the order and the distances."""
    offset = [0.0]
    for distance in apart:
        offset.append(offset[-1] + distance)
    blocks: list[tuple[float, int]] = []  # the mean and the size of each run of cells that touch
    for want, shift in zip(wanted, offset, strict=False):
        mean, size = want - shift, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    return [mean + shift for mean, shift in zip((m for m, size in blocks for _ in range(size)), offset, strict=False)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _height(cell: Cell) -> float:
    return BOX_HEIGHT if isinstance(cell, str) else 0.0


def _curve(corners: list[XY]) -> tuple[XY, ...]:
    """A smooth way from the right side of the first box, through each place, to the left side of the last box."""
    points: list[XY] = [(corners[0][0] + BOX_WIDTH, corners[0][1])]
    for left, y in corners[1:]:
        x0, y0 = points[-1]
        bend = max(COLUMN_GAP, abs(left - x0)) / 2
        points += [(x0 + bend, y0), (left - bend, y), (left, y)]
        if (left, y) != corners[-1]:
            points += [(left + BOX_WIDTH / 3, y), (left + 2 * BOX_WIDTH / 3, y), (left + BOX_WIDTH, y)]
    return tuple(points)
