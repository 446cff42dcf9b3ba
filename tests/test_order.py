"""The order of work: states, ranks and reasons, on small registries and as properties of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Cache
from kvdocs.chains import critical_path, explain, steps_to
from kvdocs.entry import Entry
from kvdocs.exhibit import GateVerdict
from kvdocs.graph import Network, edges, is_acyclic, without_cycles
from kvdocs.kinds import all_kinds
from kvdocs.order import kept_plan, plan
from kvdocs.pipeline import Inspection
from kvdocs.registry import Registry
from kvdocs.shape import validate
from kvdocs.source import parse_records

InspectFiles = Callable[[Mapping[str, str]], Inspection]
FOLDERS = {"owner": "owners", "item": "roadmap", "decision": "decisions", "reference": "references"}


def registry_of(yaml: Mapping[str, str]) -> Registry:
    """A registry from the YAML of each kind, without files."""
    kinds = {kind.name: kind for kind in all_kinds()}
    entries: list[Entry] = []
    for name, text in yaml.items():
        raws, problems = parse_records(dedent(text).encode(), None, f"registry/{FOLDERS[name]}/all.yaml")  # type: ignore[arg-type]  # places are not asked for
        assert problems == []
        for raw in raws:
            entry, faults = validate(raw, kinds[name])
            assert faults == []
            assert entry is not None
            entries.append(entry)
    return Registry(entries, all_kinds())


SMALL = registry_of(
    {
        "decision": """
            - {id: Q1, title: Where does it live?, short: place, decided_by: [ann], why: Open., options: [{id: a, title: A}, {id: b, title: B}]}
        """,
        "reference": """
            - {id: pr-7, title: The repair, type: pull-request, repository: us/ours, number: 7, state: open, state_on: 2026-08-24}
        """,
        "item": """
            - {id: R1, title: The barrier, status: open, owners: [ann], size: M-L, payoffs: [{what: Drafts, gain: 75.9, basis: measured}]}
            - {id: R2, title: Small one, status: open, owners: [bob], size: S, blast_radius: none}
            - {id: R3, title: The guard, status: open, owners: [bob], size: S, optional: Worth it only when R1 takes long.}
            - {id: R4, title: The overlap, status: open, owners: [ann], size: XL, blocked_by: [Q1], payoffs: [{what: Overlap, gain: 77.0, basis: ceiling}]}
            - {id: R5, title: Measure again, status: open, owners: [ann], size: S, blocked_by: [R1], payoffs: [{what: Crossover, gain: 11.59, basis: measured}]}
            - {id: R7, title: Never, status: not-planned, reason: It costs too much., owners: [bob]}
            - {id: R9, title: The build, status: implemented, owners: [bob], size: S, implemented_by: [pr-7], next_step: merge and validation}
            - {id: R11, title: Reach it, status: open, owners: [bob], size: M, blocked_by: [R9]}
            - {id: R12, title: Finished, status: done, owners: [bob], size: S}
        """,
    }
)


def test_the_order_of_a_small_registry() -> None:
    order = plan(SMALL)
    assert [(r.rank, r.id, r.state, r.why) for r in order.rows.values()] == [
        (1, "R1", "actionable", "largest measured payoff +75.9%; unlocks R5"),
        (2, "R9", "in_review", "in review: merge and validation (us/ours#7); unlocks R11"),
        (3, "Q1", "actionable", "unlocks R4"),
        (4, "R2", "actionable", "nothing waits for it; size S, blast radius none"),
        (5, "R3", "actionable", "optional, so last"),
        (6, "R5", "waiting", "waits for R1 (can be done now)"),
        (7, "R11", "waiting", "waits for R9 (in review)"),
        (8, "R4", "waiting", "waits for Q1 (to be decided)"),
        (None, "R12", "done", "done"),
        (None, "R7", "not_planned", "not planned: It costs too much."),
    ]


def test_a_ceiling_is_no_payoff() -> None:
    """R4's +77% comes from a run whose output is wrong, so its decision does not come before R1."""
    assert [r.id for r in plan(SMALL).of("actionable")][:2] == ["R1", "Q1"]


def test_assuming_changes_what_is_next() -> None:
    order = plan(SMALL, {"R9": "done", "R1": "done", "Q1": "decided"})
    assert [(r.id, r.why) for r in order.of("actionable")] == [
        ("R5", "largest measured payoff +11.59%"),
        ("R2", "nothing waits for it; size S, blast radius none"),
        ("R11", "nothing waits for it; size M, blast radius unknown"),
        ("R4", "nothing waits for it; size XL, blast radius unknown"),
        ("R3", "optional, so last"),
    ]


