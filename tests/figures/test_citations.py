"""Citations: figures in prose are computed, and what cannot be computed stays and says why."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from kvdocs.figures.citations import citations, cited
from kvdocs.figures.sheet import Cell, Column, Sheet
from kvdocs.figures.workbook import Workbook


def count(kind: str, where: Mapping[str, str]) -> int:
    return {"confirmed": 8}.get(where.get("status", ""), 10)


def overlap(unordered: str = "38.494") -> Workbook:
    columns = [
        Column("depth", "token"),
        Column("ordered", "token/s"),
        Column("unordered", "token/s"),
        Column("gain", "%", compute="unordered / ordered - 1", relative_to="ordered", better="higher"),
        Column("time", "ms/token", compute="1 / ordered"),
    ]
    rows = {4096: {"ordered": Cell(Decimal("31.723")), "unordered": Cell(Decimal(unordered)), "gain": Cell(published=Decimal("21.3"))}}
    return Workbook([Sheet("M3", "depth", {c.name: c for c in columns}, rows)], count)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worth {{ M3.gain[4096] }} here", "worth +21.3% here"),
        ("{{ M3.gain[4096] | .0f }}", "+21%"),
        ("{{M3.gain[4096]|bare}} %", "+21.3 %"),
        ("{{ M3.time[4096] }}", "31.523 ms/token"),
        ("{{ M3.time[4096] | .1f }}", "31.5 ms/token"),
        ("{{ M3.time[4096] | s/token .4f }}", "0.0315 s/token"),
        ("{{ 1 / M3.ordered[4096] - 1 / M3.unordered[4096] | ms/token }}", "5.545 ms/token"),
        ("{{ M3.unordered[4096] / M3.ordered[4096] | .2f x }}", "1.21×"),
        ("{{ M3.depth[4096] }}", "4,096 token"),
        ("{{ count('defect') }} defects, {{ count('defect', status='confirmed') | words }} confirmed", "10 defects, eight confirmed"),
        ("no citation {here} or {{ there", "no citation {here} or {{ there"),
        ("`{{ M3.gain[4096] }}` and\n```\n{{ M3.gain[4096] }}\n```\n{{ M3.gain[4096] }}", "`{{ M3.gain[4096] }}` and\n```\n{{ M3.gain[4096] }}\n```\n+21.3%"),
    ],
)
def test_a_citation_is_replaced_by_its_figure(text: str, expected: str) -> None:
    assert cited(text, overlap()) == expected


@pytest.mark.parametrize(
    ("text", "message", "points_at"),
    [
        ("see {{ M3.gian[4096] }}", "M3 has no column 'gian'", "M3.gian"),
        ("see {{ M3.gain[8192] }}", "M3 has no row 8192", "M3.gain[8192]"),
        ("see {{ M3.gain }} or {{ M4.gain }}", "there is no measurement 'M4'", "M4.gain"),
        ("see {{ M3.gain[4096] | nonsense }}", "'nonsense' is not a unit, and no format", " nonsense"),
        ("see {{ M3.time[4096] | GB }}", "the figure is in second / token, not in GB", " M3.time"),
        ("see {{ 2 * M3.time[4096] }}", "the figure is in second / token, not in 1", " 2 * M3"),
        ("see {{ M3.time[4096] | words }}", "only a count up to twenty is written in words", " M3.time"),
        ("see {{ }}", "the formula is empty", " }}"),
        ("see {{ ''.__class__ }}", "only a column of a measurement can be named", "''"),
        ("see {{ M3.gain[4096] / (2 - 2) }}", "divides by zero", "2 - 2"),
    ],
)
def test_an_error_leaves_the_text_and_points_at_itself(text: str, message: str, points_at: str) -> None:
    errors = [c.error for c in citations(text, overlap()) if c.error is not None]
    assert [e.message for e in errors] == [message]
    assert text[errors[0].offset :].startswith(points_at)
    assert text[text.rindex("{{") :] in cited(text, overlap())


def test_a_citation_knows_the_cells_that_it_rests_on_and_changes_with_them() -> None:
    text = "The gain is {{ M3.gain[4096] }}."
    (citation,) = citations(text, overlap())
    assert [str(cell) for cell in citation.cells] == ["M3.gain[4096]"]
    assert (cited(text, overlap()), cited(text, overlap("38.811"))) == ("The gain is +21.3%.", "The gain is +22.3%.")


def test_a_citation_can_be_dressed() -> None:
    assert cited("{{ M3.gain[4096] }}", overlap(), lambda c: f"[{c.text}](M3.md)") == "[+21.3%](M3.md)"
