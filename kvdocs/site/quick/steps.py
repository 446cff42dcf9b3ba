"""Steps of Python-Markdown and MkDocs that do less where less is enough: each takes the plain step and gives one in its place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

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

TO_HEADING = re.compile(r"#[\w.-]+")
"""A link to an anchor of the same page, as each heading has one."""

ANY_MARK = re.compile(r"[`\\\[<&*_]|  \n")
"""What a text holds that any of the known inline patterns may match."""


def is_quick(markdown: Any) -> bool:
    """Whether an instance of Markdown has none but known steps."""
    return getattr(markdown, "is_quick", False)


def anchors_by(plain: Callable[[Any, list[str]], list[str]]) -> Callable[[Any, list[str]], list[str]]:
    """Look for anchors in raw HTML only where there may be one."""

    def run(preprocessor: Any, lines: list[str]) -> list[str]:
        if MAY_HOLD_ANCHOR.search("\n".join(lines)):
            return plain(preprocessor, lines)
        preprocessor.present_anchor_ids = set()
        return lines

    return run


def inline_by(inline: Any) -> Callable[..., Any]:
    """Inline patterns in their order, without those that a text cannot match."""
    apply = inline._InlineProcessor__applyPattern
    atomic: Any = import_module("markdown.util").AtomicString
    known: dict[int, list[tuple[Any, Callable[[str], bool]]]] = {}

    plain = inline._InlineProcessor__handleInline

    def handle(processor: Any, data: Any, index: int = 0) -> Any:
        if not is_quick(processor.md):
            return plain(processor, data, index)
        if isinstance(data, atomic) or not ANY_MARK.search(data):
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
    return [(pattern, _may_hold(MARKS[name])) for name, pattern in zip(names, ordered, strict=True)]


def _may_hold(mark: str) -> Callable[[str], bool]:
    if mark == "*_":
        return lambda data: "*" in data or "_" in data
    return lambda data: mark in data


def tags_once(extractor: Any) -> dict[str, property]:
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


def fences_by(plain: Callable[[Any, list[str]], list[str]]) -> Callable[[Any, list[str]], list[str]]:
    """Look for fenced blocks only in text that holds a fence."""

    def search(preprocessor: Any, lines: list[str]) -> list[str]:
        text = "\n".join(lines)
        return plain(preprocessor, lines) if "```" in text or "~~~" in text else lines

    return search


def colours_by(plain: Callable[[Any], None]) -> Callable[[Any], None]:
    """Put the classes of a style of Pygments together once, and not for each block of code."""
    known: dict[tuple[Any, str], tuple[dict[Any, Any], dict[Any, Any]]] = {}

    def create(formatter: Any) -> None:
        key = (formatter.style, formatter.classprefix)
        if key not in known:
            plain(formatter)
            known[key] = (formatter.ttype2class, formatter.class2style)
        formatter.ttype2class, formatter.class2style = (dict(part) for part in known[key])

    return create


def contents_by(contents: Any) -> dict[str, Any]:
    """Put a table of contents together, and look for its place, only for a text that holds its mark: MkDocs takes the tokens."""
    etree: Any = import_module("xml.etree.ElementTree")
    build, replace = contents.build_toc_div, contents.replace_marker

    def is_asked_for(processor: Any) -> bool:
        return not is_quick(processor.md) or (processor.marker and processor.marker in processor.md.source)

    def build_toc_div(processor: Any, tokens: Any) -> Any:
        return build(processor, tokens) if is_asked_for(processor) else etree.Element("div")

    def replace_marker(processor: Any, root: Any, div: Any) -> None:
        if is_asked_for(processor):
            replace(processor, root, div)

    return {"build_toc_div": build_toc_div, "replace_marker": replace_marker}


def headings_by(plain: Callable[[Any, Any], str]) -> Callable[[Any, Any], str]:
    """The HTML of a heading: the same for all that are alike, unless a part of it is kept elsewhere, as raw HTML is."""
    known: dict[str, str] = {}

    def render(heading: Any, markdown: Any) -> str:
        if not is_quick(markdown):
            return plain(heading, markdown)
        text = markdown.serializer(heading)
        if "\x02" in text:
            return plain(heading, markdown)
        if text not in known:
            known[text] = plain(heading, markdown)
        return known[text]

    return render


def links_by(plain: Callable[[Any, str], str]) -> Callable[[Any, str], str]:
    """The address of a link: the same for all pages of a folder, but for links to what lies within the page's own."""
    known: dict[tuple[str, ...], dict[str, tuple[str, str, str]]] = {}
    of_page: tuple[Any, dict[str, tuple[str, str, str]]] = (None, {})

    def path_to_url(processor: Any, url: str) -> str:
        nonlocal of_page
        file = processor.file
        if of_page[0] is not file:
            of_page = (file, known.setdefault((posixpath.dirname(file.src_uri), *_folder_of(file.url)), {}))
        if url in of_page[1]:
            source, target, address = of_page[1][url]
            if processor.files.get_file_from_path(source) is not None and not target.startswith(file.url):
                return address
        if TO_HEADING.fullmatch(url):
            processor.links_to_anchors.setdefault(file, {}).setdefault(url[1:], url)
            return url
        address = plain(processor, url)
        if TO_FILE.fullmatch(url):
            source = processor._target_uri(file.src_uri, url)
            found = processor.files.get_file_from_path(source)
            if found is not None and not found.inclusion.is_excluded() and not found.url.startswith(file.url):
                of_page[1][url] = (source, found.url, address)
        return address

    return path_to_url


def _folder_of(url: str) -> tuple[str, str]:
    """Where a page lies, and what sort of address it has: a folder's, a file's, or the root's."""
    folder, _, name = url.rstrip("/").rpartition("/")
    return folder, "root" if name in ("", ".") else "file" if "." in name else "folder"
