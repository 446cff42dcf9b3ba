"""The founding record's figures: what the program recomputes, and every finding that it makes."""

from __future__ import annotations

import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from kvdocs.figures.numerals import decimals_of, text, words
from kvdocs.figures.sheet import Cell, Sheet
from kvdocs.figures.table import CellName, Figure
from kvdocs.figures.workbook import Workbook
from kvdocs.kinds.claim import Claim
from kvdocs.kinds.measurement import CODES
from kvdocs.ledger import ledger_of
from kvdocs.pipeline import Inspection, inspect
from kvdocs.problems import Problem
from kvdocs.project import find_project

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FIGURE_CODES = {code.name for code in CODES} | {"claim-fails", "claim-undecided", "claim-unsupported"}


def row_text(row: dict[str, Figure]) -> str:
    """A row with the published figure beside the computed one where they differ."""

    def cell(figure: Figure) -> str:
        samples = ", ".join(str(sample) for sample in figure.cell.samples)
        differs = f" (published {figure.published_text})" if figure.reproduction in ("not reproduced", "undecided") else ""
        return (samples or figure.text) + differs

    return " | ".join(cell(figure) for figure in row.values() if figure.value is not None)


@pytest.mark.parametrize(
    ("measurement", "rows"),
    [
        (
            "M2",
            [
                "4,096 token | 31.72 token/s | 31.53 ms/token | 39.5148 token/s | 25.31 ms/token | 6.22 ms/token | 6.31 ms/token | 1.4%",
                "16,384 token | 19.69 token/s | 50.79 ms/token | 36.2507 token/s | 27.59 ms/token | 23.20 ms/token | 24.05 ms/token | 3.5%",
                "32,768 token | 13.03 token/s | 76.75 ms/token | 32.7283 token/s | 30.55 ms/token | 46.19 ms/token | 47.10 ms/token | 1.9%",
            ],
        ),
        (
            "M3",
            [
                "4,096 token | 31.7287, 31.7165 | 38.4860, 38.5025 | +21.3% | 25.98 ms/token | 25.31 ms/token | 97.4% (published 98.6%) | 97.4%",
                "16,384 token | 19.7025, 19.6820 | 34.8800, 34.8439 | +77.0% | 28.68 ms/token | 27.59 ms/token | 96.2% (published 96.5%) | 96.2%",
                "32,768 token | 13.0142, 13.0137 | 20.8258, 20.8300 | +60.0% | 48.01 ms/token | 47.10 ms/token | 98.1% (published 95.9%) | 96.2%",
            ],
        ),
        (
            "M4",
            [
                "4,096 token | 31.7528, 31.7305 | 31.7514, 31.7460 | +0.02%",
                "32,768 token | 13.0294, 13.0275 | 13.0524, 13.0518 | +0.18%",
            ],
        ),
        (
            "M5",
            [
                "8,192 token | 2,195.90 MiB | 20.28 MiB | 122.01 MiB | 142.27 MiB | 108× | 0.2681 MiB/token",
                "32,768 token | 3,309.90 MiB | 0.1010 MiB/token",
                "65,536 token | 6,541.90 MiB | 0.0998 MiB/token",
                "262,144 token | 25,933.90 MiB | 5,528.00 MiB | 0.099 MiB/token | 4.7×",
            ],
        ),
    ],
)
def test_a_founding_table_is_computed_cell_by_cell(this_registry: Inspection, measurement: str, rows: list[str]) -> None:
    table = ledger_of(this_registry.registry).table(measurement)
    assert [row_text(dict(row)) for row in table.rows.values()] == rows


def short(problem: Problem) -> str:
    return f"{problem.code.name}: {problem.message}"


