"""The dependency graph as text that other programs draw: Mermaid, Graphviz dot, JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from kvdocs.cited import title_of
from kvdocs.kinds.defect import Defect
from kvdocs.order import Order
from kvdocs.registry import Registry

SCHEMA = "kvdocs/graph/v1"
CLOSED = ("done", "not_planned")


class Node(NamedTuple):
    """A record in the picture."""

    id: str
    kind: str
    title: str
    state: str
    owners: tuple[str, ...]
    rank: int | None


class Arrow(NamedTuple):
    """`source` comes before `target`: it blocks it, or it fixes it."""

    source: str
    target: str
    relation: str


def nodes_and_arrows(registry: Registry, order: Order, *, open_only: bool = False) -> tuple[list[Node], list[Arrow]]:
    """Items, decisions and references by rank, then the defects that the items fix; arrows run with the work."""
    rows = [row for row in order.rows.values() if not (open_only and row.state in CLOSED)]
    nodes = [Node(row.id, row.kind, row.title, row.state, row.owners, row.rank) for row in rows]
    shown = {node.id for node in nodes}
    arrows = [Arrow(a, b, "blocks") for a, b in order.graph.edges if a in shown and b in shown]
    for entry in registry.of("defect"):
        record = entry.record
        if isinstance(record, Defect) and (fixes := [item for item in record.fixed_by if item in shown]):
            nodes.append(Node(entry.id, "defect", title_of(entry, registry), record.status.replace("-", "_"), tuple(record.owners), None))
            arrows += [Arrow(item, entry.id, "fixes") for item in fixes]
    return nodes, sorted(arrows, key=lambda a: ([n.id for n in nodes].index(a.source), a.target)) if len(nodes) < 500 else arrows


def json_document(registry: Registry, order: Order, *, open_only: bool = False) -> dict[str, Any]:
    """Nodes and arrows as `kvdocs graph --format json` prints them."""
    nodes, arrows = nodes_and_arrows(registry, order, open_only=open_only)
    return {
        "schema": SCHEMA,
        "nodes": [{name: list(v) if isinstance(v := getattr(n, name), tuple) else v for name in Node._fields} for n in nodes],
        "edges": [{"source": a.source, "target": a.target, "relation": a.relation} for a in arrows],
    }


def mermaid_text(registry: Registry, order: Order, *, open_only: bool = False) -> str:
    """A Mermaid flow chart from left to right; the class of a node is its state."""
    nodes, arrows = nodes_and_arrows(registry, order, open_only=open_only)
    names = {node.id: f"n{number}" for number, node in enumerate(nodes)}
    shapes = {"decision": ("{{", "}}"), "reference": ("([", "])"), "defect": ("[/", "/]")}
    lines = ["flowchart LR"]
    for node in nodes:
        start, end = shapes.get(node.kind, ("[", "]"))
        lines.append(f'  {names[node.id]}{start}"{_mermaid(node.id)} {_mermaid(node.title)}"{end}:::{node.state}')
    lines += [f"  {names[a.source]} {'-->' if a.relation == 'blocks' else '-.->'} {names[a.target]}" for a in arrows]
    return "\n".join(lines) + "\n"


def _mermaid(text: str) -> str:
    return text.replace("`", "").replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def dot_text(registry: Registry, order: Order, *, open_only: bool = False) -> str:
    """A Graphviz digraph from left to right; the class of a node is its kind and state."""
    nodes, arrows = nodes_and_arrows(registry, order, open_only=open_only)
    shapes = {"decision": "diamond", "reference": "oval", "defect": "note"}
    lines = ["digraph kvdocs {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    lines += [f'  {_dot(n.id)} [label={_dot(n.id)}, tooltip={_dot(n.title.replace("`", ""))}, class={_dot(f"{n.kind} {n.state}")}, shape={shapes.get(n.kind, "box")}];' for n in nodes]
    lines += [f"  {_dot(a.source)} -> {_dot(a.target)}{' [style=dashed]' if a.relation == 'fixes' else ''};" for a in arrows]
    return "\n".join([*lines, "}"]) + "\n"


def _dot(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
