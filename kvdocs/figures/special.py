"""The functions of scipy that quantiles come from, loaded when the first is asked for."""

from __future__ import annotations

import os
from functools import cache
from types import ModuleType

THREADS = "OPENBLAS_NUM_THREADS"


@cache
def special() -> ModuleType:
    """`scipy.special`, without the threads that its linear algebra starts on being loaded: they wait in a loop, and nothing here uses them."""
    given = os.environ.get(THREADS)
    os.environ.setdefault(THREADS, "1")
    try:
        import scipy.special as functions
    finally:
        if given is None:
            del os.environ[THREADS]
    loaded: ModuleType = functions
    return loaded