def test_every_finding_on_the_figures(this_registry: Inspection) -> None:
    """Warnings only: what is merely without inputs is counted below."""
    found = [short(p) for p in this_registry.problems if p.code.name in FIGURE_CODES and p.code.severity != "info"]
    assert sorted(found) == sorted(
        [
            "published-differs: M1.bandwidth[32768]: 24.1 GB/s was published, and the inputs give 24.4 GB/s (with their rounding, 24.40 GB/s to 24.43 GB/s)",
            "published-differs: M3.share[4096]: 98.6% was published, and the inputs give 97.4% (with their rounding, 97.417% to 97.418%)",
            "published-differs: M3.share[16384]: 96.5% was published, and the inputs give 96.2% (with their rounding, 96.1688% to 96.1693%)",
            "published-differs: M3.share[32768]: 95.9% was published, and the inputs give 98.1% (with their rounding, 98.09% to 98.11%)",
            "claim-fails: K2 (The copies run at 24.1 GB/s at every depth) fails: the value at 32,768 is 24.42 GB/s, and the claim is that it rounds to 24.1 GB/s",
            "claim-fails: K14 (R1 gates the two largest numbers on record) fails: the value is −65.4%, and the claim is that it is at least 0%",
            "claim-fails: K21 (The host workspace of KVarN is about 0.099 MiB per token of context) fails: the value at 8,192 is 0.2681 MiB/token, and the claim is that it rounds to 0.099 MiB/token",
            "claim-fails: K27 (The same reproducer finds the barrier errors on upstream of 2026-08-21) fails: the value is 0, and the claim is that it is at least 1",
            "claim-fails: K42 (All optimizations but one were rejected) fails: the value is 0, and the claim is that it rounds to 1",
            "claim-undecided: K6 (At 4,096 tokens the ceiling of overlap is +21.3 %) undecided: the value is 21.35% (21.25% to 21.44%), and the claim is that it rounds to 21.3%",
            "claim-undecided: K7 (At 16,384 tokens the ceiling of overlap is +77.0 %) undecided: the value is 77.03% (76.90% to 77.17%), and the claim is that it rounds to 77.0%",
            "claim-undecided: K8 (At 32,768 tokens the ceiling of overlap is +60.0 %) undecided: the value is 60.04% (59.92% to 60.17%), and the claim is that it rounds to 60.0%",
            "claim-undecided: K9 (At 32,768 tokens the whole store side is worth +0.18 %) undecided: the value is 0.182% (0.104% to 0.259%), and the claim is that it rounds to 0.18%",
            "order-unknown: M3 compares arms, and the order in which they ran is not on record",
            "order-unknown: M4 compares arms, and the order in which they ran is not on record",
        ]
    )


def test_every_claim_has_a_verdict(this_registry: Inspection) -> None:
    ledger = ledger_of(this_registry.registry)
    verdicts = {name: str(judgement.verdict) for name, judgement in ledger.judgements.items()}
    holds = ["K1", "K4", "K5", "K10", "K11", "K12", "K13", "K20", "K22", "K23", "K24", "K25", "K26", "K28", "K29", "K32", "K50", "K51", "K52", "K53", *(f"K{number}" for number in range(54, 69))]
    unsupported = ["K30", "K31", "K33", "K34", "K35", "K36", "K37", "K38", "K39", "K40", "K41"]
    assert {name for name, verdict in verdicts.items() if verdict == "holds"} == set(holds)
    assert [name for name, judgement in ledger.judgements.items() if verdicts[name] == "undecided" and judgement.unsupported] == unsupported
    assert {judgement.error for judgement in ledger.judgements.values()} == {None}


def test_what_the_arms_show(this_registry: Inspection) -> None:
    ledger = ledger_of(this_registry.registry)
    assert [(m, c.row, c.result.words, c.result.basis, str(c.result.order)) for m in ("M3", "M4") for c in ledger.comparisons(m)] == [
        ("M3", 4096, "gain", "pooled", "unknown"),
        ("M3", 16384, "gain", "pooled", "unknown"),
        ("M3", 32768, "gain", "pooled", "unknown"),
        ("M4", 4096, "equivalent within 0.09%", "pooled", "unknown"),
        ("M4", 32768, "equivalent within 0.25%", "pooled", "unknown"),
    ]


def with_another_digit(cell: Cell) -> Cell:
    """The cell with its figures three per cent larger."""

    def larger(number: int | Decimal) -> int | Decimal:
        return Decimal(number) * Decimal("1.03") + 1

    return cell._replace(value=None if cell.value is None else larger(cell.value), samples=tuple(larger(s) for s in cell.samples))


