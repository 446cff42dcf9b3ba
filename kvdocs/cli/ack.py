"""`kvdocs ack`: accept a warning about a record, with the reason."""

from __future__ import annotations

import click

from kvdocs.cli.completion import problem_codes, record_ids
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import the_project


@click.command()
@click.argument("code", shell_complete=problem_codes)
@click.argument("record_id", metavar="ID", shell_complete=record_ids)
@click.option("--because", required=True, metavar="TEXT", help="Why it is accepted; shown wherever the warning is.")
@edit_options
@click.pass_context
def ack(ctx: click.Context, code: str, record_id: str, because: str, dry_run: bool, as_json: bool) -> None:
    """Accept a warning about a record, with the reason.

    \b
    Example:
      kvdocs ack claim-fails K7 --because "The published figure counts a warm-up run."
    """
    project = the_project(ctx)
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.lookup import editable, find_record
    from kvdocs.edit.plan import plan_edit
    from kvdocs.edit.setting import acknowledge
    from kvdocs.kinds import all_codes, all_kinds
    from kvdocs.pipeline import inspect

    with edit_errors():
        draft = Draft(project)
        found = editable(find_record(project, all_kinds(), record_id))
        acknowledge(draft, found, code, because, inspect(project).problems, {c.name: c.severity for c in all_codes()})
        plan = plan_edit(draft)
    finish(plan, dry_run=dry_run, as_json=as_json, nothing=f"nothing changes: {record_id} accepts {code} with these words")
