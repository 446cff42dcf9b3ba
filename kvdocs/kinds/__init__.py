"""The kinds of record: every module of this folder declares one `KIND`; a new kind is a new file."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from kvdocs.kind import Kind
from kvdocs.problems import CORE_CODES, Code


@lru_cache(maxsize=1)
def all_kinds() -> tuple[Kind, ...]:
    """Every kind, by position. A module without `KIND` is a fault of the program and fails here, by name."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__) if not found.name.startswith("_")]
    for module in modules:
        if not isinstance(getattr(module, "KIND", None), Kind):
            raise TypeError(f"{module.__name__} declares no KIND")
    return tuple(sorted((module.KIND for module in modules), key=lambda kind: kind.position))


def all_codes() -> tuple[Code, ...]:
    """Every code that a problem may have: the core's and those of the kinds."""
    return CORE_CODES + tuple(code for kind in all_kinds() for code in kind.codes)
