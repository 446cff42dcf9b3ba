"""`kvdocs rename`: a record under a new id, everywhere at once."""

from __future__ import annotations

import click

from kvdocs.cli.completion import record_ids
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import the_project


@click.command()
@click.argument("old", metavar="ID", shell_complete=record_ids)
@click.argument("new", metavar="NEW")
@click.option("--at", metavar="PATH:LINE", help="Which record is meant, when two have the id.")
@edit_options
@click.pass_context
def rename(ctx: click.Context, old: str, new: str, at: str | None, dry_run: bool, as_json: bool) -> None:
    """Give a record a new id, everywhere at once.

    Changed are links, mentions in prose and comments, cited figures, hand-written pages, and the name of the file; all files or none.
    The record keeps the old id in `formerly`, so that its address goes on working.
    Of two records with one id, --at picks the one to rename; what could mean either is left alone and named.

    \b
    Example:
      kvdocs rename D2 D12
      kvdocs rename D11 D12 --at registry/defects/D11-crash-on-load.yaml:1
    """
    project = the_project(ctx)
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.plan import plan_edit
    from kvdocs.edit.renaming import rename as draft_rename
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry

    with edit_errors():
        draft = Draft(project)
        registry, _ = load_registry(project, all_kinds())
        notes = draft_rename(draft, all_kinds(), registry, old, new, at)
        plan = plan_edit(draft, notes, {old: new} if at is None else None)
    finish(plan, dry_run=dry_run, as_json=as_json)
