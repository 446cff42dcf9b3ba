"""What a log of compute-sanitizer says: how many errors it counted, and where the printed ones are."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from run_environment import matching


@dataclass(frozen=True)
class Findings:
    """Errors by the tool's own count, how many of them it printed, and the printed ones by file:line."""

    errors: int
    printed: int
    places: Mapping[str, int]


def read_findings(lines: Sequence[str]) -> Findings:
    """The findings of one run. SystemExit when the log has no summary: then nothing is known, and no errors is not what it says."""
    summary = matching(lines, r"^=+ (?:ERROR SUMMARY: (?P<errors>\d+) errors?|RACECHECK SUMMARY: (?P<hazards>\d+) hazards? displayed .*)$")
    if not summary:
        raise SystemExit("compute-sanitizer printed no summary, so nothing is known of the errors")
    places: dict[str, int] = {}
    for found in matching(lines, r"^=+ +at .* in (?P<place>[\w.-]+:\d+)$"):
        places[found["place"]] = places.get(found["place"], 0) + 1
    return Findings(int(summary[0]["errors"] or summary[0]["hazards"]), sum(places.values()), places)
