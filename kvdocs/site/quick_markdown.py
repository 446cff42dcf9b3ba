"""Python-Markdown with the same output for less work: pictures pass by it, and a text meets only the patterns that could match it.

For the versions that `cached_engine` names; `tests/site/test_cached_engine.py` compares with a build without this, byte by byte.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

from kvdocs.site.quick_tables import tables_by
from kvdocs.site.stand_in import standing_in

PICTURE = re.compile(r'(?:(?<=\n\n)|\A)<figure class="kv-picture">\n(?:.+\n)+?</figure>(?=\n\n|\n?\Z)')
"""A picture as kvdocs writes it: a block of its own, without an empty line."""

STAND_IN = '<figure  data-kv-picture="{}"></figure>'
"""What Markdown sees of a picture. A serializer would write one space, a paragraph would stand around it: what is not on a line of its own as it is here was not left as it is."""

NOT_SAFE = re.compile(r"data-kv-picture|&#(?![0-9]+;|[xX][0-9a-fA-F]+;)")
"""What a page with pictures must not hold: the mark of a stand-in, or half a character reference, after which Python's parser of HTML loses its place."""

MARKS = {
    "backtick": "`",
    "escape": "\\",
    "reference": "[",
    "link": "[",
    "image_link": "[",
    "image_reference": "[",
    "short_reference": "[",
    "short_image_ref": "[",
    "autolink": "<",
    "automail": "<",
    "linebreak": "  \n",
    "html": "<",
    "entity": "&",
    "em_strong": "*_",
}
"""The inline patterns of the known settings: a text that holds none of these characters, or not this string, cannot match."""

MAY_HOLD_ANCHOR = re.compile(r"""[\s"'/](?:id|name)[\s=/>]""", re.IGNORECASE)
"""What a start tag with an attribute `id` or `name` holds, and some prose."""

TO_FILE = re.compile(r"(?!/)[\w./-]+\.\w+")
"""A link to a page or another file, without an anchor."""


@contextmanager
def quick_markdown() -> Iterator[None]:
    """Put the shorter ways in place for one build."""
    pages: Any = import_module("mkdocs.structure.pages")
    extractor: Any = import_module("markdown.extensions.md_in_html").HTMLExtractorExtra
    inline: Any = import_module("markdown.treeprocessors").InlineProcessor
    tables: Any = import_module("markdown.extensions.tables").TableProcessor
    fences: Any = import_module("pymdownx.superfences").SuperFencesBlockPreprocessor
    contents: Any = import_module("markdown.extensions.toc").TocTreeprocessor
    links: Any = pages._RelativePathTreeprocessor
    converter = Converter(pages.markdown)
    with standing_in(
        (pages, "markdown", SimpleNamespace(**{**vars(pages.markdown), "Markdown": converter.of})),
        (pages._RawHTMLPreprocessor, "run", _anchors_by(pages._RawHTMLPreprocessor.run)),
        (inline, "_InlineProcessor__handleInline", _inline_by(inline)),
        (tables, "run", tables_by(tables)),
        (fences, "search_nested", _fences_by(fences.search_nested)),
        (links, "path_to_url", _links_by(links.path_to_url)),
        *((extractor, name, value) for name, value in _tags_once(extractor).items()),
        *((contents, name, value) for name, value in _contents_by(contents).items()),
    ):
        yield


class Converter:
    """One instance of Markdown for all pages of a build, given back as new."""

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
        made.source = ""
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


def _anchors_by(plain: Callable[[Any, list[str]], list[str]]) -> Callable[[Any, list[str]], list[str]]:
    """Look for anchors in raw HTML only where there may be one."""

    def run(preprocessor: Any, lines: list[str]) -> list[str]:
        if MAY_HOLD_ANCHOR.search("\n".join(lines)):
            return plain(preprocessor, lines)
        preprocessor.present_anchor_ids = set()
        return lines

    return run


