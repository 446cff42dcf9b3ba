"""What executions say about records: plain values that the judgement makes and the views show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kvdocs.view import Badge

BEARINGS = ("supports", "contradicts", "inconclusive", "silent", "left out")
BEARING_TONES = {"supports": "good", "contradicts": "bad", "inconclusive": "warn", "silent": "off", "left out": "off"}


def source_words(commit: str | None, changes: str) -> str:
    """`946c1e5b6`, `946c1e5b6 with P6`, `946c1e5b6 with changes 1a2b3c4`, or `unknown source`."""
    return f"{commit[:9] if commit else 'unknown source'}{f' with {changes}' if changes else ''}"


class Exhibit(NamedTuple):
    """One execution as evidence for or against what a record says.

    `bearing` is one of `BEARINGS`; `stale` says why it no longer speaks for today, one sentence for each reason.
    `labels` must be said wherever it is shown, such as that the output was incorrect by construction.
    `changes` names what the source tree had beyond its commit: patches of probes, or the hash of a difference.
    `left_out` says that it was withdrawn or superseded: then it is shown and counts for nothing.
    """

    result: str
    script: str
    environment: str
    commit: str | None
    verdict: str
    bearing: str
    reasons: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    started: str = ""
    changes: str = ""
    purpose: str = "reproduction"
    left_out: str = ""

    @property
    def source(self) -> str:
        """The source in words; a program of the registry's own has none."""
        return "own program" if self.purpose == "kernel" else source_words(self.commit, self.changes)


class Tally(NamedTuple):
    """The executions of one environment and source commit, counted: `reproduced` of `eligible`.

    Stale ones are counted apart, in `stale`; where no other is left (`all_stale`), they are what the numbers are about.
    Those that were withdrawn or superseded are counted in `left_out` alone.
    """

    environment: str
    commit: str | None
    reproduced: int
    eligible: int
    inconclusive: int
    stale: int
    changes: str = ""
    all_stale: bool = False
    left_out: int = 0

    @property
    def source(self) -> str:
        """The source in words."""
        return source_words(self.commit, self.changes)

    @property
    def words(self) -> str:
        """`reproduced in 3 of 3`, `inconclusive (1)`, `not reproduced in 6, 14 stale`, `reproduced in 1 of 1, 2 withdrawn`."""
        told = [self._standing_words] if self.eligible or self.inconclusive else []
        return ", ".join([*told, *([f"{self.left_out} withdrawn"] if self.left_out else [])])

    @property
    def _standing_words(self) -> str:
        """What those say that count."""
        text = f"inconclusive ({self.inconclusive})"
        if self.eligible:
            text = f"reproduced in {self.reproduced} of {self.eligible}" if self.reproduced else f"not reproduced in {self.eligible}"
            text += f", {self.inconclusive} inconclusive" if self.inconclusive else ""
        if self.all_stale:
            return f"{text}, {'all ' if self.stale > 1 else ''}stale"
        return text + (f", {self.stale} stale" if self.stale else "")

    @property
    def tone(self) -> str:
        """Bad where it was reproduced, good where only clean runs are, warn where nothing was decided, off where all is stale or withdrawn."""
        return "off" if self.all_stale or not (self.eligible or self.inconclusive) else "warn" if not self.eligible else "bad" if self.reproduced else "good"


@dataclass(frozen=True)
class Evidence:
    """All executions that bear on a record, newest last."""

    record: str
    exhibits: tuple[Exhibit, ...]

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """The sums of them by environment and commit."""
        return tuple(_tallies(self.exhibits))

    @property
    def badges(self) -> tuple[Badge, ...]:
        """One badge for each environment and commit; the commit is named where an environment has several."""
        several = {t.environment for t in self.tallies if sum(o.environment == t.environment for o in self.tallies) > 1}
        return tuple(Badge(f"{t.environment}{f' ({t.source})' if t.environment in several else ''}: {t.words}", t.tone) for t in self.tallies)

    def with_bearing(self, bearing: str) -> list[Exhibit]:
        """The executions that bear on the record in this way and are not stale."""
        return [e for e in self.exhibits if e.bearing == bearing and not e.stale]


def _tallies(exhibits: Iterable[Exhibit]) -> Iterator[Tally]:
    groups: dict[tuple[str, str | None, str], list[Exhibit]] = {}
    for exhibit in (e for e in exhibits if e.purpose != "kernel"):
        groups.setdefault((exhibit.environment, exhibit.commit, exhibit.changes), []).append(exhibit)
    for (environment, commit, changes), members in groups.items():
        standing = [e for e in members if not e.left_out]
        fresh = [e for e in standing if not e.stale]
        counted = fresh or standing
        decided = [e for e in counted if e.verdict != "inconclusive"]
        reproduced = sum(e.verdict == "reproduced" for e in decided)
        yield Tally(environment, commit, reproduced, len(decided), len(counted) - len(decided), len(standing) - len(fresh), changes, bool(standing) and not fresh, len(members) - len(standing))


GATE_WORDS = ("passed", "failed", "undecided", "not run", "for people")
GATE_TONES = {"passed": "good", "failed": "bad", "undecided": "warn", "not run": "wait", "for people": "plain"}


class GateVerdict(NamedTuple):
    """What executions say of a gate: one of `GATE_WORDS`, why, the results that count, and those that were withdrawn or superseded."""

    id: str
    word: str
    reason: str
    results: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def badge(self) -> Badge:
        """The word with its colour."""
        return Badge(self.word, GATE_TONES[self.word])
