"""Python-Markdown with the same output for less work: pictures pass by it, and a text meets only the patterns that could match it.

For the versions that `cached_engine` names; `tests/site/test_cached_engine.py` compares with a build without this, byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

from kvdocs.site.quick.blocks import NEEDS, blocks_by
from kvdocs.site.quick.front_matter import load_by
from kvdocs.site.quick.stand_in import standing_in
from kvdocs.site.quick.steps import MARKS, anchors_by, colours_by, contents_by, fences_by, headings_by, inline_by, links_by, tags_once
from kvdocs.site.quick.tables import split_by, tables_by

PICTURE_START = '<figure class="kv-picture">'
PICTURE = re.compile(rf'(?:(?<=\n\n)|\A){PICTURE_START}\n(?:.+\n)+?</figure>(?=\n\n|\n?\Z)')
"""A picture as kvdocs writes it: a block of its own, without an empty line."""

STAND_IN = '<figure  data-kv-picture="{}"></figure>'
"""What Markdown sees of a picture. A serializer would write one space, a paragraph would stand around it: what is not on a line of its own as it is here was not left as it is."""

NOT_SAFE = re.compile(r"data-kv-picture|&#(?![0-9]+;|[xX][0-9a-fA-F]+;)")
"""What a page with pictures must not hold: the mark of a stand-in, or half a character reference, after which Python's parser of HTML loses its place."""


@contextmanager
def quick_markdown() -> Iterator[None]:
    """Put the shorter ways in place for one build."""
    pages: Any = import_module("mkdocs.structure.pages")
    extractor: Any = import_module("markdown.extensions.md_in_html").HTMLExtractorExtra
    inline: Any = import_module("markdown.treeprocessors").InlineProcessor
    tables: Any = import_module("markdown.extensions.tables").TableProcessor
    fences: Any = import_module("pymdownx.superfences").SuperFencesBlockPreprocessor
    headings: Any = import_module("markdown.extensions.toc")
    parser: Any = import_module("markdown.blockparser").BlockParser
    links: Any = pages._RelativePathTreeprocessor
    yaml: Any = pages.meta.yaml
    highlighter: Any = import_module("pygments.formatters.html").HtmlFormatter
    converter = Converter(pages.markdown)
    with standing_in(
        (pages, "markdown", SimpleNamespace(**{**vars(pages.markdown), "Markdown": converter.of})),
        (pages._RawHTMLPreprocessor, "run", anchors_by(pages._RawHTMLPreprocessor.run)),
        (inline, "_InlineProcessor__handleInline", inline_by(inline)),
        (tables, "run", tables_by(tables)),
        (tables, "_split", split_by(tables._split)),
        (pages.meta, "yaml", SimpleNamespace(**{**vars(yaml), "load": load_by(yaml.load)})),
        (fences, "search_nested", fences_by(fences.search_nested)),
        (links, "path_to_url", links_by(links.path_to_url)),
        (highlighter, "_create_stylesheet", colours_by(highlighter._create_stylesheet)),
        *((extractor, name, value) for name, value in tags_once(extractor).items()),
        (parser, "parseBlocks", blocks_by(parser)),
        (headings, "render_inner_html", headings_by(headings.render_inner_html)),
        (headings, "strip_tags", lru_cache(maxsize=4096)(headings.strip_tags)),
        *((headings.TocTreeprocessor, name, value) for name, value in contents_by(headings.TocTreeprocessor).items()),
    ):
        yield


KNOWN_STEPS = {
    "preprocessors": {"normalize_whitespace", "fenced_code_block", "html_block"},
    "inlinePatterns": set(MARKS),
    "treeprocessors": {"indent-highlight", "inline", "prettify", "attr_list", "toc", "unescape"},
    "postprocessors": {"raw_html", "amp_substitute"},
}
"""The steps of the known settings. Another one may look at pictures and cells too, so with any other nothing is shortened."""


class Converter:
    """One instance of Markdown for all pages of a build, given back as new; where a step is not known, a new one for each page, as MkDocs has it."""

    def __init__(self, markdown: Any) -> None:
        self._markdown = markdown
        self._made: list[tuple[Any, Any, Any]] = []

    def of(self, extensions: Any, extension_configs: Any) -> Any:
        """An instance with these extensions, without anything of the page before."""
        for known, configs, made in self._made:
            if known is extensions and configs is extension_configs:
                made.reset()
                made.toc_tokens, made.toc, made.source = [], "", ""
                return made
        made = self._markdown.Markdown(extensions=extensions, extension_configs=extension_configs)
        known = [{item.name for item in getattr(made, steps)._priority} <= names for steps, names in KNOWN_STEPS.items()]
        if not all(known) or not {item.name for item in made.parser.blockprocessors._priority} <= NEEDS.keys():
            return made
        made.is_quick, made.source = True, ""
        made.is_block_level = _remembered(made.is_block_level)
        made.convert = lambda source: _without_pictures(made, self._markdown.Markdown.convert, source)
        self._made.append((extensions, extension_configs, made))
        return made


def _remembered(asked: Callable[[Any], bool]) -> Callable[[Any], bool]:
    known: dict[str, bool] = {}

    def answer(tag: Any) -> bool:
        if not isinstance(tag, str):
            return asked(tag)
        found = known.get(tag)
        if found is None:
            found = known[tag] = asked(tag)
        return found

    return answer


def _without_pictures(made: Any, convert: Callable[[Any, str], str], source: str) -> str:
    """Convert a page; its pictures are put back as they are, which is what Markdown does with a block of HTML."""
    pictures: list[str] = []
    anchors: set[str] = set()

    def taken_out(match: re.Match[str]) -> str:
        found = _anchors_in(match[0])
        if found is None:
            return match[0]
        anchors.update(found)
        pictures.append(match[0])
        return STAND_IN.format(len(pictures) - 1)

    made.source = source
    if PICTURE_START not in source:
        return convert(made, source)
    text = convert(made, PICTURE.sub(taken_out, source)) if not NOT_SAFE.search(source) else None
    if text is not None and all(f"\n{text}\n".count(f"\n{STAND_IN.format(number)}\n") == 1 for number in range(len(pictures))):
        made.preprocessors["mkdocs_raw_html"].present_anchor_ids |= anchors
        for number, picture in enumerate(pictures):
            text = text.replace(STAND_IN.format(number), picture)
        return text
    _start_again(made)
    return convert(made, source)


def _start_again(made: Any) -> None:
    """Forget what MkDocs' steps took from a page whose pictures did not come back."""
    made.reset()
    made.treeprocessors["mkdocs_extract_anchors"].present_anchor_ids.clear()
    made.treeprocessors["relpath"].links_to_anchors.clear()


def _anchors_in(picture: str) -> set[str] | None:
    """The anchors that a picture holds; None when it is not well-formed, so that Markdown has to find its end."""
    found: set[str] = set()

    def start(tag: str, attributes: dict[str, str]) -> None:
        found.update(value for name, value in attributes.items() if name == "id" or (name == "name" and tag == "a"))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    try:
        parser.Parse(picture, True)
    except expat.ExpatError:
        return None
    return found
