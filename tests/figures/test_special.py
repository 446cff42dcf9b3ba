"""scipy is loaded when a quantile is asked for, and leaves nothing behind that a script would see."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import os, threading
from kvdocs.figures.comparison import t_quantile
before = dict(os.environ)
print(f"{t_quantile(10):.4f}", dict(os.environ) == before, len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1)
"""


def test_no_thread_of_its_linear_algebra_is_started_and_no_variable_stays() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ran.stdout == "2.2281 True 1\n"
