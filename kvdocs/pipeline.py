"""The stages of kvdocs in their order: read, check, order, pages, files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kvdocs.cache import Scan
from kvdocs.checks import run_checks
from kvdocs.judge import judge_of
from kvdocs.kinds import all_kinds
from kvdocs.ledger import ledger_of
from kvdocs.load import load_registry
from kvdocs.problems import Problem, in_order
from kvdocs.project import Project
from kvdocs.registry import Registry

if TYPE_CHECKING:
    from kvdocs.order import Order
    from kvdocs.pages.context import Publication


@dataclass(frozen=True)
class Inspection:
    """A project's records and everything that is wrong with them."""

    project: Project
    registry: Registry
    problems: tuple[Problem, ...]

    @cached_property
    def order(self) -> Order:
        """The order of work as recorded."""
        from kvdocs.order import plan

        return plan(self.registry, gates=judge_of(self.registry, self.project.root).gates)


def inspect(project: Project, scan: Scan | None = None) -> Inspection:
    """Read and check a project.

    1. Read: files to records, each fault a problem (`load`).
    2. Check: what contradicts what (`checks`); it needs all records, so it comes after all reading.
    """
    scan = scan or Scan(project.root, "registry", project.open_cache())
    registry, problems = load_registry(project, all_kinds(), scan)
    return Inspection(project, registry, tuple(in_order([*problems, *run_checks(registry, project, scan)])))


def publication(inspection: Inspection) -> Publication:
    """All that pages are made from.

    3. Order: what comes first (`order`); it needs sound links, and copes with unsound ones.
    4. Figures, evidence and pictures: what measurements and claims are worth (`ledger`), what executions say (`judge`), what stands around a record,
       what changed when (`history`); made when a page asks for them.
    """
    from kvdocs.cited import field_figures
    from kvdocs.failure_rates import gate_worths_of, rates_of
    from kvdocs.history.page import history_provider
    from kvdocs.pages.charts import drawings
    from kvdocs.pages.context import Publication
    from kvdocs.pages.graph import Surroundings

    ledger = ledger_of(inspection.registry)
    judge = judge_of(inspection.registry, inspection.project.root)
    made = Publication(
        inspection.project.settings,
        inspection.registry,
        inspection.problems,
        inspection.order,
        providers={
            "figures": ledger.of,
            "basis": ledger.basis_of,
            "cited": lambda record_id: field_figures(inspection.registry.entries[record_id].record, inspection.registry),
            "charts": drawings(ledger),
            "evidence": judge.of,
            "gates": judge.gates,
            "rates": lambda record_id: rates_of(inspection.registry.entries[record_id], judge),
            "gate-worths": lambda record_id: gate_worths_of(inspection.registry.entries[record_id], judge),
            "surroundings": Surroundings(inspection.registry, inspection.order),
        },
        workbook=ledger.workbook,
    )
    return replace(made, providers={**made.providers, "history": history_provider(inspection.project, made)})
