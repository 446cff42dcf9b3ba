"""Order of work: the state of every item, decision and reference, its rank, and why it stands there.

The rank rule, in four sentences.
What is finished or never done apart, records come in the order in which they can be worked on, and a record never comes before one that it waits for.
Among those that can be worked on, the largest *measured* payoff comes first, counting what a record brings itself and what everything behind it brings; a ceiling or an estimate counts nothing.
Then whatever more unfinished work waits for, then what is implemented and needs only its review, then decisions, then the smaller size, then the smaller blast radius, then the id.
What its record calls optional comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kvdocs.cache import Cache, decode, digest_of, encode
from kvdocs.cited import gain_of, measured_payoff, title_of
from kvdocs.entry import Entry
from kvdocs.graph import Network, waits_of
from kvdocs.kinds.decision import Decision
from kvdocs.kinds.item import Item
from kvdocs.model import BLAST_RADII, SIZES, Number
from kvdocs.registry import Registry
from kvdocs.source import natural_key
from kvdocs.work import Work, cites_gain, is_implemented, works_of

if TYPE_CHECKING:
    from kvdocs.exhibit import GateVerdict
    from kvdocs.graph import Graph

STATES = ("actionable", "in_review", "waiting", "done", "not_planned")
OPEN = ("actionable", "in_review", "waiting")
SCHEMA = "kvdocs/order/v1"

NAMED = 12
"""So many records behind one are named in its reasons; more are counted."""

ASSUMABLE = {
    "item": ("open", "implemented", "done", "not-planned"),
    "decision": ("open", "decided"),
    "reference": ("open", "closed", "merged"),
}
"""What `--assume ID=STATUS` may say of each kind."""

EFFORT = {"XS": 1, "S": 2, "M": 4, "L": 8, "XL": 16}
"""How the critical path weighs sizes: each is twice the one before; a range is the mean of its ends, a decision is 1."""


class Row(NamedTuple):
    """One record in the order of work. `rank` is None for what is done, not planned, or a reference."""

    id: str
    kind: str
    title: str
    state: str
    rank: int | None
    owners: tuple[str, ...]
    owner_open: str | None
    size: str | None
    blast_radius: str | None
    blocked_by: tuple[str, ...]
    unlocks: tuple[str, ...]
    next_step: str | None
    why: str

    def document(self) -> dict[str, Any]:
        """The row as `kvdocs order --json` prints it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in zip(self._fields, self, strict=True)}

    @classmethod
    def of(cls, values: Iterable[Any]) -> Row:
        """A row from its values, in which lists stand for tuples."""
        return cls._make([tuple(value) if isinstance(value, list) else value for value in values])


@dataclass(frozen=True)
class Order:
    """All rows by id, in rank order, and what they come from. Orders with the same `basis` have the same rows; it is empty where it was not worked out."""

    rows: Mapping[str, Row]
    network: Network
    basis: str = ""

    @property
    def graph(self) -> Graph:
        """The graph of what waits for what, as networkx takes it."""
        return self.network.graph

    def of(self, *states: str) -> list[Row]:
        """The items and decisions in these states, in rank order; what has no rank comes last, by id."""
        return [row for row in self.rows.values() if row.state in states and row.kind in ("item", "decision")]

    def document(self) -> dict[str, Any]:
        """The whole order in its stable shape: a list of rows for each state, and how many rows of each were left out, here none."""
        return {"schema": SCHEMA, **{state: [row.document() for row in self.of(state)] for state in STATES}, "left_out": dict.fromkeys(STATES, 0)}


Gates = Callable[[str], "tuple[GateVerdict, ...]"]
"""The verdicts of an item's gates, as `Judge.gates` gives them."""


def plan(registry: Registry, assumed: Mapping[str, str] | None = None, gates: Gates = lambda _: ()) -> Order:
    """The order of work, with the statuses in `assumed` (id to status) taken instead of the recorded ones.

    `gates` tells what executions say of an implemented item: when all its gates have passed, the next step is to set it done.
    """
    return _Planner(registry, assumed or {}, gates).plan()


