"""A registry of any size from a seed, with the shape of a real one: what an item waits for, prose, figures, claims, executions."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

SHARES = {"defect": 0.25, "item": 0.35, "reference": 0.10, "measurement": 0.08, "claim": 0.07, "result": 0.15}
"""Which part of the records each kind is; owners, environments and scripts come on top, a handful each."""

WORDS = (
    "the copy waits behind compute while a staging slot drains and the next layer asks for its block before the event fires so the stream "
    "stalls until the allocator returns pinned memory to the pool where a second reader holds the page and the kernel launches late because "
    "its predecessor spilled registers into local memory which the profiler attributes to the scheduler although the queue was never full"
).split()
LAYERS = 12
"""Items stand in layers; each waits for about two of the layers below."""


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
            count += 1
        return count

    def _file(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def prose(self, words: int = 60) -> str:
        """So many words of Markdown with a mention now and then, indented as a block."""
        out = []
        for number in range(words):
            out.append(self.random.choice(WORDS))
            if number % 25 == 12:
                out.append(f"(see D{self.random.randint(1, self.counts['defect'])})")
        lines = [" ".join(out[i : i + 14]) for i in range(0, len(out), 14)]
        return "|\n  " + "\n  ".join(lines) + "\n"

    def _records(self) -> Iterator[tuple[str, str]]:
        owners = [f"team{n}" for n in range(1, 6)]
        for owner in owners:
            yield f"owners/{owner}.yaml", f"id: {owner}\ntitle: Team {owner[4:]}\nowns: {self.prose(20)}"
        for name in ("gpu1", "gpu2"):
            yield f"environments/{name}.yaml", f"id: {name}\ntitle: Machine {name}\ngpus:\n  - name: Some GPU\n    compute_capability: '8.9'\n"
        yield "scripts/run1.yaml", "id: run1\ntitle: A script\npurpose: reproduction\nfile: run1.sh\nverified:\n  how: executed\n"
        yield "scripts/run1.sh", "#!/bin/sh\necho ok\n"
        for number in range(1, self.counts["reference"] + 1):
            state = self.random.choice(["open", "merged", "closed"])
            kind = "pull-request" if state == "merged" else "issue"
            yield f"references/ref-{number}.yaml", f"id: ref-{number}\ntitle: Reference {number}\ntype: {kind}\nrepository: us/ours\nnumber: {number}\nstate: {state}\nstate_on: 2026-08-24\nsummary: {self.prose()}"
        yield from self._items(owners)
        yield from self._defects(owners)
        yield from self._figures()
        yield from self._results()

    def _items(self, owners: list[str]) -> Iterator[tuple[str, str]]:
        count = self.counts["item"]
        width = max(1, count // LAYERS)
        for number in range(1, count + 1):
            below = max(0, (number - 1) // width) * width
            blockers = sorted({self.random.randint(max(1, below - 3 * width), below) for _ in range(self.random.choice([1, 2, 3]))}) if below else []
            status = "done" if below < width * 2 and number % 3 else "open"
            text = f"id: R{number}\ntitle: Item {number} of the work\nstatus: {status}\nowners: [{self.random.choice(owners)}]\nsize: {self.random.choice(['S', 'S-M', 'M', 'L', 'XL'])}\nblast_radius: {self.random.choice(['none', 'low', 'high'])}\n"
            open_blockers = [b for b in blockers if status != "done"]
            if open_blockers:
                text += f"blocked_by: [{', '.join(f'R{b}' for b in open_blockers)}]\n"
            if number % 7 == 0:
                text += f"payoffs:\n  - what: Decode gets faster\n    gain: {self.random.uniform(1, 90):.1f}\n    basis: measured\n"
            yield f"roadmap/R{number}.yaml", text + f"summary: {self.prose()}"

    def _defects(self, owners: list[str]) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["defect"] + 1):
            fixed_by = self.random.randint(1, self.counts["item"])
            yield f"defects/D{number}.yaml", (
                f"id: D{number}\ntitle: Defect {number}\nstatus: suspected\nowners: [{self.random.choice(owners)}]\nseverity: wrong output\n"
                f"environment: gpu1\ncommit: 946c1e5b6\nscript: run1\nfixed_by: [R{fixed_by}]\nlocations:\n  - path: src/kernel{number % 50}.cu\n    line: {number}\nsymptom: {self.prose()}"
            )

    def _figures(self) -> Iterator[tuple[str, str]]:
        for number in range(1, self.counts["measurement"] + 1):
            rows = "".join(f"  - {{depth: {depth}, host: {self.random.uniform(10, 40):.2f}, device: {self.random.uniform(30, 50):.4f}}}\n" for depth in (4096, 16384, 32768))
            yield f"measurements/M{number}.yaml", (
                f"id: M{number}\ntitle: Measurement {number}\nenvironment: gpu1\nkey: depth\ncolumns:\n"
                "  - {name: depth, title: Depth, unit: token, exact: true}\n  - {name: host, title: Host, unit: token/s, better: higher}\n  - {name: device, title: Device, unit: token/s, better: higher}\n"
                "  - {name: host_time, title: Time, unit: ms/token, compute: 1 / host}\n  - {name: device_time, title: Time, unit: ms/token, compute: 1 / device}\n"
                f"  - {{name: copy, title: Copy, unit: ms/token, compute: host_time - device_time}}\nrows:\n{rows}summary: {self.prose()}"
            )
        for number in range(1, self.counts["claim"] + 1):
            measurement = self.random.randint(1, self.counts["measurement"])
            yield f"claims/K{number}.yaml", (
                f"id: K{number}\ntitle: Claim {number}\npublished: At least a little.\nexpression: M{measurement}.host_time\nat_least: 1\nunit: ms/token\nrows: all\nabout: [M{measurement}]\nnote: {self.prose()}"
            )

    def _results(self) -> Iterator[tuple[str, str]]:
        """Executions as the runner stores them, each under the hash of its content."""
        from kvdocs.evidence.record import SCHEMA, sealed

        for number in range(1, self.counts["result"] + 1):
            record = sealed(result_body(SCHEMA, number, self.prose(20)))
            yield f"results/gpu1/run1/{record['id']}/result.json", json.dumps(record, indent=1)


def result_body(schema: str, number: int, words: str) -> dict[str, object]:
    """A stored execution without its identity."""
    text = f"run {number}: {words}"
    return {"schema": schema, "number": number, "sha256": hashlib.sha256(text.encode()).hexdigest()}


MKDOCS = "site_name: Benchmark\n"
