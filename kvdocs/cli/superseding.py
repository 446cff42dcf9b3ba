"""`--supersedes`: a new result stands in the place of one on record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail

if TYPE_CHECKING:
    from kvdocs.registry import Registry


def supersedes_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option, which is given on to the function as `supersedes`."""
    words = "The result in whose place it stands, such as one imported with a wrong exit code; that one counts for nothing any more."
    return click.option("--supersedes", metavar="RESULT", help=words)(function)


def on_record(registry: Registry, kind: str, name: str) -> None:
    """End the command when there is no record of this kind with this id."""
    entry = registry.get(name)
    if entry is None or entry.kind.name != kind:
        fail(f"there is no {kind} {name!r}", registry.nearest(name, (e.id for e in registry.of(kind))))
