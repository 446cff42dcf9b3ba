"""`kvdocs` and `python -m kvdocs`: prepare the process, then hand over to the command line."""

from __future__ import annotations

import gc
import io
import os
import sys


def main() -> None:
    """Run the command line."""
    # Commands are short, and what they make refers to itself hardly anywhere: looking for such objects costs more than it frees. `serve`, which lives on, looks.
    gc.set_threshold(50_000_000, 20, 100)
    _prepare_streams()
    from kvdocs.cli import cli
    from kvdocs.leaving import leave

    try:
        cli(prog_name="kvdocs")
    except SystemExit as ended:
        leave(ended.code)
        raise


def _prepare_streams() -> None:
    """Let a process that was started without streams print into nothing, and print what an encoding does not hold as `\\u65e5`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # it lives as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
