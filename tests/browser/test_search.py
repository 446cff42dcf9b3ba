"""The search: ids, error texts and places in the source lead to the record first."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from tests.browser.conftest import Open

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("D2", "/records/D2/"), ("D1", "/records/D1/"), ("r4", "/records/R4/"), ("h200", "/records/h200/"),
        ("illegal memory access", "/records/D3/"), ("fattn.cu:412", "/records/D1/"), ("Divergent thread(s) in block", "/records/D2/"), ("KVARN_STORE", "/records/D4/"),
    ],
)  # fmt: skip
def test_the_record_comes_first(words: str, first: str, open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.locator("input.md-search__input").fill(words)
    result = page.locator(".md-search-result__item a.md-search-result__link").first
    result.wait_for(timeout=20_000)
    assert first in unquote(result.get_attribute("href") or "")


def test_a_hit_opens_the_record(open_page: Open) -> None:
    page = open_page("defects/")
    page.locator("input.md-search__input").click()
    page.keyboard.type("illegal memory access")
    page.locator(".kv-hits a").first.click()
    page.wait_for_url("**/records/D3/")
    assert "illegal memory access" in page.locator("article").inner_text()


def test_the_keyboard_alone_is_enough(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.keyboard.type("fattn.cu:412")
    page.locator(".kv-hits a").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.href").endswith("/records/D1/")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/records/D1/")


def test_the_engine_still_shows_its_own_results(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.keyboard.type("needimport")
    page.locator(".md-search-result > .md-search-result__list a").first.wait_for(timeout=20_000)


def test_a_search_that_found_a_record_does_not_say_that_nothing_matches(open_page: Open) -> None:
    page = open_page()
    said = page.locator(".md-search-result__meta")

    def look_for(words: str) -> None:
        page.locator("input.md-search__input").fill("")
        page.keyboard.type(words)
        page.wait_for_function("document.querySelector('.md-search-result__meta').textContent.includes('No matching')", timeout=20_000)

    page.keyboard.press("/")
    look_for("ggml-cuda.cu:2752")
    assert (page.locator(".kv-hits a").count(), said.is_visible()) == (1, False)
    look_for("zyxwvut")
    assert (page.locator(".kv-hits a").count(), said.is_visible()) == (0, True)


def test_words_that_stand_nowhere_find_no_record(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.keyboard.type("zyxwvut")
    page.locator(".md-search-result__meta", has_text="No matching").wait_for(timeout=20_000)
    assert page.locator(".kv-hits a").count() == 0
