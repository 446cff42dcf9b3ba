"""What a build left is read as it was kept, whatever the names are."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Cache
from kvdocs.site.left import Left, PageLines, keep_left, read_left

PARTS = st.text(st.characters(blacklist_characters="/\0"), min_size=1, max_size=4)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)
STAMPS = st.from_regex(r"\A([0-9]{1,3} [0-9]{1,3}|)\Z")


@st.composite
def _left(draw: st.DrawFn) -> Left:
    outputs = draw(st.dictionaries(PATHS, PATHS, max_size=4))
    stamps = draw(st.dictionaries(PATHS, STAMPS, max_size=4))
    left = Left("salt", "nav", draw(st.lists(PATHS, max_size=2)), {name: draw(st.integers(-3, 1)) for name in outputs}, outputs, stamps, {path: draw(STAMPS) for path in stamps})
    left.folders = draw(st.dictionaries(PATHS, STAMPS, max_size=3))
    left.lines = PageLines(*([f'["{part} of {name!a}"]'.encode() for name in left.pages()] for part in ("facts", "entries", "targets")))
    return left


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_left())
def test_any_names(tmp_path: Path, left: Left) -> None:
    cache = Cache(tmp_path)
    keep_left(cache, left)
    assert read_left(cache) == left


def test_nothing_is_known_where_nothing_was_kept(tmp_path: Path) -> None:
    assert read_left(Cache(tmp_path)) is None
