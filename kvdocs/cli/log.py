"""`kvdocs log`: what changed when, from git."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kvdocs.cli.completion import record_ids
from kvdocs.cli.output import fail, paint, plain_text, print_json, say, the_project

if TYPE_CHECKING:
    from kvdocs.history.change import Change
    from kvdocs.history.timeline import History

TONE_OF = {"status": "good", "owner": "wait", "blockers": "bad", "values": "warn", "record": "good"}


@click.command()
@click.argument("record_id", metavar="[ID]", required=False, shell_complete=record_ids)
@click.option("--since", "point", metavar="DAY|TAG", help="Only what changed on that day or later, or after that tag or commit.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many changes, the newest.")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def log(ctx: click.Context, record_id: str | None, point: str | None, limit: int | None, as_json: bool) -> None:
    """What changed when: status, owners, blockers, values.

    \b
    Example:
      kvdocs log R9 --since 2026-08-01
    """
    project = the_project(ctx)
    from dataclasses import replace

    from kvdocs.history.git import GitError
    from kvdocs.history.timeline import read_history, since

    history = read_history(project)
    if record_id is not None:
        history = replace(history, changes=history.of(record_id))
        if not history.changes:
            _check_known(ctx, record_id)
    if point is not None:
        try:
            history = since(history, project, point)
        except GitError as error:
            fail(str(error))
    if limit is not None:
        history = replace(history, changes=history.changes[-limit:])
    if as_json:
        print_json(history.document())
    else:
        _print(history, record_id)


def _check_known(ctx: click.Context, record_id: str) -> None:
    """Ends the command when no record has the id, today or at any time that is known."""
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry

    registry, _ = load_registry(the_project(ctx), all_kinds())
    if registry.get(record_id) is None:
        fail(f"no record has or had the id {record_id!r}", registry.nearest(record_id))


def _print(history: History, record_id: str | None) -> None:
    """The changes as a person reads them: commit by commit, the newest first."""
    for number, group in enumerate(history.by_commit()):
        if number:
            say()
        say(_head(group[0]))
        for change in group:
            name = "" if change.record == record_id else f"{change.record} "
            say(f"  {paint(name, TONE_OF.get(change.topic, 'plain'))}{plain_text(change.words)}")
    if not history.changes:
        say("Nothing changed." if history.selected or not history.limits else "No change is known.")
    for limit in history.limits:
        say(paint("note: ", "warn", err=True) + plain_text(limit), err=True)


def _head(change: Change) -> str:
    if change.commit is None:
        return paint("not committed", "warn", bold=True)
    return f"{paint(change.commit[:9], 'wait')} {(change.date or '')[:10]} {change.author}: {plain_text(change.subject)}"
