#!/usr/bin/env python3
"""Copy/compute overlap of a decode loop whose key/value cache lies in host memory, over a sweep of layer sizes.

    python3 run_overlap.py

Needs nvcc and an NVIDIA GPU; 1.5 GB of device memory and 1.1 GB of pinned host memory. It compiles overlap.cu for the GPU of this machine and
runs, per point, all arms in A/B/B/A order: copies alone, computation alone, serial, async on one stream, unordered (the ceiling, wrong
by construction), rings of staging slots, the pipeline, and controls that leave a wait out. Every sample's output is compared with the
serial arm's byte for byte. The raw samples are the lines of JSON in the output; tables and figures follow them.
The exit code is 0 when all was measured and every arm that has to be right was right, 1 when one was not.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from overlap_results import Arm, Point, Summary, read_point, summarise, table
from run_environment import Run, execute, write_json
from toolchain import compiled, refuse_arguments

LAYERS = 32
MIB = 1024  # of the KiB in which slots are given
FAST = "graph=1:batch=1:ahead=1"
PIPELINE = "pipeline"
CORE = ("copy_slot", "copy_two_slots", "compute_graph", "unordered_slot", PIPELINE)
"""The arms that the goal is about: measured at both ends of each pass, so that a link that slows down for seconds meets all of them."""

GOAL = 0.99


@dataclass(frozen=True)
class Place:
    """A point of the sweep. `ratio`: computation over copy to calibrate to; without one the calibration of `like` is used."""

    name: str
    rows: int  # of a layer, 1 KiB each
    tokens: int
    ratio: float = 0.0
    share: float = 1.0  # of the attention in the computation
    like: str = ""
    variants: bool = False  # run the variants too

    def slot(self) -> int:
        """The slot of the pipeline in KiB: an eighth of a token, 16 MiB to 32 MiB."""
        return max(16 * MIB, min(32 * MIB, self.rows * LAYERS // 8))


DEPTHS = [Place("depth_16384", 16384, 24, ratio=1.0, share=0.3)] + [
    Place(f"depth_{rows}", rows, tokens, like="depth_16384") for rows, tokens in ((4096, 24), (8192, 20), (32768, 14))
]
LARGE = [Place(f"large_{word}", 16384, tokens, ratio=ratio, variants=ratio == 1.0)
         for word, ratio, tokens in (("half", 0.5, 24), ("equal", 1.0, 24), ("double", 2.0, 12))]  # fmt: skip
SMALL = [Place(f"small_{word}", 2048, tokens, ratio=ratio, share=0.6, variants=ratio == 1.0)
         for word, ratio, tokens in (("half", 0.5, 96), ("equal", 1.0, 96), ("double", 2.0, 64))]  # fmt: skip


def arms(place: Place) -> list[Arm]:
    """The arms of every point."""
    slot, whole_token = place.slot(), place.rows * LAYERS // place.slot()
    return [
        Arm("copy_layer", "copy", "copy"),
        Arm("copy_slot", "copy", f"copy:slot={slot}:depth=2"),
        Arm("copy_two_slots", "copy", f"copy:slot={2 * slot}:depth=2"),
        Arm("compute_stream", "compute", f"compute:depth={LAYERS}"),
        Arm("compute_graph", "compute", f"compute:{FAST}:depth={LAYERS}"),
        Arm("compute_in_cache", "hot", f"compute:{FAST}"),
        Arm("serial", "serial", "serial"),
        Arm("async", "correct", "async"),
        Arm("unordered_layer", "ceiling", f"unordered:{FAST}:depth={LAYERS}"),
        Arm("unordered_slot", "ceiling", f"unordered:{FAST}:slot={slot}:depth={whole_token}"),
        Arm("ring_of_layers", "correct", "ring:cross=0"),
        Arm("ring_across_tokens", "correct", "ring"),
        Arm("ring_late_rows", "correct", "ring:batch=1"),
        Arm(PIPELINE, "correct", f"pump:{FAST}:slot={slot}:depth=3"),
        Arm("no_wait_for_delivery", "control", f"pump:{FAST}:slot={slot}:depth=3:ready=0"),
        Arm("no_wait_for_slot", "control", f"pump:{FAST}:slot={slot}:depth=3:freed=0"),
        Arm("newest_row_from_slot", "control", f"pump:{FAST}:slot={slot}:depth=3:fresh=0"),
    ]


def variants(place: Place) -> list[Arm]:
    """Rings by depth, steps of the pipeline alone, write-combined memory."""
    slot, quarter = place.slot(), place.rows // 4
    pump = f"slot={slot}:depth=3"
    return [
        *(Arm(f"ring_of_layers_{n}", "correct", f"ring:cross=0:depth={n}") for n in (2, 3, 8)),
        *(Arm(f"ring_across_tokens_{n}", "correct", f"ring:depth={n}") for n in (2, 3, 8)),
        Arm("ring_quarter_layers", "correct", f"ring:batch=1:slot={quarter}:depth=8"),
        Arm("ring_quarter_layers_one_launch", "correct", f"ring:batch=1:slot={quarter}:depth=8:whole=1"),
        Arm("ring_large_slots", "correct", f"ring:batch=1:{pump}"),
        *(Arm(f"pipeline_layer_slots_{n}", "correct", f"pump:{FAST}:depth={n}") for n in (2, 3, 4, 8)),
        *(Arm(f"pipeline_{n}", "correct", f"pump:{FAST}:slot={slot}:depth={n}") for n in (2, 4)),
        Arm("pipeline_quarter_layers", "correct", f"pump:{FAST}:slot={quarter}:depth=8"),
        Arm("pipeline_no_graph", "correct", f"pump:batch=1:ahead=1:{pump}"),
        Arm("pipeline_rows_at_once", "correct", f"pump:graph=1:ahead=1:{pump}"),
        Arm("pipeline_launched_late", "correct", f"pump:graph=1:batch=1:{pump}"),
        Arm("device_waits", "correct", f"flags:{FAST}:{pump}"),
        Arm("copy_combined", "hot", f"copy:slot={slot}:depth=2:wc=1"),
        Arm("serial_combined", "correct", "serial:wc=1"),
        Arm("ring_combined", "correct", "ring:wc=1"),
        Arm("pipeline_combined", "correct", f"pump:{FAST}:{pump}:wc=1"),
    ]


def in_order(chosen: list[Arm]) -> list[Arm]:
    """A pass: the core, the others, the core. Every second pass runs backwards."""
    core = [arm for arm in chosen if arm.name in CORE]
    return [*core, *(arm for arm in chosen if arm.name not in CORE), *core]


def measure(run: Run, program: Path, place: Place, chosen: list[Arm], passes: int, settings: list[str]) -> Point:
    """One execution of overlap.cu."""
    command = [program, "--rows", str(place.rows), "--layers", str(LAYERS), "--tokens", str(place.tokens), "--passes", str(passes)]
    output = run.run_on_gpu([*command, *settings, "--arms", ";".join(arm.spec for arm in in_order(chosen))])
    point = read_point(output.lines)
    if output.exit_code != 0 or not point.complete:
        raise SystemExit(f"overlap ended with exit code {output.exit_code} at {place.name}")
    return point


def settings_of(place: Place, done: dict[str, Point]) -> list[str]:
    """How the computation is sized: calibrated here, or as at another point."""
    if place.ratio:
        return ["--ratio", str(place.ratio), "--share", str(place.share)]
    return sized_as(done[place.like], [])


def sized_as(point: Point, settings: list[str]) -> list[str]:
    """The sizes that a point was calibrated to; `settings` when it was not calibrated."""
    found = point.facts.get("calibration")
    return ["--rounds", str(found["rounds"]), "--dense", str(found["dense"])] if found else settings


def report(run: Run, name: str, summary: Summary, point: Point, chosen: list[Arm]) -> None:
    """The figures of a point."""
    run.report(f"{name}.copy.ms", summary.copy, "ms")
    run.report(f"{name}.compute.ms", summary.compute, "ms")
    run.report(f"{name}.ceiling.ms", summary.ceiling, "ms")
    facts, load = point.facts["point"], point.facts["clocks"]["load"]
    run.report(f"{name}.plain_copy", facts["plain_copy_gb_s"], "GB/s")
    run.report(f"{name}.link", facts["layers"] * facts["layer_bytes"] / summary.copy / 1e6, "GB/s")
    run.report(f"{name}.layer_bytes", facts["layer_bytes"], "B")
    run.report(f"{name}.sm_clock", load.get("clocks.sm", "unknown"))
    run.report(f"{name}.throttle_reasons", load.get("clocks_throttle_reasons.active", "unknown"))
    names = {arm.spec: arm.name for arm in chosen}
    run.report(f"{name}.order", [names[spec] for spec in point.order()])
    for arm in chosen:
        row = summary.rows[arm.name]
        run.report(f"{name}.{arm.name}.samples_ms", [round(ms, 6) for ms in point.ms(arm.spec)], "ms")
        if row.exact is not None:
            run.report(f"{name}.{arm.name}.share", row.share)
            run.report(f"{name}.{arm.name}.of_ceiling", row.of_ceiling)
            run.report(f"{name}.{arm.name}.gain", row.gain)
            run.report(f"{name}.{arm.name}.differing", row.differing, "samples")


def conclude(run: Run, everything: dict[str, Summary], points: list[str]) -> int:
    """The figures over all points, in words and numbers; the exit code. `everything` holds the variants too."""
    summaries = {name: everything[name] for name in points}
    pipelines = {name: summary.rows[PIPELINE] for name, summary in summaries.items()}
    reached = [name for name, row in pipelines.items() if row.share >= GOAL and row.of_ceiling >= GOAL and row.exact]
    wrong = [f"{name}.{row.arm.name}" for name, s in everything.items() for row in s.rows.values() if row.arm.kind in ("serial", "correct") and not row.exact]
    controls = [row for summary in summaries.values() for row in summary.rows.values() if row.arm.kind == "control"]
    unseen = [f"{name}.{row.arm.name}" for name, s in summaries.items() for row in s.rows.values() if row.arm.kind == "control" and row.differing < row.samples]
    print(f"pipeline: {len(reached)} of {len(pipelines)} points at {GOAL:.0%} of max(copy, compute) and of the ceiling, output identical")
    for name in [name for name in pipelines if name not in reached]:
        print(f"  not reached at {name}: share {pipelines[name].share:.2%}, of the ceiling {pipelines[name].of_ceiling:.2%}")
    print("arms that had to be right and were not: " + (", ".join(wrong) or "none"))
    print("controls that some sample did not show as wrong (the race was not lost there): " + (", ".join(unseen) or "none"))
    run.report("points", len(pipelines))
    run.report("points_reached", len(reached))
    run.report("lowest_share", min(row.share for row in pipelines.values()))
    run.report("lowest_of_ceiling", min(row.of_ceiling for row in pipelines.values()))
    run.report("lowest_share_of_cached", min(s.cached / s.rows[PIPELINE].ms for s in summaries.values()))
    run.report("arms_wrong", len(wrong))
    run.report("controls", len(controls))
    run.report("controls_seen_wrong", sum(row.differing == row.samples for row in controls))
    return 1 if wrong else 0


def script(run: Run, places: list[Place] | None = None, passes: int = 4) -> int:
    program = compiled(run, "overlap")
    done: dict[str, Point] = {}
    summaries: dict[str, Summary] = {}
    chosen = places or [*DEPTHS, *LARGE, *SMALL]
    for place in chosen:
        settings = settings_of(place, done)
        measured = [(place.name, arms(place), passes)]
        if place.variants:
            bounds = [arm for arm in arms(place) if arm.kind in ("copy", "compute", "serial", "ceiling") or arm.name == PIPELINE]
            measured.append((f"{place.name}_variants", bounds + variants(place), 2))
        for name, these, times in measured:
            point = done[name] = measure(run, program, place, these, times, settings)
            summaries[name] = summarise(point, these)
            report(run, name, summaries[name], point, these)
            settings = sized_as(point, settings)
    print("\n" + "\n\n".join(table(name, done[name], summary) for name, summary in summaries.items()) + "\n")
    for fact, value in done[chosen[0].name].facts["device"].items():
        run.report(f"device.{fact}", value)
    write_json(program.with_name("overlap.json"), {name: {"facts": point.facts, "samples": point.samples} for name, point in done.items()})
    print(f"raw samples, settings and clocks: {program.with_name('overlap.json')}")
    return conclude(run, summaries, [place.name for place in chosen])


if __name__ == "__main__":
    refuse_arguments()
    execute(script)
