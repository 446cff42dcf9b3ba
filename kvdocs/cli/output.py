"""What the commands print with: colours that mean something, aligned tables, the end of a command."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from kvdocs.project import Project, ProjectError, find_project

TONES = {"good": "green", "bad": "red", "warn": "yellow", "wait": "cyan", "off": "bright_black", "plain": None, "head": "bright_black"}


_HIDDEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
_HIDDEN_BUT_COLOURS = rf"(?!\x1b\[[0-9;]*m){_HIDDEN}"


class SpeakingGroup(click.Group):
    """A group that says of each of its commands all of the first sentence."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, without cutting sentences short."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=1000)) for name, command in found if command is not None])


def the_project(ctx: click.Context, *, settings: bool = True) -> Project:
    """The project that the command was called for; ends the command with 2 when there is none.

    With `settings=False` the settings are not read yet: reading YAML is for whoever needs it.
    """
    try:
        project = find_project(ctx.obj)
        if settings:
            _ = project.settings
    except ProjectError as error:
        fail(str(error))
    if (project.root / ".kvdocs" / "edit" / "journal.json").exists():
        _finish_edit(project)
    return project


def _finish_edit(project: Project) -> None:
    """Finish an edit of several files that was cut off after it counted, so that no command ever sees half of it."""
    from kvdocs.edit.journal import recover
    from kvdocs.edit.text import EditError

    try:
        if recover(project):
            say(paint("note: ", "warn", err=True) + "an edit that was interrupted has been finished", err=True)
    except EditError as error:
        fail(error.message, error.hint)


def fail(message: str, hint: str | None = None) -> NoReturn:
    """End the command for a reason of usage or set-up, with exit code 2. A command that was asked for JSON says so in JSON."""
    context = click.get_current_context(silent=True)
    if context is not None and (context.params.get("as_json") or context.params.get("style") == "json"):
        print_json(error_document(message, hint))
        sys.exit(2)
    say(paint("error: ", "bad", err=True) + message, err=True)
    if hint:
        say(f"  hint: {hint}", err=True)
    sys.exit(2)


def fail_of_usage(error: click.ClickException, *, as_json: bool) -> NoReturn:
    """End the command because its command line cannot be understood, with click's exit code and words."""
    message = error.format_message()
    if as_json:
        print_json(error_document(message))
    else:
        say(paint("error: ", "bad", err=True) + message[:1].lower() + message[1:].removesuffix("."), err=True)
        if isinstance(error, click.UsageError) and error.ctx is not None:
            say(f"  hint: {error.ctx.get_usage().removeprefix('Usage: ')}; more with --help", err=True)
    sys.exit(error.exit_code)


def fail_of_machine(error: OSError | MemoryError, *, as_json: bool) -> NoReturn:
    """End the command because a file, a folder, a device or the memory refuses what it needs, with exit code 2."""
    message = "there is not enough memory"
    if isinstance(error, OSError):
        message = error.strerror or str(error)
        if isinstance(error.filename2 or error.filename, str | Path):
            message = f"{error.filename2 or error.filename}: {message}"
    try:
        if as_json:
            print_json(error_document(message))
        sys.stdout.flush()
    except OSError:  # what is left to print can go nowhere, and would be tried again when the process ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        as_json = False
    if as_json:
        sys.exit(2)
    fail(message)


def note_errors(errors: int) -> None:
    """Say beside what was made that the registry has so many errors."""
    if errors:
        from kvdocs.problems import counted

        say(paint("note: ", "warn", err=True) + f"{counted(errors, 'error')} in the registry; see `kvdocs check`", err=True)


def error_document(message: str, hint: str | None = None) -> dict[str, Any]:
    """Why a command could not be carried out, for programs."""
    return {"schema": "kvdocs/error/v1", "error": message, "hint": hint}


