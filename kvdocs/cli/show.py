"""`kvdocs show`: one record with its links, in the terminal."""

from __future__ import annotations

from typing import Any

import click

from kvdocs.cli.output import fail, paint, plain_text, print_json, say, the_project


@click.command()
@click.argument("record_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def show(ctx: click.Context, record_id: str, as_json: bool) -> None:
    """One record with its links.

    \b
    Example:
      kvdocs show D2
    """
    project = the_project(ctx)
    from kvdocs.document import record_document
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry
    from kvdocs.order import plan
    from kvdocs.problems import did_you_mean

    registry, problems = load_registry(project, all_kinds())
    entry = registry.get(record_id)
    if entry is None:
        broken = next((p for p in problems if p.record == record_id), None)
        if broken is not None:
            fail(f"{record_id} cannot be shown: {broken}")
        fail(f"no record has the id {record_id!r}", did_you_mean(record_id, registry.entries))
    document = record_document(entry, registry, plan(registry))
    if as_json:
        print_json(document)
    else:
        _print(document, registry_titles={e.id: e.record.title for e in registry})


def _print(document: dict[str, Any], registry_titles: dict[str, str]) -> None:
    say(f"{paint(document['id'], 'good', bold=True)}  {paint(plain_text(document['title']), 'plain', bold=True)}  {paint(document['kind'], 'off')}")
    if document["order"]:
        row = document["order"]
        rank = f", rank {row['rank']}" if row["rank"] else ""
        say(f"{paint(row['state'].replace('_', ' '), 'wait')}{rank}: {plain_text(row['why'])}")
    say()
    for name, value in document["fields"].items():
        if name not in ("id", "title") and value not in (None, [], {}, ""):
            for line in _field_lines(name, value):
                say(line)
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

    paragraphs = [wrapped for part in text.split("\n") for wrapped in (wrap(part, 96 - len(indent)) if len(part) > 96 else [part])]
    return [label, *(f"{indent}  {line}" for line in paragraphs)]
