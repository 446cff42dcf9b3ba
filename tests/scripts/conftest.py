"""Fixtures of the scripts' tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from stand_in import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with nothing on it."""
    return Machine(tmp_path)
