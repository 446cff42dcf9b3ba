"""The lines that overlap.cu prints -> medians, shares and exactness of each arm, per point of a sweep.

Definitions. `copy` is the fastest arm that only copies, `compute` the fastest that only computes with every layer's block resident on the
device; both are measured among the other arms. share = max(copy, compute) / arm. ceiling = the fastest unordered arm; of_ceiling =
ceiling / arm. gain = serial / arm - 1. Each is a ratio of medians over the passes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

KINDS = ("copy", "compute", "hot", "serial", "ceiling", "correct", "control")
"""What an arm is for. `hot` computes over few slots that stay in the cache: faster than any program that reads each layer's own block."""


@dataclass(frozen=True)
class Arm:
    """An arm by its name in the tables, what it is for, and its description for overlap.cu."""

    name: str
    kind: str
    spec: str


@dataclass
class Point:
    """What one execution of overlap.cu printed."""

    facts: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    complete: bool = False

    def ms(self, spec: str) -> list[float]:
        """Milliseconds per token of each sample, in the order of the passes."""
        return [s["ns"] / s["tokens"] / 1e6 for s in sorted(self.samples[spec], key=lambda s: s["order"])]

    def order(self) -> list[str]:
        """The descriptions of the arms in the order in which they ran, one for each sample."""
        return [spec for _, spec in sorted((s["order"], spec) for spec, samples in self.samples.items() for s in samples)]

    def differing(self, spec: str) -> int:
        """The samples whose output was not the serial arm's, byte for byte."""
        return sum(s["differing_tokens"] > 0 or not s["rows_identical"] for s in self.samples[spec])


def read_point(lines: Iterable[str]) -> Point:
    """The events among the lines; other lines are passed over."""
    point = Point()
    for line in lines:
        if not line.startswith('{"event":'):
            continue
        event = json.loads(line)
        kind = event.pop("event")
        if kind == "sample":
            point.samples.setdefault(event.pop("arm"), []).append(event)
        elif kind == "clocks":
            point.facts.setdefault("clocks", {})[event["when"]] = dict(zip(event["fields"].split(","), event["values"].split(", ")))
        elif kind == "end":
            point.complete = True
        else:
            point.facts[kind] = event
    return point


@dataclass(frozen=True)
class Row:
    """One arm of one point."""

    arm: Arm
    ms: float
    low: float
    high: float
    gain: float
    share: float
    of_ceiling: float
    differing: int
    samples: int

    @property
    def exact(self) -> bool | None:
        """Whether all samples had the serial arm's output; None for arms that deliver nothing or compute nothing."""
        return None if self.arm.kind in ("copy", "compute", "hot") else self.differing == 0


@dataclass(frozen=True)
class Summary:
    """One point: its bounds in ms per token, and a row for each arm."""

    copy: float
    compute: float
    ceiling: float
    cached: float
    """max(copy, the fastest computation of all, cached blocks included): a bound that no program with blocks of its own can reach."""

    rows: Mapping[str, Row]


def summarise(point: Point, arms: Sequence[Arm]) -> Summary:
    """The rows of a point."""
    middle = {arm.name: median(point.ms(arm.spec)) for arm in arms}

    def fastest(kind: str) -> float:
        return min(middle[arm.name] for arm in arms if arm.kind == kind)

    copy, compute, serial, ceiling = (fastest(kind) for kind in ("copy", "compute", "serial", "ceiling"))
    rows = {}
    for arm in arms:
        ms, all_ms = middle[arm.name], point.ms(arm.spec)
        rows[arm.name] = Row(arm, ms, min(all_ms), max(all_ms), serial / ms - 1, max(copy, compute) / ms, ceiling / ms,
                             point.differing(arm.spec), len(all_ms))  # fmt: skip
    cached = max(copy, min([compute, *(middle[arm.name] for arm in arms if arm.kind == "hot" and arm.spec.startswith("compute"))]))
    return Summary(copy, compute, ceiling, cached, rows)


def exactness(row: Row) -> str:
    """The word for a table."""
    if row.exact is None:
        return "-"
    word = "identical" if row.exact else f"differs {row.differing}/{row.samples}"
    return word if row.arm.kind in ("serial", "correct") else f"{word} (wrong by construction)"


def table(name: str, point: Point, summary: Summary) -> str:
    """The point as text for a reader."""
    facts = point.facts["point"]
    rate = facts["layers"] * facts["layer_bytes"] / summary.copy / 1e6
    lines = [
        f"{name}: {facts['layers']} layers of {facts['layer_bytes'] / 2**20:g} MiB, {facts['tokens']} tokens a sample; "
        f"copy {summary.copy:.3f} ms, compute {summary.compute:.3f} ms (ratio {summary.compute / summary.copy:.2f}), "
        f"link {rate:.1f} GB/s, one large copy {facts['plain_copy_gb_s']:.1f} GB/s",
        f"  {'arm':34s} {'ms/token':>9s} {'low':>8s} {'high':>8s} {'gain':>8s} {'share':>7s} {'ceiling':>8s}  output",
    ]
    lines += [
        f"  {row.arm.name:34s} {row.ms:9.3f} {row.low:8.3f} {row.high:8.3f} {row.gain:8.1%} {row.share:7.1%} {row.of_ceiling:8.1%}  {exactness(row)}"
        for row in summary.rows.values()
    ]
    return "\n".join(lines)
