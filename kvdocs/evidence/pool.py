"""Verdicts of several executions of one script -> one verdict, with k of n and what does not count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .expect import INCONCLUSIVE, NOT_REPRODUCED, REPRODUCED, Verdict


@dataclass(frozen=True)
class Pooled:
    """`reproduced` and `clean` of `eligible` runs, and the runs that decided nothing with the reason of each."""

    word: str
    reason: str
    reproduced: int
    clean: int
    ineligible: tuple[tuple[str, str], ...]

    @property
    def eligible(self) -> int:
        """How many runs decided something."""
        return self.reproduced + self.clean


def pool(expect: Mapping[str, Any], verdicts: Sequence[tuple[str, Verdict]]) -> Pooled:
    """The verdict over runs, given as (id, verdict).

    Reproduced from `pool.reproduced_at_least` reproducing runs on (1 when absent).
    Not reproduced when none reproduced and `pool.clean_at_least` runs were clean (1 when absent).
    """
    rule = expect.get("pool", {})
    wanted, clean_wanted = rule.get("reproduced_at_least", 1), rule.get("clean_at_least", 1)
    reproduced = sum(verdict.word == REPRODUCED for _, verdict in verdicts)
    clean = sum(verdict.word == NOT_REPRODUCED for _, verdict in verdicts)
    ineligible = tuple((name, v.reasons[0] if v.reasons else "no reason given") for name, v in verdicts if not v.eligible)
    n = reproduced + clean
    if reproduced >= wanted:
        word, reason = REPRODUCED, f"reproduced in {reproduced} of {n} eligible runs"
    elif not reproduced and clean >= clean_wanted:
        word, reason = NOT_REPRODUCED, f"clean in {clean} of {n} eligible runs"
    elif reproduced:
        word, reason = INCONCLUSIVE, f"reproduced in {reproduced} of {n} eligible runs, {wanted} wanted"
    else:
        word, reason = INCONCLUSIVE, f"clean in {clean} of {n} eligible runs, {clean_wanted} wanted" if n else "no eligible run"
    return Pooled(word, reason, reproduced, clean, ineligible)