def kept_plan(registry: Registry, gates: Gates, store: Cache) -> Order:
    """The order as recorded, as `plan` gives it; the records are put in order again only when something has changed that their rows are made from."""
    basis = _basis(registry, gates)
    kept = store.read_lines("plan")
    if kept is not None and kept[0] == basis.encode():
        return Order({values[0]: Row.of(values) for values in decode(kept[1])}, Network(registry), basis)
    order = replace(plan(registry, {}, gates), basis=basis)
    store.write_lines("plan", [basis.encode(), encode(list(order.rows.values()))])
    return order


def _basis(registry: Registry, gates: Gates) -> str:
    """A digest of everything that the rows are made from: what is known of each record, what it waits for, and what executions say of what is implemented."""
    entries = [*registry.of("item"), *registry.of("decision")]
    waits = waits_of(registry)
    others = dict.fromkeys(waits.split()).keys() - {entry.id for entry in entries}
    entries += [entry for name in sorted(others) if (entry := registry.get(name)) is not None]
    works = [entry.work_text for entry in entries]
    gains = [str(gain_of(entry, registry)) for entry, work in zip(entries, works, strict=True) if cites_gain(work)]
    reviews = [_reviewed(entry, registry, gates) for entry, work in zip(entries, works, strict=True) if is_implemented(work)]
    named = [(entry.id, entry.kind.name, title_of(entry, registry)) for entry in entries]
    return digest_of(encode([named, waits, sorted(others & registry.broken), gains, reviews]) + b"\n".join(works))


def _lost(entry: Entry, registry: Registry) -> list[str]:
    """What a record waits for although no record has that id: nobody can say that it may begin."""
    if all(map(registry.has, entry.waits.split())):
        return []
    return [link.target for link in entry.extract.links if link.ref.orders and not registry.has(link.target)]


def _reviewed(entry: Entry, registry: Registry, gates: Gates) -> list[Any]:
    """What the next step of an implemented item depends on beside itself."""
    references = [(name, registry.entries[name].work_text.decode()) for name in (entry.work.implemented_by if entry.work is not None else ()) if registry.has(name)]
    return [references, [(verdict.word, len(verdict.left_out)) for verdict in gates(entry.id)]]


@cache
def size_key(size: str | None) -> tuple[int, int]:
    """A key under which smaller sizes come first, by the larger end and then the smaller; unknown sizes come last."""
    if size is None:
        return (len(SIZES), len(SIZES))
    ends = [SIZES.index(end) for end in size.split("-")]
    return (ends[-1], ends[0])


def effort(record: Item | Decision) -> Decimal:
    """The weight of a record on the critical path, by `EFFORT`."""
    if isinstance(record, Decision) or record.size is None:
        return Decimal(1)
    ends = [EFFORT[end] for end in record.size.split("-")]
    return Decimal(sum(ends)) / len(ends)


