"""Places of boxes: none lies over another, arrows run from left to right, and the same graph gives the same places."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdocs.pictures.graph_data import Graph, components
from kvdocs.pictures.graphviz import _unheard, dot_text, graphviz_engine, library_engine
from kvdocs.pictures.layered import column_of, layered_parts, spread_out
from kvdocs.pictures.layout import BOX_HEIGHT, BOX_WIDTH, Engine, Layout, best_engine, lay_out
from kvdocs.pictures.packing import pack
from tests.pictures.conftest import graph

ENGINES = [
    pytest.param(layered_parts, id="own"),
    pytest.param(graphviz_engine(), id="graphviz", marks=pytest.mark.skipif(graphviz_engine() is None, reason="no Graphviz here")),
    pytest.param(library_engine(), id="pygraphviz", marks=pytest.mark.skipif(library_engine() is None, reason="no pygraphviz here")),
]
GRAPHS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda p: p[0] != p[1]), min_size=1, max_size=20, unique=True).map(
    lambda pairs: graph(" ".join(f"n{a}>n{b}" for a, b in pairs), nodes="alone1 alone2")
)


@pytest.fixture
def no_memory() -> Iterator[None]:
    """Look for Graphviz anew, before and after."""
    graphviz_engine.cache_clear()
    yield
    graphviz_engine.cache_clear()


def boxes(layout: Layout) -> dict[str, tuple[float, float]]:
    """The upper left corner of every box in the picture."""
    return {name: (px + x, py + y) for part, (px, py) in zip(layout.parts, layout.places, strict=True) for name, (x, y) in part.boxes.items()}


@pytest.mark.parametrize("engine", ENGINES)
@settings(deadline=None, max_examples=30)
@given(GRAPHS)
def test_no_box_lies_over_another_and_all_lie_in_the_picture(engine: Engine, g: Graph) -> None:
    (layout,) = lay_out([g], engine)
    placed = boxes(layout)
    assert placed.keys() == g.nodes.keys()
    for (x0, y0), (x1, y1) in combinations(placed.values(), 2):
        assert abs(x0 - x1) >= BOX_WIDTH - 0.01 or abs(y0 - y1) >= BOX_HEIGHT - 0.01
    for x, y in placed.values():
        assert -0.01 <= x <= layout.width - BOX_WIDTH + 0.01
        assert -0.01 <= y <= layout.height - BOX_HEIGHT + 0.01


@pytest.mark.parametrize("engine", ENGINES)
def test_work_runs_from_left_to_right(engine: Engine) -> None:
    (layout,) = lay_out([graph("a>b b>c a>c x>c c>d")], engine)
    placed = boxes(layout)
    assert placed["a"][0] < placed["b"][0] < placed["c"][0] < placed["d"][0]
    assert placed["x"][0] == placed["b"][0]


@pytest.mark.parametrize("engine", ENGINES)
def test_arrows_begin_and_end_at_their_boxes(engine: Engine) -> None:
    g = graph("a>b b>c a>c")
    (layout,) = lay_out([g], engine)
    (part,) = layout.parts
    for route in part.routes:
        (sx, sy), (tx, ty) = part.boxes[route.arrow.source], part.boxes[route.arrow.target]
        assert route.points[0] == (sx + BOX_WIDTH, sy + BOX_HEIGHT / 2)
        assert route.points[-1] == (tx, ty + BOX_HEIGHT / 2)
        assert len(route.points) % 3 == 1
    assert [r.arrow for r in part.routes] == list(g.arrows)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_that_block_each_other_are_drawn_all_the_same(engine: Engine) -> None:
    (layout,) = lay_out([graph("a>b b>c c>a")], engine)
    assert len(layout.parts[0].boxes) == len(layout.parts[0].routes) == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_graph_gives_the_same_places(engine: Engine) -> None:
    g = graph("a>b b>c a>c x>c y>x c>z", nodes="alone")
    assert lay_out([g], engine) == lay_out([g], engine)


def test_a_small_graph_by_the_own_layout() -> None:
    (layout,) = lay_out([graph("a>b a>c b>d c>d", nodes="alone")], layered_parts)
    assert boxes(layout) == {"a": (0.0, 37.0), "b": (256.0, 0.0), "c": (256.0, 74.0), "d": (512.0, 37.0), "alone": (736.0, 0.0)}


def test_what_comes_before_nothing_else_stands_next_to_what_waits_for_it() -> None:
    assert column_of(graph("a>b b>c late>c")) == {"a": 0, "b": 1, "late": 1, "c": 2}


def test_parts_are_the_connected_ones_and_single_records_come_last() -> None:
    assert [list(part.nodes) for part in components(graph("a>b x>y", nodes="alone b2"))] == [["a", "b"], ["x", "y"], ["alone"], ["b2"]]


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=30), st.integers(1, 120))
def test_packed_rectangles_keep_their_distance(sizes: list[tuple[int, int]], width: int) -> None:
    placed = list(zip(pack(sizes, width, 3), sizes, strict=True))
    for ((x0, y0), (w0, h0)), ((x1, y1), (w1, h1)) in combinations(placed, 2):
        assert x0 + w0 + 3 <= x1 or x1 + w1 + 3 <= x0 or y0 + h0 + 3 <= y1 or y1 + h1 + 3 <= y0
    for (x, _), (w, _) in placed:
        assert x == 0 or x + w <= width


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20))
def test_cells_move_as_near_as_their_order_and_distance_allow(wanted: list[int]) -> None:
    placed = spread_out(wanted, [10.0] * (len(wanted) - 1))
    assert all(b - a >= 10 - 1e-9 for a, b in pairwise(placed))
    assert sum(placed) == pytest.approx(sum(wanted))


def test_cells_that_have_room_stand_where_they_want() -> None:
    assert spread_out([0, 20, 40], [10, 10]) == [0, 20, 40]


def test_without_graphviz_the_own_layout_draws(monkeypatch: pytest.MonkeyPatch, no_memory: None) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    assert best_engine() is layered_parts


@pytest.mark.parametrize("answer", ["exit 3", "echo nonsense", "echo 'node n0 1'"])
def test_a_graphviz_that_does_not_work_is_passed_over(answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_memory: None) -> None:
    dot = tmp_path / "dot"
    dot.write_text(f"#!/bin/sh\n{answer}\n")
    dot.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(dot))
    monkeypatch.setitem(__import__("sys").modules, "pygraphviz", None)
    assert best_engine() is layered_parts


def test_ids_never_reach_the_dot_language() -> None:
    """An id with a quote or a brace could end the text for Graphviz early."""
    assert 'a"}' not in dot_text(graph('a"}>b'))


def test_what_a_library_said_of_the_fonts_of_the_system_stood_among_the_words_of_the_program(capfd: pytest.CaptureFixture[str]) -> None:
    with _unheard():
        os.write(2, b"Fontconfig warning: unknown element\n")
    os.write(2, b"error: what is meant for people\n")
    assert capfd.readouterr().err == "error: what is meant for people\n"
