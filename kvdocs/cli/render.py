"""`kvdocs render`: Markdown documents that stand on their own in another repository."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kvdocs.cli.output import fail, paint, say, the_project


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="The folder to write to; other files in it are left alone.")
@click.option("--check", "check_folder", type=click.Path(path_type=Path, file_okay=False), help="Write nothing; say which documents in this folder are out of date.")
@click.pass_context
def render(ctx: click.Context, out: Path | None, check_folder: Path | None) -> None:
    """Documents for another repository: roadmap, defects, measurements, scripts, probes, overview.

    With --check it exits with 1 when a document is missing or out of date.

    \b
    Example:
      kvdocs render --out ../llama.cpp/docs
    """
    if (out is None) == (check_folder is None):
        fail("say where: --out DIR writes, --check DIR compares")
    project = the_project(ctx)
    from kvdocs.render import out_of_date, write_files
    from kvdocs.site.documents import document_files

    files = document_files(project)
    if check_folder is not None:
        stale = out_of_date(files, check_folder)
        for path in stale:
            say(f"{paint('out of date', 'warn')}: {check_folder / path}")
        if not stale:
            say(f"{len(files)} documents are up to date")
        sys.exit(1 if stale else 0)
    assert out is not None
    wrote = write_files(files, out, remove_stale=False)
    for path in files:
        say(f"{'written' if path in wrote.written else 'kept'}  {out / path}")
