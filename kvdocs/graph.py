"""The dependency graph of items, decisions and references, and what is wrong with its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kvdocs.registry import Registry
from kvdocs.source import natural_key

if TYPE_CHECKING:
    import networkx as nx

    Graph: TypeAlias = "nx.DiGraph[str]"


class Edge(NamedTuple):
    """`waiting` waits for `blocker`, and says so in its record."""

    blocker: str
    waiting: str


def edges(registry: Registry) -> list[Edge]:
    """Every link that gives order of work, between records that exist."""
    return registry.once("edges", _edges)


def _edges(registry: Registry) -> list[Edge]:
    return [Edge(target, entry.id) for entry in registry if entry.waits for target in entry.waits.split() if registry.has(target)]


def waits_of(registry: Registry) -> str:
    """A text that is another one whenever something waits for something else."""
    return registry.once("waits", lambda known: "\n".join([f"{entry.id} {entry.waits}" for entry in known if entry.waits]))


def is_acyclic(links: list[Edge]) -> bool:
    """Whether no record waits for itself: Kahn's algorithm, so that a sound registry need not load networkx to learn it."""
    waiting_for: dict[str, int] = {}
    unlocks: dict[str, list[str]] = {}
    for blocker, waiting in links:
        waiting_for[waiting] = waiting_for.get(waiting, 0) + 1
        unlocks.setdefault(blocker, []).append(waiting)
    free = [name for name in unlocks if name not in waiting_for]
    while free:
        for name in unlocks.get(free.pop(), ()):
            waiting_for[name] -= 1
            if not waiting_for[name]:
                free.append(name)
    return not any(waiting_for.values())


def is_sound(registry: Registry) -> bool:
    """Whether no record waits for itself through what gives order of work."""
    return registry.once("sound", lambda known: is_acyclic(edges(known)))


class Network:
    """What waits for what: items, decisions, and the references that something waits for. networkx puts it in order."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    @cached_property
    def before(self) -> dict[str, list[str]]:
        """By id what each waits for."""
        found: dict[str, list[str]] = {entry.id: [] for kind in ("item", "decision") for entry in self.registry.of(kind)}
        for blocker, waiting in edges(self.registry):
            found.setdefault(blocker, [])
            before = found.setdefault(waiting, [])
            if blocker not in before:
                before.append(blocker)
        return found

    @cached_property
    def after(self) -> dict[str, list[str]]:
        """By id what waits for each."""
        found: dict[str, list[str]] = {node: [] for node in self.before}
        for node, blockers in self.before.items():
            for blocker in blockers:
                found[blocker].append(node)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.before)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each blocker with what waits for it, once."""
        return [(blocker, waiting) for waiting, blockers in self.before.items() for blocker in blockers]

    @cached_property
    def graph(self) -> Graph:
        """The same as `dependency_graph` gives."""
        import networkx as nx

        graph: Graph = nx.DiGraph()
        graph.add_nodes_from(self.before)
        graph.add_edges_from(self.pairs)
        return graph

    @cached_property
    def sound(self) -> Graph:
        """The graph less the edges inside its circles, so that everything else can still be put in order."""
        return self.graph if is_sound(self.registry) else without_cycles(self.graph)

    def after_in_order(self, node: str) -> list[str]:
        """What waits for a node, less what stands in a circle with it."""
        return list(self.sound.successors(node))

    def backwards(self) -> list[str]:
        """All nodes, each after everything that waits for it."""
        import networkx as nx

        return list(reversed(list(nx.topological_sort(self.sound))))

    def in_order(self, key: Callable[[str], Any]) -> list[str]:
        """All nodes, none before one that it waits for; of those that could come next, the one with the least key."""
        import networkx as nx

        return list(nx.lexicographical_topological_sort(self.sound, key=key))


def dependency_graph(registry: Registry) -> Graph:
    """A directed graph whose edges run from what blocks to what waits.

    Nodes are all items and decisions, and the references that something waits for.
    """
    return Network(registry).graph


def graph_of(links: Iterable[Edge]) -> Graph:
    """A directed graph of these links."""
    import networkx as nx

    graph: Graph = nx.DiGraph()
    graph.add_edges_from(links)
    return graph


def cycles(graph: Graph) -> list[list[Edge]]:
    """One cycle for each group of records that block each other, as its edges in order.

    The cycle starts at the record whose id comes first, so that the answer is the same each time.
    """
    import networkx as nx

    found = []
    for group in nx.strongly_connected_components(graph):
        first = min(group, key=natural_key)
        if len(group) == 1 and not graph.has_edge(first, first):
            continue
        steps = nx.find_cycle(graph.subgraph(sorted(group, key=natural_key)), first)
        found.append([Edge(blocker, waiting) for blocker, waiting, *_ in steps])
    return sorted(found, key=lambda cycle: natural_key(cycle[0].blocker))


def without_cycles(graph: Graph) -> Graph:
    """The graph less the edges inside its cycles, so that everything else can still be put in order."""
    import networkx as nx

    group_of = {node: number for number, group in enumerate(nx.strongly_connected_components(graph)) for node in group}
    kept: Graph = nx.DiGraph()
    kept.add_nodes_from(graph)
    kept.add_edges_from((a, b) for a, b in graph.edges if group_of[a] != group_of[b])
    return kept
