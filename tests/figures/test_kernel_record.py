"""What this registry says of the CUDA programs, held against what their executions kept."""

from __future__ import annotations

from typing import Any

import pytest

from kvdocs.cited import field_figures
from kvdocs.kinds.environment import Environment
from kvdocs.kinds.experiment import Experiment
from kvdocs.kinds.result import Result
from kvdocs.ledger import Ledger, ledger_of
from kvdocs.pipeline import Inspection


def executions(of: Inspection, script: str) -> list[Result]:
    return [result for result in of.registry.records("result", Result) if result.script == script and result.kind == "run"]


@pytest.fixture(scope="module")
def ledger(this_registry: Inspection) -> Ledger:
    return ledger_of(this_registry.registry)


def test_the_shares_that_follow_from_the_samples_are_those_that_the_program_printed(ledger: Ledger) -> None:
    rows = ledger.table("M10").rows
    assert {point: row["share"].text for point, row in rows.items()} == {point: row["printed"].text for point, row in rows.items()}


def test_every_sample_of_every_point_is_on_record(this_registry: Inspection, ledger: Ledger) -> None:
    (result,) = executions(this_registry, "kernel-overlap")
    points = {name: arms for name, arms in result.metrics.items() if isinstance(arms, dict) and "order" in arms and not name.endswith("_variants")}
    taken = {name: sum(len(arm["samples_ms"]) for arm in arms.values() if isinstance(arm, dict) and "samples_ms" in arm) for name, arms in points.items()}
    assert {row: sum(len(figure.cell.samples) for figure in cells.values()) for row, cells in ledger.table("M9").rows.items()} == taken
    assert all(count == len(points[name]["order"]) == 88 for name, count in taken.items())


def test_the_environment_is_the_machine_of_the_executions(this_registry: Inspection) -> None:
    environment = this_registry.registry.record("h200", Environment)
    assert environment is not None
    for result in (*executions(this_registry, "kernel-barrier"), *executions(this_registry, "kernel-overlap")):
        machine: Any = result.machine
        (gpu,) = machine["gpu"]
        told = (environment.driver, environment.cuda, (environment.nvcc or "").lstrip("V"), environment.cores, environment.python, environment.memory)
        assert told == (machine["driver"], machine["cuda_driver"], machine["nvcc"], machine["cpu"]["cores"], machine["python"], f"{machine['memory']['total_mib']} MiB")
        (card,) = environment.gpus
        assert (card.name, card.compute_capability, card.memory_mib) == (gpu["name"], gpu["compute_capability"], gpu["memory_mib"])
        assert environment.facts["VBIOS"] == gpu["vbios"]
        assert environment.facts["PCIe"].startswith(f"generation {gpu['pcie']['gen']} of {gpu['pcie']['max_gen']}, width {gpu['pcie']['width']} of {gpu['pcie']['max_width']}")
        assert (environment.facts["ECC"], environment.facts["MIG"], environment.facts["Persistence mode"]) == ("on", "off", "on")
        assert (gpu["ecc"], gpu["mig"], gpu["persistence"]) == (True, False, True)
        assert environment.kernel is not None
        assert machine["kernel"].startswith(environment.kernel)
        assert (environment.os or "").startswith(machine["os"])


def test_the_device_s_own_figures_are_those_of_the_environment(this_registry: Inspection) -> None:
    environment = this_registry.registry.record("h200", Environment)
    assert environment is not None
    (result,) = executions(this_registry, "kernel-overlap")
    device = result.metrics["device"]
    facts = (environment.facts["Multiprocessors"], environment.facts["L2 cache"], environment.facts["Copy engines"])
    assert facts == (str(device["multiprocessors"]), f"{device['l2_bytes']} bytes", str(device["copy_engines"]))


def test_nothing_was_throttled_and_nobody_else_used_the_gpu(this_registry: Inspection) -> None:
    (result,) = executions(this_registry, "kernel-overlap")
    points = [facts for facts in result.metrics.values() if isinstance(facts, dict) and "throttle_reasons" in facts]
    assert {(facts["sm_clock"], facts["throttle_reasons"]) for facts in points} == {("1980 MHz", "0x0000000000000000")}
    assert result.exclusivity is not None
    assert result.exclusivity["violations"] == []


def test_a_share_is_cited_without_the_sign_of_a_change(this_registry: Inspection) -> None:
    shown = {}
    for name in ("X6", "X10"):
        record = this_registry.registry.record(name, Experiment)
        assert record is not None
        shown[name] = [figure.text for figure in field_figures(record, this_registry.registry).values()]
    assert [text[0] for text in shown["X6"]] == ["9", "9", "8"]
    assert [text[0] for text in shown["X10"]] == ["+", "+", "+"]


def test_only_executions_stand_behind_what_was_measured_with_the_programs(ledger: Ledger) -> None:
    assert {name: ledger.basis_of(name) for name in (f"M{number}" for number in range(9, 18))} == {f"M{number}": "executed" for number in range(9, 18)}