def test_a_merged_pull_request_leaves_the_validation() -> None:
    row = plan(SMALL, {"pr-7": "merged"}).rows["R9"]
    assert (row.state, row.next_step) == ("in_review", "run its gates, then set it done")


def test_explaining_what_waits() -> None:
    assert explain(SMALL, "R5", {}).lines() == [
        "R5 Measure again – rank 6, waits for R1 (can be done now)",
        "  R1 The barrier – actionable: largest measured payoff +75.9%; unlocks R5",
        "",
        "Before it: R3 (optional, so last)",
        "After it: R11 (waits for R9 (in review))",
        "",
        "What would change it:",
        "  R1 done: R5 is actionable, rank 1",
    ]


def test_waiting_for_a_record_of_a_kind_that_nothing_can_wait_for_ended_with_a_traceback() -> None:
    registry = registry_of(
        {
            "owner": "- {id: ann, title: Ann, owns: Everything.}",
            "item": """
                - {id: R1, title: First, status: open, owners: [ann], blocked_by: [ann, R2]}
                - {id: R2, title: Second, status: open, owners: [ann]}
            """,
        }
    )
    assert explain(registry, "R1", {}).changes == ("R2 done: R1 is still waiting for ann", "R2 all done: R1 is still waiting for ann")


def test_an_item_whose_blocker_no_record_has_was_called_actionable() -> None:
    """A slip in an id, or a record that cannot be read, must not make work look ready."""
    text = "- {id: R1, title: First, status: open, owners: [ann], blocked_by: [R9, R2, R8]}\n- {id: R2, title: Second, status: open, owners: [ann]}\n- {id: R3, title: Third, status: open, owners: [ann], blocked_by: [R8]}\n"
    whole = registry_of({"item": text})
    registry = Registry(whole, whole.kinds, frozenset({"R8"}))
    rows = [(row.id, row.state, row.blocked_by, row.why) for row in plan(registry).of("actionable", "waiting")]
    assert rows == [
        ("R2", "actionable", (), "unlocks R1"),
        ("R1", "waiting", ("R2",), "waits for R2 (can be done now), R9 (no such record), R8 (which cannot be read)"),
        ("R3", "waiting", (), "waits for R8 (which cannot be read)"),
    ]
    assert explain(registry, "R1", {}).changes == ("R2 done: R1 is still waiting: waits for R9 (no such record), R8 (which cannot be read)",)


def test_steps_to_a_goal() -> None:
    assert steps_to(SMALL, "R4", {}).lines() == ["Before R4 can start:", "  1. Q1 Where does it live? (ann)"]
    assert steps_to(SMALL, "R1", {}).lines() == ["Nothing has to be done before R1: it is actionable."]


def test_the_critical_path_weighs_sizes() -> None:
    path = critical_path(SMALL, {})
    assert path.lines() == ["The longest chain of unfinished work (effort 17):", "  1. Q1 Where does it live? (ann)", "  2. R4 The overlap (ann, XL)"]


def test_a_circle_does_not_stop_the_rest() -> None:
    registry = registry_of(
        {
            "item": """
                - {id: R1, title: One, status: open, owners: [ann], blocked_by: [R2]}
                - {id: R2, title: Two, status: open, owners: [ann], blocked_by: [R1]}
                - {id: R3, title: Three, status: open, owners: [ann]}
                - {id: R4, title: Four, status: open, owners: [ann], blocked_by: [R1, R3]}
            """
        }
    )
    order = plan(registry)
    assert [(r.id, r.state) for r in order.of("actionable", "waiting")] == [("R3", "actionable"), ("R1", "waiting"), ("R2", "waiting"), ("R4", "waiting")]
    assert explain(registry, "R1", {}).steps[-1].text == "again: these block each other"


def test_what_several_records_wait_for_was_told_as_often_as_there_are_ways_to_it() -> None:
    """Each record waits for all before it: forty of them have more ways than can be written down."""
    items = "".join(f"- {{id: R{n}, title: Step {n}, status: open, owners: [ann], blocked_by: [{', '.join(f'R{m}' for m in range(1, n))}]}}\n" for n in range(1, 41))
    steps = explain(registry_of({"item": items}), "R4", {}).steps
    assert [(step.depth, step.row.id, step.text.partition(", as above")[1]) for step in steps] == [
        (0, "R4", ""),
        (1, "R1", ""),
        (1, "R2", ""),
        (2, "R1", ""),
        (1, "R3", ""),
        (2, "R1", ""),
        (2, "R2", ", as above"),
    ]
    assert len(explain(registry_of({"item": items}), "R40", {}).steps) == 1 + 40 * 39 // 2