def _inline_by(inline: Any) -> Callable[..., Any]:
    """Inline patterns in their order, without those that a text cannot match."""
    apply = inline._InlineProcessor__applyPattern
    atomic: Any = import_module("markdown.util").AtomicString
    known: dict[int, list[tuple[Any, Callable[[str], bool]]]] = {}

    def handle(processor: Any, data: Any, index: int = 0) -> Any:
        if isinstance(data, atomic):
            return data
        patterns = known.get(id(processor.inlinePatterns))
        if patterns is None or len(patterns) != len(processor.inlinePatterns):
            patterns = known[id(processor.inlinePatterns)] = _with_tests(processor.inlinePatterns)
        start = 0
        while index < len(patterns):
            pattern, may_match = patterns[index]
            matched = False
            if may_match(data):
                data, matched, start = apply(processor, pattern, data, index, start)
            if not matched:
                index, start = index + 1, 0
        return data

    return handle


def _with_tests(patterns: Any) -> list[tuple[Any, Callable[[str], bool]]]:
    """The patterns in their order, each with whether a text may match it."""
    ordered = list(patterns)  # this sorts the names too
    names = [item.name for item in patterns._priority]
    return [(pattern, _may_hold(MARKS[name]) if name in MARKS else lambda data: True) for name, pattern in zip(names, ordered, strict=True)]


def _may_hold(mark: str) -> Callable[[str], bool]:
    if mark == "*_":
        return lambda data: "*" in data or "_" in data
    return lambda data: mark in data


def _tags_once(extractor: Any) -> dict[str, property]:
    """The sets of tags of the HTML extractor, put together once and not for each tag: no known extension adds to them later."""

    def once(name: str) -> property:
        plain = getattr(extractor, name).fget

        def read(self: Any) -> set[str]:
            kept = self.md.__dict__.setdefault("_kvdocs_tags", {})
            if name not in kept:
                kept[name] = plain(self)
            found: set[str] = kept[name]
            return found

        return property(read)

    return {name: once(name) for name in ("block_level_tags", "block_tags", "span_and_blocks_tags")}


def _fences_by(plain: Callable[[Any, list[str]], list[str]]) -> Callable[[Any, list[str]], list[str]]:
    """Look for fenced blocks only in text that holds a fence."""

    def search(preprocessor: Any, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        return plain(preprocessor, lines) if "```" in text or "~~~" in text else lines

    return search


def _contents_by(contents: Any) -> dict[str, Any]:
    """Put a table of contents together, and look for its place, only for a text that holds its mark: MkDocs takes the tokens."""
    etree: Any = import_module("xml.etree.ElementTree")
    build, replace = contents.build_toc_div, contents.replace_marker

    def is_asked_for(processor: Any) -> bool:
        return processor.marker and processor.marker in processor.md.source

    def build_toc_div(processor: Any, tokens: Any) -> Any:
        return build(processor, tokens) if is_asked_for(processor) else etree.Element("div")

    def replace_marker(processor: Any, root: Any, div: Any) -> None:
        if is_asked_for(processor):
            replace(processor, root, div)

    return {"build_toc_div": build_toc_div, "replace_marker": replace_marker}


def _links_by(plain: Callable[[Any, str], str]) -> Callable[[Any, str], str]:
    """The address of a link: the same for all pages of a folder, but for links to what lies within the page's own."""
    known: dict[tuple[str, ...], tuple[str, str, str]] = {}

    def path_to_url(processor: Any, url: str) -> str:
        if not TO_FILE.fullmatch(url):
            return plain(processor, url)
        file = processor.file
        key = (posixpath.dirname(file.src_uri), *_folder_of(file.url), url)
        if key in known:
            source, target, address = known[key]
            if processor.files.get_file_from_path(source) is not None and not target.startswith(file.url):
                return address
        address = plain(processor, url)
        source = processor._target_uri(file.src_uri, url)
        found = processor.files.get_file_from_path(source)
        if found is not None and not found.inclusion.is_excluded() and not found.url.startswith(file.url):
            known[key] = (source, found.url, address)
        return address

    return path_to_url


def _folder_of(url: str) -> tuple[str, str]:
    """Where a page lies, and what sort of address it has: a folder's, a file's, or the root's."""
    folder, _, name = url.rstrip("/").rpartition("/")
    return folder, "root" if name in ("", ".") else "file" if "." in name else "folder"
