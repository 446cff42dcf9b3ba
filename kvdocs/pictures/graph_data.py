"""Nodes and arrows of a picture, and the parts of a large graph that are worth a picture of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from kvdocs.pictures.reduction import redundant

Relation = Literal["blocks", "fixes", "implements", "refers"]
WORK: tuple[Relation, ...] = ("blocks", "fixes", "implements")
"""The relations that run with the work, from what comes first to what comes after it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A record as a box: its state in words with a tone, what it waits for now, the names of its owners, and the address of its page."""

    id: str
    kind: str
    title: str
    state: str
    tone: str = "plain"
    href: str = ""
    owners: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    rank: int | None = None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """`source` comes before `target`; `holds_up` says that it is the reason why the target waits today."""

    source: str
    target: str
    relation: Relation
    holds_up: bool = False


@dataclass(frozen=True)
class Graph:
    """Nodes by id, in the order in which they matter, and arrows between them."""

    nodes: dict[str, Node]
    arrows: tuple[Arrow, ...]

    @cached_property
    def arrows_at(self) -> dict[str, list[Arrow]]:
        """The arrows that start or end at each node."""
        found: dict[str, list[Arrow]] = {name: [] for name in self.nodes}
        for arrow in self.arrows:
            found[arrow.source].append(arrow)
            if arrow.target != arrow.source:
                found[arrow.target].append(arrow)
        return found

    def part(self, names: Collection[str]) -> Graph:
        """These nodes with the arrows between them, in the order of the whole."""
        wanted = set(names)
        return Graph({n: node for n, node in self.nodes.items() if n in wanted}, tuple(a for a in self.arrows if a.source in wanted and a.target in wanted))


def reduced(graph: Graph) -> Graph:
    """The graph less the arrows that a longer way replaces; what holds somebody up stays visible as such.

    An arrow that holds up is left out only where a way of such arrows remains.
    """
    work = [(a.source, a.target) for a in graph.arrows if a.relation == "blocks"]
    needless = redundant(work)
    needless_today = redundant((a.source, a.target) for a in graph.arrows if a.relation == "blocks" and a.holds_up)
    kept = tuple(a for a in graph.arrows if a.relation != "blocks" or (a.source, a.target) not in (needless_today if a.holds_up else needless))
    return Graph(graph.nodes, kept)


def components(graph: Graph) -> list[Graph]:
    """The connected parts, each by its most important node; nodes without arrows come last, one by one."""
    seen: set[str] = set()
    found = []
    for name in graph.nodes:
        if name not in seen:
            group = _reachable(graph, name)
            seen |= group
            found.append(group)
    found.sort(key=lambda group: len(group) == 1)
    number = {name: position for position, group in enumerate(found) for name in group}
    nodes: list[dict[str, Node]] = [{} for _ in found]
    arrows: list[list[Arrow]] = [[] for _ in found]
    for name, node in graph.nodes.items():
        nodes[number[name]][name] = node
    for arrow in graph.arrows:
        arrows[number[arrow.source]].append(arrow)
    return [Graph(n, tuple(a)) for n, a in zip(nodes, arrows, strict=True)]


def _reachable(graph: Graph, start: str) -> set[str]:
    group, todo = {start}, [start]
    while todo:
        for arrow in graph.arrows_at[todo.pop()]:
            for end in (arrow.source, arrow.target):
                if end not in group:
                    group.add(end)
                    todo.append(end)
    return group


def neighbourhood(graph: Graph, centre: str, hops: int = 2, limit: int = 60, references: int = 12) -> Graph:
    """What lies within so many steps of a record, nearest first, and at most `limit` nodes.

    A reference from one record to another (`refers`) counts only as a first step from a record that no work leads to or from, and only so many do:
    a record that everything refers to would otherwise show everything.
    """
    found = {centre}
    ring = [centre]
    for hop in range(hops):
        following: list[str] = []
        for other in [other for name in ring for other in _steps(graph, name, references if not hop else 0)]:
            if other not in found and len(found) < limit:
                found.add(other)
                following.append(other)
        ring = following
    part = graph.part(found)
    return Graph(part.nodes, tuple(a for a in part.arrows if a.relation in WORK or centre in (a.source, a.target)))


def _steps(graph: Graph, name: str, references: int) -> list[str]:
    """The neighbours of a node along the work; where it has none, the most important ones that it refers to or that refer to it."""
    work = [_other(arrow, name) for arrow in graph.arrows_at[name] if arrow.relation in WORK]
    if work or not references:
        return work
    place = {node: number for number, node in enumerate(graph.nodes)}
    return sorted({_other(arrow, name) for arrow in graph.arrows_at[name]}, key=place.__getitem__)[:references]


def _other(arrow: Arrow, name: str) -> str:
    return arrow.target if arrow.source == name else arrow.source


class Outlined(Protocol):
    """What must be known of a node to choose the part that is drawn."""

    @property
    def is_closed(self) -> bool:
        """Whether it asks for nothing any more."""

    @property
    def waits_for(self) -> tuple[str, ...]:
        """What it waits for now."""


def most_important(nodes: Mapping[str, Outlined], limit: int) -> Collection[str]:
    """The first `limit` unfinished nodes together with what they wait for, as far as the limit allows."""
    names: dict[str, None] = {}
    for name, node in nodes.items():
        if len(names) >= limit:
            break
        if not node.is_closed:
            names.update(dict.fromkeys((name, *(n for n in node.waits_for if n in nodes))))
    return list(names)[:limit]


def unfinished(nodes: Mapping[str, Outlined]) -> Collection[str]:
    """What is neither done nor given up."""
    return [name for name, node in nodes.items() if not node.is_closed]


def graph_of(nodes: Iterable[Node], arrows: Iterable[Arrow]) -> Graph:
    """A graph from its parts; an arrow to a node that is not there is left out, and each arrow is there once."""
    by_id = {node.id: node for node in nodes}
    return Graph(by_id, tuple(dict.fromkeys(a for a in arrows if a.source in by_id and a.target in by_id)))
