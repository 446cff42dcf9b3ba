"""How a process ends whose work is done."""

from __future__ import annotations

import atexit
import os
import sys
import threading


def leave(code: object) -> None:
    """End the process at once: to give back the memory of every object by itself takes up to a quarter of a command's time.

    What was to be done at the end is done. Where something is still under way, or nobody takes what is printed, the process ends in the usual way.
    """
    if not isinstance(code, int) or threading.active_count() > 1:
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(code)
