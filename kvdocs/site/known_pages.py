"""What is known of the pages of a site without rendering them: from the last build, or from this one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Set
from typing import Any

from kvdocs.cache import encode
from kvdocs.site.left import NOTHING, Left, PageLines

Links = dict[str, dict[str, str]]
"""Links to headings of pages: by the name of the page, the link by its anchor."""


class KnownPages:
    """The pages by the names of their files. Those of the last build are lines that are parsed only when they are asked for."""

    def __init__(self, left: Left) -> None:
        self._lines, self._numbers = left.lines, {name: number for number, name in enumerate(left.pages())}
        self._facts: dict[str, dict[str, Any] | None] = {}
        self._links = dict(left.links)
        self._targets: dict[str, bytes] = {}
        self._search: dict[str, bytes] = {}

    def facts(self, name: str) -> dict[str, Any] | None:
        """The front matter of a page (`meta`), its `title` by its heading, its `anchors`, and the digest of its `output`; None when it is to be rendered each time."""
        if name not in self._facts:
            self._facts[name] = json.loads(self._lines.facts[number]) if (number := self._numbers.get(name)) is not None else None
        return self._facts[name]

    @property
    def names(self) -> Set[str]:
        """The pages of the last build."""
        return self._numbers.keys()

    def links(self, name: str) -> Links:
        """The links of a page to headings of other pages."""
        return self._links.get(name, {})

    def that_link_to(self, names: set[str]) -> set[str]:
        """The pages of the last build that link to one of these files."""
        return {page for page, number in self._numbers.items() if not names.isdisjoint(json.loads(self._lines.targets[number]))} if names else set()

    def rendered(self, page: Any, targets: Iterable[str] | None) -> None:
        """Take a page that was rendered, with what it links to; None where it is to be rendered each time, as it is when its front matter holds what JSON does not."""
        name = page.file.src_uri
        anchors = sorted(page.present_anchor_ids or ())
        # Links of a page to headings of its own that are there are not looked at again.
        links = {target.src_uri: places for target, places in (page.links_to_anchors or {}).items() if target is not page.file or not places.keys() <= set(anchors)}
        self._links.pop(name, None)
        if links:
            self._links[name] = links
        kept = targets is not None and _is_json(page.meta)
        self._facts[name] = {"meta": page.meta, "title": page._title_from_render, "anchors": anchors} if kept else None
        self._targets[name] = encode(list(targets or ()))

    def built(self, name: str, search: str, output: str) -> None:
        """Take a page that was built, with its entries of the search index and the digest of its HTML."""
        self._search[name] = search.encode()
        if (known := self._facts[name]) is not None:
            known["output"] = output

    def search(self, name: str) -> bytes:
        """The entries of a page in the search index, as they stand there."""
        return self._search[name] if name in self._search else self._lines.search[self._numbers[name]]

    def lines(self, names: Iterable[str]) -> PageLines:
        """Everything that is known of these pages, for the next build."""
        lines = PageLines([], [], [])
        for name in names:
            lines.search.append(self.search(name))
            if name in self._targets:
                facts = self._facts[name]
                lines.facts.append(encode(facts) if facts is not None else NOTHING)
                lines.targets.append(self._targets[name])
            else:
                number = self._numbers[name]
                lines.facts.append(self._lines.facts[number])
                lines.targets.append(self._lines.targets[number])
        return lines


def _is_json(value: Any) -> bool:
    """Whether a value is the same when it was written as JSON and read again."""
    try:
        same: bool = json.loads(json.dumps(value)) == value
    except (TypeError, ValueError):
        return False
    return same