def test_a_circle_of_more_records_than_the_stack_holds_ended_with_a_traceback() -> None:
    items = "".join(f"- {{id: R{n}, title: Step {n}, status: open, owners: [ann], blocked_by: [R{n % 1500 + 1}]}}\n" for n in range(1, 1501))
    steps = explain(registry_of({"item": items}), "R1", {}).steps
    assert (len(steps), steps[-1].row.id, steps[-1].text) == (1501, "R1", "again: these block each other")


@st.composite
def registries(draw: st.DrawFn) -> Registry:
    """A registry of up to twelve items in a layered graph, with every status, size and payoff."""
    count = draw(st.integers(1, 12))
    rows = []
    for number in range(1, count + 1):
        blockers = draw(st.lists(st.integers(1, number - 1), max_size=3, unique=True)) if number > 1 else []
        status = draw(st.sampled_from(["open", "open", "open", "implemented", "done"]))
        size = draw(st.sampled_from(["XS", "S", "S-M", "M", "L", "XL"]))
        gain = draw(st.sampled_from([None, "5", "75.9", "12.50"]))
        payoff = f", payoffs: [{{what: Gain, gain: {gain}, basis: measured}}]" if gain else ""
        rows.append(f"- {{id: R{number}, title: T{number}, status: {status}, owners: [ann], size: {size}, blocked_by: [{', '.join(f'R{b}' for b in blockers)}]{payoff}}}")
    return registry_of({"item": "\n".join(rows)})


fast = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@fast
@given(registries())
def test_nothing_comes_before_what_it_waits_for(registry: Registry) -> None:
    order = plan(registry)
    rank = {row.id: row.rank for row in order.rows.values()}
    for blocker, waiting in order.graph.edges:
        if rank[blocker] is not None and rank[waiting] is not None and order.rows[waiting].state == "waiting":
            assert rank[blocker] < rank[waiting] or order.rows[blocker].state == "waiting"


@fast
@given(registries())
def test_states_partition_the_records_and_ranks_count_up(registry: Registry) -> None:
    order = plan(registry)
    document = order.document()
    listed = [row["id"] for state in ("actionable", "in_review", "waiting", "done", "not_planned") for row in document[state]]
    assert sorted(listed) == sorted(e.id for e in registry.of("item"))
    assert sorted(r.rank for r in order.rows.values() if r.rank is not None) == list(range(1, 1 + sum(r.rank is not None for r in order.rows.values())))


@st.composite
def tangled(draw: st.DrawFn) -> Registry:
    """Items that wait for any others, in circles too."""
    count = draw(st.integers(1, 9))
    rows = []
    for number in range(1, count + 1):
        blockers = draw(st.lists(st.integers(1, count), max_size=3))
        rows.append(f"- {{id: R{number}, title: T, status: open, owners: [ann], blocked_by: [{', '.join(f'R{b}' for b in blockers)}]}}")
    return registry_of({"item": "\n".join(rows)})


@fast
@given(tangled())
def test_records_in_circles_leave_the_others_their_order(registry: Registry) -> None:
    network = Network(registry)
    place = {node: number for number, node in enumerate(network.in_order(lambda _: 0))}
    assert sorted(place) == sorted(network)
    for blocker, waiting in without_cycles(network.graph).edges:
        assert place[blocker] < place[waiting]
    assert is_acyclic(edges(registry)) == nx.is_directed_acyclic_graph(network.graph)


@fast
@given(registries())
def test_doing_the_first_thing_never_blocks_anything(registry: Registry) -> None:
    """The set of what can be worked on only grows, less the finished record itself."""
    before = plan(registry)
    ready = [r.id for r in before.of("actionable", "in_review")]
    if ready:
        after = {r.id for r in plan(registry, {ready[0]: "done"}).of("actionable", "in_review")}
        assert set(ready[1:]) <= after


