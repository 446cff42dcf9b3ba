"""The site in a real browser: what a reader does, with a mouse, with a keyboard, on a phone, in the dark, without scripts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.browser]
Open = Callable[..., Any]

KINDS_OF_PAGES = ("", "records/D2/", "records/R9/", "records/M3/", "records/Q1/", "defects/", "roadmap/", "graph/", "problems/", "counts/", "evidence/", "explanation/order/", "reference/records/")


@pytest.fixture
def open_page(chromium: Any, address: str) -> Iterator[Open]:
    """Open a page of the site in a fresh profile; a request to another host, or an error of a script, fails the test."""
    contexts, foreign, errors = [], [], []

    def opened(path: str = "", **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith((address.split("/site/", maxsplit=1)[0], "data:", "blob:")) else None)
        page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
        page.on("console", lambda message: errors.append(f"{page.url}: {message.text}") if message.type == "error" else None)
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert foreign == []
    assert errors == []


def test_from_home_to_the_first_action_and_its_evidence(open_page: Open) -> None:
    page = open_page()
    first = page.locator('[data-table="next"] tbody tr').first
    assert first.locator("td").nth(0).inner_text() == "1"
    first.locator("td").nth(1).locator("a").click()
    assert page.url.endswith("/records/R1/")
    page.locator('article a[href$="D2/"]').first.click()
    assert page.url.endswith("/records/D2/")
    page.locator("h2#evidence ~ * a").nth(1).wait_for()
    link = page.locator("article table:has(th:text-is('Execution')) tbody a").first
    link.click()
    assert "Why this verdict" in page.locator("article").inner_text()


@pytest.mark.parametrize(
    ("words", "first"),
    [("D2", "/records/D2/"), ("D1", "/records/D1/"), ("R4", "/records/R4/"), ("illegal memory access", "/records/D3/"), ("fattn.cu:412", "/records/D1/"), ("Divergent thread(s) in block", "/records/D2/"), ("KVARN_STORE", "/records/D4/")],
)
def test_the_search_finds_the_record_first(words: str, first: str, open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.locator("input.md-search__input").fill(words)
    result = page.locator(".md-search-result__item a.md-search-result__link").first
    result.wait_for(timeout=20_000)
    assert first in unquote(result.get_attribute("href") or "")


def test_the_search_can_be_used_with_the_keyboard_alone(open_page: Open) -> None:
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
    page.keyboard.type("crossover")
    page.locator(".md-search-result > .md-search-result__list a").first.wait_for(timeout=20_000)


def rows(page: Any, table: str) -> list[str]:
    return [row.locator("td").first.inner_text() for row in page.locator(f'[data-table="{table}"] tbody tr').all() if row.is_visible()]


def test_a_table_sorts_filters_and_keeps_its_state_in_the_address(open_page: Open) -> None:
    page = open_page("roadmap/")
    box = page.locator('[data-table="roadmap"]')
    box.get_by_role("button", name="Size").click()
    assert rows(page, "roadmap")[:4] == ["R5", "R8", "R9", "R12"], "S comes before S-M, M, M-L and XL"
    assert rows(page, "roadmap")[-1] == "R7", "what has no size comes last"
    box.get_by_role("button", name="Size").click()
    assert rows(page, "roadmap")[:2] == ["R4", "R6"]
    box.get_by_label("Owner").select_option("this fork")
    box.get_by_label("Filter").fill("overlap")
    assert rows(page, "roadmap") == ["R4"]
    page.reload()
    assert rows(page, "roadmap") == ["R4"]
    box.get_by_label("Filter").fill("")
    assert rows(page, "roadmap") == ["R4", "R6", "R3", "R5"]


def test_home_filters_all_its_tables_by_owner(open_page: Open) -> None:
    page = open_page()
    page.locator(".kv-choice").get_by_label("Owner").select_option("upstream")
    assert [rows(page, "next"), rows(page, "waiting"), rows(page, "state")] == [["1"], [], ["D2"]]
    page.reload()
    assert rows(page, "next") == ["1"]


def test_the_picture_leads_to_a_record(open_page: Open) -> None:
    page = open_page("graph/")
    page.locator("svg.kv-graph a", has_text="R9").first.click()
    assert "/records/R9/" in page.url


def test_dark_is_dark_and_is_remembered(open_page: Open) -> None:
    page = open_page(color_scheme="dark")
    brightness = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b) / 3"
    assert page.evaluate(brightness) < 60
    page.locator("label[title='Switch to the light scheme']").click()
    assert page.evaluate(brightness) > 200
    page.reload()
    assert page.evaluate(brightness) > 200


@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_no_page_scrolls_sideways_on_a_phone(path: str, open_page: Open) -> None:
    page = open_page(path, viewport={"width": 360, "height": 740})
    assert page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]") == [360, 360]


def test_the_drawer_of_a_phone_leads_to_every_list(open_page: Open) -> None:
    page = open_page("records/D2/", viewport={"width": 390, "height": 800})
    page.locator("header label[for='__drawer']").click()
    page.locator(".md-sidebar--primary .md-nav__link:visible", has_text="Record").first.click()
    page.locator(".md-sidebar--primary .md-nav__link:visible", has_text="Defects").first.click()
    assert page.url.endswith("/defects/")


def test_the_keyboard_is_enough(open_page: Open) -> None:
    page = open_page("defects/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList[0]") == "md-skip"
    button = page.locator('[data-table="defects"]').get_by_role("button", name="Severity")
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator('[data-table="defects"] th[aria-sort="ascending"]').inner_text().startswith("Severity")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList[0]") == "kv-sort"


def test_without_scripts_everything_is_there(open_page: Open) -> None:
    page = open_page("defects/", java_script_enabled=False)
    assert page.locator('[data-table="defects"] tbody tr').count() == 10
    assert page.locator(".kv-filters").count() == 0
    page.goto(page.url.replace("defects/", "graph/"))
    assert page.locator("svg.kv-graph a").count() > 20


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_axe_finds_no_serious_fault(path: str, scheme: str, open_page: Open) -> None:
    page = open_page(path, color_scheme=scheme)
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    serious = [f"{v['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}" for v in found if v["impact"] in ("serious", "critical") for node in v["nodes"][:3]]
    assert serious == []


@pytest.mark.parametrize(("path", "name"), [("", "home"), ("graph/", "graph"), ("records/D2/", "defect"), ("records/M3/", "measurement")])
def test_screenshots(path: str, name: str, open_page: Open, tmp_path: Path) -> None:
    """Pictures of four pages, kept in the folder that `KVDOCS_SCREENSHOTS` names."""
    page = open_page(path)
    page.wait_for_timeout(300)
    target = Path(os.environ.get("KVDOCS_SCREENSHOTS", str(tmp_path))) / f"{name}.png"
    page.screenshot(path=target)
    assert target.stat().st_size > 10_000
