"""`kvdocs graph`: the dependency graph in a format that other programs draw."""

from __future__ import annotations

import click

from kvdocs.cli.output import print_json, say, the_project


@click.command()
@click.option("--format", "style", type=click.Choice(["mermaid", "dot", "json"]), default="mermaid", help="What to print.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--open", "open_only", is_flag=True, help="Leave out what is done or not planned.")
@click.pass_context
def graph(ctx: click.Context, style: str, as_json: bool, open_only: bool) -> None:
    """The dependency graph as mermaid, dot or json.

    \b
    Example:
      kvdocs graph --format dot | dot -Tsvg > graph.svg
    """
    project = the_project(ctx)
    from kvdocs.drawing import dot_text, json_document, mermaid_text
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry
    from kvdocs.order import plan

    registry, _ = load_registry(project, all_kinds())
    order = plan(registry)
    if as_json or style == "json":
        print_json(json_document(registry, order, open_only=open_only))
    else:
        say((dot_text if style == "dot" else mermaid_text)(registry, order, open_only=open_only).rstrip("\n"))
