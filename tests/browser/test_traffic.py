"""What pages ask for: nothing of another host, and little."""

from __future__ import annotations

import gzip
import re

import pytest

from tests.browser.conftest import Open, Traffic
from tests.browser.kinds_of_pages import KINDS_OF_PAGES
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.mark.parametrize("path", KINDS_OF_PAGES)
def test_a_page_asks_this_host_alone(path: str, open_page: Open, traffic: Traffic) -> None:
    """Opened, searched and scrolled to its end; the log of requests holds this host and nothing else."""
    page = open_page(path)
    page.keyboard.press("/")
    page.keyboard.type("D2")
    page.locator(".kv-hits a").first.wait_for(timeout=20_000)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert traffic.foreign == []
    assert {answer.url.split("/site/")[0] for answer in traffic.answers if not answer.url.startswith(("data:", "blob:"))} == {traffic.home}


def test_the_wall_records_what_would_get_out(open_page: Open, traffic: Traffic) -> None:
    page = open_page()
    page.evaluate("fetch('https://example.org/font.woff2').catch(() => null)")
    assert traffic.foreign == ["https://example.org/font.woff2"]
    traffic.foreign.clear()
    traffic.errors.clear()


def test_no_page_weighs_more_than_the_documentation_says(open_page: Open, traffic: Traffic) -> None:
    """What Chromium asks for to show one page for the first time, as it is and compressed."""
    told = (REPOSITORY / "site_src" / "reference" / "site.md").read_text(encoding="utf-8")
    found = re.search(r"No page of this registry asks for more than ([0-9]+) KB, ([0-9]+) KB on the wire", told)
    assert found is not None
    weights = {}
    for path in KINDS_OF_PAGES:
        traffic.answers.clear()
        page = open_page(path)
        page.wait_for_load_state("networkidle")
        bodies = [answer.body() for answer in traffic.answers]
        page.context.close()
        weights[path] = (sum(map(len, bodies)) // 1000, sum(len(gzip.compress(body)) for body in bodies) // 1000)
    assert {path: weight for path, weight in weights.items() if weight[0] > int(found[1]) or weight[1] > int(found[2])} == {}
