"""`kvdocs fmt`: record files in their stable form."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kvdocs.cli.edits import edit_errors, show_diff
from kvdocs.cli.output import fail, print_json, say, the_project

SCHEMA = "kvdocs/format/v1"


@click.command()
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when a file is not in its stable form.")
@click.option("--diff", is_flag=True, help="Show what changes.")
@click.option("--json", "as_json", is_flag=True, help="Print what changes as a document (kvdocs/format/v1).")
@click.pass_context
def fmt(ctx: click.Context, paths: tuple[Path, ...], check: bool, diff: bool, as_json: bool) -> None:
    """Bring record files into their stable form.

    Fields in the order of the kind, two spaces an indent, long prose in blocks, a final line end.
    Values, quotes and comments stay; a comment moves with the field below it. Doing it twice changes nothing.

    \b
    Example:
      kvdocs fmt
      kvdocs fmt --check --diff registry/defects
    """
    project = the_project(ctx)
    from kvdocs.edit.drafts import Draft, unified
    from kvdocs.edit.formatting import format_files
    from kvdocs.edit.journal import write_all
    from kvdocs.kinds import all_kinds
    from kvdocs.reports import json_document

    for path in paths:
        if not path.exists():
            fail(f"there is neither a file nor a folder {path}")
    draft = Draft(project)
    with edit_errors():
        problems = format_files(draft, all_kinds(), paths)
        changes = draft.changes()
        if not check:
            write_all(project, changes)
    if as_json:
        print_json({"schema": SCHEMA, "written": bool(changes) and not check, "files": [c.path for c in changes], "diff": unified(changes), "problems": json_document(problems)["problems"]})
    else:
        if diff:
            show_diff(unified(changes))
        for change in changes:
            say(f"{'would format' if check else 'formatted'} {change.path}")
        for problem in problems:
            say(str(problem), err=True)
        if not changes and not problems:
            say("every file has its stable form")
    sys.exit(1 if problems or (check and changes) else 0)