@pytest.mark.slow
def test_an_input_changes_its_dependents_and_nothing_else(this_registry: Inspection) -> None:
    """For every input cell of the record in turn."""
    book = ledger_of(this_registry.registry).workbook
    before = {figure.name: figure.value for figure in book.figures()}
    inputs = [figure.name for figure in book.figures() if figure.cell.is_input and figure.name.column != book.sheets[figure.name.measurement].key]
    assert len(inputs) > 50
    for name in inputs:
        after = {figure.name: figure.value for figure in changed_workbook(book, name).figures()}
        changed = {cell for cell in before if before[cell] != after[cell]}
        assert name in changed
        assert changed <= {name, *book.dependents(name)}


def changed_workbook(book: Workbook, name: CellName) -> Workbook:
    def changed(sheet: Sheet) -> Sheet:
        if sheet.id != name.measurement:
            return sheet
        row = sheet.rows[name.row]
        return sheet._replace(rows={**sheet.rows, name.row: {**row, name.column: with_another_digit(row[name.column])}})

    return Workbook(changed(sheet) for sheet in book.sheets.values())


def test_check_names_what_became_stale(tmp_path: Path, this_registry: Inspection) -> None:
    """One input of M1 is measured again: the figures of M2 that were published from it, and the claim on them, no longer stand."""
    shutil.copytree(REPOSITORY / "registry", tmp_path / "registry")
    (tmp_path / "mkdocs.yml").write_text("site_name: test\n", encoding="utf-8")
    file = tmp_path / "registry" / "measurements" / "M1.yaml"
    written = file.read_text(encoding="utf-8")
    assert written.count("h2d: 24.05") == 1
    file.write_text(written.replace("h2d: 24.05", "h2d: 24.85"), encoding="utf-8")
    old = {short(p) for p in this_registry.problems if p.code.name in FIGURE_CODES}
    new = [short(p) for p in inspect(find_project(tmp_path)).problems if p.code.name in FIGURE_CODES and short(p) not in old]
    assert new == [
        "claim-fails: K68 (The link of h200 is 2.3 times as fast as the copies on rtx4070) fails: the value is 2.37×, and the claim is that it rounds to 2.3×",
        "claim-fails: K1 (Two independent routes to the copy agree to within 4 %) fails: the value at 16,384 is 6.6%, and the claim is that it is at most 4%",
        "claim-fails: K2 (The copies run at 24.1 GB/s at every depth) fails: the value at 16,384 is 23.32 GB/s, and the claim is that it rounds to 24.1 GB/s",
        "published-differs: M1.bandwidth[16384]: 24.1 GB/s was published, and the inputs give 23.3 GB/s (with their rounding, 23.32 GB/s to 23.33 GB/s)",
        "published-differs: M2.h2d[16384]: 24.05 ms/token was published, and the inputs give 24.85 ms/token (with their rounding, 24.845 ms/token to 24.855 ms/token)",
        "published-differs: M2.agreement[16384]: 3.5% was published, and the inputs give 6.6% (with their rounding, 6.56% to 6.70%)",
    ]


IN_WORDS = {
    "K13": "in series means that the parts make up the whole",
    "K14": "the largest means that nothing is larger",
    "K32": "only moving means that the sum stays",
    "K38": "the same means no difference",
}
"""Claims that were published without the number that they come to."""


def test_the_figure_of_a_published_claim_stands_in_its_title(this_registry: Inspection) -> None:
    """The number that is judged and the number that a reader sees are one, though they stand in two places."""
    missing = []
    for claim in this_registry.registry.records("claim", Claim):
        numbers = [n for n in (claim.equals, claim.at_most, *(claim.between or [])) if n is not None]
        title = claim.title.replace("\N{MINUS SIGN}", "-").replace(",", "").lower()
        shown = [(str(n), text(Fraction(n), max(decimals_of(n), 0), thousands=False).replace("\N{MINUS SIGN}", ""), words(Fraction(n)) or "?") for n in numbers]
        if claim.published is not None and claim.id not in IN_WORDS and any(not any(form in title for form in forms) for forms in shown):
            missing.append(f"{claim.id}: {claim.title}")
    assert missing == []
