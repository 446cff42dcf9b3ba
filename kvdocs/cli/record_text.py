"""A record for the terminal: the view of its kind, as its page shows it, with the ids that commands take where the page has links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kvdocs.cited import title_of
from kvdocs.cli.blocks import fact_lines, notice_lines, prose_lines, section_lines, written
from kvdocs.cli.output import paint
from kvdocs.entry import Entry
from kvdocs.pages.context import PageContext
from kvdocs.pages.record import related_sections
from kvdocs.pipeline import Inspection, publication
from kvdocs.problems import Problem, Severity
from kvdocs.view import Link

DRAWN = ("charts", "surroundings", "history")
"""What pages compute that a terminal cannot show, or that another command shows."""

SEVERITY_TONES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "wait"}


class TerminalContext(PageContext):
    """Names records by their ids, as every command takes them."""

    def link(self, target: str, text: str | None = None) -> Link:
        """The id of a record, or another text for it."""
        return Link(text or target)


def record_lines(entry: Entry, inspection: Inspection, columns: int, *, everything: bool = False) -> Iterator[str]:
    """The head of a record, what is wrong with it, its facts and sections, what points at it, and where it stands in the files.

    What a page folds away is left out, and said to be, unless `everything` is asked for.
    """
    made = publication(inspection)
    providers = {name: provider for name, provider in made.providers.items() if name not in DRAWN}
    context = TerminalContext(replace(made, providers=providers), "")
    view = entry.kind.view(entry, context)
    state = f"  {paint(view.state.text, view.state.tone)}" if view.state else ""
    title = written(title_of(entry, context.registry)).replace("`", "")
    yield f"{paint(entry.id, 'good', bold=True)}  {paint(title, 'plain', bold=True)}  {paint(entry.kind.name, 'off')}{state}"
    yield from _place(entry, context)
    remarks = [line for notice in view.notices for line in notice_lines(notice, columns)]
    remarks += [line for problem in made.problems_of.get(entry.id, ()) for line in _problem(problem, columns)]
    parts = [remarks, list(prose_lines(view.lead, columns)), list(fact_lines(view.facts, columns))]
    parts += [section_lines(section, columns, everything=everything) for section in (*view.sections, *related_sections(entry, context))]
    for part in parts:
        if part:
            yield ""
            yield from part
    yield ""
    yield paint(f"{entry.path}:{entry.raw.line}", "off")


def _place(entry: Entry, context: PageContext) -> Iterator[str]:
    """Where a decision or a reference stands in the order; an item says so among its facts."""
    row = context.computed("order", entry.id)
    if row is not None and entry.kind.name != "item":
        state = row.state.replace("_", " ")
        yield f"{paint(state, 'wait')}{f', rank {row.rank}' if row.rank else ''}{f': {row.why}' if row.why != state else ''}"


def _problem(problem: Problem, columns: int) -> Iterator[str]:
    """A problem in the colour of its severity, with the reason for which it is accepted, or what to do about it."""
    mark = f"{problem.severity}[{problem.code.name}]"
    first, *more = prose_lines(f"{mark}: {problem.message}", columns)
    yield first.replace(mark, paint(mark, SEVERITY_TONES[problem.severity]), 1)
    yield from (f"  {line}" for line in more)
    if problem.acknowledged is not None or problem.hint:
        text = f"acknowledged: {problem.acknowledged}" if problem.acknowledged is not None else f"hint: {problem.hint}"
        yield from (f"  {line}" for line in prose_lines(text, columns - 2))
