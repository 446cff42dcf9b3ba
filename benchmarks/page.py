"""The figures of a run -> a page of the site: a table and a chart for each command, the peers as ratios, the facts of the machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.commands import QUICK_S
from benchmarks.registries import SHARES
from benchmarks.targets import GROWTH, RATIOS, TARGETS
from kvdocs.markup import escape
from kvdocs.pictures.bar_chart import bar_chart
from kvdocs.pictures.chart_data import Chart, Point, Series

HEAD = """\
---
title: Benchmarks
position: 60
---

# Benchmarks

What kvdocs needs for registries of any size, made from a seed: defects, items that wait for about two others, references, measurements with derived columns, claims, executions with their logs; about sixty words of prose in each.
Every figure is of a whole process with all that it started, as the operating system counts it. CPU seconds are the figure to compare: wall seconds depend on what else the machine does.

- Cold is with an empty cache and nothing made before; warm is with nothing changed since.
- The record that is edited is an item in the middle, which gets another sentence and, where its size is S, M or L, another size; without one its place in the order stays.
- The item that is closed or opened goes from open to done or back: whatever waits for it, and each count, table and picture that shows its state, changes with it.
- The template that is edited gives each page or document one line more.

`python -m benchmarks` makes this page anew, `python -m benchmarks --peers` with other programs.
pip and npm install those below `.kvdocs/benchmark`; Taskwarrior is measured where its `task` is on PATH already.
"""

OTHERS = f"""\
In the same run, on as many items as kvdocs has records: each with a title, about sixty words of prose and up to two others that it waits for.
Of the records of kvdocs, {SHARES["item"]:.0%} are such items; it reads and checks the others too.
Of a ratio of 4, kvdocs needs a quarter of the CPU time; the last column says what was aimed at.

StrictDoc exports without its page of deep traceability, which repeats an item for each path that leads to it: with paths as many and as long as here that fails, or does not end in its time.
"""

BESIDE = f"""\
What kvdocs does in less than {QUICK_S} seconds was measured again right after the program that it is held against.

