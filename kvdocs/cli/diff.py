"""`kvdocs diff`: what changed between two versions of the registry, in words."""

from __future__ import annotations

from contextlib import ExitStack

import click

from kvdocs.cli.output import fail, paint, print_json, say, the_project


@click.command()
@click.argument("before", metavar="[REV]", default="HEAD")
@click.argument("after", metavar="[REV]", required=False)
@click.option("--format", "style", type=click.Choice(["text", "markdown", "json"]), default="text", help="How the difference is printed.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json (kvdocs/diff/v1).")
@click.pass_context
def diff(ctx: click.Context, before: str, after: str | None, style: str, as_json: bool) -> None:
    """What changed between two versions of the registry, in words.

    REV is a tag, branch or commit; without the second, the files as they are now are compared, and without any, with HEAD.
    Told are what can be worked on now, states, owners, blockers, values, the figures and claims that turned with them,
    what executions say, and problems that came and went. Nothing is checked out: the work tree stays as it is.

    \b
    Example:
      kvdocs diff v1.0
      kvdocs diff main my-branch --format markdown
    """
    project = the_project(ctx)
    from kvdocs.history.git import GitError
    from kvdocs.pipeline import inspect
    from kvdocs.review.comparison import difference
    from kvdocs.review.report import markdown, text_lines
    from kvdocs.review.revision import at_revision

    try:
        with ExitStack() as stack:
            old = stack.enter_context(at_revision(project, before))
            new = stack.enter_context(at_revision(project, after)) if after is not None else project
            found = difference(inspect(old), inspect(new), (before, after or "working tree"))
    except GitError as error:
        fail(str(error))
    if as_json or style == "json":
        print_json(found.document())
    elif style == "markdown":
        say(markdown(found).rstrip("\n"))
    else:
        for number, line in enumerate(text_lines(found)):
            heading = number > 0 and bool(line) and not line.startswith(" ")
            say(paint(line, "plain", bold=True) if heading else line)
