"""Numbers -> shares of a picture's width or height, and the round numbers that are written along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isclose, log10

from kvdocs.pictures.chart_data import Scale as Kind

LOG_FROM = 8.0
"""Places that differ by this factor or more are shown on a logarithmic scale; nearer ones would look the same on both."""


@dataclass(frozen=True, slots=True)
class Scale:
    """From `low` to `high`, linear or logarithmic."""

    low: float
    high: float
    kind: Kind = "linear"

    def share(self, value: float) -> float:
        """Where a value stands: 0 at the low end, 1 at the high end."""
        if isclose(self.low, self.high):
            return 0.5
        if self.kind == "log":
            return (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)


def from_zero(highest: float, lowest: float = 0.0) -> Scale:
    """A linear scale that holds zero and both ends."""
    return Scale(min(0.0, lowest), max(0.0, highest) or (0.0 if lowest < 0 else 1.0))


def spanning(values: Sequence[float]) -> Scale:
    """A scale over places: logarithmic when all are positive and far apart."""
    low, high = min(values), max(values)
    return Scale(low, high, "log" if low > 0 and high / low >= LOG_FROM else "linear")


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers (1, 2 or 5 times a power of ten apart) from at most `low` to at least `high`."""
    if high <= low:
        return [low]
    rough = (high - low) / about
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    return [round(n * step, 12) for n in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def powers(low: float, high: float) -> list[float]:
    """Powers of ten from at most `low` to at least `high`; with 2 and 5 times them where there are few."""
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    tens = [10.0**n for n in range(first, last + 1)]
    if len(tens) > 3:
        return tens
    fine = [factor * ten for ten in tens[:-1] for factor in (1, 2, 5)] + tens[-1:]
    below = max((t for t in fine if t <= low * (1 + 1e-9)), default=fine[0])
    above = min((t for t in fine if t >= high * (1 - 1e-9)), default=fine[-1])
    return [t for t in fine if below <= t <= above]
