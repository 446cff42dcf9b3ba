"""Light and dark, a phone, paper."""

from __future__ import annotations

import pytest

from tests.browser.conftest import PHONE, Open
from tests.browser.kinds_of_pages import KINDS_OF_PAGES

pytestmark = [pytest.mark.slow, pytest.mark.browser]

BRIGHTNESS = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3"


def test_the_scheme_follows_the_system_and_a_choice_is_remembered(open_page: Open) -> None:
    page = open_page(color_scheme="dark")
    assert page.evaluate(BRIGHTNESS) < 60
    page.locator("label[title='Switch to the light scheme']").click()
    assert page.evaluate(BRIGHTNESS) > 200
    page.reload()
    assert page.evaluate(BRIGHTNESS) > 200
    assert open_page().evaluate(BRIGHTNESS) > 200


@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_no_page_scrolls_sideways_on_a_phone(path: str, open_page: Open) -> None:
    page = open_page(path, viewport=PHONE)
    assert page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]") == [360, 360]


def test_the_drawer_of_a_phone_leads_to_every_list(open_page: Open) -> None:
    page = open_page("records/D2/", viewport={"width": 390, "height": 800})
    page.locator("header label[for='__drawer']").click()
    page.locator(".md-sidebar--primary .md-nav__link:visible", has_text="Record").first.click()
    page.locator(".md-sidebar--primary .md-nav__link:visible", has_text="Defects").first.click()
    assert page.url.endswith("/defects/")


def test_paper_has_the_text_without_the_controls(open_page: Open) -> None:
    page = open_page("defects/?defects.Status=confirmed", color_scheme="dark")
    page.emulate_media(media="print")
    assert [name for name in ("header.md-header", ".md-tabs", ".md-sidebar", ".kv-filters", "footer") if page.locator(name).first.is_visible()] == []
    assert page.locator('[data-table="defects"] table').is_visible()
    assert page.evaluate(BRIGHTNESS.replace("document.body", "document.querySelector('article')").replace("backgroundColor", "color")) < 60, "dark ink, whatever the scheme"
    page.goto(page.url.partition("defects/")[0] + "records/D2/")
    outside = page.locator("article a[href^='https://']").first
    assert (outside.get_attribute("href") or "nowhere") in outside.evaluate("(a) => getComputedStyle(a, '::after').content")


def test_a_page_can_be_printed(open_page: Open) -> None:
    page = open_page("graph/")
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    shown = page.locator("svg.kv-graph:visible").first.bounding_box()
    assert shown is not None
    assert shown["width"] > 300
