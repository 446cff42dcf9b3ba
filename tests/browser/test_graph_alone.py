"""The dependency picture in a real browser, from a file: zoom, details, filters, the address, the keyboard, paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kvdocs.pictures.dependency_pictures import whole_pictures
from kvdocs.pictures.graph_data import Arrow, Node, graph_of
from kvdocs.pictures.layered import layered_parts
from kvdocs.site.written import default_assets

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NODES = [
    Node("R1", "item", "Fix the barrier", "actionable", "good", "R1.html", ("ann",), rank=1),
    Node("R9", "item", "Fix the build", "in review", "warn", "R9.html", ("bob",), rank=2),
    Node("Q1", "decision", "Who does it?", "actionable", "good", "Q1.html", ("ann", "bob"), rank=3),
    Node("R5", "item", "Measure again", "waiting", "wait", "R5.html", ("ann",), ("R1",), rank=4),
    Node("R6", "item", "Offload it", "waiting", "wait", "R6.html", ("bob",), ("R9", "Q1"), rank=5),
    Node("D5", "defect", "Falls back", "confirmed", "bad", "D5.html", ("bob",)),
    Node("R7", "item", "Never", "not planned", "off", "R7.html", ("ann",), is_closed=True),
]
ARROWS = [Arrow("R1", "R5", "blocks", True), Arrow("R9", "R6", "blocks", True), Arrow("Q1", "R6", "blocks", True), Arrow("R6", "D5", "fixes")]


def page_text(count: int = 0) -> str:
    """A page with the picture; `count` more records that nothing joins, to make it large."""
    more = [Node(f"X{n}", "item", f"Number {n}", "actionable", "good", f"X{n}.html") for n in range(count)]
    picture = whole_pictures(graph_of([*NODES, *more], ARROWS), engine=layered_parts).all
    assert picture is not None
    assets = default_assets()
    style = (assets / "stylesheets" / "pictures.css").read_text(encoding="utf-8")
    scripts = "".join(f'<script src="{(assets / "javascripts" / name).as_uri()}"></script>' for name in ("graph-drawing.js", "graph.js"))
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style><body class="md-typeset"><figure class="kv-picture">{picture.svg}</figure>{scripts}'


@pytest.fixture
def page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """The page, opened from a file; an error of a script fails the test."""
    (tmp_path / "graph.html").write_text(page_text(), encoding="utf-8")
    (tmp_path / "large.html").write_text(page_text(300), encoding="utf-8")
    (tmp_path / "R6.html").write_text("<title>R6</title>", encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto((tmp_path / "graph.html").as_uri())
    yield opened
    context.close()
    assert errors == []


def settle(page: Any) -> None:
    """Wait until the address has been written."""
    page.wait_for_timeout(250)


def shown(page: Any) -> list[str]:
    """The records that are neither faded nor taken away."""
    ids: list[str] = page.evaluate("[...document.querySelectorAll('.kv-node:not(.kv-faded)')].filter((a) => a.checkVisibility()).map((a) => a.dataset.id)")
    return ids


def lit(page: Any) -> set[str]:
    """The records on the way that is lit."""
    return set(page.evaluate("[...document.querySelectorAll('.kv-node.kv-lit')].map((a) => a.dataset.id)"))


def test_the_script_packs_as_python_does(page: Any) -> None:
    """`packing.py` and `graph-drawing.js` say the same, so nothing moves when the script starts or a filter is taken back."""
    before = [g.get_attribute("transform") for g in page.locator(".kv-part").all()]
    page.locator("select").select_option("bob")
    page.locator("select").select_option("")
    assert [g.get_attribute("transform") for g in page.locator(".kv-part").all()] == before
    page.goto(page.url.replace("graph.html", "large.html").partition("#")[0])
    source = page_text(300)
    assert [g.get_attribute("transform") for g in page.locator(".kv-part").all()] == [part.split('"')[0] for part in source.split('class="kv-part" transform="')[1:]]


def test_a_filter_fades_what_does_not_match_and_takes_away_parts_without_a_match(page: Any) -> None:
    page.locator("select").select_option("bob")
    assert shown(page) == ["R9", "Q1", "R6", "D5"]
    assert page.locator(".kv-count").inner_text() == "4 of 7 records"
    page.get_by_role("button", name="waiting").click()
    assert shown(page) == ["R6"]
    settle(page)
    assert page.url.endswith("#owner=bob&state=waiting")
    page.reload()
    assert shown(page) == ["R6"]
    assert page.get_by_role("button", name="waiting").get_attribute("aria-pressed") == "true"
    page.get_by_role("searchbox").fill("never")
    assert shown(page) == []


def test_hovering_tells_the_record_and_lights_its_way(page: Any) -> None:
    page.locator("[data-id=R6]").hover()
    assert page.locator(".kv-hover").inner_text().split("\n") == ["R6: Offload it", "item, waiting", "waits for R9 and Q1", "owner bob", "rank 5"]
    assert lit(page) == {"R9", "Q1", "R6", "D5"}
    page.mouse.move(5, 5)
    assert not page.locator(".kv-hover").is_visible()


def test_a_click_opens_the_record_and_a_drag_does_not(page: Any) -> None:
    box = page.locator("[data-id=R6]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 60, steps=4)
    page.mouse.up()
    settle(page)
    assert "view=" in page.url
    moved = page.locator("[data-id=R6]").bounding_box()
    assert moved is not None
    assert (round(moved["x"] - box["x"]), round(moved["y"] - box["y"])) == (100, 40)
    page.locator("[data-id=R6]").click()
    page.wait_for_url("**/R6.html")


def test_zoom_keeps_what_is_under_the_pointer_and_the_address_keeps_the_zoom(page: Any) -> None:
    box = page.locator("[data-id=D5]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -150)
    page.keyboard.up("Control")
    settle(page)
    zoomed = page.locator("[data-id=D5]").bounding_box()
    assert zoomed is not None
    assert zoomed["width"] > 1.3 * box["width"]
    assert abs(zoomed["x"] - box["x"]) < 3
    assert abs(zoomed["y"] - box["y"]) < 3
    page.reload()
    again = page.locator("[data-id=D5]").bounding_box()
    assert again is not None
    assert abs(again["width"] - zoomed["width"]) < 1


def test_a_plain_wheel_scrolls_the_page_and_not_the_picture(page: Any) -> None:
    before = page.locator(".kv-scene").get_attribute("transform")
    page.locator(".kv-viewport").hover()
    page.mouse.wheel(0, 200)
    assert page.locator(".kv-scene").get_attribute("transform") == before


def test_the_keyboard_goes_along_the_arrows(page: Any) -> None:
    page.locator(".kv-viewport").focus()
    page.keyboard.press("Tab")
    walk = [page.evaluate("document.activeElement.dataset.id")]
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        walk.append(page.evaluate("document.activeElement.dataset.id"))
    assert walk == ["R1", "R5", "R6", "R9", "R6", "D5"]
    settle(page)
    assert page.url.endswith("#at=D5")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_url("**/R6.html")


def test_a_link_to_a_record_in_a_large_picture_brings_it_into_sight(page: Any) -> None:
    page.goto(page.url.replace("graph.html", "large.html") + "#at=X299")
    frame, box = page.locator(".kv-viewport").bounding_box(), page.locator("[data-id=X299]").bounding_box()
    assert frame["x"] <= box["x"] <= frame["x"] + frame["width"] - box["width"]
    assert frame["y"] <= box["y"] <= frame["y"] + frame["height"] - box["height"]
    assert lit(page) == {"X299"}


def test_paper_gets_the_whole_picture(page: Any) -> None:
    natural = page_text().split('viewBox="')[1].split('"')[0]
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("svg.kv-graph").get_attribute("viewBox") == natural
    assert page.locator(".kv-scene").get_attribute("transform") is None
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".kv-scene").get_attribute("transform") is not None
