"""`kvdocs render`: Markdown documents that stand on their own in another repository."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kvdocs.cli.output import fail, note_errors, paint, print_json, say, the_project
from kvdocs.problems import counted

SCHEMA = "kvdocs/render/v1"
TONES = {"missing": "warn", "out of date": "warn", "written": "good"}
AS_IT_WAS = ("up to date", "kept")
"""The states of documents with which there was nothing to do."""

NAMED = 20
"""So many documents are named; more are counted."""


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="The folder to write to; other files in it are left alone.")
@click.option("--check", "check_folder", type=click.Path(path_type=Path, file_okay=False), help="Write nothing; say which documents in this folder are out of date.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of each document as a document (kvdocs/render/v1).")
@click.pass_context
def render(ctx: click.Context, out: Path | None, check_folder: Path | None, as_json: bool) -> None:
    """Documents for another repository: roadmap, defects, measurements, scripts, probes, overview.

    With --check it exits with 1 when a document is missing or out of date.

    \b
    Example:
      kvdocs render --out ../llama.cpp/docs
      kvdocs render --check ../llama.cpp/docs --json
    """
    if out is None and check_folder is None:
        fail("say where: --out DIR writes, --check DIR compares")
    if out is not None and check_folder is not None:
        fail("--out writes and --check compares: choose one")
    project = the_project(ctx)
    from kvdocs.render import TemplateFaultError
    from kvdocs.site.documents import documents_for

    folder = out or check_folder
    assert folder is not None
    try:
        files, errors = documents_for(project, folder)
    except TemplateFaultError as error:
        fail(str(error))
    stale = {path: data for path, data in files.items() if data is not None}
    if out is None:
        states = {path: "up to date" if path not in stale else "out of date" if (folder / path).exists() else "missing" for path in files}
    else:
        from kvdocs.disk import replace_file

        for path, data in stale.items():
            replace_file(str(folder / path), data)
        states = {path: "written" if path in stale else "kept" for path in files}
    if as_json:
        rows = [{"path": path, "state": state} for path, state in states.items()]
        print_json({"schema": SCHEMA, "folder": folder.as_posix(), "up_to_date": out is not None or not stale, "documents": rows})
    else:
        _say(folder, states)
        note_errors(errors)
    sys.exit(1 if out is None and stale else 0)


def _say(folder: Path, states: dict[str, str]) -> None:
    """A line for each document that was written or has to be; the others are counted."""
    told = [(path, state) for path, state in states.items() if state not in AS_IT_WAS]
    width = max((len(state) for _, state in told), default=0)
    for path, state in told[:NAMED]:
        say(f"{paint(state, TONES[state])}{' ' * (width - len(state))}  {folder / path}")
    if len(told) > NAMED:
        say(paint(f"and {len(told) - NAMED:,} more", "off"))
    kept = len(states) - len(told)
    if not told:
        say(f"{counted(kept, 'document is', 'documents are')} up to date")
    elif kept:
        say(paint(f"{counted(kept, 'other is', 'others are')} up to date", "off"))
