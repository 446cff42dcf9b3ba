"""The dependency picture of this registry, served and from a file: zoom, pan, details, filters, a view that the address keeps, the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(params=["served", "from a file"])
def graph(request: pytest.FixtureRequest, open_page: Open, site: Path) -> Any:
    """The page of the picture, in the two ways in which it is opened."""
    return open_page("graph/" if request.param == "served" else (site / "graph" / "index.html").as_uri())


def node(page: Any, record: str) -> Any:
    return page.locator(f".kv-viewport .kv-node[data-id='{record}']")


def box_of(page: Any, record: str) -> dict[str, float]:
    box = node(page, record).bounding_box()
    assert box is not None
    return {name: float(value) for name, value in box.items()}


def lit(page: Any) -> set[str]:
    """The records that a filter leaves in full colour."""
    return set(page.evaluate("[...document.querySelectorAll('.kv-viewport .kv-node:not(.kv-faded)')].filter((a) => a.checkVisibility()).map((a) => a.dataset.id)"))


def test_it_shows_what_blocks_what(graph: Any) -> None:
    assert {"R1", "R5", "Q2", "R6", "D5", "fork-34"} <= lit(graph)
    assert box_of(graph, "R1")["x"] < box_of(graph, "R5")["x"], "what blocks stands to the left of what waits"
    assert graph.locator(".kv-viewport .kv-arrow.kv-holds-up[data-from='R1'][data-to='R5']").count() > 0


def test_zoom_and_pan_are_kept_in_the_address(graph: Any) -> None:
    before = box_of(graph, "R1")
    graph.get_by_role("button", name="Zoom in").click()
    graph.get_by_role("button", name="Zoom in").click()
    zoomed = box_of(graph, "R1")
    assert zoomed["width"] > 1.8 * before["width"]
    frame = graph.locator(".kv-viewport").bounding_box()
    middle = (frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    graph.mouse.move(*middle)
    graph.mouse.down()
    graph.mouse.move(middle[0] + 80, middle[1] + 50, steps=5)
    graph.mouse.up()
    panned = box_of(graph, "R1")
    assert (round(panned["x"] - zoomed["x"]), round(panned["y"] - zoomed["y"])) == (80, 50)
    graph.wait_for_timeout(300)  # the address is written when the movement rests
    assert "view=" in graph.url
    graph.reload()
    again = box_of(graph, "R1")
    assert [abs(again[name] - panned[name]) < 2 for name in ("x", "y", "width")] == [True, True, True]


def test_hovering_shows_the_title_and_what_it_waits_for(graph: Any) -> None:
    node(graph, "R6").hover()
    assert graph.locator(".kv-hover").inner_text().splitlines()[:3] == ["R6: KVarN in the KV-offload line", "item, waiting", "waits for Q2 and R9"]


def test_owner_and_state_filter_it_and_the_address_keeps_them(graph: Any) -> None:
    graph.get_by_label("Owner", exact=True).select_option("this fork")
    graph.get_by_role("button", name="waiting").click()
    assert lit(graph) == {"R4", "R5", "R6"}
    graph.wait_for_function("location.hash.includes('state=waiting')")
    graph.reload()
    assert lit(graph) == {"R4", "R5", "R6"}
    assert graph.get_by_role("button", name="waiting").get_attribute("aria-pressed") == "true"


def test_a_click_opens_the_record(graph: Any) -> None:
    node(graph, "R9").click()
    graph.wait_for_url("**/records/R9/**")
    assert "R9" in graph.locator("h1").inner_text()


def test_the_keyboard_reaches_every_record(graph: Any) -> None:
    graph.locator(".kv-viewport").focus()
    graph.keyboard.press("Tab")
    assert graph.evaluate("document.activeElement.dataset.id") == "R1"
    graph.keyboard.press("ArrowRight")
    assert graph.evaluate("document.activeElement.dataset.id") in {"R5", "D2"}
    assert graph.evaluate("getComputedStyle(document.activeElement.querySelector('.kv-shape')).strokeWidth") == "4px"
    here = graph.evaluate("document.activeElement.dataset.id")
    graph.keyboard.press("Enter")
    graph.wait_for_url(f"**/records/{here}/**")


def test_the_dark_scheme_has_its_own_colours(open_page: Open) -> None:
    ink = "getComputedStyle(document.querySelector('.kv-viewport .kv-node[data-id=D1] .kv-shape')).stroke"
    assert open_page("graph/").evaluate(ink) != open_page("graph/", color_scheme="dark").evaluate(ink)


def test_a_finger_scrolls_the_page_and_pans_the_picture_sideways(open_page: Open) -> None:
    page = open_page("graph/", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    assert page.evaluate("getComputedStyle(document.querySelector('.kv-viewport')).touchAction") == "pan-y"
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.locator(".kv-viewport .kv-node[data-id=R1]").tap()
    page.wait_for_url("**/records/R1/**")
