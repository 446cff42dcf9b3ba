"""The overview holds every row of the founding document's tables, cell by cell.

The tables below are those of the founding pull request as data.
A cell of ours may say more (the id of a decision, which decision it is); every word of the founding cell stands in it, in that order.
Figures are compared whole: ours is the computed one, with the published one beside it where the two differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kvdocs.markup import Dialect
from kvdocs.pages.documents import document_pages
from kvdocs.pipeline import Inspection, publication
from kvdocs.render import Renderer

DEFECTS = """
D1 | Head dim 320 routed to a vector kernel that has no D320 instance | confirmed, exit 134 at fattn.cu:412 | BeeLlama
D2 | Divergent __syncthreads() in the MMA FA kernel | confirmed, localized, and reported upstream as #27678 | upstream
D3 | MTP + host-resident KV aborts mid-generation | confirmed, 1 in 3 runs, twice independently; cause not established | investigation; D2 correlation only
D4 | test-kvarn aborts on any default build with a CUDA device | confirmed; not planned | BeeLlama
D5 | Host-resident KVarN: CPU fallback, 108x the host workspace | confirmed, both arms re-measured | BeeLlama + us
D6 | Quantized K/V + logit_softcap | not reproduced — coverage is one case wide | BeeLlama
D7 | GGML_CUDA_KVARN=ON does not compile | historical base failure; fixed by #34 pending merge/validation | BeeLlama
D8 | q2_0s FlashAttention returns wrong values at hsk=64 | confirmed, one case fails at three seeds | BeeLlama
D9 | KVarN is refused for a device-resident cache on a default build | confirmed | BeeLlama
D10 | test-upstream-merge-keepers-static fails on a clean checkout | confirmed | BeeLlama
"""

ROADMAP = """
R1 | Fix the divergent __syncthreads() | upstream | M–L | very high | —
R2 | Fix D320 vector routing | BeeLlama | S–M | medium | —
R3 | Interim guard for MTP + -nkvo | this fork | S–M | medium | —
R4 | Correct copy/compute overlap | this fork | XL | high | design decision
R5 | Re-measure the vector/MMA crossover | this fork | S | low | R1
R6 | KVarN in the KV-offload line | BeeLlama + us | XL | high | R9, ownership decision
R7 | test-kvarn on default builds | BeeLlama | — | — | not planned: unacceptable default CUDA build time
R8 | Widen quantized × softcap coverage | BeeLlama | S | none | —
R9 | Fix the GGML_CUDA_KVARN=ON build | BeeLlama | S | none | implemented in #34; pending merge and validation
R10 | Fix q2_0s FlashAttention at hsk=64 | BeeLlama | S-M | medium | —
R11 | Make KVarN reachable on a device-resident cache | BeeLlama | M | high | PR #34 merge and validation
R12 | Repair test-upstream-merge-keepers-static | BeeLlama | S | none | —
"""

COMPUTE_FLOOR = """
4,096 | 31.72 | 31.53 | 39.5148 | 25.31 | 6.22 | 6.31 | 1.4%
16,384 | 19.69 | 50.79 | 36.2507 | 27.59 | 23.20 | 24.05 | 3.5%
32,768 | 13.03 | 76.75 | 32.7283 | 30.55 | 46.19 | 47.10 | 1.9%
"""

OVERLAP_CEILING = """
4,096 | 31.7287, 31.7165 | 38.4860, 38.5025 | +21.3% | 98.6%
16,384 | 19.7025, 19.6820 | 34.8800, 34.8439 | +77.0% | 96.5%
32,768 | 13.0142, 13.0137 | 20.8258, 20.8300 | +60.0% | 95.9%
"""


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def words(cell: str) -> list[str]:
    """The words of a cell, without what Markdown and punctuation add.

    `us` is how the founding document calls the owner that it elsewhere calls `this fork`.
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell)
    text = re.sub(r"[\w.-]+/[\w.-]+(?=#\d)", "", text)
    text = text.replace("\\_", "_").replace("–", "-").replace("×", "x").replace("merge/validation", "merge and validation")
    found = [word.strip(".,;:()") for word in re.sub(r"[`*+]|—", " ", text).split()]
    return ["this fork" if word == "us" else word for word in found if word]


def holds(ours: str, theirs: str) -> bool:
    """Whether our cell holds every word of theirs, in their order."""
    mine = iter(" ".join(words(ours)).replace("this fork", "this_fork").split())
    return all(word in mine for word in " ".join(words(theirs)).replace("this fork", "this_fork").split())


@pytest.fixture(scope="module")
def overview(this_registry: Inspection) -> str:
    page = next(p for p in document_pages(publication(this_registry)) if p.path == "overview.md")
    return Renderer.of(this_registry.project, Dialect.PLAIN).render(page)


def table_under(overview: str, heading: str) -> tuple[list[str], dict[str, list[str]]]:
    """The headings and the rows (by their first cell) of the first table under a heading."""
    section = overview[overview.index(f"{heading}\n") :]
    lines = _first_table(section.splitlines())
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [c.strip() for c in cells[0]], {re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", row[0].strip()): row for row in cells[2:]}


def _first_table(lines: list[str]) -> Iterator[str]:
    started = False
    for line in lines[1:]:
        if line.startswith("|"):
            started = True
            yield line
        elif started:
            return


@pytest.mark.parametrize(
    ("heading", "columns", "expected"),
    [
        ("## Defects", ["#", "Defect", "Status", "Owner"], DEFECTS),
        ("## Roadmap", ["#", "Item", "Owner", "Size", "Blast radius", "Blocked by"], ROADMAP),
    ],
)
def test_the_register_and_the_roadmap(heading: str, columns: list[str], expected: str, overview: str) -> None:
    headings, ours = table_under(overview, heading)
    assert headings == columns
    assert list(ours) == [row[0] for row in rows_of(expected)]
    wanting = [(row[0], column, ours[row[0]][number], cell) for row in rows_of(expected) for number, (column, cell) in enumerate(zip(columns, row, strict=True)) if not holds(ours[row[0]][number], cell)]
    assert wanting == []


@pytest.mark.parametrize(
    ("heading", "columns", "expected"),
    [
        ("### M2: Compute floor", ("Depth", "host KV", "ms/tok", "device KV", "ms/tok", "implied copy", "measured H2D", "agreement"), COMPUTE_FLOOR),
        ("### M3: Overlap ceiling", ("Depth", "ordered", "unordered", "gain", "share of max(copy, compute)"), OVERLAP_CEILING),
    ],
)
def test_the_measurements(heading: str, columns: tuple[str, ...], expected: str, overview: str) -> None:
    headings, ours = table_under(overview, heading)
    places, start = [], 0
    for column in columns:
        start = next(n for n in range(start, len(headings)) if headings[n].startswith(column)) + 1
        places.append(start - 1)
    assert (len(headings), list(ours)) == (len(columns), [row[0] for row in rows_of(expected)])
    wanting = [(row[0], column, ours[row[0]][place], cell) for row in rows_of(expected) for column, place, cell in zip(columns, places, row, strict=True) if cell not in (ours[row[0]][place], ours[row[0]][place].partition(", published ")[2])]
    assert wanting == []


def test_a_word_that_is_missing_is_noticed() -> None:
    assert holds("confirmed, exit 134 at `fattn.cu:412`", "confirmed, exit 134 at fattn.cu:412")
    assert not holds("confirmed, exit 134", "confirmed, exit 134 at fattn.cu:412")
    assert not holds("BeeLlama", "BeeLlama + us")
