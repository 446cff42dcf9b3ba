"""Pictures of four pages in both schemes. `KVDOCS_SCREENSHOTS=1` puts them where the documentation shows them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser.conftest import Open
from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SHOWN = REPOSITORY / "site_src" / "screenshots"
LARGEST = 150_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("path", "name"), [("", "home"), ("graph/", "graph"), ("records/D2/", "defect"), ("records/M3/#figures", "measurement")])
def test_screenshots(path: str, name: str, scheme: str, open_page: Open, tmp_path: Path) -> None:
    page = open_page(path, color_scheme=scheme, viewport={"width": 1280, "height": 840})
    page.wait_for_function("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(300)
    folder = SHOWN if os.environ.get("KVDOCS_SCREENSHOTS") == "1" else tmp_path
    target = folder / f"{name}-{scheme}.png"
    folder.mkdir(exist_ok=True)
    page.screenshot(path=target)
    assert 10_000 < target.stat().st_size < LARGEST
