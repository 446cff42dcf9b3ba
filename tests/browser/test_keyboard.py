"""The keyboard alone: the skip link, a visible focus, tables that are sorted and scrolled without a mouse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import Open

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def focus(page: Any) -> str:
    """What has the focus: its first class, else its text."""
    words: str = page.evaluate("document.activeElement.classList[0] || document.activeElement.textContent.trim()")
    return words


def test_the_first_stop_skips_to_the_content(open_page: Open) -> None:
    page = open_page("defects/")
    page.keyboard.press("Tab")
    assert focus(page) == "md-skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('article').contains(document.activeElement)")


def test_a_table_is_sorted_and_filtered_without_a_mouse(open_page: Open) -> None:
    page = open_page("defects/")
    table = page.locator('[data-table="defects"]')
    table.get_by_label("Filter").focus()
    page.keyboard.type("kvarn")
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Title":
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("Title")
    shown = [row.locator("td").first.inner_text() for row in table.locator("tbody tr").all() if row.is_visible()]
    assert shown == sorted(shown, key=["D4", "D9", "D5", "D7"].index), "test-, KVarN is, Host-, GGML_"


def test_every_stop_of_a_page_shows_that_it_has_the_focus(open_page: Open) -> None:
    page = open_page()
    bare: list[str] = []
    seen = 0
    for _ in range(60):
        page.keyboard.press("Tab")
        told = page.evaluate(
            """() => {
                const e = document.activeElement;
                if (e === document.body) return null;
                const style = getComputedStyle(e.matches(".md-option") ? e.nextElementSibling : e); // the button stands beside its radio field
                const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none" || e.closest(".md-skip, .md-search__form");
                return [Boolean(shown), e.outerHTML.slice(0, 80)];
            }"""
        )
        if told is None:
            break
        seen += 1
        if not told[0]:
            bare.append(told[1])
    assert seen > 30
    assert bare == []


def test_a_wide_box_can_be_scrolled_by_the_keyboard(open_page: Open) -> None:
    page = open_page("records/M1/")
    box = page.locator("[role=region][tabindex='0']", has=page.locator("table")).first
    assert box.get_attribute("aria-label") == "Table: Figures"
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
