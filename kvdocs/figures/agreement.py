"""Agreement of two routes to one figure: their distance relative to a stated reference, against a limit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from kvdocs.figures.claims import Relation, Verdict, widened
from kvdocs.figures.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two routes are apart.

    `distance` is |a - b| / reference with its interval and uncertainty; `verdict` says whether it is within the limit.
    `error_number` is |a - b| over the root of the squared expanded uncertainties (k = 2), above 1 when they disagree; None without uncertainties.
    `shared` are the inputs that both routes rest on: what they share, their agreement does not test.
    """

    distance: Quantity
    limit: Fraction
    verdict: Verdict
    error_number: float | None
    shared: tuple[str, ...]


def agreement(a: Quantity, b: Quantity, reference: Quantity, limit: Fraction) -> Agreement:
    """Compares two routes; all three quantities have one dimension, and the reference is not zero (else UndefinedError is raised)."""
    distance = abs(a - b) / reference
    low, high = widened(distance.interval, distance.uncertainty or 0.0)
    shared = tuple(known.name for known in a.slopes if known in b.slopes)
    return Agreement(distance, limit, Relation(None, limit, "", 0).judge(low, high), _error_number(a, b), shared)


def _error_number(a: Quantity, b: Quantity) -> float | None:
    if a.uncertainty is None or b.uncertainty is None:
        return None
    expanded = 2 * sqrt(a.uncertainty**2 + b.uncertainty**2)
    return abs(float(a.value - b.value)) / expanded if expanded else None
