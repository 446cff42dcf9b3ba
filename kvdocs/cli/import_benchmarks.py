"""`kvdocs import llama-bench` and its like: benchmark files become measurements."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import fail, the_project
from kvdocs.exchange.formats import IMPORTS, Format


def benchmark_commands() -> list[click.Command]:
    """A command for each format that gives a measurement."""
    return [_command(form) for form in IMPORTS if form.gives == "measurement"]


def _command(form: Format) -> click.Command:
    @click.argument("source", metavar="FILE", type=click.File("rb"))
    @click.option("--into", "record_id", metavar="ID", required=True, help="The measurement: a new one, or one that gets the samples beside its own.")
    @click.option("--env", "environment", metavar="ENV", help="The environment that it was measured on.")
    @click.option("--title", help="A title, in place of the one made from the file.")
    @edit_options
    @click.pass_context
    def run(ctx: click.Context, source: BinaryIO, record_id: str, environment: str | None, title: str | None, dry_run: bool, as_json: bool) -> None:
        project = the_project(ctx)
        from kvdocs.edit.drafts import Draft
        from kvdocs.edit.plan import plan_edit
        from kvdocs.exchange.benchmark import describe
        from kvdocs.exchange.formats import read_benchmarks
        from kvdocs.exchange.measurement_rows import measurement_values
        from kvdocs.exchange.remark import UnreadableSourceError
        from kvdocs.exchange.taken import draft_measurement
        from kvdocs.kinds import all_kinds

        try:
            report = read_benchmarks(form.name, source.read().decode("utf-8", "replace"))
        except UnreadableSourceError as error:
            fail(f"{source.name}: {error}")
        if not any(row.mean is not None for row in report.rows):
            fail(f"{source.name}: no benchmark in it has a figure", "; ".join(str(remark) for remark in report.remarks) or None)
        values = measurement_values(report, record_id, environment)
        if title:
            values["title"] = title
        with edit_errors():
            draft = Draft(project)
            remarks = draft_measurement(draft, values, all_kinds())
            plan = plan_edit(draft, [*(line.strip() for line in describe(report)), *map(str, remarks)])
        finish(plan, dry_run=dry_run, as_json=as_json)

    return _named(run, form, f"kvdocs import {form.name} FILE --into M5 --env rtx4070")


def _named(function: Any, form: Format, example: str) -> click.Command:
    """A command with its help made from the format's line in the table."""
    help_text = f"{form.title[0].upper()}{form.title[1:]}: a measurement.\n\nIt does not tell: {form.lacks}.\n\n\b\nExample:\n  {example}"
    command = click.command(form.name, help=help_text, short_help=f"{form.title}: a measurement")(function)
    assert isinstance(command, click.Command)
    return command
