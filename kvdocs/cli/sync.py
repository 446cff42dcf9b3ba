"""`kvdocs sync`: the state of references, from the host of their repositories."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from kvdocs.cli.completion import reference_ids
from kvdocs.cli.edits import edit_errors, show_plan
from kvdocs.cli.option_types import Address, Seconds
from kvdocs.cli.output import fail, paint, print_json, say, say_lines, table, the_project

if TYPE_CHECKING:
    from kvdocs.upstream.following import Following


@click.command()
@click.argument("names", metavar="[ID...]", nargs=-1, shell_complete=reference_ids)
@click.option("--write", is_flag=True, help="Write what was seen into the records; without it, nothing is changed.")
@click.option("--changed", "changed_only", is_flag=True, help="Leave records alone whose state is as recorded, the day of looking too.")
@click.option("--api", type=Address("host"), metavar="URL", help="The address of the REST interface; by default that of the project's `host`, also when it is a GitHub Enterprise Server.")
@click.option("--timeout", type=Seconds(0.1), default=10.0, show_default=True, metavar="SECONDS", help="How long to wait for one answer.")
@click.option("--json", "as_json", is_flag=True, help="Print what was seen and what follows as a document (kvdocs/sync/v1).")
@click.pass_context
def sync(ctx: click.Context, names: tuple[str, ...], write: bool, changed_only: bool, api: str | None, timeout: float, as_json: bool) -> None:
    """The state of references, from the host of their repositories.

    Shows what would change in the records, and what can be worked on then; --write writes it, with the day of looking.
    The token is taken from GITHUB_TOKEN, GH_TOKEN or GH_ENTERPRISE_TOKEN; without one, GitHub answers 60 questions an hour.
    Answers are kept, and asked for again only when they may have changed: such questions do not count.

    Exits with 0 when everything was looked at, 1 when what was seen makes new errors (an item waits for something that was rejected, say),
    2 when the command is not usable, 3 when not everything could be looked at: no network, a time-out, the rate limit.
    What was seen is shown, and written with --write, also then: the host says what is so.

    \b
    Example:
      kvdocs sync
      kvdocs sync fork-34 --write
    """
    project = the_project(ctx)
    from kvdocs.kinds import all_kinds
    from kvdocs.kinds.reference import Reference
    from kvdocs.load import load_registry
    from kvdocs.upstream.client import Client, api_address, token_from
    from kvdocs.upstream.following import chosen, follow
    from kvdocs.upstream.sightings import look

    registry, _ = load_registry(project, all_kinds())
    known = [entry.id for entry in registry.of("reference")]
    for name in names:
        if name not in known:
            fail(f"no reference has the id {name!r}", registry.nearest(name, known))
    entries = chosen(registry, names)
    client = Client(api or api_address(project.settings.host), project.open_cache(), token=token_from(os.environ), timeout=timeout)
    with edit_errors():
        following = follow(project, entries, look(client, [e.record for e in entries if isinstance(e.record, Reference)]), f"{datetime.now(UTC):%Y-%m-%d}", changed_only=changed_only)
        written = write and bool(following.plan.changes)
        if written:
            following.plan.write()
    if as_json:
        print_json(following.document(written=written))
    else:
        _print(following, written=written)
    sys.exit(1 if following.plan.errors else 3 if following.look.stopped else 0)


def _print(following: Following, *, written: bool) -> None:
    """What was seen, the edit, what follows, and how it ended."""
    rows = [(r.id, r.short, r.state, s.state or "?", s.title or "") for s in following.look.sightings if (r := next(r for r in following.references if r.id == s.id))]
    say_lines(table(("ID", "Where", "Recorded", "Seen", "Title there"), rows))
    if rows and following.plan.changes:
        say()
    show_plan(following.plan)
    for turn in following.difference.states if following.difference is not None else ():
        say(f"then: {turn.record} is {turn.after}, not {turn.before} any more: {turn.reason}")
    if following.look.stopped:
        missing = len(following.references) - len(following.look.sightings)
        say(paint("stopped: ", "warn", err=True) + f"{following.look.stopped}; {missing} of {len(following.references)} not looked at", err=True)
    if written:
        for change in following.plan.changes:
            say(f"wrote {change.path}")
    elif following.plan.changes:
        say("nothing was written; --write writes it")
    else:
        say("nothing changes" if following.references else "there is no reference to look at: `kvdocs new reference NAME` records one")
