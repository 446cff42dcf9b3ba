"""The page of problems: everything that the program finds wrong in this registry, as `kvdocs check` prints it."""

from __future__ import annotations

from kvdocs import markup
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import Problem, Severity
from kvdocs.reports import summary
from kvdocs.view import Badge, Cell, Md, Prose, Section, Table

PATH = "problems.md"
TONES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "plain"}


def severity_badge(severity: Severity) -> Badge:
    """A severity with its colour."""
    return Badge(severity.value, TONES[severity])


def problems_page(publication: Publication) -> Page:
    """All problems of the registry, acknowledged ones with their reason."""
    context = publication.at(PATH)
    rows = tuple(_row(problem, context) for problem in publication.problems)
    table = Table(("Severity", "Code", "Record", "Place", "What is wrong"), rows, sortable=True, name="problems", filters=frozenset({0, 1}))
    block = table if rows else Prose(Md("Nothing. `kvdocs check` finds no problem in this registry."))
    return Page(
        PATH,
        "page.md.j2",
        {
            "title": "What is wrong with this record",
            "wide": True,
            "lead": Md(f"`kvdocs check` over this registry: {summary(publication.problems)}. What each code means is on {markup.link(context.to('reference/problems.md', 'the page of codes'))}."),
            "sections": (Section("Problems", (block,)),),
            "boost": 0,
        },
        Nav("Reports", 10, "Problems"),
    )


def _row(problem: Problem, context: PageContext) -> tuple[Cell, ...]:
    message = markup.sentence(problem.message)
    if problem.acknowledged is not None:
        message = Md(f"{message}<br>Accepted: {markup.flat(context.prose(problem.acknowledged))}")
    elif problem.hint:
        message = Md(f"{message}<br>{markup.sentence(problem.hint)}")
    code = context.to(f"reference/problems.md#{problem.code.name}", problem.code.name)
    record = context.link(problem.record, problem.record) if problem.record else None
    return (severity_badge(problem.severity), code, record, context.file_link(problem.place.path, problem.place.line), message)
