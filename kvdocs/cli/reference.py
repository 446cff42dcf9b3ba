"""The commands as data for the page of commands: their own help, word for word."""

from __future__ import annotations

from collections.abc import Iterator

import click

from kvdocs.pages.program import CommandHelp

WIDTH = 100


def command_helps() -> tuple[CommandHelp, ...]:
    """Every command with its help as a terminal of 100 columns shows it, the commands of a group behind the group."""
    from kvdocs.cli import COMMANDS, cli

    root = _context(cli, "kvdocs", None)
    return tuple(found for name, (_, summary) in COMMANDS.items() for found in _helps(cli, root, name, name, summary))


def _helps(group: click.Group, parent: click.Context, name: str, path: str, summary: str) -> Iterator[CommandHelp]:
    command = group.get_command(parent, name)
    assert command is not None
    context = _context(command, name, parent)
    yield CommandHelp(path, summary, command.get_help(context))
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            below = command.get_command(context, inner)
            assert below is not None
            yield from _helps(command, context, inner, f"{path} {inner}", below.get_short_help_str(WIDTH))


def _context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