"""


def page_of(result: dict[str, Any]) -> str:
    """The page as Markdown."""
    parts = [HEAD, _machine(result), "## What was aimed at\n\n" + _targets(result), *_growth(result)]
    for command in dict.fromkeys(row["command"] for row in result["kvdocs"]):
        rows = [row for row in result["kvdocs"] if row["command"] == command]
        parts.append(f"## {command}\n\n{_picture(command, rows)}\n\n{_table(rows)}")
    if result["peers"]:
        parts.append(f"## Other programs\n\n{OTHERS}\n{BESIDE if any('beside' in row for row in result['peers']) else ''}{_peers(result)}")
    return "\n\n".join(parts) + "\n"


def _machine(result: dict[str, Any]) -> str:
    machine = result["machine"]
    facts = [f"{machine['cpus']} CPUs to run on", f"Python {machine['python']}"]
    facts += [f"{name}: {_words(machine[name])}" for name in ("cpu", "memory", "os") if machine.get(name)]
    speeds = result["calibration"]
    facts.append(f"a fixed piece of Python took {min(speeds):.3f} to {max(speeds):.3f} s of CPU during the run: where these are far apart, the machine was busy and the figures are so much larger")
    facts.append(f"an empty Python process takes {result['empty']['cpu']:.3f} s of CPU")
    return f"Measured on {result['at'][:10]}.\n\n" + "\n".join(f"- {fact}" for fact in facts)


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {inner}" for name, inner in value.items() if inner not in (None, "", [], {}) and not isinstance(inner, dict | list))
    return str(value)


def _records(size: int) -> str:
    return f"{size:,}" if size else "this registry"


def _row(cells: Iterable[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _table(rows: list[dict[str, Any]]) -> str:
    head = [_row(("Records", "Case", "CPU (s)", "Wall (s)", "Peak memory (MiB)")), "| ---: | --- | ---: | ---: | ---: |"]
    return "\n".join([*head, *(_row((_records(r["size"]), _case(r), f"{r['cpu']:.2f}", f"{r['wall']:.2f}", r["peak_mib"])) for r in rows)])


def _case(row: dict[str, Any]) -> str:
    return row["case"] if row["ended"] in (0, 1) else f"{row['case']} ({row['ended']})"


def _picture(command: str, rows: list[dict[str, Any]]) -> str:
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    found = {(row["size"], row["case"]): row for row in rows}
    series = tuple(
        Series(case, tuple(Point(found[size, case]["cpu"], f"{found[size, case]['cpu']:.2f}") if (size, case) in found else None for size in sizes))
        for case in dict.fromkeys(row["case"] for row in rows)
    )
    chart = Chart(f"kvdocs {command}", "s", "Records", "", tuple(_records(size) for size in sizes), series)
    return f'<figure class="kv-picture">\n{bar_chart(chart, f"benchmark-{command}")}\n<figcaption>CPU seconds of a whole process</figcaption>\n</figure>'


def _targets(result: dict[str, Any]) -> str:
    found = {(row["command"], row["size"], row["case"]): row for row in result["kvdocs"]}
    head = [_row(("Records", "Command", "Case", "At most (s)", "Measured (s)", "")), "| ---: | --- | --- | ---: | ---: | --- |"]
    lines = []
    for command, size, case, most in TARGETS:
        row = found.get((command, size, case))
        told = "not measured" if row is None else "reached" if row["cpu"] <= most else "not reached"
        seconds = "–" if row is None else f"{row['cpu']:.2f}" if (round(row["cpu"], 2) <= most) == (row["cpu"] <= most) else f"{row['cpu']:.3f}"
        lines.append(_row((_records(size), command, case, most, seconds, told)))
    return "\n".join([*head, *lines])


def _growth(result: dict[str, Any]) -> list[str]:
    """How many times as long each command takes for ten times as many records."""
    found = {(row["command"], row["size"], row["case"]): row["cpu"] for row in result["kvdocs"] if row["ended"] in (0, 1)}
    pairs = [(command, case, found[command, 10_000, case], cpu) for (command, size, case), cpu in found.items() if size == 100_000 and (command, 10_000, case) in found]
    if not pairs:
        return []
    head = [_row(("Command", "Case", "10,000 (s)", "100,000 (s)", "Times")), "| --- | --- | ---: | ---: | ---: |"]
    lines = [_row((command, case, f"{small:.2f}", f"{large:.2f}", f"{large / small:.1f}")) for command, case, small, large in pairs]
    return [f"## Growth\n\nAimed at: at most {GROWTH} times for ten times as many records.\n\n" + "\n".join([*head, *lines])]


def _peers(result: dict[str, Any]) -> str:
    found = {(row["command"], row["size"], row["case"]): row["cpu"] for row in result["kvdocs"]}
    head = [_row(("Records", "Program", "Task", "CPU (s)", "kvdocs", "CPU (s)", "Ratio", "At least")), "| ---: | --- | --- | ---: | --- | ---: | ---: | ---: |"]
    lines = []
    for row in result["peers"]:
        ours = row.get("beside") or found.get((row["against"][0], row["size"], row["against"][1]))
        ended = "cpu" in row and row["ended"] == 0
        ratio = f"{row['cpu'] / ours:.1f}" if ours and ended else "–"
        theirs = f"{row['cpu']:.2f}" if ended else escape(str(row["ended"]))
        least = RATIOS.get((row["peer"], row["task"])) if row["size"] == 10_000 else None
        told = f": {'reached' if row['cpu'] >= least * ours else 'not reached'}" if least and ours and ended else ""
        aim = f"{least:g}{told}" if least else ""
        lines.append(_row((f"{row['size']:,}", f"{row['peer']} {row.get('version', '')}".rstrip(), row["task"], theirs, f"{row['against'][0]}, {row['against'][1]}", f"{ours:.2f}" if ours else "–", ratio, aim)))
    return "\n".join([*head, *lines])
