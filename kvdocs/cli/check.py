"""`kvdocs check`: every problem of the record, at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail, paint, print_json, say, say_lines, the_project

if TYPE_CHECKING:
    from kvdocs.answers import Answers
    from kvdocs.problems import Problem

TONE_OF = {"error": "bad", "warning": "warn", "info": "wait"}


def _work_out(answers: Answers) -> tuple[dict[str, Any], bool]:
    """Read and check everything; the answer lasts unless a record names a file outside the registry."""
    from kvdocs.named_files import named_outside
    from kvdocs.pipeline import inspect
    from kvdocs.problems import pack

    inspection = inspect(answers.project, answers.scan)
    return pack(inspection.problems), not named_outside(inspection.registry, answers.project)


@click.command()
@click.option("--format", "style", type=click.Choice(["text", "json", "github", "sarif"]), default="text", help="How problems are printed.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option("--quiet", is_flag=True, help="Print errors and warnings only.")
@click.pass_context
def check(ctx: click.Context, style: str, as_json: bool, strict: bool, quiet: bool) -> None:
    """Everything that is wrong with the record.

    Exits with 0 when there is no error, 1 when there is one, 2 when the command is not usable or there is no project.

    \b
    Example:
      kvdocs check --strict --format github
    """
    if as_json and style not in ("text", "json"):
        fail(f"--json is --format json, and --format {style} asks for something else: choose one")
    from kvdocs.answers import Answers
    from kvdocs.problems import Severity, unpack
    from kvdocs.reports import github_lines, json_document, sarif_document, summary

    answers = Answers(the_project(ctx, settings=False))
    problems = unpack(answers.get("check", lambda: _work_out(answers)))
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    if quiet:
        problems = [p for p in problems if p.severity is not Severity.INFO]
    if as_json or style == "json":
        print_json(json_document(problems))
    elif style == "sarif":
        print_json(sarif_document(problems))
    elif style == "github":
        say_lines(github_lines(problems))
    else:
        say_lines([line for problem in problems for line in _lines(problem)])
        say(summary(problems) if problems or not quiet else "no errors or warnings")
    sys.exit(1 if any(p.severity in failing for p in problems) else 0)


def _lines(problem: Problem) -> list[str]:
    """A problem for people: its severity in colour, what follows its first line faint."""
    first, *rest = str(problem).split("\n")
    mark = f"{problem.severity}[{problem.code.name}]"
    return [first.replace(mark, paint(mark, TONE_OF[problem.severity], bold=True), 1), *(paint(line, "off") for line in rest)]
