"""Checks: functions from the records to problems. They read and yield; they never change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvdocs.cache import Cache
from kvdocs.checks import evidence, figures, files, links, work
from kvdocs.memo import Memo
from kvdocs.problems import UNUSED_ACKNOWLEDGEMENT, Problem, acknowledge, in_order
from kvdocs.project import Project
from kvdocs.registry import Entry, Registry

CHECKS: tuple[Callable[[Registry, Project, Memo], Iterator[Problem]], ...] = (
    links.check_links,  # first: what the others say of a link to nowhere would only repeat it
    links.check_mentions,
    files.check_files,
    work.check_cycles,
    figures.check_figures,
    evidence.check_evidence,
)
"""Checks of the whole; each may keep what it found about single records."""


def run_checks(registry: Registry, project: Project, cache: Cache | None = None) -> list[Problem]:
    """Everything that is wrong between the records and inside them, in order of place, acknowledgements applied."""
    memo = Memo(cache or Cache(project.cache, enabled=False), registry)
    found = [problem for check in CHECKS for problem in check(registry, project, memo)]
    for entry in registry:
        found += memo.problems("record", entry, _check_record)
    memo.save()
    return in_order(_acknowledged(registry, found))


def _check_record(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """What is wrong with one record: the rules of its kind, and a status that its blockers contradict."""
    for check in entry.kind.checks:
        yield from check(entry, registry)
    yield from work.check_status(entry, registry)


def _acknowledged(registry: Registry, found: list[Problem]) -> list[Problem]:
    """The problems with the reasons of their records, and the acknowledgements that accept nothing."""
    accepting = [entry for entry in registry if entry.raw.data.get("acknowledged")]
    reasons = {(entry.id, a.code): a.because for entry in accepting for a in entry.record.acknowledged}
    judged, used = acknowledge(found, reasons)
    for entry in accepting:
        for position, a in enumerate(entry.record.acknowledged):
            if (entry.id, a.code) not in used:
                place = entry.raw.place_of(("acknowledged", position, "code"), value=True)
                judged.append(Problem(UNUSED_ACKNOWLEDGEMENT, f"{entry.id} has no warning {a.code!r} to acknowledge", place, entry.id, hint="remove it: what it accepted is gone"))
    return judged
