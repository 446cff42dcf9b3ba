"""Records and their order -> the graph that pictures are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kvdocs.cited import title_of
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.defect import status_badge as defect_badge
from kvdocs.kinds.item import STATE_TONES
from kvdocs.kinds.reference import Reference
from kvdocs.kinds.reference import state_badge as reference_badge
from kvdocs.order import Order, Row
from kvdocs.pictures.graph_data import Arrow, Graph, Node, graph_of
from kvdocs.registry import Entry, Registry
from kvdocs.view import Badge

Address = Callable[[str], str]
"""The address of a record's page by its id, relative to the page that shows the picture."""

FINISHED = ("done", "not_planned")
OVER = ("fixed", "superseded", "withdrawn")
CLOSED_STATES = ("closed", "merged", "exists")
"""When a row of the order, a defect and a reference ask for nothing any more."""

UNCONNECTED_KINDS = ("owner", "environment", "result")
"""Kinds that nearly everything points to, or that are too many: a picture with them would show nothing."""


def work_graph(registry: Registry, order: Order, address: Address) -> Graph:
    """Items, decisions, the references that matter to them, and the defects they fix; by rank, then by id.

    Arrows run with the work: what blocks to what waits, a pull request to the item that it implements, an item to the defect that it fixes.
    """
    return graph_of(_work_nodes(registry, order, address), _work_arrows(registry, order))


def record_graph(registry: Registry, order: Order, address: Address) -> Graph:
    """The work graph and all other records, with their links as arrows; for the surroundings of one record."""
    nodes = {node.id: node for node in _work_nodes(registry, order, address)}
    for entry in registry:
        if entry.id not in nodes and entry.kind.name not in UNCONNECTED_KINDS:
            nodes[entry.id] = _other_node(entry, registry, address)
    work = list(_work_arrows(registry, order))
    joined = {pair for a in work for pair in ((a.source, a.target), (a.target, a.source))}
    links = (Arrow(entry.id, link.target, "refers") for entry in registry for link in registry.links_from(entry.id) if link.target != entry.id and (entry.id, link.target) not in joined)
    return graph_of(nodes.values(), (*work, *links))


def _work_nodes(registry: Registry, order: Order, address: Address) -> Iterator[Node]:
    for row in order.rows.values():
        entry = registry.get(row.id)
        yield _other_node(entry, registry, address) if entry is not None and row.kind == "reference" else _row_node(row, registry, address)
    carried = {target for entry in registry.of("item") for _, target in entry.links_in(("implemented_by",))}
    for entry in registry.of("reference"):
        if entry.id in carried and entry.id not in order.rows:
            yield _other_node(entry, registry, address)
    for entry in registry.of("defect"):
        if any(target in order.rows for _, target in entry.links_in(("fixed_by",))):
            yield _other_node(entry, registry, address)


def _row_node(row: Row, registry: Registry, address: Address) -> Node:
    words = row.state.replace("_", " ")
    return Node(row.id, row.kind, plain_title(row.title), words, STATE_TONES.get(words, "plain"), address(row.id), _names(row.owners, registry), row.blocked_by, row.rank, row.state in FINISHED)


def _other_node(entry: Entry, registry: Registry, address: Address) -> Node:
    """A record without a place in the order; its state is the recorded one, and its kind where it has none."""
    record = entry.record
    if isinstance(record, Reference):
        badge, closed = reference_badge(record), record.state in CLOSED_STATES
    elif isinstance(record, Defect):
        badge, closed = defect_badge(record), record.status in OVER
    else:
        badge, closed = Badge(entry.kind.name), False
    return Node(entry.id, entry.kind.name, plain_title(title_of(entry, registry)), badge.text, badge.tone, address(entry.id), _names(getattr(record, "owners", ()), registry), is_closed=closed)


def _names(owners: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """What people call the owners."""
    return tuple(plain_title(entry.record.title) if (entry := registry.get(name)) is not None else name for name in owners)


def _work_arrows(registry: Registry, order: Order) -> Iterator[Arrow]:
    for source, target in sorted(order.network.pairs):
        yield Arrow(source, target, "blocks", source in order.rows[target].blocked_by)
    for entry in registry.of("item"):
        for _, target in entry.links_in(("implemented_by",)):
            yield Arrow(target, entry.id, "implements")
    for entry in registry.of("defect"):
        for _, target in entry.links_in(("fixed_by",)):
            yield Arrow(target, entry.id, "fixes")


def plain_title(markdown: str) -> str:
    """A title without the marks of Markdown."""
    return markdown.replace("`", "").replace("**", "")
