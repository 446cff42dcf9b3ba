"""The reference page of problems: every code with its meaning, its usual cause, its repair and, where the project has one, the smallest record that earns it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kvdocs import markup
from kvdocs.kinds import all_codes
from kvdocs.pages.context import Publication
from kvdocs.pages.faults import severity_badge
from kvdocs.pages.page import Nav, Page
from kvdocs.problems import Code
from kvdocs.view import Block, CodeBlock, Fact, Facts, Link, Md, Prose, Section, Table

PATH = "reference/problems.md"
MAX_FILES = 3
"""An example with more files than this would bury what it shows."""


def codes_page(publication: Publication, examples: Path | None) -> Page:
    """All codes in alphabetical order; `examples` holds a folder for each code, with `registry/` and `expected.txt`."""
    codes = sorted({*all_codes(), *(problem.code for problem in publication.problems)}, key=lambda code: code.name)
    overview = Table(
        ("Code", "Severity", "Meaning"),
        tuple((Link(code.name, f"#{code.name}"), severity_badge(code.severity), code.meaning) for code in codes),
        sortable=True, name="codes", filters=frozenset({1}),
    )  # fmt: skip
    lead = Md("An error fails `kvdocs check`; a warning does so under `--strict`, unless its record acknowledges it with a reason. The examples are the smallest registries that earn each problem, with the exact text that they earn.")
    sections = (Section("All codes", (overview,)), *(_section(code, examples) for code in codes))
    return Page(PATH, "page.md.j2", {"title": "Problems", "lead": lead, "sections": sections, "boost": 0.5}, Nav("Reference", 30, "Problems"))


def _section(code: Code, examples: Path | None) -> Section:
    facts = (
        Fact("Severity", severity_badge(code.severity)),
        Fact("Meaning", code.meaning),
        Fact("Usual cause", markup.sentence(code.cause)),
        Fact("Repair", markup.sentence(code.repair)),
    )
    blocks: list[Block] = [Facts(tuple(fact for fact in facts if fact.value))]
    folder = examples / code.name if examples is not None else None
    if folder is not None and (folder / "expected.txt").is_file():
        blocks += _example(folder)
    return Section(code.name, tuple(blocks), code.name)


def _example(folder: Path) -> Iterator[Block]:
    files = sorted(p for p in (folder / "registry").rglob("*") if p.is_file() and p.suffix in (".yaml", ".json"))
    for path in files[:MAX_FILES]:
        try:
            text = path.read_text(encoding="utf-8").rstrip("\n")
        except UnicodeDecodeError:
            continue
        yield CodeBlock(text, "json" if path.suffix == ".json" else "yaml", path.relative_to(folder).as_posix())
    if len(files) > MAX_FILES:
        yield Prose(Md(f"… and {len(files) - MAX_FILES} more files."))
    yield CodeBlock((folder / "expected.txt").read_text(encoding="utf-8").rstrip("\n"), "text", "kvdocs check")
