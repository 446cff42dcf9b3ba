"""axe-core on each kind of page, in both schemes and on a phone: nothing serious, nothing critical."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tests.browser.conftest import PHONE, WIDE, Open
from tests.browser.kinds_of_pages import KINDS_OF_PAGES

pytestmark = [pytest.mark.slow, pytest.mark.browser]

AXE = files("axe_playwright_python").joinpath("axe.min.js")


SHORTENED = """
    for (const body of document.querySelectorAll("article tbody")) [...body.rows].slice(30).forEach((row) => row.remove());
    [...document.querySelectorAll("article > *, article section > *")].slice(60).forEach((part) => part.remove());
"""
"""Of a long page the first part is looked at: the rest repeats it, and the time would go with the number of its words."""


def serious(page: object) -> list[str]:
    """The faults of the two worst sorts, with where they are and what would repair them."""
    page.evaluate(f"() => {{{SHORTENED}}}")  # type: ignore[attr-defined]
    page.evaluate(AXE.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]  # type: ignore[attr-defined]
    return [f"{v['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}" for v in found if v["impact"] in ("serious", "critical") for node in v["nodes"][:3]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_axe_finds_no_serious_fault(path: str, scheme: str, open_page: Open) -> None:
    assert serious(open_page(path, color_scheme=scheme, viewport=WIDE)) == []


@pytest.mark.parametrize("path", ["", "graph/", "defects/", "records/D2/", "records/M3/", "evidence/"])
def test_axe_finds_none_on_a_phone(path: str, open_page: Open) -> None:
    """Where tables are cards."""
    assert serious(open_page(path, viewport=PHONE)) == []


def test_axe_finds_none_in_an_open_search(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("/")
    page.keyboard.type("fattn.cu:412")
    page.locator(".kv-hits a").first.wait_for()
    assert serious(page) == []


def test_axe_would_find_one(open_page: Open) -> None:
    page = open_page()
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=\"assets/images/favicon.png\"><p style=\"color: #ddd; background: #fff\">faint</p>')"
    )
    assert [words.partition(":")[0] for words in serious(page)] == ["color-contrast", "image-alt"]
