"""The commands as data for the page of commands: their own help, word for word."""

from __future__ import annotations

import click

from kvdocs.pages.program import CommandHelp

WIDTH = 100


def command_helps() -> tuple[CommandHelp, ...]:
    """Every command with its help as a terminal of 100 columns shows it."""
    from kvdocs.cli import COMMANDS, cli

    root = click.Context(cli, info_name="kvdocs", terminal_width=WIDTH, max_content_width=WIDTH)
    return tuple(CommandHelp(name, summary, _help(cli, root, name)) for name, (_, summary) in COMMANDS.items())


def _help(group: click.Group, root: click.Context, name: str) -> str:
    command = group.get_command(root, name)
    assert command is not None
    return command.get_help(click.Context(command, info_name=name, parent=root, terminal_width=WIDTH, max_content_width=WIDTH))
