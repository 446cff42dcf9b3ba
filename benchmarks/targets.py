"""What was aimed at: CPU seconds of a whole process on two cores, by command, number of records, and case."""

from __future__ import annotations

TARGETS: tuple[tuple[str, int, str, float], ...] = (
    ("order", 10_000, "warm", 0.2),
    ("order", 10_000, "cold", 2.5),
    ("check", 10_000, "cold", 4),
    ("check", 10_000, "one record edited", 0.8),
    ("render", 10_000, "cold", 10),
    ("render", 10_000, "one record edited", 0.8),
    ("build", 10_000, "one record edited", 3),
    ("order", 100_000, "warm", 1.5),
    ("order", 100_000, "cold", 25),
    ("check", 100_000, "cold", 40),
    ("check", 100_000, "one record edited", 6),
)
