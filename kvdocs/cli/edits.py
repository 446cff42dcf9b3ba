"""What the commands that edit have in common: their options, how a plan is shown, and how it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from kvdocs.cli.output import fail, paint, print_json, say

if TYPE_CHECKING:
    from kvdocs.edit.plan import Plan
    from kvdocs.problems import Problem
    from kvdocs.project import Project

F = TypeVar("F", bound=Callable[..., Any])


def edit_options(command: F) -> F:
    """`--dry-run` and `--json`, which every command that edits has."""
    command = click.option("--json", "as_json", is_flag=True, help="Print the plan as a document (kvdocs/edit/v1).")(command)
    return click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")(command)


@contextmanager
def edit_errors() -> Iterator[None]:
    """Ends the command with 2 when an edit cannot be made."""
    from kvdocs.edit.text import EditError
    from kvdocs.source import SourceError

    try:
        yield
    except EditError as error:
        fail(error.message, error.hint)
    except SourceError as error:
        fail(f"the file cannot be read: {error.message} (line {error.line}, column {error.col})", "`kvdocs check` says where")


def finish(plan: Plan, *, dry_run: bool, as_json: bool, draft: bool = False, nothing: str = "nothing changes", again: Callable[[], Plan | None] | None = None) -> NoReturn:
    """Show a plan, write it, and end the command: 0 when it was written or nothing changes, 1 when it is refused.

    `draft` writes a record that is not finished, whatever is wrong with it.
    `again` makes the plan anew when somebody else was given the number of its record in the meantime; None when the number is still free.
    """
    while True:
        refused = bool(plan.errors) and not draft
        written = bool(plan.changes) and not refused and not dry_run
        done = not written or _write(plan, again is None)
        if again is None or (done and not (refused and any(p.code.name == "duplicate-id" for p in plan.errors))):
            break
        with edit_errors():
            other = again()
        if other is None:
            again = None
        else:
            plan = other
    if as_json:
        print_json(plan.document(written=written, draft=draft))
        sys.exit(1 if refused else 0)
    show_plan(plan)
    if not plan.changes:
        say(nothing)
    elif refused:
        count = len(plan.errors)
        say(paint("refused: ", "bad", err=True) + f"{count} new error{'s' if count > 1 else ''}; nothing was written", err=True)
    else:
        verbs = {"created": "wrote", "changed": "wrote", "deleted": "removed"}
        for change in plan.changes:
            say(f"{'would have ' * dry_run}{verbs[change.action] if not dry_run else verbs[change.action].replace('wrote', 'written')} {change.path}")
    sys.exit(1 if refused else 0)


def _write(plan: Plan, last: bool) -> bool:
    """Carry out a plan; False when the number of its record is taken by now, unless this was the last attempt."""
    from kvdocs.edit.journal import IdTakenError

    with edit_errors():
        try:
            plan.write()
        except IdTakenError:
            if last:
                raise
            return False
        _refresh_schemas(plan.project)
    return True


def _refresh_schemas(project: Project) -> None:
    """Give editors the ids of the registry as it is now, where they have been given them before."""
    from kvdocs.edit.schema import FOLDER, write_schemas

    if (project.root / FOLDER).is_dir():
        from kvdocs.kinds import all_codes, all_kinds
        from kvdocs.load import load_registry

        with suppress(OSError):  # the edit stands; `kvdocs schema` says what is wrong with the folder
            write_schemas(project.root / FOLDER, all_kinds(), load_registry(project, all_kinds())[0], all_codes())


def show_diff(diff: str) -> None:
    """Print a unified diff in the colours of one."""
    for line in diff.splitlines():
        tone = "good" if line.startswith("+") and not line.startswith("+++") else "bad" if line.startswith("-") and not line.startswith("---") else "off" if line.startswith("@@") else "plain"
        say(paint(line, tone))


def show_plan(plan: Plan) -> None:
    """Print the difference, the problems that come and go, and the notes."""
    show_diff(plan.diff())
    for problem in plan.new:
        say(f"new: {problem}")
    for problem in plan.solved:
        say(f"solved: {_short(problem)}")
    for note in plan.notes:
        say(f"note: {note}")


def _short(problem: Problem) -> str:
    return f"{problem.severity}[{problem.code.name}]: {problem.message}"
