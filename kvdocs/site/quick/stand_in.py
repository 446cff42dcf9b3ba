"""Attributes of another program's modules and classes, exchanged for as long as a build lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def standing_in(*exchanged: tuple[Any, str, Any]) -> Iterator[None]:
    """Put a value in place of each attribute (owner, name, value), and afterwards what was there before."""
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in exchanged]
    try:
        for owner, name, value in exchanged:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(before):
            if value is None:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
