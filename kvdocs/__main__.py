"""`kvdocs` and `python -m kvdocs`: prepare the process, then hand over to the command line."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line."""
    # Commands are short and make many small objects: collecting them costs more than it frees.
    gc.set_threshold(500_000, 20, 100)
    from kvdocs.cli import cli

    cli(prog_name="kvdocs")


if __name__ == "__main__":
    main()