@fast
@given(registries(), st.data())
def test_the_steps_to_a_goal_are_enough_and_none_is_idle(registry: Registry, data: st.DataObject) -> None:
    waiting = [r.id for r in plan(registry).of("waiting")]
    if not waiting:
        return
    goal = data.draw(st.sampled_from(waiting))
    steps = [r.id for r in steps_to(registry, goal, {}).rows]
    assert plan(registry, dict.fromkeys(steps, "done")).rows[goal].state in ("actionable", "in_review")
    graph = plan(registry).graph
    for step in steps:
        assert set(graph.successors(step)) & {goal, *steps}, f"{step} is needed by nothing on the way"


CHOICES = {
    "title": ["One", "Another one"],
    "status": ["open", "implemented", "done"],
    "owners": ["[ann]", "[ann, bob]"],
    "size": ["S", "S-M", "L"],
    "blast_radius": ["low", "high"],
    "next_step": ["merge it", "measure it"],
    "optional": ["It can wait.", ""],
    "payoffs": ["[{what: Gain, gain: 5, basis: measured}]", "[{what: Gain, gain: 5.0, basis: measured}]", "[{what: Gain, gain: 75.9, basis: estimate}]"],
    "blocked_by": ["[]", "[R1]", "[R2]", "[R1, R2]", "[R2, R1]", "[Q1]", "[pr-7]"],
    "implemented_by": ["[]", "[pr-7]"],
}
"""What an item may say of each field that its row is made from, or the rows of others."""

BESIDE = {
    "decision": "- {id: Q1, title: Where does it live?, short: place, decided_by: [ann], why: Open., options: [{id: a, title: A}, {id: b, title: B}]}",
    "reference": "- {id: pr-7, title: The repair, type: pull-request, repository: us/ours, number: 7, state: open, state_on: 2026-08-24}",
}


@fast
@given(st.lists(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}), min_size=1, max_size=4), st.data())
def test_after_any_edits_the_kept_order_is_the_one_that_is_planned(items: list[dict[str, str]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        for _ in range(4):
            rows = [f"- {{id: R{number}, {', '.join(f'{name}: {value}' for name, value in item.items() if value)}}}" for number, item in enumerate(items, 1)]
            registry = registry_of({"item": "\n".join(row.replace("R2", "R1") if len(rows) == 1 else row for row in rows), **BESIDE})
            planned, kept = plan(registry, gates=no_gates), kept_plan(registry, no_gates, Cache(Path(folder)))
            assert list(kept.rows.items()) == list(planned.rows.items())
            assert repr(kept.rows) == repr(planned.rows)
            name = data.draw(st.sampled_from(sorted(CHOICES)))
            data.draw(st.sampled_from(items))[name] = data.draw(st.sampled_from(CHOICES[name]))


def test_an_edit_that_the_order_does_not_show_puts_nothing_in_order_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def items(summary: str, size: str = "S") -> Registry:
        return registry_of({"item": f"- {{id: R1, title: One, status: open, owners: [ann], size: {size}, summary: {summary}}}"})

    cache = Cache(tmp_path)
    first = kept_plan(items("As it was."), no_gates, cache)
    with monkeypatch.context() as patched:
        patched.setattr(Network, "in_order", None)
        assert kept_plan(items("Edited."), no_gates, cache).rows == first.rows
    assert kept_plan(items("Edited.", "M"), no_gates, cache).rows["R1"].size == "M"


def no_gates(_: str) -> tuple[GateVerdict, ...]:
    return ()


def test_the_gates_of_an_item_are_part_of_what_its_row_is_made_from(tmp_path: Path) -> None:
    registry, cache = registry_of({"item": "- {id: R1, title: One, status: implemented, owners: [ann]}"}), Cache(tmp_path)
    steps = [kept_plan(registry, lambda _, word=word: (GateVerdict("a", word, "why"),), cache).rows["R1"].next_step for word in ("not run", "passed")]
    assert steps == ["run its gates, then set it done", "its gates have passed, so set it done"]


def test_the_founding_order_follows_from_the_data(this_registry: Inspection) -> None:
    """R1, then R9, then the small items; R5 after R1, R6 and R11 after R9, R4 after its decision; R7 not planned."""
    rows = this_registry.order.rows
    following = [r.id for r in this_registry.order.of("actionable", "in_review") if r.kind == "item"]
    assert following == ["R1", "R9", "R8", "R12", "R2", "R10", "R3"]
    assert {r.id: r.blocked_by for r in this_registry.order.of("waiting")} == {"R5": ("R1",), "R11": ("R9",), "R4": ("Q1",), "R6": ("Q2", "R9")}
    assert rows["R7"].state == "not_planned"
