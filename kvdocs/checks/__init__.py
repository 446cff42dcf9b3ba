"""Checks: functions from the records to problems. They read and yield; they never change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvdocs.cache import Scan
from kvdocs.checks import cited, evidence, files, links, metrics, seals, work
from kvdocs.checks.inputs import Inputs
from kvdocs.entry import Entry
from kvdocs.judge import Judge
from kvdocs.memo import Memo, Recorder
from kvdocs.problems import UNUSED_ACKNOWLEDGEMENT, Problem, acknowledge, in_order
from kvdocs.project import Project
from kvdocs.registry import Registry

CHECKS: tuple[Callable[[Registry, Project, Memo], Iterator[Problem]], ...] = (files.check_files, work.check_cycles, work.check_successions, seals.check_seals)
"""Checks of the whole."""


def run_checks(registry: Registry, project: Project, scan: Scan | None = None) -> list[Problem]:
    """Everything that is wrong between the records and inside them, in order of place, acknowledgements applied.

    `scan` is the look at the files that the registry was read from: what it shows as unchanged is not checked again.
    """
    memo = Memo(registry, project.root, scan)
    found = [problem for check in CHECKS for problem in check(registry, project, memo)]
    found += memo.problems(RecordChecks(registry, project))
    memo.save()
    return in_order(_acknowledged(registry, found))


FIGURED = ("measurement", "claim")
"""Kinds whose records are figures, or judge some."""


class RecordChecks:
    """Everything that is wrong with one record: what it holds is held against what it links to, and against what links to it."""

    def __init__(self, registry: Registry, project: Project) -> None:
        self.inputs = Inputs(registry)
        self.root = project.root

    def __call__(self, entry: Entry, registry: Recorder) -> Iterator[Problem]:
        """The problems of an entry; `registry` notes what was looked at to find them."""
        registry.rests_on = self.inputs.of
        yield from links.check_links(entry, registry)
        if entry.extract.mentions:
            yield from links.check_mentions(entry, registry)
        if entry.record.formerly:
            yield from links.check_formers(entry, registry)
        for check in entry.kind.checks:
            yield from check(entry, registry)
        yield from work.check_status(entry, registry)
        if entry.kind.name == "measurement":
            yield from metrics.check_metrics(entry, registry)
        if entry.kind.name in FIGURED:
            from kvdocs.checks.figures import check_figures  # most edits need nothing that computes figures

            yield from check_figures(entry, registry, self.inputs)
        yield from cited.check_cited(entry, registry, self.inputs)
        if entry.kind.name in evidence.JUDGED:
            yield from evidence.check_evidence(entry, Judge(registry, self.root))


def _acknowledged(registry: Registry, found: list[Problem]) -> list[Problem]:
    """The problems with the reasons of their records, and the acknowledgements that accept nothing."""
    accepting = [entry for entry in registry if entry.accepts]
    reasons = {(entry.id, a.code): a.because for entry in accepting for a in entry.record.acknowledged}
    judged, used = acknowledge(found, reasons)
    for entry in accepting:
        for position, a in enumerate(entry.record.acknowledged):
            if (entry.id, a.code) not in used:
                place = entry.raw.place_of(("acknowledged", position, "code"), value=True)
                judged.append(Problem(UNUSED_ACKNOWLEDGEMENT, f"{entry.id} has no warning {a.code!r} to acknowledge", place, entry.id, hint="remove it: what it accepted is gone"))
    return judged
