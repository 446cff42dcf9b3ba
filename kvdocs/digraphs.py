"""What networkx has for putting a directed graph in order, loaded without the rest of it, which takes twice as long to load as all that the order needs."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

NAME = "networkx"
IN_ORDER = f"{NAME}.algorithms.dag"
"""The module with the topological sorts; the package around it imports all algorithms."""


@cache
def digraphs() -> ModuleType:
    """`networkx`. Until somebody asks it for more than `DiGraph` and topological sorts, only these are loaded; then the rest is, as by an import."""
    if NAME not in sys.modules:
        try:
            _load_some()
        except (ImportError, AttributeError, OSError):  # another version, whose modules depend on each other in another way
            _forget()
    import networkx

    return networkx


def _load_some() -> None:
    """Let `networkx` be a package that has not been initialised, with those names in it that its modules for directed graphs look for."""
    package = _module(NAME)
    from networkx import exception, utils

    names = vars(package)
    names.update({name: value for module in (exception, utils) for name, value in vars(module).items() if not name.startswith("__")})
    names["config"] = utils.config = utils.configs.config = utils.backends._set_configs_from_environment()  # type: ignore[attr-defined]  # as its __init__ does; the stubs leave it out
    from networkx.classes.digraph import DiGraph

    in_order = _module(IN_ORDER, f"{os.path.join(package.__path__[0], *IN_ORDER.split('.')[1:])}.py")  # noqa: PTH118  # one path, for which pathlib need not be loaded
    names.update({"DiGraph": DiGraph, **{name: getattr(in_order, name) for name in in_order.__all__}})
    names["__getattr__"] = _load_rest


def _module(name: str, path: str | None = None) -> ModuleType:
    """A module that has not been executed; with a path it has."""
    spec = find_spec(name) if path is None else spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = sys.modules[name] = module_from_spec(spec)
    if path is not None:
        spec.loader.exec_module(module)
    return module


def _load_rest(name: str) -> Any:
    """What `networkx` has under a name that was not loaded with the first part."""
    package = sys.modules[NAME]
    if name.startswith("__") or package.__spec__ is None or package.__spec__.loader is None:
        raise AttributeError(name)
    del vars(package)["__getattr__"]
    package.__spec__.loader.exec_module(package)
    package.algorithms.dag = sys.modules[IN_ORDER]  # as the import system has it for what it loads inside a package
    return getattr(package, name)


def _forget() -> None:
    for name in [name for name in sys.modules if name == NAME or name.startswith(f"{NAME}.")]:
        del sys.modules[name]
