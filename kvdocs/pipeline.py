"""The stages of kvdocs in their order: read, check, order, pages, files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kvdocs.cache import Scan
from kvdocs.checks import run_checks
from kvdocs.judge import judge_of
from kvdocs.kinds import all_kinds
from kvdocs.load import load_registry
from kvdocs.problems import Problem, in_order
from kvdocs.project import Project
from kvdocs.registry import Registry

if TYPE_CHECKING:
    from kvdocs.history.page import HistoryProvider
    from kvdocs.ledger import Ledger
    from kvdocs.order import Order
    from kvdocs.pages.context import Provider, Publication


@dataclass(frozen=True)
class Inspection:
    """A project's records and everything that is wrong with them."""

    project: Project
    registry: Registry
    problems: tuple[Problem, ...]

    @cached_property
    def order(self) -> Order:
        """The order of work as recorded."""
        from kvdocs.order import kept_plan

        return kept_plan(self.registry, judge_of(self.registry, self.project.root).gates, self.project.open_cache())


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
    from kvdocs.pages.context import Publication
    from kvdocs.pages.graph import Surroundings

    made = Publication(
        inspection.project.settings,
        inspection.registry,
        inspection.problems,
        inspection.order,
        providers={**_figures(inspection.registry), **_evidence(inspection), "surroundings": Surroundings(inspection.registry, inspection.order)},
        workbook=lambda: _ledger(inspection.registry).workbook,
    )
    return replace(made, providers={**made.providers, "history": _History(inspection.project, made)})


def _ledger(registry: Registry) -> Ledger:
    """The figures of all records, for whoever asks for the first."""
    from kvdocs.ledger import ledger_of

    return ledger_of(registry)


def _figures(registry: Registry) -> dict[str, Provider]:
    """What is computed from the records; what computes it is loaded when a page asks."""

    def cited(record_id: str) -> object:
        from kvdocs.cited import field_figures

        return field_figures(registry.entries[record_id].record, registry)

    def charts(record_id: str) -> object:
        from kvdocs.pages.charts import drawings

        return drawings(_ledger(registry))(record_id)

    return {"figures": lambda record_id: _ledger(registry).of(record_id), "basis": lambda record_id: _ledger(registry).basis_of(record_id), "cited": cited, "charts": charts}


def _evidence(inspection: Inspection) -> dict[str, Provider]:
    """What executions say of the records."""
    judge = judge_of(inspection.registry, inspection.project.root)

    def rates(record_id: str) -> object:
        from kvdocs.failure_rates import rates_of

        return rates_of(inspection.registry.entries[record_id], judge)

    def gate_worths(record_id: str) -> object:
        from kvdocs.failure_rates import gate_worths_of

        return gate_worths_of(inspection.registry.entries[record_id], judge)

    return {"evidence": judge.of, "gates": judge.gates, "rates": rates, "gate-worths": gate_worths}


class _History:
    """What changed when; what tells it is loaded when a page asks."""

    def __init__(self, project: Project, publication: Publication) -> None:
        self.project, self.publication = project, publication

    @cached_property
    def _provider(self) -> HistoryProvider:
        from kvdocs.history.page import HistoryProvider

        return HistoryProvider(self.project, self.publication)

    def __call__(self, record_id: str) -> object:
        return self._provider(record_id)

    def text(self, record_id: str) -> str:
        """A text that is another one whenever the answer is."""
        return self._provider.text(record_id)
