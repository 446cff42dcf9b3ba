"""Without JavaScript everything is still there: tables, pictures, links."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE, Open
from tests.browser.kinds_of_pages import KINDS_OF_PAGES

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def test_tables_are_plain_tables_with_their_links(open_page: Open) -> None:
    page = open_page("defects/", java_script_enabled=False)
    table = page.locator('[data-table="defects"] table')
    assert table.locator("tbody tr").count() == 10
    assert [heading.strip() for heading in table.locator("th").all_inner_texts()] == ["#", "Title", "Status", "Owner", "Severity", "Fixed by"]
    assert page.locator(".kv-filters").count() == 0
    table.locator("td:first-child").get_by_role("link", name="D2", exact=True).click()
    assert page.url.endswith("/records/D2/")


def test_the_picture_is_a_drawing_with_links(open_page: Open) -> None:
    page = open_page("graph/", java_script_enabled=False)
    assert page.locator("svg.kv-graph").first.is_visible()
    assert page.locator(".kv-tools").count() == 0
    page.locator("svg.kv-graph a", has_text="R9").first.click()
    assert page.url.endswith(("/records/R9/", "/records/R9/index.html"))


@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_a_phone_without_scripts_does_not_scroll_sideways(path: str, open_page: Open) -> None:
    page = open_page(path, viewport=PHONE, java_script_enabled=False)
    box = page.locator("article").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 360
