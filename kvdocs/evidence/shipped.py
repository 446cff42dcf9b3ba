"""The modules that a packed job carries, and the identity of the runner that they make up."""

from __future__ import annotations

import hashlib
import pkgutil
import platform
from functools import lru_cache
from typing import Any

from kvdocs import __version__

MODULES = (
    "__init__", "assembly", "build_tree", "canonical", "captures", "descendants", "disk", "expect", "gpu", "interrupts", "job", "journal",
    "judging", "likeness", "lock", "logs", "machine", "monitor", "nvml", "observation", "pattern_search", "pool", "preparation", "process", "record", "recovery", "redaction",
    "requirements", "runner", "seals", "shipped", "source_tree", "spec", "spool", "store", "terminal",
)  # fmt: skip


@lru_cache(maxsize=1)
def runner_identity() -> dict[str, Any]:
    """Name, version and Python of this runner, and one hash over its modules: it is the same in a packed job and at home."""
    hasher = hashlib.sha256()
    for name in MODULES:
        source = pkgutil.get_data("kvdocs.evidence", f"{name}.py") or b""
        hasher.update(f"{name} {len(source)}\n".encode() + source)
    return {"name": "kvdocs", "version": __version__, "sha256": hasher.hexdigest(), "python": platform.python_version()}
