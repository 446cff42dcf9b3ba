"""`kvdocs order`: what to do next, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import fail, paint, plain_text, print_json, say, say_lines, say_wrapped, table, the_project
from kvdocs.project import ProjectError

if TYPE_CHECKING:
    from kvdocs.cache import Scan
    from kvdocs.entry import Entry
    from kvdocs.project import Project
    from kvdocs.registry import Registry

WORK = ("item", "decision", "reference")

NEXT = ("actionable", "in_review")
"""The states of what can be worked on now."""

TONE_OF = {"actionable": "good", "in_review": "warn", "waiting": "wait", "done": "off", "not_planned": "off"}


@click.command()
@click.option("--owner", metavar="ID", help="Only what this owner has.")
@click.option("--all", "everything", is_flag=True, help="Also what is done or not planned.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many rows of what is next, and of each other list.")
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
    if (explain or goal or critical_path) and (owner is not None or limit is not None or everything):
        fail("--owner, --limit and --all choose rows of the order: leave them out with --explain, --for and --critical-path")
    project = the_project(ctx, settings=False)
    if explain or goal or critical_path or assume:
        document = _ask(project, explain, goal, critical_path, assume, owner, as_json)
        if document is None:
            return
    else:
        document = _recall(project, owner)
    document = select(document, owner, limit)
    if as_json:
        print_json(document)
    else:
        print_order(document, everything)


def _recall(project: Project, owner: str | None) -> dict[str, Any]:
    """The order as recorded, worked out anew only when the registry changed."""
    from kvdocs.answers import Answers

    answers = Answers(project)

    def work_out() -> tuple[dict[str, Any], bool]:
        from kvdocs.judge import judge_of
        from kvdocs.named_files import named_outside
        from kvdocs.order import plan

        registry, notes = _load(project, answers.scan)
        return {"document": plan(registry, gates=judge_of(registry, project.root).gates).document(), "notes": notes, "owners": [e.id for e in registry.of("owner")]}, not named_outside(registry, project)

    answer: dict[str, Any] = answers.get("order", work_out)
    if owner is not None and owner not in answer["owners"]:
        from kvdocs.problems import did_you_mean

        fail(f"no owner has the id {owner!r}", did_you_mean(owner, answer["owners"]) or f"known: {', '.join(answer['owners'])}")
    _note(answer["notes"])
    document: dict[str, Any] = answer["document"]
    return document


def _load(project: Project, scan: Scan | None = None) -> tuple[Registry, list[str]]:
    """The records, and what is wrong with them that makes their order another one."""
    from kvdocs.graph import is_sound
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry
    from kvdocs.problems import Severity, counted

    try:
        _ = project.settings
    except ProjectError as error:
        fail(str(error))
    registry, problems = load_registry(project, all_kinds(), scan)
    faults = sum(p.severity is Severity.ERROR for p in problems)
    notes = [f"{counted(faults, 'error', 'errors')} in the registry left records out"] if faults else []
    return registry, notes if is_sound(registry) else [*notes, "some records wait for each other in a circle, so none of them can begin"]


def _note(notes: list[str]) -> None:
    for note in notes:
        say(paint("note: ", "warn", err=True) + f"{note}; see `kvdocs check`", err=True)


def _ask(project: Project, explain: str | None, goal: str | None, critical_path: bool, assume: tuple[str, ...], owner: str | None, as_json: bool) -> dict[str, Any] | None:
    """Answer a question about the order, or give the order as it would be under assumptions."""
    from kvdocs.order import plan

    registry, notes = _load(project)
    _note(notes)
    assumed = _assumptions(registry, assume)
    for name, kinds in ((explain, WORK), (goal, WORK), (owner, ("owner",))):
        if name is not None:
            _known(registry, name, kinds)
    if explain or goal or critical_path:
        _answer(registry, assumed, explain, goal, as_json)
        return None
    return plan(registry, assumed).document()


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
            say_wrapped(plain_text(line))


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


def _known(registry: Registry, name: str, kinds: tuple[str, ...] = WORK) -> str:
    """The kind of a record that must exist and be of one of the kinds; ends the command when it is not."""

    entry = registry.get(name)
    if entry is None or entry.kind.name not in kinds:
        if entry is None:
            if name in registry.broken:
                fail(f"{name} cannot be read", "`kvdocs check` says what is wrong with it")
            fail(f"no record has the id {name!r}", registry.nearest(name, (e.id for e in registry if e.kind.name in kinds)))
        fail(f"{name} is a record of kind {entry.kind.name}, not {' or '.join(kinds)}", _in_its_place(entry))
    return entry.kind.name


def _in_its_place(entry: Entry) -> str | None:
    """What to ask about instead of a defect, which has no place in the order: the items that fix it."""
    if entry.kind.name != "defect":
        return None
    items = getattr(entry.record, "fixed_by", ())
    return f"what fixes it has a place: {', '.join(items)}" if items else f"no item fixes it yet: `kvdocs link {entry.id} fixed_by ID` names one"


def select(document: dict[str, Any], owner: str | None, limit: int | None) -> dict[str, Any]:
    """The document with the rows of one owner, and at most `limit` of them; how many of them the limit left out of each list is counted.

    What can be started and what is in review are one list to a reader, so they are counted together, by rank; each other list is counted alone.
    """
    chosen = {key: [row for row in value if owner is None or owner in row["owners"]] if isinstance(value, list) else value for key, value in document.items()}
    if limit is None:
        return chosen
    following = {row["id"] for row in _following(chosen)[:limit]}
    lists = {key: value for key, value in chosen.items() if isinstance(value, list)}
    first = {key: [row for row in rows if row["id"] in following] if key in NEXT else rows[:limit] for key, rows in lists.items()}
    return {**chosen, **first, "left_out": {key: len(rows) - len(first[key]) for key, rows in lists.items()}}


def _following(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What can be worked on now, by rank."""
    return sorted((row for state in NEXT for row in document[state]), key=lambda row: row["rank"])


def print_order(document: dict[str, Any], everything: bool) -> None:
    """The order as a person reads it: what is next by rank, then what waits and on what."""
    following = _following(document)
    left_out = document["left_out"]
    groups = [("Next", following, sum(left_out[state] for state in NEXT)), ("Waiting", document["waiting"], left_out["waiting"])]
    if everything:
        groups += [("Done", document["done"], left_out["done"]), ("Not planned", document["not_planned"], left_out["not_planned"])]
    printed = False
    for title, rows, more in groups:
        if not rows:
            continue
        if printed:
            say()
        printed = True
        say(paint(title, "plain", bold=True))
        say_lines(_rows(rows))
        if more:
            say(paint(f"and {more:,} more", "off"))
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
    return table(headings, cells, tones, below=2)
