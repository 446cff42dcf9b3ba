"""Connected graphs -> places by Graphviz: a `dot` on the PATH, or the library that pygraphviz brings along.

Both read the dot language and answer in the `plain` format (https://graphviz.org/docs/outputs/plain/).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from math import ceil

from kvdocs.pictures.graph_data import Graph
from kvdocs.pictures.layout import BOX_HEIGHT, BOX_WIDTH, COLUMN_GAP, ROW_GAP, XY, Engine, Part, Route

INCH = 72.0
"""Graphviz measures in inches; a pixel is a point here."""

PATIENCE_SECONDS = 60.0

_FAILURES = (OSError, subprocess.SubprocessError, ValueError, LookupError)
"""What an optional program may do wrong: not start, end badly, take too long, print something else."""

_Program = Callable[[str], str]
"""Takes graphs in the dot language, gives them in the plain format."""

_HEAD = (
    f"rankdir=LR; nodesep={ROW_GAP / INCH:.4f}; ranksep={COLUMN_GAP / INCH:.4f}; "
    f'node [shape=box, fixedsize=true, label="", width={BOX_WIDTH / INCH:.4f}, height={BOX_HEIGHT / INCH:.4f}]; edge [arrowhead=none, tailport=e, headport=w];'
)


@lru_cache(maxsize=1)
def graphviz_engine() -> Engine | None:
    """An engine that asks Graphviz, or None when there is none that can lay out a small graph."""
    return next((engine for program in (_dot_program, _library_program) if (engine := _engine_of(program)) is not None), None)


def library_engine() -> Engine | None:
    """As `graphviz_engine`, by pygraphviz alone."""
    return _engine_of(_library_program)


def _engine_of(program: _Program) -> Engine | None:
    """An engine that uses a program, or None when it cannot lay out a small graph."""
    try:
        _parts_of(program("digraph { n0 -> n1 }\n"))
    except (ImportError, *_FAILURES):
        return None
    return _engine(program)


def _engine(program: _Program) -> Engine:
    from kvdocs.pictures.layered import layered_parts

    def lay_out_parts(graphs: Sequence[Graph]) -> list[Part]:
        if not graphs:
            return []
        try:
            drawn = _parts_of(program("".join(dot_text(graph) for graph in graphs)))
            return [_part(graph, nodes, edges, height) for graph, (nodes, edges, height) in zip(graphs, drawn, strict=True)]
        except _FAILURES:
            return layered_parts(graphs)

    return lay_out_parts


def dot_text(graph: Graph) -> str:
    """The graph in the dot language: nodes are numbered, so that no id has to be quoted."""
    number = {name: f"n{position}" for position, name in enumerate(graph.nodes)}
    nodes = "; ".join(number.values())
    edges = "; ".join(f"{number[a.source]} -> {number[a.target]}" for a in graph.arrows)
    return f"digraph {{ {_HEAD} {nodes}; {edges} }}\n"


def _dot_program(text: str) -> str:
    dot = shutil.which("dot")
    if dot is None:
        raise FileNotFoundError("dot")
    done = subprocess.run([dot, "-Tplain"], input=text, capture_output=True, encoding="utf-8", check=True, timeout=PATIENCE_SECONDS)
    return done.stdout


def _library_program(text: str) -> str:
    from pygraphviz import AGraph
    from pygraphviz import graphviz as library

    def draw(line: str) -> str:
        graph = AGraph(string=line)
        context = library.gvContextWithBuiltins()
        try:
            if library.gvLayout(context, graph.handle, b"dot"):
                raise ValueError("Graphviz cannot lay out")
            error, data = library.gvRenderData(context, graph.handle, b"plain")
            if error:
                raise ValueError("Graphviz cannot draw")
            library.gvFreeLayout(context, graph.handle)
            return str(data, "utf-8")
        finally:
            library.gvFreeContext(context)

    with _unheard():
        return "".join([draw(line) for line in text.splitlines()])


@contextmanager
def _unheard() -> Iterator[None]:
    """Let nobody hear what C libraries print meanwhile: the one that finds fonts, which nothing here shows, may complain of the system's."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


_Drawn = tuple[dict[int, XY], dict[tuple[int, int], list[tuple[XY, ...]]], float]
"""Centres of nodes, curves of edges, and the height, with the origin below as Graphviz has it."""


def _parts_of(plain: str) -> list[_Drawn]:
    """The graphs of a text in the plain format; ValueError when it is none."""
    drawn: list[_Drawn] = []
    for line in plain.splitlines():
        word, *rest = line.split()
        if word == "graph":
            drawn.append(({}, {}, float(rest[2]) * INCH))
        elif word == "node":
            drawn[-1][0][int(rest[0][1:])] = (float(rest[1]) * INCH, float(rest[2]) * INCH)
        elif word == "edge":
            count = int(rest[2])
            drawn[-1][1].setdefault((int(rest[0][1:]), int(rest[1][1:])), []).append(tuple(_pairs(rest[3 : 3 + 2 * count])))
    if not drawn:
        raise ValueError("not in the plain format of Graphviz")
    return drawn


def _pairs(numbers: Sequence[str]) -> Iterator[XY]:
    values = iter(numbers)
    while pair := list(islice(values, 2)):
        yield float(pair[0]) * INCH, float(pair[1]) * INCH


def _part(graph: Graph, centres: dict[int, XY], curves: dict[tuple[int, int], list[tuple[XY, ...]]], height: float) -> Part:
    """A part in pixels with its origin above and left; curves start and end exactly at the boxes, since Graphviz rounds to five digits."""
    number = {name: position for position, name in enumerate(graph.nodes)}
    left = min([x - BOX_WIDTH / 2 for x, _ in centres.values()] + [x for group in curves.values() for curve in group for x, _ in curve])
    tops = {name: (centres[n][0] - BOX_WIDTH / 2 - left, height - centres[n][1] - BOX_HEIGHT / 2) for name, n in number.items()}
    every_y = [y for _, y in tops.values()] + [height - y for group in curves.values() for curve in group for _, y in curve]
    above = min(every_y)
    boxes = {name: (x, y - above) for name, (x, y) in tops.items()}
    routes = []
    for arrow in graph.arrows:
        curve = curves[number[arrow.source], number[arrow.target]].pop(0)
        points = [(x - left, height - y - above) for x, y in curve]
        points[0] = (boxes[arrow.source][0] + BOX_WIDTH, boxes[arrow.source][1] + BOX_HEIGHT / 2)
        points[-1] = (boxes[arrow.target][0], boxes[arrow.target][1] + BOX_HEIGHT / 2)
        routes.append(Route(arrow, tuple(points)))
    right = max([x + BOX_WIDTH for x, _ in boxes.values()] + [x for route in routes for x, _ in route.points])
    bottom = max([y + BOX_HEIGHT for _, y in boxes.values()] + [y for route in routes for _, y in route.points])
    return Part(boxes, tuple(routes), ceil(right), ceil(bottom))
