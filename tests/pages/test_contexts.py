"""What templates may see: values of `kvdocs.view`, text, numbers, and nothing with a way into the registry."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import get_annotations
from pathlib import Path

import pytest

import kvdocs.view
from kvdocs.pages.context import Publication
from kvdocs.pages.documents import document_pages
from kvdocs.pages.page import Page
from kvdocs.pipeline import Inspection, publication
from kvdocs.project import Project
from kvdocs.site.files import generated_pages

VIEW_TYPES = {value for value in vars(kvdocs.view).values() if isinstance(value, type) and value.__module__ == "kvdocs.view"}
PLAIN = (str, int, float, bool, type(None))


def strangers(value: object, at: str) -> Iterator[str]:
    """The way to every value that a template must not meet."""
    if type(value) in VIEW_TYPES:
        for name in get_annotations(type(value)):
            yield from strangers(getattr(value, name), f"{at}.{name}")
    elif type(value) is tuple:
        for number, inner in enumerate(value):
            yield from strangers(inner, f"{at}[{number}]")
    elif isinstance(value, frozenset):
        yield from (f"{at}: {type(inner).__name__} in a set" for inner in value if type(inner) is not int)
    elif type(value) not in PLAIN:
        yield f"{at}: {type(value).__name__}"


def found_in(pages: Iterator[object]) -> list[str]:
    return [way for page in pages if isinstance(page, Page) for name, value in [*page.context.items(), ("parts", page.parts)] for way in strangers(value, f"{page.path} {name}")]


def test_a_stranger_is_found() -> None:
    assert list(strangers((kvdocs.view.Link("a"), {"b": 1}), "here")) == ["here[1]: dict"]
    assert list(strangers(kvdocs.view.Prose(Path("x")), "here")) == ["here.text: PosixPath"]  # type: ignore[arg-type]


@pytest.mark.parametrize("made", ["site", "documents"])
def test_this_registry_gives_templates_plain_values_only(made: str, this_registry: Inspection) -> None:
    whole = publication(this_registry)
    pages = generated_pages(this_registry.project, whole, lambda: ()) if made == "site" else document_pages(whole)
    assert found_in(iter(pages)) == []


def test_the_small_registry_gives_templates_plain_values_only(small: Publication, tmp_path: Path) -> None:
    assert found_in(generated_pages(Project(tmp_path), small, lambda: ())) == []
