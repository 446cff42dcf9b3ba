"""Blocks of Python-Markdown that meet only the processors that could take them: most are a line of prose, a heading or a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvdocs.site.quick.steps import is_quick

NEEDS: dict[str, tuple[str, str] | None] = {
    "admonition": ("", "!!!"),
    "markdown_block": ("\x02", ""),
    "details": ("", "???"),
    "tabbed": ("", "==="),
    "empty": None,
    "indent": None,
    "defindent": None,
    "code": None,
    "table": ("", "|"),
    "hashheader": ("", "#"),
    "setextheader": ("", "\n"),
    "hr": ("", ""),
    "olist": ("0123456789", "."),
    "ulist": ("*+-", ""),
    "deflist": ("", ":"),
    "quote": ("", ">"),
    "reference": ("", "]:"),
    "paragraph": ("", ""),
}
"""What a block holds that a processor takes: one of these characters at its start (any, where there is none), and this text.
None for those that take only what is empty or indented, which goes the long way."""

_Steps = list[tuple[Any, str, str]]


def blocks_by(parser: Any) -> Callable[[Any, Any, list[str]], None]:
    """`BlockParser.parseBlocks` without processors that a block cannot be meant for."""
    plain = parser.parseBlocks
    known: dict[int, _Steps] = {}

    def parse_blocks(self: Any, parent: Any, blocks: list[str]) -> None:
        if not is_quick(self.md):
            plain(self, parent, blocks)
            return
        steps = known.get(id(self.blockprocessors))
        if steps is None:
            steps = known[id(self.blockprocessors)] = _steps(self.blockprocessors)
        while blocks:
            if blocks[0][:1] in ("", " ", "\n"):
                _long_way(self.blockprocessors, parent, blocks)
            else:
                _short_way(steps, parent, blocks)

    return parse_blocks


def _steps(processors: Any) -> _Steps:
    """The processors in their order, with what each needs."""
    ordered = list(processors)  # this sorts the names too
    names = [item.name for item in processors._priority]
    return [(processor, *needs) for name, processor in zip(names, ordered, strict=True) if (needs := NEEDS[name]) is not None]


def _short_way(steps: _Steps, parent: Any, blocks: list[str]) -> None:
    for processor, starts, mark in steps:
        block = blocks[0]
        if mark in block and (not starts or block[0] in starts) and processor.test(parent, block) and processor.run(parent, blocks) is not False:
            return


def _long_way(processors: Any, parent: Any, blocks: list[str]) -> None:
    for processor in processors:
        if processor.test(parent, blocks[0]) and processor.run(parent, blocks) is not False:
            return
