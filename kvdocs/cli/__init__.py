"""The command line: the only place that prints and exits. Each command is a file, read when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from kvdocs import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    "order": ("order:order", "What to do next, and why."),
    "check": ("check:check", "Everything that is wrong with the record."),
    "show": ("show:show", "One record with its links, or one figure with what depends on it."),
    "compare": ("compare:compare", "The arms of a measurement against each other."),
    "graph": ("graph:graph", "The dependency graph as mermaid, dot or json."),
    "log": ("log:log", "What changed when: status, owners, blockers, values."),
    "init": ("init:init", "A small working project in an empty folder."),
    "build": ("build:build", "The site: Markdown into build/docs, then pages into site/."),
    "serve": ("serve:serve", "The site, live while records are edited."),
    "render": ("render:render", "Documents for another repository: roadmap, defects, measurements, scripts, probes, overview."),
    "gate": ("gate:gate", "Whether an item's gates have passed."),
    "run": ("run:run", "Execute scripts and keep what comes out."),
    "pack": ("pack:pack", "One file that runs scripts on a bare machine."),
    "new": ("new:new", "Add a record."),
    "set": ("set:set_", "Give fields of a record new values."),
    "link": ("link:link", "Link a record to others."),
    "unlink": ("link:unlink", "End links from a record to others."),
    "rename": ("rename:rename", "Give a record a new id, everywhere at once."),
    "ack": ("ack:ack", "Accept a warning about a record, with the reason."),
    "fmt": ("fmt:fmt", "Bring record files into their stable form."),
    "schema": ("schema:schema", "JSON Schema of the records, for editors."),
    "diff": ("diff:diff", "What changed between two versions of the registry, in words."),
    "publish": ("publish:publish", "The site, to a branch of a remote."),
    "sync": ("sync:sync", "The state of references, from the host of their repositories."),
    "import": ("import_:import_", "Take in what other programs and other machines wrote."),
    "export": ("export:export", "Give records and results in the formats of other programs."),
}
"""Each command: where it is, and the line that the overview shows (a test compares it with the command's own help)."""


def _go_to(ctx: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        ctx.obj = folder


def _read_anew(ctx: click.Context, _: click.Parameter, no_cache: bool) -> None:
    if no_cache and not ctx.resilient_parsing:
        os.environ["KVDOCS_NO_CACHE"] = "1"


def _of_the_whole_program(*, hidden: bool = False) -> list[click.Parameter]:
    """The options that matter to every command."""
    folder = click.Path(path_type=Path, file_okay=False)
    return [
        click.Option(["-C", "--project"], type=folder, callback=_go_to, expose_value=False, hidden=hidden, help="The project's folder, or one inside it."),
        click.Option(["--no-cache"], is_flag=True, callback=_read_anew, expose_value=False, hidden=hidden, help="Read everything anew; the same as KVDOCS_NO_CACHE=1."),
    ]


BEHIND_A_COMMAND = _of_the_whole_program(hidden=True)
"""The same options where people type them too. They are hidden there, so that the help of a command is about the command."""


def _taking_them(command: click.Command) -> click.Command:
    """A command that takes them, and so do the commands below it."""
    if BEHIND_A_COMMAND[0] not in command.params:
        command.params += BEHIND_A_COMMAND
        for below in command.commands.values() if isinstance(command, click.Group) else ():
            _taking_them(below)
    return command


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is run or asked for help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f"kvdocs.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return _taking_them(command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest command named when there is none of that name."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from kvdocs.problems import did_you_mean

            hint = did_you_mean(args[0], COMMANDS)
            ctx.fail(f"no such command {args[0]!r}" + (f"; {hint}" if hint else ""))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """As click does; what the machine refuses (a file, space on the disk, memory) is a sentence and the exit code 2."""
        try:
            return self._main(*args, **kwargs)
        except (OSError, MemoryError) as error:
            from kvdocs.cli.output import fail_of_machine

            fail_of_machine(error, as_json="--json" in sys.argv[1:])

    def _main(self, *args: Any, **kwargs: Any) -> Any:
        """As click does; a command line that cannot be understood is answered as every other error is, in JSON where that was asked for."""
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.ClickException as error:
            from kvdocs.cli.output import fail_of_usage

            fail_of_usage(error, as_json="--json" in sys.argv[1:])
        except click.Abort:
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else 0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview from the table above, so that `--help` imports no command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup, params=_of_the_whole_program(), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Keep a project's record of defects, work and measurements, and compute what it says.

    -C and --no-cache may stand before the command or behind it.

    \b
    Example:
      kvdocs order        what to do next
      kvdocs check        what is wrong with the record
    """
    ctx.ensure_object(Path)
