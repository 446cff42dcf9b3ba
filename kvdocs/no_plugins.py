"""pydantic without plugins: what is installed beside kvdocs has no say in what a record may hold. To look for plugins, and to load what finds them, takes longer than to read most records."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

LOADER = "pydantic.plugin._loader"
"""The module that pydantic asks for its plugins when the first model is built."""


class _NoPlugins(ModuleType):
    """Stands in for that module. Whatever else another version of pydantic asks it for, the module itself gives."""

    def get_plugins(self) -> tuple[Any, ...]:
        """None."""
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        del sys.modules[LOADER]
        try:
            return getattr(import_module(LOADER), name)
        finally:
            sys.modules[LOADER] = self


def take_no_plugins() -> None:
    """Let pydantic find no plugins, unless it has looked for them already."""
    sys.modules.setdefault(LOADER, _NoPlugins(LOADER))
