"""`kvdocs schema`: JSON Schema of the records, for editors."""

from __future__ import annotations

from pathlib import Path

import click

from kvdocs.cli.completion import kind_names
from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import fail, print_json, say, the_project


@click.command()
@click.argument("kind_name", metavar="[KIND]", required=False, shell_complete=kind_names)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="The folder to write into; .kvdocs/schema if absent.")
@click.option("--settings", is_flag=True, help="Also name the schemas in .vscode/settings.json, where the YAML language server looks.")
@click.option("--modelines", is_flag=True, help="Instead, name the schema in the first line of every record file, for editors that read no settings.")
@edit_options
@click.pass_context
def schema(ctx: click.Context, kind_name: str | None, out: Path | None, settings: bool, modelines: bool, dry_run: bool, as_json: bool) -> None:
    """JSON Schema of the records, for editors.

    With a KIND, prints the schema of its files. Without, writes one for each kind, with the ids of the registry as it is;
    the commands that edit write them anew when they are there.

    \b
    Example:
      kvdocs schema --settings
      kvdocs schema defect
    """
    project = the_project(ctx)
    from kvdocs.edit.creating import kind_named
    from kvdocs.edit.drafts import Draft
    from kvdocs.edit.formatting import record_files
    from kvdocs.edit.plan import Plan
    from kvdocs.edit.schema import FOLDER, SETTINGS, editor_settings, merged_settings, modeline, schema_of, write_schemas
    from kvdocs.kinds import all_codes, all_kinds
    from kvdocs.load import load_registry
    from kvdocs.source import decode

    registry, _ = load_registry(project, all_kinds())
    draft = Draft(project)
    with edit_errors():
        if kind_name is not None:
            print_json(schema_of(kind_named(all_kinds(), kind_name), registry, all_codes()))
            return
        if settings:
            present = draft.read(SETTINGS)
            draft.write(SETTINGS, merged_settings(decode(present) if present is not None else None, editor_settings(all_kinds())).encode())
        for path, kind in record_files(draft, all_kinds()) if modelines else ():
            text = draft.text(path)
            if not text.text.startswith("# yaml-language-server:"):
                draft.write(path, text.spliced(0, 0, modeline(path, kind) + "\n").encode())
    folder = out if out is not None else project.root / FOLDER
    if not dry_run:
        try:
            for written in write_schemas(folder, all_kinds(), registry, all_codes()):
                if not as_json:
                    say(f"wrote {written.relative_to(project.root) if written.is_relative_to(project.root) else written}")
        except OSError as error:
            fail(f"cannot write {error.filename}: {error.strerror}")
    if settings or modelines:
        finish(Plan(project, draft.changes()), dry_run=dry_run, as_json=as_json, nothing="the editor's settings are as they should be")
