"""`kvdocs order`: what to do next, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail, paint, plain_text, print_json, say, table, the_project

if TYPE_CHECKING:
    from kvdocs.registry import Registry

HEADINGS = {"actionable": "Next", "in_review": "Next", "waiting": "Waiting", "done": "Done", "not_planned": "Not planned"}
TONE_OF = {"actionable": "good", "in_review": "warn", "waiting": "wait", "done": "off", "not_planned": "off"}


@click.command()
@click.option("--owner", help="Only what this owner has.")
@click.option("--all", "everything", is_flag=True, help="Also what is done or not planned.")
@click.option("--limit", type=click.IntRange(1), help="At most so many rows of each list.")
@click.option("--explain", metavar="ID", help="Why a record stands where it does, and what would change it.")
@click.option("--assume", multiple=True, metavar="ID=STATUS", help="The order if this were so; repeatable.")
@click.option("--for", "goal", metavar="ID", help="The least work, in order, that makes this one actionable.")
@click.option("--critical-path", is_flag=True, help="The longest chain of unfinished work, weighed by size.")
@click.option("--json", "as_json", is_flag=True, help="The documented document for programs.")
@click.pass_context
def order(ctx: click.Context, owner: str | None, everything: bool, limit: int | None, explain: str | None, assume: tuple[str, ...], goal: str | None, critical_path: bool, as_json: bool) -> None:
    """What to do next, and why.

    \b
    Example:
      kvdocs order --assume R9=done --owner beellama
    """
    if sum((explain is not None, goal is not None, critical_path)) > 1:
        fail("--explain, --for and --critical-path are three questions: ask one at a time")
    project = the_project(ctx)
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry
    from kvdocs.order import plan
    from kvdocs.problems import Severity

    registry, problems = load_registry(project, all_kinds())
    assumed = _assumptions(registry, assume)
    for name in (explain, goal):
        if name is not None:
            _known(registry, name)
    if owner is not None:
        _known(registry, owner, ("owner",))
    if any(p.severity is Severity.ERROR for p in problems):
        say(paint("note: ", "warn", err=True) + f"{len(problems)} problems in the registry are left out here; see `kvdocs check`", err=True)
    if explain or goal or critical_path:
        _answer(registry, assumed, explain, goal, as_json)
        return
    document = select(plan(registry, assumed).document(), owner, limit)
    if as_json:
        print_json(document)
    else:
        print_order(document, everything)


def _answer(registry: Registry, assumed: dict[str, str], explain: str | None, goal: str | None, as_json: bool) -> None:
    from kvdocs import chains

    answer: chains.Explanation | chains.Path
    if explain:
        answer = chains.explain(registry, explain, assumed)
    elif goal:
        answer = chains.steps_to(registry, goal, assumed)
    else:
        answer = chains.critical_path(registry, assumed)
    if as_json:
        print_json(answer.document())
    else:
        for line in answer.lines():
            say(plain_text(line))


def _assumptions(registry: Registry, pairs: tuple[str, ...]) -> dict[str, str]:
    from kvdocs.order import ASSUMABLE

    assumed = {}
    for pair in pairs:
        name, sign, status = pair.partition("=")
        if not sign:
            fail(f"--assume takes ID=STATUS, not {pair!r}", "for example --assume R9=done")
        kind = _known(registry, name, tuple(ASSUMABLE))
        if status not in ASSUMABLE[kind]:
            fail(f"{name} is a record of kind {kind}: it cannot be {status!r}", f"one of {', '.join(ASSUMABLE[kind])}")
        assumed[name] = status
    return assumed


def _known(registry: Registry, name: str, kinds: tuple[str, ...] = ("item", "decision", "reference")) -> str:
    """The kind of a record that must exist and be of one of the kinds; ends the command when it is not."""
    from kvdocs.problems import did_you_mean

    entry = registry.get(name)
    if entry is None or entry.kind.name not in kinds:
        what = f"{name} is a record of kind {entry.kind.name}, not {' or '.join(kinds)}" if entry else f"no record has the id {name!r}"
        fail(what, did_you_mean(name, (e.id for e in registry if e.kind.name in kinds)))
    return entry.kind.name


def select(document: dict[str, Any], owner: str | None, limit: int | None) -> dict[str, Any]:
    """The document with the rows of one owner, and at most `limit` in each list."""
    return {
        key: [row for row in value if owner is None or owner in row["owners"]][:limit] if isinstance(value, list) else value for key, value in document.items()
    }


def print_order(document: dict[str, Any], everything: bool) -> None:
    """The order as a person reads it: what is next by rank, then what waits and on what."""
    following = sorted(document["actionable"] + document["in_review"], key=lambda row: row["rank"])
    groups = [("Next", following), ("Waiting", document["waiting"])]
    if everything:
        groups += [("Done", document["done"]), ("Not planned", document["not_planned"])]
    printed = False
    for title, rows in groups:
        if not rows:
            continue
        if printed:
            say()
        printed = True
        say(paint(title, "plain", bold=True))
        for line in _rows(rows):
            say(line)
    if not printed:
        say("Nothing is left to do here.")
    elif following:
        say()
        say(paint(f"kvdocs order --explain {following[0]['id']}   why it stands there, and what would change it", "off"))


def _rows(rows: list[dict[str, Any]]) -> list[str]:
    headings = ("#", "ID", "Title", "Owner", "Size", "Unlocks", "Why")
    cells, tones = [], []
    for row in rows:
        owners = ", ".join(row["owners"]) or "open"
        cells.append((str(row["rank"] or "–"), row["id"], plain_text(row["title"]), owners, (row["size"] or ("decision" if row["kind"] == "decision" else "–")), ", ".join(row["unlocks"]) or "–", plain_text(row["why"])))
        tones.append(("off", TONE_OF[row["state"]], "plain", "plain", "plain", "plain", "off"))
    return table(headings, cells, tones, stretch=6)
