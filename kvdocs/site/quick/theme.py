"""Material's templates with the same output for less work: what is alike on the pages of one folder is rendered once.

Only for pages that the navigation does not show, which are those that are many: nothing is marked as active on them, and they have no neighbours.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ALIKE = frozenset(
    f"partials/{name}.html"
    for name in ("nav", "tabs", "footer", "palette", "search", "icons", "top", "javascripts/base", "javascripts/palette", "javascripts/content")
)
"""Parts of Material that take nothing from such a page but its address, to which their links are relative."""

ALIKE_BLOCKS = ("styles", "libs", "fonts", "config", "scripts")
"""Blocks of its frame of which the same is true."""


class QuickTheme:
    """The environment of Jinja of one build, with parts that are kept by folder."""

    def __init__(self) -> None:
        self._env: Any = None
        self._material = ""
        self._kept: dict[tuple[str, str], str] = {}
        self._shown: list[str] = []
        self._folder: str | None = None
        self._parts: dict[str, KeptPart] = {}

    def for_page(self, page: Any, nav: Any, env: Any) -> None:
        """Say which page is rendered next."""
        if env is not self._env:
            self._take(env, nav)
        url = str(page.url)
        alike = page.file.inclusion.is_not_in_nav() and not (page.is_homepage or page.parent or page.previous_page or page.next_page)
        self._folder = posixpath.dirname(url.rstrip("/")) if alike and not any(shown.startswith(url) for shown in self._shown) else None

    def _take(self, env: Any, nav: Any) -> None:
        self._env, self._kept, self._parts = env, {}, {}
        self._material = str(Path(next(iter(import_module("material").__path__))))
        self._shown = [str(page.url) for page in nav.pages]
        plain = env.get_template
        self._keep_blocks(plain("base.html"))

        def get_template(name: Any, *arguments: Any, **named: Any) -> Any:
            if self._folder is None or name not in ALIKE:
                return plain(name, *arguments, **named)
            part = self._parts.get(name)
            if part is None:
                part = self._parts[name] = KeptPart(plain(name, *arguments, **named), name, self)
            return part if part.is_of(self._material) else part.template

        env.get_template = get_template

    def _keep_blocks(self, frame: Any) -> None:
        if str(frame.filename).startswith(self._material):
            for name in ALIKE_BLOCKS:
                frame.blocks[name] = self._kept_block(name, frame.blocks[name])

    def _kept_block(self, name: str, plain: Any) -> Any:
        def block(context: Any) -> Iterator[str]:
            if self._folder is None:
                yield from plain(context)
            else:
                yield self.text(name, plain, context)

        return block

    def text(self, name: str, render: Callable[[Any], Iterable[str]], context: Any) -> str:
        """What a part comes to on the page that is being rendered."""
        assert self._folder is not None
        key = (name, self._folder)
        if key not in self._kept:
            self._kept[key] = "".join(render(context))
        return self._kept[key]


class KeptPart:
    """A template to include, in place of Jinja's own."""

    def __init__(self, template: Any, name: str, theme: QuickTheme) -> None:
        self.template, self.name, self._theme = template, name, theme
        self.new_context = template.new_context

    def is_of(self, folder: str) -> bool:
        """Whether it is Material's own, not a project's."""
        return str(self.template.filename).startswith(folder)

    def root_render_func(self, context: Any) -> Iterator[str]:
        """What Jinja iterates over."""
        yield self._theme.text(self.name, self.template.root_render_func, context)
