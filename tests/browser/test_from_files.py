"""The site opened from files, without any server: what `make site` ends with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Open

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_links_lead_to_pages_and_not_to_folders(open_page: Open, site: Path) -> None:
    page = open_page((site / "index.html").as_uri())
    page.locator('[data-table="next"] tbody a').first.click()
    page.wait_for_url("**/records/R1/index.html")
    page.locator('article a[href*="D2/"]').first.click()
    page.wait_for_url("**/records/D2/index.html")
    page.locator(".md-tabs__link", has_text="Reports").click()
    page.wait_for_url("**/problems/index.html")


def test_tables_sort_and_keep_their_state(open_page: Open, site: Path) -> None:
    page = open_page((site / "roadmap" / "index.html").as_uri())
    box = page.locator('[data-table="roadmap"]')
    box.get_by_role("combobox", name="State").select_option("waiting")
    box.get_by_role("button", name="Size").click()
    page.reload()
    assert [row.locator("td").first.inner_text() for row in box.locator("tbody tr").all() if row.is_visible()] == ["R5", "R11", "R4", "R6"]


def test_the_search_finds_records(open_page: Open, site: Path) -> None:
    page = open_page((site / "index.html").as_uri())
    page.locator("input.md-search__input").click()
    page.keyboard.type("illegal memory access")
    page.locator(".kv-hits a").first.click()
    page.wait_for_url("**/records/D3/index.html**")
