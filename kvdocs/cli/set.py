"""`kvdocs set`: give fields of a record new values."""

from __future__ import annotations

import click

from kvdocs.cli.completion import assignments as assignment_words
from kvdocs.cli.completion import record_ids
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import the_project


@click.command("set")
@click.argument("record_id", metavar="ID", shell_complete=record_ids)
@click.argument("assignments", metavar="FIELD=VALUE...", nargs=-1, shell_complete=assignment_words)
@click.option("--unset", multiple=True, metavar="FIELD", help="Take a field, or an entry of a list, away; repeatable.")
@click.option("--at", metavar="PATH:LINE", help="Which record is meant, when two have the id.")
@edit_options
@click.pass_context
def set_(ctx: click.Context, record_id: str, assignments: tuple[str, ...], unset: tuple[str, ...], at: str | None, dry_run: bool, as_json: bool) -> None:
    """Give fields of a record new values.

    FIELD is a name with dots; an entry of a list goes by its position from 0 or by its id: `payoffs[0].gain`, `gates.exact.runs`.
    FIELD=VALUE gives a value, FIELD+=ENTRY adds to a list, FIELD-=ENTRY takes away from it.
    VALUE is text as it stands where the field holds text, and YAML where it does not; @FILE reads it from a file, @- from the standard input.

    Exits with 1 when the record would have new errors, and writes nothing then.

    \b
    Example:
      kvdocs set R9 status=done
      kvdocs set R5 owners+=upstream "payoffs[0].gain=12.5"
      kvdocs set D2 symptom=@symptom.md --dry-run
    """
    project = the_project(ctx)
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.lookup import editable, find_record
    from kvdocs.edit.plan import plan_edit
    from kvdocs.edit.setting import set_fields
    from kvdocs.kinds import all_kinds

    if not assignments and not unset:
        raise click.UsageError("nothing to set: name at least one FIELD=VALUE")
    with edit_errors():
        draft = Draft(project)
        found = editable(find_record(project, all_kinds(), record_id, at))
        set_fields(draft, found, assignments, unset)
        plan = plan_edit(draft)
    finish(plan, dry_run=dry_run, as_json=as_json, nothing=f"nothing changes: {record_id} has these values")
