"""What was aimed at: CPU seconds of a whole process on two cores, by command, number of records, and case; and ratios to other programs."""

from __future__ import annotations

TARGETS: tuple[tuple[str, int, str, float], ...] = (
    ("order", 0, "warm", 0.13),
    ("order", 0, "cold", 0.5),
    ("check", 0, "cold", 0.6),
    ("check", 0, "one record edited", 0.3),
    ("render", 0, "cold", 1),
    ("render", 0, "one record edited", 0.3),
    ("build", 0, "cold", 6),
    ("build", 0, "one record edited", 1.5),
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
    ("render", 100_000, "cold", 100),
    ("render", 100_000, "one record edited", 6),
)
"""The most that a command may take; 0 records stand for this repository's own registry."""

GROWTH = 12
"""From 10,000 to 100,000 records a command may take so many times as long."""

RATIOS: dict[tuple[str, str], float] = {
    ("plain MkDocs with Material", "full build of the same pages"): 1.67,
    ("doorstop", "check"): 40,
    ("doorstop", "check, its fast mode"): 4,
    ("sphinx-needs", "list of what is open, warm"): 25,
    ("Backlog.md", "list of what is ready, warm"): 25,
    ("Taskwarrior", "list of what is ready, warm"): 25,
    ("Taskwarrior", "list of what is ready, titles only, warm"): 25,
    ("sphinx-needs", "full build"): 1,
    ("sphinx-needs", "build after one edit"): 2,
}
"""By program and task: how many times as long as kvdocs the other one should take at 10,000 records."""
