"""Samples: real outputs of other programs, and ways to cut them short."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="session")
def sample() -> Callable[[str], str]:
    """The text of a file in `samples/`."""
    return lambda name: (SAMPLES / name).read_text(encoding="utf-8")
