"""`kvdocs new`: a new record."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.completion import kind_names
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import fail, say, the_project

if TYPE_CHECKING:
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.plan import Plan
    from kvdocs.kind import Kind


@click.command()
@click.argument("kind_name", metavar="KIND", shell_complete=kind_names)
@click.argument("record_id", metavar="[ID]", required=False)
@click.option("--set", "assignments", multiple=True, metavar="FIELD=VALUE", help="Give a field a value, as `kvdocs set` does; repeatable.")
@click.option("--edit", "in_editor", is_flag=True, help="Fill in the template in $EDITOR; its explanations go when the editor closes.")
@click.option("--draft", "unfinished", is_flag=True, help="Write the template although it is not finished; `kvdocs check` says what is missing.")
@edit_options
@click.pass_context
def new(ctx: click.Context, kind_name: str, record_id: str | None, assignments: tuple[str, ...], in_editor: bool, unfinished: bool, dry_run: bool, as_json: bool) -> None:
    """Add a record.

    ID is the next number of the kind when it is left out; records whose id is a name need one.
    The file is named for the id and the title, so that two branches that took the same number can be merged.

    \b
    Example:
      kvdocs new defect --edit
      kvdocs new item --set "title=Repair the build" --set status=open --set owners+=fork
      kvdocs new defect --set "title=Crash on load" --draft
    """
    project = the_project(ctx)
    from kvdocs.edit.creating import kind_named, new_data
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.lookup import next_id
    from kvdocs.kinds import all_kinds

    draft = Draft(project)
    with edit_errors():
        kind = kind_named(all_kinds(), kind_name)
        data = new_data(draft, all_kinds(), kind, record_id, assignments)
        plan, path = _edited(draft, kind, data) if in_editor else _planned(draft, kind, data, unfinished)
    if plan.errors and not in_editor and not unfinished and not as_json:
        say(f"note: give what is missing with --set, fill in the template with --edit, or write {path} unfinished with --draft", err=True)

    def again() -> Plan | None:
        number = next_id(project, all_kinds(), kind)
        if number == data["id"]:
            return None
        data["id"] = number
        return _planned(Draft(project), kind, data, unfinished)[0]

    finish(plan, dry_run=dry_run, as_json=as_json, draft=unfinished, again=None if record_id or in_editor else again)


def _planned(draft: Draft, kind: Kind, data: dict[str, Any], unfinished: bool) -> tuple[Plan, str]:
    """The plan of a record with this data, and its file."""
    from kvdocs.edit.creating import path_of, record_text, template
    from kvdocs.edit.plan import plan_edit

    path = path_of(kind, data)
    draft.write(path, (template(kind, data) if unfinished else record_text(kind, data)).encode())
    return plan_edit(draft), path


def _edited(draft: Draft, kind: Kind, data: dict[str, Any]) -> tuple[Plan, str]:
    """The plan of what comes back from the editor; on faults the text goes back to it, or is kept."""
    from kvdocs.edit.creating import parsed, path_of, template, without_explanations
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.plan import plan_edit

    original = text = template(kind, data)
    while True:
        try:
            changed = click.edit(text, extension=".yaml", require_save=True)
        except click.ClickException as error:
            fail(error.message, "set EDITOR to a program that edits text")
        if changed is None:
            say("nothing was saved, so nothing was written")
            sys.exit(0)
        text = changed
        record = without_explanations(text, original)
        attempt = Draft(draft.project)
        path = path_of(kind, {"title": "untitled", **data, **parsed(record)})
        attempt.write(path, record.encode())
        plan = plan_edit(attempt)
        if not plan.errors:
            return plan, path
        for problem in plan.errors:
            say(str(problem), err=True)
        if not sys.stdin.isatty() or not click.confirm("Edit it again?", default=True, err=True):
            kept = _keep(draft.project.root / ".kvdocs" / "edit", f"rejected-{data['id']}", text)
            say(f"note: your text is kept in {kept.relative_to(draft.project.root)}", err=True)
            return plan, path


def _keep(folder: Path, name: str, text: str) -> Path:
    """Keep a text in a file of its own, beside those of this name that were kept before."""
    kept = next(path for number in count(1) if not (path := folder / f"{name}{f'-{number}' if number > 1 else ''}.yaml").exists())
    kept.write_text(text, encoding="utf-8")
    return kept