def coloured(*, err: bool = False) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR is set or TERM is dumb; FORCE_COLOR wins."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (sys.stderr if err else sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, tone: str, *, bold: bool = False, err: bool = False) -> str:
    """Text in the colour of a tone, when colours are on."""
    return click.style(text, fg=TONES[tone], bold=bold) if coloured(err=err) else text


def say(text: str = "", *, err: bool = False) -> None:
    """Print a line. Colours were decided by `paint`, so click leaves them as they are.

    Characters that would do something to the terminal, instead of standing there, are shown as escapes.
    """
    click.echo(_harmless(text, err=err), err=err, color=True)


def say_lines(lines: Iterable[str], indent: str = "") -> None:
    """Print lines in one piece: thousands of them, each handed to the system by itself, take longer to print than to make."""
    shown = [indent + _harmless(line, err=False) for line in lines]
    if shown:
        click.echo("\n".join(shown), color=True)


def _harmless(text: str, *, err: bool) -> str:
    if text.isprintable():
        return text
    return re.sub(_HIDDEN_BUT_COLOURS if coloured(err=err) else _HIDDEN, lambda found: ascii(found[0])[1:-1], text)


def print_json(value: Any) -> None:
    """Print a document for programs: UTF-8, two spaces, keys in the documented order."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> object:
    from datetime import date
    from decimal import Decimal

    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Path):
        return value.as_posix()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def say_wrapped(line: str) -> None:
    """Print a line; on a terminal that is too narrow for it, it goes on below its beginning."""
    if not is_too_wide([cell_width(line)]):
        say(line)
        return
    from kvdocs.cli.columns import hanging

    text = line.lstrip()
    say_lines(hanging(line[: len(line) - len(text)], text, width()))


def width() -> int:
    """The columns of the terminal, 100 in a pipe."""
    if not sys.stdout.isatty():
        return 100
    from shutil import get_terminal_size

    return get_terminal_size((100, 24)).columns


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], tones: Sequence[Sequence[str]] | None = None, below: int | None = None) -> list[str]:
    """Aligned lines, one for each row in a pipe; on a terminal that is too narrow for them, as `kvdocs.cli.columns` lays them out.

    `tones` colours cells; it has the shape of `rows`. With `below`, the last cell of a row stands below the others there, from the column with this number on.
    """
    if not rows:
        return []
    widths = [_widest(column) for column in zip(headings, *rows, strict=True)]
    shades = tones or [["plain"] * len(headings)] * len(rows)
    if is_too_wide(widths):
        from kvdocs.cli.columns import fitted, noted

        with_notes = noted(headings, rows, shades, width(), below) if below is not None else None
        return with_notes or fitted(headings, rows, shades, width())
    lines = [paint(_line(headings, widths), "head")]
    colours = coloured() and tones is not None
    for row, row_tones in zip(rows, shades, strict=True):
        if not colours:
            lines.append(_line(row, widths))
            continue
        lines.append("  ".join(paint(cell, tone) + " " * (w - cell_width(cell)) for cell, tone, w in zip(row, row_tones, widths, strict=True)).rstrip())
    return lines


def is_too_wide(widths: Sequence[int]) -> bool:
    """Whether columns of these widths do not fit the terminal; a pipe takes any."""
    return sys.stdout.isatty() and sum(widths) + 2 * (len(widths) - 1) > width()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    if "".join(cells).isascii():  # as nearly all of thousands are
        return "  ".join(map(str.ljust, cells, widths)).rstrip()
    return "  ".join([c + " " * (w - cell_width(c)) for c, w in zip(cells, widths, strict=True)]).rstrip()


def _widest(column: Sequence[str]) -> int:
    return max(map(len if "".join(column).isascii() else cell_width, column))


def cell_width(text: str) -> int:
    """How many columns a terminal gives to a text: wide characters count twice, combining ones nothing."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def plain_text(markdown: str) -> str:
    """Inline Markdown without its marks, for the terminal."""
    return markdown.replace("`", "").replace("**", "")