class _Planner:
    """Works out states, then what each record brings and unlocks, then the ranks."""

    def __init__(self, registry: Registry, assumed: Mapping[str, str], gates: Gates) -> None:
        self.registry = registry
        self.gates = gates
        self.assumed = assumed
        self.network = Network(registry)
        self.entries = {node: registry.entries[node] for node in self.network}
        self.kinds = {node: entry.kind.name for node, entry in self.entries.items()}
        self.place = {node: number for number, node in enumerate(sorted(self.network, key=natural_key))}
        works = works_of([entry.work_text for entry in self.entries.values()])
        self.work = {node: self._work(node, work or Work("open", (), node)) for node, work in zip(self.entries, works, strict=True)}
        self.met = {node for node, work in self.work.items() if work.is_met}
        self.unmet = {node: self._in_place([b for b in blockers if b not in self.met]) for node, blockers in self.network.before.items()}
        self.lost = {node: lost for node, entry in self.entries.items() if entry.waits and (lost := _lost(entry, registry))}
        self.states = {node: self._state(node) for node in self.network}
        self._next_steps: dict[str, str] = {}
        self._blockers: dict[str, str] = {}

    def plan(self) -> Order:
        self._look_behind()
        by_key = {node: number for number, node in enumerate(sorted(self.network, key=self._key))}
        ranked = self.network.in_order(by_key.__getitem__)
        ready = ("actionable", "in_review")
        open_nodes = [n for n in ranked if self.states[n] in (*ready, "waiting") and self.kinds[n] != "reference"]
        # First all that can be worked on now, then what waits: a reader looks for the next thing to do at the top.
        open_nodes.sort(key=lambda n: self.states[n] == "waiting")
        ranks = {node: number for number, node in enumerate(open_nodes, 1)}
        rest = sorted((n for n in self.network if n not in ranks), key=lambda n: (STATES.index(self.states[n]), self.place[n]))
        return Order({node: self._row(node, ranks.get(node)) for node in (*open_nodes, *rest)}, self.network)

    def _entry(self, node: str) -> Entry:
        entry = self.registry.get(node)
        assert entry is not None
        return entry

    def _work(self, node: str, work: Work) -> Work:
        """What is known of a node, with the status that is assumed where one is."""
        return work._replace(status=self.assumed[node]) if node in self.assumed else work

    def _in_place(self, nodes: Iterable[str]) -> list[str]:
        """Nodes in natural order."""
        return sorted(nodes, key=self.place.__getitem__)

    def _state(self, node: str) -> str:
        status = self.work[node].status
        if node in self.met:
            return "done"
        if status == "not-planned":
            return "not_planned"
        if self.unmet[node] or node in self.lost:
            return "waiting"
        if status == "implemented":
            return "in_review"
        return "waiting" if self.kinds[node] == "reference" else "actionable"

    def _look_behind(self) -> None:
        """For each node, all unfinished ones that wait for it (as the bits of a number) and the best payoff among them.

        Sets would take the square of the graph in memory; bits take a sixty-fourth of that.
        """
        self.names = list(self.network)
        bit = {node: 1 << number for number, node in enumerate(self.names)}
        self.behind: dict[str, int] = {}
        self.best: dict[str, tuple[Number, str]] = {}
        for node in self.network.backwards():
            mask = 0
            best: tuple[Number, str] = (self._gain(node), node)
            for later in self._in_place(self.network.after_in_order(node)):
                if self.states[later] in OPEN:
                    mask |= bit[later] | self.behind[later]
                    if self.best[later][0] > best[0]:
                        best = self.best[later]
            self.behind[node] = mask
            self.best[node] = best

    def _gain(self, node: str) -> Number:
        """The largest measured gain that a node brings itself, in percent."""
        gain = self.work[node].gain
        if gain is not None:
            return gain
        record = self.entries[node].record
        return measured_payoff(record, self.registry) if isinstance(record, Item) else 0

    def _names_behind(self, node: str) -> list[str]:
        mask, names = self.behind[node], []
        while mask:
            lowest = mask & -mask
            names.append(self.names[lowest.bit_length() - 1])
            mask ^= lowest
        return self._in_place(names)

    def _key(self, node: str) -> tuple[Any, ...]:
        """The rank rule of the module's docstring, as a sort key."""
        work = self.work[node]
        return (
            work.optional is not None,
            -self.best[node][0],
            -self.behind[node].bit_count(),
            self.states[node] != "in_review",
            self.kinds[node] != "decision",
            size_key(work.size),
            BLAST_RADII.index(work.blast_radius) if work.blast_radius else len(BLAST_RADII),
            self.place[node],
        )

    def _row(self, node: str, rank: int | None) -> Row:
        work, state = self.work[node], self.states[node]
        unmet = self.unmet[node] if state == "waiting" else []
        return Row(
            id=node,
            kind=self.kinds[node],
            title=title_of(self.entries[node], self.registry),
            state=state,
            rank=rank,
            owners=work.owners,
            owner_open=work.owner_open,
            size=work.size,
            blast_radius=work.blast_radius,
            blocked_by=tuple(unmet),
            unlocks=tuple(self._unlocks(node)) if state != "done" else (),
            next_step=self._next_step(node) if state in ("in_review", "actionable") else None,
            why=self._why(node, state, unmet),
        )

    def _unlocks(self, node: str) -> list[str]:
        return self._in_place([n for n in self.network.after[node] if self.states[n] == "waiting"])

    def _next_step(self, node: str) -> str:
        """What is to be done for a node that can be worked on."""
        if node not in self._next_steps:
            self._next_steps[node] = self._review_step(node) if self.states[node] == "in_review" else "decide" if self.kinds[node] == "decision" else "start"
        return self._next_steps[node]

    def _review_step(self, node: str) -> str:
        work = self.work[node]
        pending = [r for r in work.implemented_by if self.registry.has(r) and not self._reference_met(r)]
        if pending:
            return f"{work.next_step or 'merge and validation'} ({', '.join(self._short(r) for r in pending)})"
        verdicts = self.gates(node)
        if verdicts and all(v.word in ("passed", "for people") for v in verdicts):
            return "its gates have passed, so set it done"
        gone = sum(len(verdict.left_out) for verdict in verdicts)
        return "run its gates, then set it done" + (f" ({gone} withdrawn execution{'s do' if gone > 1 else ' does'} not count)" if gone else "")

    def _reference_met(self, name: str) -> bool:
        entry = self._entry(name)
        if entry.kind.name != "reference" or entry.work is None:
            return False
        return self.assumed[name] in ("merged", "closed") if name in self.assumed else entry.work.is_met

    def _short(self, name: str) -> str:
        work = self._entry(name).work
        return work.short if work is not None else name

    def _why(self, node: str, state: str, unmet: list[str]) -> str:
        if state == "done":
            return "done"
        if state == "not_planned":
            reason = self.work[node].reason
            return f"not planned: {reason}" if reason else "not planned"
        if state == "waiting":
            lost = [f"{name} ({'which cannot be read' if name in self.registry.broken else 'no such record'})" for name in self.lost.get(node, ())]
            return "waits for " + ", ".join([*(self._blocker(b) for b in unmet), *lost]) if unmet or lost else "open at its host"
        return "; ".join(self._reasons(node, state))

    def _blocker(self, node: str) -> str:
        """A node as the reason of what waits for it."""
        if node not in self._blockers:
            self._blockers[node] = f"{self.work[node].short} ({self._blocker_words(node)})"
        return self._blockers[node]

    def _blocker_words(self, node: str) -> str:
        words = {"actionable": "can be done now", "in_review": "in review", "waiting": "itself waiting", "not_planned": "not planned", "done": "done"}
        kind = self.kinds[node]
        if kind == "reference":
            return self.work[node].status
        return "to be decided" if kind == "decision" and self.states[node] == "actionable" else words[self.states[node]]

    def _reasons(self, node: str, state: str) -> list[str]:
        """The parts of the rank rule that speak for a node that can be worked on, strongest first."""
        reasons = [f"in review: {self._next_step(node)}"] if state == "in_review" else []
        gain, whose = self.best[node]
        if gain:
            reasons.append(f"largest measured payoff {f'behind it, {whose}: ' if whose != node else ''}+{gain}%")
        direct = self._unlocks(node)
        if direct:
            later = [name for name in self._names_behind(node) if name not in direct] if self.behind[node].bit_count() <= NAMED else []
            count = self.behind[node].bit_count() - len(direct)
            then = f" and then {', '.join(later)}" if later else f" and then {count} more" if count else ""
            reasons.append(f"unlocks {', '.join(direct)}{then}")
        if self.kinds[node] == "item":
            work = self.work[node]
            if work.optional:
                reasons.append("optional, so last")
            elif not reasons:
                reasons.append(f"nothing waits for it; size {work.size or 'unknown'}, blast radius {work.blast_radius or 'unknown'}")
        return reasons or ["nothing waits for it"]
