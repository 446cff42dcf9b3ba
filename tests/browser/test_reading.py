"""What a reader does with the mouse: from the home page to the first action, its record, its evidence, the execution and its output."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.kinds_of_pages import KINDS_OF_PAGES, RECORDS

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_every_kind_of_record_and_of_page_is_looked_at(this_registry: Any) -> None:
    """A new kind has to be added to the list that all browser tests go through, once there is a record of it."""
    kinds = {kind.name: kind.name for kind in this_registry.registry.kinds if this_registry.registry.of(kind.name)}
    assert {name: this_registry.registry.get(id_).kind.name for name, id_ in RECORDS.items()} == kinds
    assert len(set(KINDS_OF_PAGES)) == len(KINDS_OF_PAGES)


def test_from_home_to_the_first_action_and_its_evidence(open_page: Open) -> None:
    page = open_page()
    first = page.locator('[data-table="next"] tbody tr').first
    assert first.locator("td").nth(0).inner_text() == "1"
    first.locator("td").nth(1).locator("a").click()
    assert page.url.endswith("/records/R1/")
    page.locator('article a[href$="D2/"]').first.click()
    assert page.url.endswith("/records/D2/")
    page.locator("article table:has(th:text-is('Execution')) tbody a").first.click()
    page.locator("h2", has_text="Why this verdict").wait_for()


def test_an_execution_is_two_clicks_from_home(open_page: Open) -> None:
    """One click: a defect of the home page, whose page says what executions show. Two: the execution, with its reasons and its output."""
    page = open_page()
    row = page.locator('[data-table="state"] tbody tr', has=page.get_by_role("link", name="D8", exact=True))
    assert "reproduced in 3 of 3" in row.inner_text()
    row.get_by_role("link", name="D8", exact=True).click()
    page.locator("article table:has(th:text-is('Execution')) tbody a").first.click()
    page.locator("h2", has_text="Why this verdict").wait_for()
    headings = page.locator("article h2").all_inner_texts()
    assert [name for name in ("Why this verdict", "Command", "What it printed") if any(name in heading for heading in headings)] == [
        "Why this verdict",
        "Command",
        "What it printed",
    ]


def test_numbers_of_the_home_page_lead_to_what_they_count(open_page: Open) -> None:
    page = open_page()
    card = page.locator("a.kv-card", has_text="defects confirmed")
    number = int(card.locator("strong").inner_text())
    card.click()
    section = page.locator("h2#defects-confirmed")
    assert section.inner_text().startswith(f"{number} defects confirmed")
    assert page.locator("h2#defects-confirmed ~ * td:nth-child(2)").first.locator("a").count() == number


def test_a_command_is_copied_as_it_stands(open_page: Open) -> None:
    page = open_page("records/D2/", permissions=["clipboard-read", "clipboard-write"])
    block = page.locator("h2#how-to-see-it ~ .highlight").first
    block.hover()
    block.get_by_role("button").click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.length > 0)")
    assert page.evaluate("navigator.clipboard.readText()").startswith("compute-sanitizer --tool synccheck")


def test_the_matched_lines_of_an_output_are_marked(open_page: Open) -> None:
    page = open_page("records/D2/")
    assert page.locator("h2#what-it-prints ~ .highlight").first.locator(".hll").all_inner_texts() == ["     in fattn-mma-f16.cuh:1732\n"]


def test_the_sections_of_a_defect_stand_in_the_order_in_which_they_are_needed(open_page: Open) -> None:
    page = open_page("records/D2/")
    expected = ["What goes wrong", "How to see it", "What it prints", "Where in the source", "Whose it is", "What fixes it", "Evidence", "What is not established"]
    found = [heading.removesuffix("¶").strip() for heading in page.locator("article h2").all_inner_texts()]
    assert [heading for heading in found if heading in expected] == expected
