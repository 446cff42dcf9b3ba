"""Edges -> the edges that a picture can leave out, because a longer way says the same (transitive reduction).

One pass with a set of bits for each node: 10,000 nodes take some milliseconds, where networkx takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Pair = tuple[str, str]


def redundant(edges: Iterable[Pair]) -> set[Pair]:
    """The edges (a, b) for which another way leads from a to b; edges that close a circle are always kept."""
    pairs = list(dict.fromkeys(edges))
    order, backward = depth_first(pairs)
    place = {node: number for number, node in enumerate(order)}
    after: dict[str, list[str]] = {}
    for a, b in pairs:
        if (a, b) not in backward:
            after.setdefault(a, []).append(b)
    reach: dict[str, int] = {}
    found: set[Pair] = set()
    for node in reversed(order):
        covered = 0
        for target in sorted(after.get(node, ()), key=place.__getitem__):
            bit = 1 << place[target]
            if covered & bit:
                found.add((node, target))
            covered |= reach[target] | bit
        reach[node] = covered
    return found


def depth_first(edges: Sequence[Pair]) -> tuple[list[str], set[Pair]]:
    """The nodes in a topological order, and the edges that had to be ignored for it because they close a circle.

    Iterative, so that a long chain does not meet the limit of the stack.
    """
    after: dict[str, list[str]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
        after.setdefault(b, [])
    finished: list[str] = []
    state: dict[str, bool] = {}  # False while a node's successors are walked, True afterwards
    backward: set[Pair] = set()
    for start, following in after.items():
        if start in state:
            continue
        state[start] = False
        todo = [(start, iter(following))]
        while todo:
            node, successors = todo[-1]
            target = next(successors, None)
            if target is None:
                state[node] = True
                finished.append(node)
                todo.pop()
            elif target not in state:
                state[target] = False
                todo.append((target, iter(after[target])))
            elif not state[target]:
                backward.add((node, target))
    finished.reverse()
    return finished, backward
