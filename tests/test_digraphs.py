"""networkx in parts: what the order needs of it first, the rest when somebody asks."""

from __future__ import annotations

import subprocess
import sys

BEGIN = """
import sys
from kvdocs.digraphs import digraphs

def loaded() -> str:
    return "all" if "networkx.algorithms.flow" in sys.modules else "some" if "networkx" in sys.modules else "none"

"""


def printed(code: str) -> list[str]:
    """The lines that code prints in a process of its own: here networkx may be loaded already."""
    return subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_graph_is_put_in_order_with_a_part_of_networkx_and_asked_for_more_it_loads_the_rest() -> None:
    code = """
print(loaded())
nx = digraphs()
graph = nx.DiGraph()
graph.add_edges_from([("b", "c"), ("a", "c")])
print(loaded(), list(nx.topological_sort(graph)), list(nx.lexicographical_topological_sort(graph, key=str)))
print(list(nx.strongly_connected_components(graph)), nx.find_cycle.__name__)
import networkx
print(loaded(), networkx is nx, type(graph) is networkx.DiGraph, nx.algorithms.dag.topological_sort is nx.topological_sort)
"""
    assert printed(code) == ["none", "some ['b', 'a', 'c'] ['a', 'b', 'c']", "[{'c'}, {'b'}, {'a'}] find_cycle", "all True True True"]


def test_an_error_of_networkx_is_the_one_that_it_documents() -> None:
    code = """
nx = digraphs()
try:
    list(nx.topological_sort(nx.DiGraph([("a", "b"), ("b", "a")])))
except nx.NetworkXUnfeasible as error:
    print(error)
print(hasattr(nx, "no_such_name"))
"""
    assert printed(code) == ["Graph contains a cycle or graph changed during iteration", "False"]


def test_what_is_loaded_already_is_taken_as_it_is() -> None:
    assert printed("import networkx\nprint(digraphs() is networkx, loaded())") == ["True all"]


def test_a_networkx_whose_modules_are_others_is_loaded_as_a_whole() -> None:
    code = """
import kvdocs.digraphs
kvdocs.digraphs.IN_ORDER = "networkx.algorithms.no_such_module"
nx = digraphs()
print(loaded(), list(nx.topological_sort(nx.DiGraph([("a", "b")]))))
"""
    assert printed(code) == ["all ['a', 'b']"]
