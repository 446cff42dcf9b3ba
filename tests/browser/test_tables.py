"""Tables: sorted, filtered, kept in the address; cards on a phone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import PHONE, Open

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def rows(page: Any, table: str) -> list[str]:
    """The first cell of each row that is shown."""
    return [row.locator("td").first.inner_text() for row in page.locator(f'[data-table="{table}"] tbody tr').all() if row.is_visible()]


def test_a_table_sorts_filters_and_keeps_its_state_in_the_address(open_page: Open) -> None:
    page = open_page("roadmap/")
    box = page.locator('[data-table="roadmap"]')
    box.get_by_role("button", name="Size").click()
    assert rows(page, "roadmap")[:4] == ["R5", "R8", "R9", "R12"], "S comes before S-M, M, M-L and XL"
    assert rows(page, "roadmap")[-1] == "R7", "what has no size comes last"
    box.get_by_role("button", name="Size").click()
    assert rows(page, "roadmap")[:2] == ["R4", "R6"]
    box.get_by_role("combobox", name="Owner").select_option("this fork")
    box.get_by_label("Filter").fill("overlap")
    assert rows(page, "roadmap") == ["R4"]
    page.reload()
    assert rows(page, "roadmap") == ["R4"]
    assert box.get_by_role("combobox", name="Owner").input_value() == "this fork"
    assert box.locator("th[aria-sort=descending]").inner_text().startswith("Size")
    box.get_by_label("Filter").fill("")
    assert rows(page, "roadmap") == ["R4", "R6", "R3", "R5"]


def test_an_address_without_a_state_shows_the_table_as_listed(open_page: Open) -> None:
    page = open_page("roadmap/?roadmap.sort=Nothing&roadmap.Owner=nobody")
    assert rows(page, "roadmap")[:2] == ["R1", "R2"], "a heading or a value that does not exist changes nothing"
    assert len(rows(page, "roadmap")) == 12


def test_home_filters_all_its_tables_by_owner(open_page: Open) -> None:
    page = open_page()
    page.locator(".kv-choice").get_by_label("Owner").select_option("upstream")
    assert [rows(page, "next"), rows(page, "waiting"), rows(page, "state")] == [["1"], [], ["D2"]]
    page.reload()
    assert rows(page, "next") == ["1"]


def test_a_sentence_about_an_open_owner_is_one_choice_and_no_record_that_it_names(open_page: Open) -> None:
    page = open_page()
    choices = page.locator(".kv-choice select option").all_inner_texts()
    assert choices == ["all", "BeeLlama", "investigation; D2 correlation only", "this fork", "upstream"]
    page.locator(".kv-choice").get_by_label("Owner").select_option("investigation; D2 correlation only")
    assert rows(page, "state") == ["D3"]


@pytest.mark.parametrize("path", ["", "evidence/", "defects/", "roadmap/", "results/"])
def test_no_column_is_cut_off_on_a_screen(path: str, open_page: Open) -> None:
    page = open_page(path)
    cut = page.evaluate("[...document.querySelectorAll('.md-typeset__scrollwrap')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.innerText.slice(0, 60))")
    assert cut == []


def test_on_a_phone_each_row_is_a_card_that_says_its_headings(open_page: Open) -> None:
    page = open_page("roadmap/", viewport=PHONE)
    box = page.locator('[data-table="roadmap"]')
    card = box.get_by_role("row").filter(has=page.get_by_role("link", name="R6", exact=True)).first
    shown = card.evaluate("(row) => [...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => [getComputedStyle(cell, '::before').content, cell.textContent.trim()])")
    assert shown == [
        ['"#"', "R6"], ['"Title"', "KVarN in the KV-offload line"], ['"Owner"', "BeeLlama, this fork"], ['"Size"', "XL"], ['"Blast radius"', "high"],
        ['"Blocked by"', "R9, Q2 ownership decision"], ['"State"', "waiting"], ['"Fixes"', "D5"],
    ]  # fmt: skip
    edges = card.evaluate("(row) => [...row.cells].map((cell) => cell.getBoundingClientRect().right)")
    assert max(edges) <= 360
    box.get_by_label("Order").select_option("Size, reversed")
    assert rows(page, "roadmap")[:2] == ["R4", "R6"]
    page.reload()
    assert rows(page, "roadmap")[:2] == ["R4", "R6"]
    assert box.get_by_label("Order").input_value() == "-Size"
