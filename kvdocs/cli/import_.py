"""`kvdocs import`: take in what other programs and other machines wrote."""

from __future__ import annotations

import click

from kvdocs.cli.import_benchmarks import benchmark_commands
from kvdocs.cli.import_records import record_commands
from kvdocs.cli.import_runs import results, run_commands
from kvdocs.cli.output import SpeakingGroup


@click.group("import", cls=SpeakingGroup, context_settings={"max_content_width": 100})
def import_() -> None:
    """Take in what other programs and other machines wrote.

    Benchmarks become measurements, logs become results, registers and issue lists become records.
    Every import says what its source does not tell and what was lost.

    \b
    Example:
      kvdocs import llama-bench bench.json --into M5 --env rtx4070
      kvdocs import log d4.log --script d4-test-kvarn --env h200 --exit 134 --command bin/test-kvarn
      kvdocs import register docs/defects.md --dry-run
    """


for command in (*benchmark_commands(), *run_commands(), results, *record_commands()):
    import_.add_command(command)
