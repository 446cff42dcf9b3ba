"""Checks of cells that are figures of executions: the executions give them, in a unit that fits."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.entry import Entry
from kvdocs.filled import filled
from kvdocs.kinds.measurement import NO_METRIC, Measurement
from kvdocs.memo import Recorder
from kvdocs.problems import Problem


def check_metrics(entry: Entry, registry: Recorder) -> Iterator[Problem]:
    """What a measurement, which the entry is, reads from executions and cannot have, once for each cell or column."""
    record = entry.record
    assert isinstance(record, Measurement)
    for fault in filled(record, registry)[1]:
        yield Problem(NO_METRIC, fault.message, entry.raw.place_of(fault.loc, value=True), entry.id, fault.hint)
