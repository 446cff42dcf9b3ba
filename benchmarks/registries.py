"""A registry of any size from a seed, with the shape of a real one: what an item waits for, prose, figures, claims, executions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.executions import execution

SHARES = {"defect": 0.25, "item": 0.35, "reference": 0.10, "measurement": 0.08, "claim": 0.07, "result": 0.12, "script": 0.03}
"""Which part of the records each kind is; owners and environments come on top, a handful each."""

PASSAGE = (
    "the copy waits behind compute while a staging slot drains and the next layer asks for its block before the event fires so the stream "
    "stalls until the allocator returns pinned memory to the pool where a second reader holds the page and the kernel launches late because "
    "its predecessor spilled registers into local memory which the profiler attributes to the scheduler although the queue was never full"
)
WORDS = PASSAGE.split()
LAYERS = 12
"""Items stand in layers; each waits for about two of the layers below."""

COMMIT = "946c1e5b6"
MKDOCS = (Path(__file__).resolve().parent.parent / "mkdocs.yml").read_text(encoding="utf-8")
"""The settings of this project's own site: the benchmark builds what a user builds."""


class Writer:
    """Writes records of a registry below a folder; the same seed and size give the same bytes."""

    def __init__(self, root: Path, size: int, seed: int = 1) -> None:
        self.root, self.random = root, random.Random(seed)
        self.counts = {kind: max(1, round(size * share)) for kind, share in SHARES.items()}

    def write(self) -> int:
        """Write everything; how many records there are."""
        self._file("mkdocs.yml", MKDOCS)
        self._file("registry/project.yaml", "title: Benchmark\nrepository: us/ours\n")
        count = 0
        for name, text in self._records():
            self._file(f"registry/{name}", text)
            count += name.endswith((".yaml", "/result.json"))
        return count

    def _file(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def words(self, count: int) -> list[str]:
        """So many words, with the id of a defect now and then."""
        out = []
        for number in range(count):
            out.append(self.random.choice(WORDS))
            if number % 25 == 12:
                out.append(f"(see D{self._one('defect')})")
        return out

    def prose(self, words: int = 60) -> str:
        """So many words of Markdown, indented as a block."""
        out = self.words(words)
        lines = [" ".join(out[i : i + 14]) for i in range(0, len(out), 14)]
        return "|\n  " + "\n  ".join(lines) + "\n"

    def _one(self, kind: str) -> int:
        return self.random.randint(1, self.counts[kind])

    def _records(self) -> Iterator[tuple[str, str]]:
        owners = [f"team{n}" for n in range(1, 6)]
        for owner in owners:
            yield f"owners/{owner}.yaml", f"id: {owner}\ntitle: Team {owner[4:]}\nowns: {self.prose(20)}"
        for name in ("gpu1", "gpu2"):
            yield f"environments/{name}.yaml", f"id: {name}\ntitle: Machine {name}\ngpus:\n  - name: Some GPU\n    compute_capability: '8.9'\n"
        yield from self._scripts()
        yield from self._references()
        yield from self._items(owners)
        yield from self._defects(owners)
        yield from self._measurements()
        yield from self._claims()
        yield from self._results()

    def _scripts(self) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["script"] + 1):
            expect = "expect:\n  reproduced:\n    - exit: 1\n  not_reproduced:\n    - exit: 0\n"
            yield f"scripts/run{number}.yaml", f"id: run{number}\ntitle: Script {number}\npurpose: reproduction\nfile: run{number}.sh\n{expect}notes: {self.prose()}"
            yield f"scripts/run{number}.sh", f"#!/bin/sh\necho {number}\nexit 1\n"

    def _references(self) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["reference"] + 1):
            state = self.random.choice(["open", "merged", "closed"])
            kind = "pull-request" if state == "merged" else "issue"
            yield f"references/ref-{number}.yaml", (
                f"id: ref-{number}\ntitle: Reference {number}\ntype: {kind}\nrepository: us/ours\nnumber: {number}\n"
                f"state: {state}\nstate_on: 2026-08-24\nsummary: {self.prose()}"
            )

    def _items(self, owners: list[str]) -> Iterator[tuple[str, str]]:
        count = self.counts["item"]
        width = max(1, count // LAYERS)
        for number in range(1, count + 1):
            below = max(0, (number - 1) // width) * width
            blockers = sorted({self.random.randint(max(1, below - 3 * width), below) for _ in range(self.random.choice([1, 2, 3]))}) if below else []
            status = "done" if below < width * 2 and number % 3 else "open"
            text = (
                f"id: R{number}\ntitle: Item {number} of the work\nstatus: {status}\nowners: [{self.random.choice(owners)}]\n"
                f"size: {self.random.choice(['S', 'S-M', 'M', 'L', 'XL'])}\nblast_radius: {self.random.choice(['none', 'low', 'high'])}\n"
            )
            if blockers and status != "done":
                text += f"blocked_by: [{', '.join(f'R{b}' for b in blockers)}]\n"
            if number % 7 == 0:
                text += f"payoffs:\n  - what: Decode gets faster\n    gain: {self.random.uniform(1, 90):.1f}\n    basis: measured\n"
            if status == "open" and number % 5 == 0:
                text += f"gates:\n  - id: a\n    text: It does not happen any more.\n    script: run{self._one('script')}\n"
            yield f"roadmap/R{number}.yaml", text + f"summary: {self.prose()}"

    def _defects(self, owners: list[str]) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["defect"] + 1):
            yield f"defects/D{number}.yaml", (
                f"id: D{number}\ntitle: Defect {number}\nstatus: {self.random.choice(['suspected', 'confirmed'])}\nowners: [{self.random.choice(owners)}]\n"
                f"severity: wrong output\nenvironment: gpu1\ncommit: {COMMIT}\nscript: run{self._one('script')}\nfixed_by: [R{self._one('item')}]\n"
                f"locations:\n  - path: src/kernel{number % 50}.cu\n    line: {number}\nsymptom: {self.prose()}"
            )

    def _measurements(self) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["measurement"] + 1):
            rows = "".join(f"  - {{depth: {depth}, host: {self.random.uniform(10, 29):.2f}, device: {self.random.uniform(30, 50):.4f}}}\n" for depth in (4096, 16384, 32768))
            yield f"measurements/M{number}.yaml", (
                f"id: M{number}\ntitle: Measurement {number}\nenvironment: gpu1\nkey: depth\ncolumns:\n  - {{name: depth, title: Depth, unit: token, exact: true}}\n"
                "  - {name: host, title: Host, unit: token/s, better: higher}\n  - {name: device, title: Device, unit: token/s, better: higher}\n"
                "  - {name: host_time, title: Time, unit: ms/token, compute: 1 / host}\n  - {name: device_time, title: Time, unit: ms/token, compute: 1 / device}\n"
                f"  - {{name: copy, title: Copy, unit: ms/token, compute: host_time - device_time}}\nrows:\n{rows}summary: {self.prose()}"
            )

    def _claims(self) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["claim"] + 1):
            measurement = self._one("measurement")
            yield f"claims/K{number}.yaml", (
                f"id: K{number}\ntitle: Claim {number}\npublished: At least a little.\nexpression: M{measurement}.host_time\nat_least: 1\n"
                f"unit: ms/token\nrows: all\nabout: [M{measurement}]\nnote: {self.prose()}"
            )

    def _results(self) -> Iterator[tuple[str, str]]:
        """Executions as the runner stores them, each under the hash of its content, with its log."""
        from kvdocs.evidence.canonical import pretty

        for number in range(1, self.counts["result"] + 1):
            log = " ".join(self.words(60)) + "\n"
            record: dict[str, Any] = execution(number, f"run{self._one('script')}", self.random.choice(["gpu1", "gpu2"]), COMMIT, log)
            folder = f"results/{record['environment']}/{record['script']}/{record['id']}"
            yield f"{folder}/result.json", pretty(record).decode()
            yield f"{folder}/stdout.log", log
