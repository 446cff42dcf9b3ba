"""Which arrows a picture leaves out, against networkx and as a property of all graphs."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.pictures.graph_data import Graph, reduced
from kvdocs.pictures.reduction import depth_first, redundant
from tests.pictures.conftest import graph

PAIRS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")).filter(lambda p: p[0] != p[1]), max_size=24)


def test_a_longer_way_replaces_a_shortcut() -> None:
    assert redundant([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d")]) == {("a", "c"), ("a", "d")}


@given(PAIRS)
def test_on_graphs_without_circles_it_is_what_networkx_finds(pairs: list[tuple[str, str]]) -> None:
    forward = [(a, b) for a, b in pairs if a < b]
    kept = set(forward) - redundant(forward)
    assert kept == set(nx.transitive_reduction(nx.DiGraph(forward)).edges)


@given(PAIRS)
def test_what_can_be_reached_stays_the_same_even_with_circles(pairs: list[tuple[str, str]]) -> None:
    def reach(edges: list[tuple[str, str]]) -> set[tuple[str, str]]:
        whole = nx.DiGraph(edges)
        whole.add_nodes_from("abcdefgh")
        return {(a, b) for a in whole for b in nx.descendants(whole, a)}

    gone = redundant(pairs)
    assert reach([p for p in pairs if p not in gone]) == reach(pairs)


def test_a_chain_of_ten_thousand_does_not_meet_the_limit_of_the_stack() -> None:
    chain = [(str(n), str(n + 1)) for n in range(10_000)]
    order, backward = depth_first(chain)
    assert (len(order), backward, redundant(chain)) == (10_001, set(), set())


def _arrows(g: Graph) -> list[str]:
    return [f"{a.source}>{a.target}" for a in reduced(g).arrows]


def test_a_shortcut_through_work_to_do_is_left_out() -> None:
    assert _arrows(graph("a>b b>c a>c")) == ["a>b", "b>c"]


def test_what_holds_somebody_up_stays_when_the_longer_way_leads_through_finished_work() -> None:
    """`b` is done although `a` is not: without a>c the picture would show nothing that `c` waits for."""
    assert _arrows(graph("a>b b>c a>c", done="b")) == ["a>b", "b>c", "a>c"]
