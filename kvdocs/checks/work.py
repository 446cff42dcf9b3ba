"""Checks of the order of work: circles, and statuses that contradict their links."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvdocs.cache import digest_of
from kvdocs.entry import Entry
from kvdocs.graph import Edge, cycles, dependency_graph, graph_of, is_acyclic, is_sound, waits_of
from kvdocs.memo import Memo
from kvdocs.model import LinkField
from kvdocs.problems import BLOCKED_BY_REJECTED, CYCLE, DONE_BUT_BLOCKED, NEEDS_NOT_PLANNED, Code, Place, Problem
from kvdocs.project import Project
from kvdocs.registry import Registry


def check_cycles(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """No record waits for itself through others; a circle is shown whole, with the place of each of its edges."""
    if memo.holds("nothing waits for itself", digest_of(waits_of(registry).encode()), lambda: is_sound(registry)):
        return
    for cycle in cycles(dependency_graph(registry)):
        names = " → ".join([edge.blocker for edge in cycle] + [cycle[0].blocker])
        places = [(_place(registry, edge, lambda link: link.ref.orders), f"{edge.waiting} waits for {edge.blocker}") for edge in cycle]
        hint = "remove one of these links, or split a record so that the circle opens"
        yield Problem(CYCLE, f"these block each other: {names}", places[0][0], cycle[0].waiting, hint, tuple(places))


def _place(registry: Registry, edge: Edge, is_meant: Callable[[LinkField], bool]) -> Place:
    """Where one record names another."""
    entry = registry.entries[edge.waiting]
    loc = next(link.loc for link in reversed(entry.links_at(edge.blocker)) if is_meant(link))
    return entry.raw.place_of(loc, value=True)


SUCCESSIONS = ("superseded_by", "supersedes", "needs", "applied_on")
"""Fields that say what comes before or after a record, beside the order of work."""


def check_successions(registry: Registry, project: Project, memo: Memo) -> Iterator[Problem]:
    """Nothing takes its own place, or has to be there before itself, through others or at once."""
    links: dict[str, list[Edge]] = {}
    for kind in registry.kinds:
        if not kind.model.model_fields.keys().isdisjoint(SUCCESSIONS):
            for entry in registry.of(kind.name):
                for field, target in entry.links_in(SUCCESSIONS):
                    links.setdefault(field, []).append(Edge(target, entry.id))
    for field, found in links.items():
        if is_acyclic(found):
            continue
        for cycle in cycles(graph_of(found)):
            edges_back = cycle[::-1]
            names = " → ".join([edge.waiting for edge in edges_back] + [edges_back[0].waiting])
            places = [(_place(registry, edge, lambda link: link.loc[0] == field), f"{edge.waiting} names {edge.blocker}") for edge in edges_back]  # noqa: B023  # it is called in this round
            yield Problem(CYCLE, f"`{field}` leads round in a circle: {names}", places[0][0], edges_back[0].waiting, "take the field out of one of them", tuple(places))


def check_status(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """What is done has no unmet blocker; nothing waits for what is not planned or was rejected."""
    if _is_not_planned(entry):
        return
    for link in registry.links_from(entry.id):
        blocker = registry.get(link.target) if link.ref.orders else None
        if blocker is None:
            continue
        contradiction = _contradiction(entry, blocker)
        if contradiction is not None:
            code, message, hint = contradiction
            yield Problem(code, message, entry.raw.place_of(link.loc, value=True), entry.id, hint)


def _contradiction(entry: Entry, blocker: Entry) -> tuple[Code, str, str | None] | None:
    """Why a record cannot have the status that it has next to one of its blockers: a code, a sentence and a hint."""
    if _is_finished(entry) and not _is_finished(blocker):
        return DONE_BUT_BLOCKED, f"{entry.id} is done, but {blocker.id}, which blocks it, is not", f"reopen {entry.id}, finish {blocker.id}, or remove the link"
    if _is_not_planned(blocker):
        return NEEDS_NOT_PLANNED, f"{entry.id} waits for {blocker.id}, which is not planned", f"plan {blocker.id}, or say that {entry.id} is not planned either"
    if blocker.kind.name == "reference" and blocker.work is not None and blocker.work.status == "closed" and not blocker.work.is_met:
        return BLOCKED_BY_REJECTED, f"{entry.id} waits for {blocker.work.short}, which was closed without being merged", None
    return None


def _is_finished(entry: Entry) -> bool:
    return entry.work is not None and entry.work.is_met


def _is_not_planned(entry: Entry) -> bool:
    return entry.work is not None and entry.work.status == "not-planned"
