"""`kvdocs link` and `kvdocs unlink`: links from a record to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from kvdocs.cli.completion import link_fields, record_ids
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import the_project


@click.command()
@click.argument("record_id", metavar="ID", shell_complete=record_ids)
@click.argument("field", shell_complete=link_fields)
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True, shell_complete=record_ids)
@edit_options
@click.pass_context
def link(ctx: click.Context, record_id: str, field: str, targets: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Link a record to others.

    A link that is there already stays as it is. Refused is what would name no record, or block in a circle.

    \b
    Example:
      kvdocs link R5 blocked_by R1
    """
    from kvdocs.edit import setting

    _run(ctx, setting.link, record_id, field, targets, dry_run, as_json)


@click.command()
@click.argument("record_id", metavar="ID", shell_complete=record_ids)
@click.argument("field", shell_complete=link_fields)
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True, shell_complete=record_ids)
@edit_options
@click.pass_context
def unlink(ctx: click.Context, record_id: str, field: str, targets: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """End links from a record to others.

    \b
    Example:
      kvdocs unlink R5 blocked_by R1
    """
    from kvdocs.edit import setting

    _run(ctx, setting.unlink, record_id, field, targets, dry_run, as_json)


def _run(ctx: click.Context, act: Callable[..., Any], record_id: str, field: str, targets: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    project = the_project(ctx)
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.lookup import editable, find_record
    from kvdocs.edit.plan import plan_edit
    from kvdocs.kinds import all_kinds

    with edit_errors():
        draft = Draft(project)
        act(draft, editable(find_record(project, all_kinds(), record_id)), field, targets)
        plan = plan_edit(draft)
    finish(plan, dry_run=dry_run, as_json=as_json, nothing=f"nothing changes: {record_id} has this in `{field}` already")
