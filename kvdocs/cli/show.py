"""`kvdocs show`: one record with its links, or one figure with what depends on it, in the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from kvdocs.cli.completion import record_ids
from kvdocs.cli.output import fail, print_json, say_lines, the_project, width
from kvdocs.problems import counted

if TYPE_CHECKING:
    from kvdocs.entry import Entry
    from kvdocs.project import Project
    from kvdocs.registry import Registry

FEWEST_DIGITS = 4
"""So many digits of a result's id have to be typed."""


@click.command()
@click.argument("name", metavar="ID", shell_complete=record_ids)
@click.option("--all", "everything", is_flag=True, help="Also what the page of the record folds away.")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def show(ctx: click.Context, name: str, everything: bool, as_json: bool) -> None:
    """One record with its links, or one figure with what depends on it.

    A record is shown as on its page: its fields, what executions and figures say of them, what is wrong with it, what points at it.
    Of a result, the first four digits of its id are enough.
    A figure, such as `M2.host[4096]`, comes with every cell, claim, text and chart that changes when it does.

    \b
    Example:
      kvdocs show D2
      kvdocs show 2dd4112c
      kvdocs show "M2.host[4096]"
    """
    project = the_project(ctx)
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry

    registry = load_registry(project, all_kinds())[0] if "[" in name else None
    if registry is not None and not registry.has(name):
        _show_figure(name, registry, as_json)
    else:
        _show_record(name, project, as_json, everything=everything)


def _show_record(name: str, project: Project, as_json: bool, *, everything: bool) -> None:
    from kvdocs.document import record_document
    from kvdocs.judge import judge_of
    from kvdocs.pipeline import inspect

    inspection = inspect(project)
    registry = inspection.registry
    entry = registry.get(name) or _by_beginning(name, registry)
    if entry is None:
        broken = next((p for p in inspection.problems if p.record == name), None)
        if broken is not None:
            fail(f"{name} cannot be shown: {broken}")
        if name in registry.broken:
            fail(f"{name} cannot be read", "`kvdocs check` says what is wrong with it")
        figure = re.match(r"(M[1-9][0-9]*)\.", name)
        hint = f"a figure is named with its row: `{name}[ROW]`" if figure is not None and registry.has(figure[1]) else None
        fail(f"no record has the id {name!r}", hint or registry.nearest(name))
    if as_json:
        print_json(record_document(entry, registry, inspection.order, judge_of(registry, project.root).of(entry.id)))
    else:
        from kvdocs.cli.record_text import record_lines

        say_lines(record_lines(entry, inspection, width(), everything=everything))


def _by_beginning(name: str, registry: Registry) -> Entry | None:
    """The one result whose id, which is a hash, begins so; pages name results by eight digits."""
    found = [entry for entry in registry.of("result") if entry.id.startswith(name)] if len(name) >= FEWEST_DIGITS else []
    if len(found) > 1:
        fail(f"{counted(len(found), 'result')} have an id that begins with {name}", ", ".join(entry.id for entry in found))
    return found[0] if found else None


def _show_figure(name: str, registry: Registry, as_json: bool) -> None:
    from kvdocs.cli.figures import print_figure
    from kvdocs.figure_documents import cell_document
    from kvdocs.figures.formula import references
    from kvdocs.figures.names import FormulaError, ScopeError
    from kvdocs.ledger import ledger_of

    ledger = ledger_of(registry)
    of = registry.get(name.partition("[")[0].partition(".")[0])
    if of is not None and of.kind.name != "measurement":
        fail(f"{of.id} is a record of kind {of.kind.name}: only a measurement has figures", "such as `M2.host[4096]`")
    try:
        named = references(name)
        if len(named) != 1 or named[0].row is None or str(named[0]) != name.replace('"', "'"):
            fail(f"{name!r} is not the name of one figure", "such as `M2.host[4096]`")
        (cell,) = ledger.workbook.scope().names(named[0])
    except (FormulaError, ScopeError) as error:
        fail(error.message, error.hint)
    document = cell_document(cell, ledger)
    if as_json:
        print_json(document)
    else:
        print_figure(document)
