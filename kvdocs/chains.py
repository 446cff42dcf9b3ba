"""Questions about the order: why a record stands where it does, what has to happen first, the longest chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from kvdocs.kinds.decision import Decision
from kvdocs.kinds.item import Item
from kvdocs.order import Order, Row, effort, plan
from kvdocs.registry import Registry

FULFIL = {"item": "done", "decision": "decided", "reference": "merged"}
"""The status under which a blocker of each kind no longer blocks."""


class Step(NamedTuple):
    """One line of a chain: a row, how deep it stands, and what is said of it."""

    depth: int
    row: Row
    text: str


class Explanation(NamedTuple):
    """Why a record stands where it does, what stands beside it, and what would change it."""

    id: str
    steps: tuple[Step, ...]
    neighbours: tuple[str, ...]
    changes: tuple[str, ...]

    def lines(self) -> list[str]:
        """The explanation as indented text."""
        lines = [f"{'  ' * s.depth}{s.row.id} {s.row.title} – {s.text}" for s in self.steps]
        lines += ["", *self.neighbours] if self.neighbours else []
        return lines + (["", "What would change it:", *(f"  {c}" for c in self.changes)] if self.changes else [])

    def document(self) -> dict[str, Any]:
        """The explanation as `kvdocs order --explain ID --json` prints it."""
        return {
            "schema": "kvdocs/explanation/v1",
            "id": self.id,
            "chain": [{"depth": s.depth, "id": s.row.id, "state": s.row.state, "text": s.text} for s in self.steps],
            "neighbours": list(self.neighbours),
            "changes": list(self.changes),
        }


class Path(NamedTuple):
    """Records in the order in which they have to be worked on, with their summed effort."""

    title: str
    goal: str | None
    rows: tuple[Row, ...]
    weight: Decimal

    def lines(self) -> list[str]:
        """A numbered list under the title."""
        if not self.rows:
            return [self.title]
        return [self.title, *(f"  {n}. {r.id} {r.title} ({', '.join(r.owners) or 'open'}{', ' + r.size if r.size else ''})" for n, r in enumerate(self.rows, 1))]

    def document(self) -> dict[str, Any]:
        """The path as `--for` and `--critical-path` print it with `--json`."""
        return {"schema": "kvdocs/path/v1", "goal": self.goal, "weight": float(self.weight), "steps": [r.document() for r in self.rows]}


def explain(registry: Registry, name: str, assumed: Mapping[str, str]) -> Explanation:
    """The chain of reasons behind the place of a record, through everything it waits for."""
    order = plan(registry, assumed)
    steps = tuple(_chain(order, name))
    return Explanation(name, steps, tuple(_neighbours(order, name)), tuple(changes(registry, order, name, assumed)))


def _chain(order: Order, goal: str) -> Iterator[Step]:
    """A record and everything that it waits for, each below what waits for it; what a record waits for is told once."""
    told: set[str] = set()
    open_now: set[str] = set()
    todo = [(goal, 0, False)]
    while todo:
        name, depth, is_told = todo.pop()
        if is_told:
            open_now.discard(name)
            continue
        row = order.rows[name]
        if name in open_now:
            yield Step(depth, row, "again: these block each other")
            continue
        place = f"rank {row.rank}, " if row.rank and depth == 0 else ""
        state = row.state.replace("_", " ")
        text = place + (row.why if row.why.startswith((state, "waits")) else f"{state}: {row.why}")
        if name in told and row.blocked_by:
            yield Step(depth, row, f"{text}, as above")
            continue
        yield Step(depth, row, text)
        told.add(name)
        open_now.add(name)
        todo += [(name, depth, True), *((blocker, depth + 1, False) for blocker in reversed(row.blocked_by))]


def _neighbours(order: Order, name: str) -> list[str]:
    """What stands just before and just after it."""
    row = order.rows[name]
    ranked = order.of("actionable", "in_review", "waiting")
    if row.rank is None:
        return []
    lines = []
    if row.rank > 1:
        before = ranked[row.rank - 2]
        lines.append(f"Before it: {before.id} ({before.why})")
    if row.rank < len(ranked):
        after = ranked[row.rank]
        lines.append(f"After it: {after.id} ({after.why})")
    return lines


def changes(registry: Registry, order: Order, name: str, assumed: Mapping[str, str]) -> list[str]:
    """What would change the place of a record: each single blocker, and all of them together; tried out, not guessed. `order` is the one that is assumed."""
    row = order.rows[name]
    if row.state in ("actionable", "in_review"):
        freed = ", ".join(row.unlocks)
        return [f"when {name} is {'decided' if row.kind == 'decision' else 'done'}, {freed} lose{'s' if len(row.unlocks) == 1 else ''} this blocker"] if freed else []
    lines = []
    for blocker in row.blocked_by:
        status = FULFIL.get(order.rows[blocker].kind)
        if status is None:  # a record that nothing can wait for, which is a problem of its own
            continue
        then = plan(registry, {**assumed, blocker: status}).rows[name]
        lines.append(f"{blocker} {status}: {name} is {_state_words(then)}")
    needed = steps_to(registry, name, assumed).rows
    if len(needed) > 1:
        everything = {r.id: FULFIL[r.kind] for r in needed if r.kind in FULFIL}
        then = plan(registry, {**assumed, **everything}).rows[name]
        lines.append(f"{', '.join(everything)} all done: {name} is {_state_words(then)}")
    return lines


def _state_words(row: Row) -> str:
    words = row.state.replace("_", " ")
    if row.state == "waiting":
        return f"still waiting for {', '.join(row.blocked_by)}" if row.blocked_by else f"still waiting: {row.why}"
    return f"{words}, rank {row.rank}" if row.rank else words


def steps_to(registry: Registry, goal: str, assumed: Mapping[str, str]) -> Path:
    """The unfinished records that have to be finished before `goal` can start, in an order in which they can be."""
    import networkx as nx

    order = plan(registry, assumed)
    needed = _open_ancestors(order, goal)
    ranked = {name: number for number, name in enumerate(order.rows)}
    sequence = list(nx.lexicographical_topological_sort(order.graph.subgraph(needed), key=ranked.__getitem__)) if nx.is_directed_acyclic_graph(order.graph.subgraph(needed)) else sorted(needed, key=ranked.__getitem__)
    rows = tuple(order.rows[n] for n in sequence)
    title = f"Before {goal} can start:" if rows else f"Nothing has to be done before {goal}: it is {order.rows[goal].state.replace('_', ' ')}."
    return Path(title, goal, rows, _weight(registry, rows))


def _open_ancestors(order: Order, goal: str) -> set[str]:
    """What a goal waits for, through unmet blockers only: behind a finished one nothing is needed any more."""
    needed: set[str] = set()
    todo = list(order.rows[goal].blocked_by)
    while todo:
        name = todo.pop()
        if name not in needed and name != goal:
            needed.add(name)
            todo += order.rows[name].blocked_by
    return needed


def critical_path(registry: Registry, assumed: Mapping[str, str]) -> Path:
    """The chain of unfinished records with the largest summed effort; of equal ones, the one ranked first."""
    import networkx as nx

    from kvdocs.graph import without_cycles

    order = plan(registry, assumed)
    open_ = [row.id for row in order.of("actionable", "in_review", "waiting")]
    graph = without_cycles(order.graph.subgraph(open_))
    best: dict[str, tuple[Decimal, str | None]] = {}
    for node in nx.topological_sort(graph):
        # The first of the heaviest predecessors in rank order, so that the answer is the same each time.
        before = sorted(graph.predecessors(node), key=lambda n: (-best[n][0], order.rows[n].rank or 0))
        weight = _effort(registry, node) + (best[before[0]][0] if before else 0)
        best[node] = (weight, before[0] if before else None)
    if not best:
        return Path("Nothing unfinished is left.", None, (), Decimal(0))
    end: str | None = min(best, key=lambda n: (-best[n][0], order.rows[n].rank or 0))
    weight = best[end][0] if end else Decimal(0)
    chain = []
    while end is not None:
        chain.append(order.rows[end])
        end = best[end][1]
    return Path(f"The longest chain of unfinished work (effort {weight.normalize():f}):", None, tuple(reversed(chain)), weight)


def _effort(registry: Registry, name: str) -> Decimal:
    entry = registry.get(name)
    return effort(entry.record) if entry is not None and isinstance(entry.record, Item | Decision) else Decimal(0)


def _weight(registry: Registry, rows: tuple[Row, ...]) -> Decimal:
    return sum((_effort(registry, r.id) for r in rows), Decimal(0))
