"""`kvdocs show`: one record with its links, or one figure with what depends on it, in the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.completion import record_ids
from kvdocs.cli.output import fail, paint, plain_text, print_json, say, the_project

if TYPE_CHECKING:
    from kvdocs.problems import Problem
    from kvdocs.registry import Registry

IN_A_TABLE = ("columns", "rows")
"""Fields of a measurement that its table shows."""


@click.command()
@click.argument("name", metavar="ID", shell_complete=record_ids)
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def show(ctx: click.Context, name: str, as_json: bool) -> None:
    """One record with its links, or one figure with what depends on it.

    A measurement comes with its figures as they are computed, and what was published beside them where it differs.
    A figure, such as `M2.host[4096]`, comes with every cell, claim, text and chart that changes when it does.

    \b
    Example:
      kvdocs show D2
      kvdocs show "M2.host[4096]"
    """
    project = the_project(ctx)
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry

    registry, problems = load_registry(project, all_kinds())
    if "[" in name and not registry.has(name):
        _show_figure(name, registry, as_json)
    else:
        _show_record(name, registry, problems, as_json)


def _show_record(name: str, registry: Registry, problems: list[Problem], as_json: bool) -> None:
    from kvdocs.cited import title_of
    from kvdocs.document import record_document
    from kvdocs.order import plan

    entry = registry.get(name)
    if entry is None:
        broken = next((p for p in problems if p.record == name), None)
        if broken is not None:
            fail(f"{name} cannot be shown: {broken}")
        figure = re.match(r"(M[1-9][0-9]*)\.", name)
        hint = f"a figure is named with its row: `{name}[ROW]`" if figure is not None and registry.has(figure[1]) else None
        fail(f"no record has the id {name!r}", hint or registry.nearest(name))
    document = record_document(entry, registry, plan(registry))
    if as_json:
        print_json(document)
    else:
        _print(document, registry_titles={e.id: title_of(e, registry) for e in registry})


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


def _print(document: dict[str, Any], registry_titles: Mapping[str, str]) -> None:
    say(f"{paint(document['id'], 'good', bold=True)}  {paint(plain_text(document['title']), 'plain', bold=True)}  {paint(document['kind'], 'off')}")
    if document["order"]:
        row = document["order"]
        rank = f", rank {row['rank']}" if row["rank"] else ""
        say(f"{paint(row['state'].replace('_', ' '), 'wait')}{rank}: {plain_text(row['why'])}")
    if document["left_out"]:
        gone = document["left_out"]
        say(f"{paint(gone['words'], 'bad')}: {plain_text(gone['because']) if gone['because'] else 'it carries no judgement'}")
    say()
    table = document["kind"] == "measurement" and document["computed"] is not None
    for name, value in document["fields"].items():
        if name not in ("id", "title") and not (table and name in IN_A_TABLE) and value not in (None, [], {}, ""):
            for line in _field_lines(name, value):
                say(line)
    if document["computed"] is not None:
        from kvdocs.cli.figures import print_computed

        print_computed(document)
    for heading, links, end in (("Links", document["links"], "to"), ("Back-links", document["back_links"], "from")):
        if links:
            say()
            say(paint(heading, "plain", bold=True))
            for link in links:
                name = link[end]
                say(f"  {link['field']:<22} {paint(name, 'wait')}  {plain_text(registry_titles.get(name, '(no such record)'))}")
    say()
    say(paint(f"{document['path']}:{document['line']}", "off"))


def _field_lines(name: str, value: Any, indent: str = "") -> list[str]:
    """A field as YAML-like lines, long text wrapped under its name."""
    label = paint(f"{indent}{name}:", "off")
    if isinstance(value, dict):
        inner = [line for k, v in value.items() if v not in (None, [], {}, "") for line in _field_lines(k, v, indent + "  ")]
        return [label, *inner]
    if isinstance(value, list):
        if all(not isinstance(v, dict | list) and len(str(v)) < 40 for v in value):
            return [f"{label} {', '.join(str(v) for v in value)}"]
        lines = [label]
        for item in value:
            parts = _field_lines("-", item, indent + "  ") if not isinstance(item, dict) else [line for k, v in item.items() if v not in (None, [], {}, "") for line in _field_lines(k, v, indent + "    ")]
            lines += parts if not isinstance(item, dict) else [f"{indent}  -", *parts]
        return lines
    text = str(value).rstrip()
    if "\n" not in text and len(text) < 90:
        return [f"{label} {text}"]
    from textwrap import wrap

    # Long words stay whole: addresses and paths can be copied, and a word of a million characters takes no minute.
    paragraphs = [wrapped for part in text.split("\n") for wrapped in (wrap(part, 96 - len(indent), break_long_words=False, break_on_hyphens=False) if len(part) > 96 else [part])]
    return [label, *(f"{indent}  {line}" for line in paragraphs)]
