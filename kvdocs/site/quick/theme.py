"""Material's templates with the same output for less work: what is alike on the pages of one folder, or on all, is rendered once.

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

LANGUAGE = "partials/language.html"
"""Material's words: a module of macros that takes nothing but the language of the settings."""


class QuickTheme:
    """The environment of Jinja of one build, with parts that are kept by folder."""

    def __init__(self) -> None:
        self._env: Any = None
        self._material = ""
        self._kept: dict[tuple[str, str], str] = {}
        self._shown: list[str] = []
        self._folder: str | None = None
        self._parts: dict[str, Any] = {}

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
            if self._folder is None or not isinstance(name, str):
                return plain(name, *arguments, **named)
            if name not in self._parts:
                self._parts[name] = self._part(name, plain(name, *arguments, **named))
            return self._parts[name]

        env.get_template = get_template

    def _part(self, name: str, template: Any) -> Any:
        """What takes the place of a template: the template itself, where it is a project's own or differs from page to page."""
        if not str(template.filename).startswith(self._material):
            return template
        if name == LANGUAGE:
            return KeptModule(template)
        if name in ALIKE:
            return KeptPart(template, name, self)
        return ConstantPart(template) if _is_constant(self._env, template) else template

    def _keep_blocks(self, frame: Any) -> None:
        if str(frame.filename).startswith(self._material):
            for name, block in frame.blocks.items():
                frame.blocks[name] = self._kept_block(name, block) if name in ALIKE_BLOCKS else _in_one(block)

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


def _in_one(plain: Any) -> Any:
    """A block that hands its text up in one piece: the frame hands each piece on, and there are hundreds."""

    def block(context: Any) -> Iterator[str]:
        yield "".join(plain(context))

    return block


class KeptPart:
    """A template to include that is alike on the pages of a folder, in place of Jinja's own."""

    def __init__(self, template: Any, name: str, theme: QuickTheme) -> None:
        self._render, self._name, self._theme = template.root_render_func, name, theme
        self.new_context = template.new_context

    def root_render_func(self, context: Any) -> Iterator[str]:
        """What Jinja iterates over."""
        yield self._theme.text(self._name, self._render, context)


class ConstantPart:
    """A template to include that is a text."""

    def __init__(self, template: Any) -> None:
        self._text = template.render()

    def new_context(self, *_: Any) -> None:
        """A text takes nothing from the page."""

    def root_render_func(self, _: None) -> Iterator[str]:
        """What Jinja iterates over."""
        yield self._text


class KeptModule:
    """A template to import, whose macros take nothing from the page."""

    def __init__(self, template: Any) -> None:
        self._template = template
        self._module: Any = None

    def make_module(self, *context: Any) -> Any:
        """The macros, made for the first page that asks."""
        if self._module is None:
            self._module = self._template.make_module(*context)
        return self._module


def _is_constant(env: Any, template: Any) -> bool:
    """Whether a template holds nothing but text and comments."""
    source, _, _ = env.loader.get_source(env, template.name)
    return "{%" not in source and "{{" not in source
