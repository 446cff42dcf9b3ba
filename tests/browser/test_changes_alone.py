"""The choice of a day on the page of what changed, in a real browser and from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kvdocs.site.written import default_assets

pytestmark = [pytest.mark.slow, pytest.mark.browser]


def part(name: str, *days: str) -> str:
    rows = "".join(f"<tr><td>{day}</td><td>R1</td></tr>" for day in days)
    return f'<div data-table="{name}"><table><thead><tr><th>When</th><th>Record</th></tr></thead><tbody>{rows}</tbody></table></div>'


def test_a_day_hides_what_is_older_and_the_address_keeps_it(chromium: Any, tmp_path: Path) -> None:
    assets = default_assets()
    style = (assets / "stylesheets" / "pictures.css").read_text(encoding="utf-8")
    script = (assets / "javascripts" / "changes.js").as_uri()
    page_file = tmp_path / "changes.html"
    page_file.write_text(
        f'<!doctype html><style>{style}</style><div class="kv-since"></div>{part("newest", "not committed", "2026-08-03", "2026-08-02")}{part("v1", "2026-08-01")}<script src="{script}"></script>'
    )
    context = chromium.new_context()
    page = context.new_page()
    page.goto(page_file.as_uri())

    def shown() -> list[str]:
        return [row.locator("td").first.inner_text() for row in page.locator("tbody tr").all() if row.is_visible()]

    assert shown() == ["not committed", "2026-08-03", "2026-08-02", "2026-08-01"]
    page.locator("input[type=date]").fill("2026-08-03")
    page.locator("input[type=date]").blur()
    assert shown() == ["not committed", "2026-08-03"]
    assert page.locator(".kv-count").inner_text() == "2 of 4 changes"
    assert page.url.endswith("?since=2026-08-03")
    page.reload()
    assert shown() == ["not committed", "2026-08-03"]
    assert not page.locator('[data-table="v1"]').is_visible()
    context.close()


@pytest.mark.parametrize("width", [360, 500, 768, 1280])
def test_days_of_changes_stand_in_one_line(width: int, chromium: Any, tmp_path: Path) -> None:
    """Beside a column of long sentences, which would take all the width that it can have."""
    style = (default_assets() / "stylesheets" / "kvdocs.css").read_text(encoding="utf-8")
    rows = "".join(f"<tr><td>{day}</td><td>{'The status of this record is another one now. ' * 9}</td></tr>" for day in ("not committed", "2026-08-03"))
    page_file = tmp_path / "changes.html"
    table = f'<div class="kv-table" data-table="newest"><table><thead><tr><th>When</th><th>What</th></tr></thead><tbody>{rows}</tbody></table></div>'
    page_file.write_text(f'<!doctype html><style>{style}</style><article class="md-typeset"><div class="kv-since"></div>{table}</article>')
    context = chromium.new_context(viewport={"width": width, "height": 740})
    page = context.new_page()
    page.goto(page_file.as_uri())
    lines = page.locator("tbody td:first-child").evaluate_all(
        "(cells) => cells.map((cell) => { const text = document.createRange(); text.selectNodeContents(cell); return text.getClientRects().length; })"
    )
    assert lines == [1, 1]
    context.close()
