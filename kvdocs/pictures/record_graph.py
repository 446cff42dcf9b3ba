"""Records and their order -> the graph that pictures are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from kvdocs.cited import title_of
from kvdocs.entry import Entry
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.defect import status_badge as defect_badge
from kvdocs.kinds.item import STATE_TONES
from kvdocs.kinds.reference import Reference
from kvdocs.kinds.reference import state_badge as reference_badge
from kvdocs.order import Order, Row
from kvdocs.pictures.graph_data import Arrow, Graph, Node, graph_of
from kvdocs.registry import Registry
from kvdocs.view import Badge

Address = Callable[[str], str]
"""The address of a record's page by its id, relative to the page that shows the picture."""

FINISHED = ("done", "not_planned")
OVER = ("fixed", "superseded", "withdrawn")
CLOSED_STATES = ("closed", "merged", "exists")
"""When a row of the order, a defect and a reference ask for nothing any more."""

UNCONNECTED_KINDS = ("owner", "environment", "result")
"""Kinds that nearly everything points to, or that are too many: a picture with them would show nothing."""


class Outline(NamedTuple):
    """What must be known of a node to choose the part that is drawn."""

    is_closed: bool
    waits_for: tuple[str, ...]


class WorkGraph:
    """Items, decisions, the references that matter to them, and the defects they fix; by rank, then by id.

    Arrows run with the work: what blocks to what waits, a pull request to the item that it implements, an item to the defect that it fixes.
    Nodes are made for the part that is drawn.
    """

    def __init__(self, registry: Registry, order: Order, address: Address) -> None:
        self.registry, self.order, self.address = registry, order, address
        self.boxes: dict[str, Row | Entry] = {box.id: box for box in _boxes(registry, order)}

    def outline(self, are_over: Callable[[Sequence[Entry]], Iterable[bool]]) -> dict[str, Outline]:
        """Every node in outline; `are_over` gives for each of some records what `is_over` gives."""
        entries = [box for box in self.boxes.values() if isinstance(box, Entry)]
        over = dict(zip((entry.id for entry in entries), are_over(entries), strict=True))
        return {name: Outline(over[name], ()) if isinstance(box, Entry) else Outline(box.state in FINISHED, box.blocked_by) for name, box in self.boxes.items()}

    def part(self, names: Collection[str]) -> Graph:
        """These nodes with the arrows between them, in the order of the whole."""
        wanted = set(names)
        return graph_of(self.nodes(wanted), self.arrows(wanted))

    def nodes(self, names: Container[str]) -> Iterator[Node]:
        """The nodes of these names."""
        for name, box in self.boxes.items():
            if name in names:
                yield _other_node(box, self.registry, self.address) if isinstance(box, Entry) else _row_node(box, self.registry, self.address)

    def arrows(self, names: Container[str] | None = None) -> Iterator[Arrow]:
        """The arrows that lead to these names, or to any."""
        for source, target in sorted(pair for pair in self.order.network.pairs if names is None or pair[1] in names):
            yield Arrow(source, target, "blocks", source in self.order.rows[target].blocked_by)
        for entry in self.registry.of("item"):
            for _, target in entry.links_in(("implemented_by",)) if names is None or entry.id in names else ():
                yield Arrow(target, entry.id, "implements")
        for entry in self.registry.of("defect"):
            for _, target in entry.links_in(("fixed_by",)) if names is None or entry.id in names else ():
                yield Arrow(target, entry.id, "fixes")


def is_over(entry: Entry) -> bool:
    """Whether a record without a place in the order asks for nothing any more."""
    record = entry.record
    return record.state in CLOSED_STATES if isinstance(record, Reference) else isinstance(record, Defect) and record.status in OVER


def record_graph(registry: Registry, order: Order, address: Address) -> Graph:
    """The work graph and all other records, with their links as arrows; for the surroundings of one record."""
    whole = WorkGraph(registry, order, address)
    nodes = {node.id: node for node in whole.nodes(whole.boxes)}
    for entry in registry:
        if entry.id not in nodes and entry.kind.name not in UNCONNECTED_KINDS:
            nodes[entry.id] = _other_node(entry, registry, address)
    work = list(whole.arrows())
    joined = {pair for a in work for pair in ((a.source, a.target), (a.target, a.source))}
    links = (Arrow(entry.id, link.target, "refers") for entry in registry for link in registry.links_from(entry.id) if link.target != entry.id and (entry.id, link.target) not in joined)
    return graph_of(nodes.values(), (*work, *links))


def _boxes(registry: Registry, order: Order) -> Iterator[Row | Entry]:
    """What is drawn as a box: rows of the order, and records; a reference is drawn as the record that it is."""
    for row in order.rows.values():
        entry = registry.get(row.id) if row.kind == "reference" else None
        yield row if entry is None else entry
    carried = {target for entry in registry.of("item") for _, target in entry.links_in(("implemented_by",))}
    yield from (entry for entry in registry.of("reference") if entry.id in carried and entry.id not in order.rows)
    yield from (entry for entry in registry.of("defect") if any(target in order.rows for _, target in entry.links_in(("fixed_by",))))


def _row_node(row: Row, registry: Registry, address: Address) -> Node:
    words = row.state.replace("_", " ")
    return Node(row.id, row.kind, plain_title(row.title), words, STATE_TONES.get(words, "plain"), address(row.id), _names(row.owners, registry), row.blocked_by, row.rank, row.state in FINISHED)


def _other_node(entry: Entry, registry: Registry, address: Address) -> Node:
    """A record without a place in the order; its state is the recorded one, and its kind where it has none."""
    record = entry.record
    if isinstance(record, Reference):
        badge = reference_badge(record)
    elif isinstance(record, Defect):
        badge = defect_badge(record)
    else:
        badge = Badge(entry.kind.name)
    return Node(entry.id, entry.kind.name, plain_title(title_of(entry, registry)), badge.text, badge.tone, address(entry.id), _names(getattr(record, "owners", ()), registry), is_closed=is_over(entry))


def _names(owners: Iterable[str], registry: Registry) -> tuple[str, ...]:
    """What people call the owners."""
    return tuple(plain_title(entry.record.title) if (entry := registry.get(name)) is not None else name for name in owners)


def plain_title(markdown: str) -> str:
    """A title without the marks of Markdown."""
    return markdown.replace("`", "").replace("**", "")
