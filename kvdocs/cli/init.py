"""`kvdocs init`: a small working project in an empty folder."""

from __future__ import annotations

from pathlib import Path

import click

from kvdocs.cli.output import fail, paint, say


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def init(folder: Path) -> None:
    """A small working project in an empty folder.

    It holds one record of most kinds, a script, and the settings of the site.
    A new repository counts as empty: its .git, README, licence and .gitignore stay as they are.

    \b
    Example:
      kvdocs init my-record
    """
    from kvdocs.scaffold import NotEmptyError, make_project

    try:
        made = make_project(folder)
    except NotEmptyError as error:
        fail(str(error), "name a new folder, or an empty one")
    except OSError as error:
        fail(f"{folder} cannot be written: {error.strerror}")
    for name in made.written:
        say(f"{paint('new', 'good')}  {folder / name}")
    for name in made.kept:
        say(f"{paint('kept', 'off')} {folder / name}")
    if made.ignored:
        say(f"{paint('note: ', 'warn')}add to {folder / '.gitignore'}, because the commands make these: {' '.join(made.ignored)}")
    say()
    say("Next:")
    enter = [(f"cd {folder}", "")] if folder.resolve() != Path.cwd() else []
    for command, words in (*enter, ("kvdocs check", "what is wrong with the record"), ("kvdocs order", "what to do next, and why"), ("kvdocs build", "the site, into site/")):
        say(f"  {command:<14} {paint(words, 'off')}".rstrip())
