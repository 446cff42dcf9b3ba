"""Checks: functions from the records to problems. They read and yield; they never change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvdocs.checks import figures, files, links, work
from kvdocs.problems import UNUSED_ACKNOWLEDGEMENT, Problem, acknowledge, in_order
from kvdocs.project import Project
from kvdocs.registry import Registry

CHECKS: tuple[Callable[[Registry, Project], Iterator[Problem]], ...] = (
    links.check_links,  # first: what the others say of a link to nowhere would only repeat it
    links.check_mentions,
    files.check_files,
    work.check_cycles,
    work.check_statuses,
    figures.check_figures,
)


def run_checks(registry: Registry, project: Project) -> list[Problem]:
    """Everything that is wrong between the records and inside them, in order of place, acknowledgements applied."""
    found = [problem for check in CHECKS for problem in check(registry, project)]
    found += [problem for entry in registry for check in entry.kind.checks for problem in check(entry, registry)]
    reasons = {(entry.id, a.code): a.because for entry in registry for a in entry.record.acknowledged}
    judged, used = acknowledge(found, reasons)
    for entry in registry:
        for position, a in enumerate(entry.record.acknowledged):
            if (entry.id, a.code) not in used:
                place = entry.raw.place_of(("acknowledged", position, "code"), value=True)
                judged.append(Problem(UNUSED_ACKNOWLEDGEMENT, f"{entry.id} has no warning {a.code!r} to acknowledge", place, entry.id, hint="remove it: what it accepted is gone"))
    return in_order(judged)
