"""Stand-alone documents: the record as a few Markdown files that another repository can keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.kind import Kind
from kvdocs.pages.address import DOCUMENTS, DocumentAddresses, anchor, document_file
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.data import sources
from kvdocs.pages.home import work_sections
from kvdocs.pages.lists import kind_table
from kvdocs.pages.overview import overview_page
from kvdocs.pages.page import DataFile, Page
from kvdocs.two_parts import Chunk
from kvdocs.view import Block, Fact, Facts, Items, Md, Prose, Section

TITLES = {"roadmap": "roadmap", "defects": "defects", "measurements": "measurements", "repro": "reproduction scripts", "probes": "probes"}


def document_pages(publication: Publication) -> Iterator[Page | DataFile]:
    """The documents that have records to show, then the overview, then the scripts and patches that they speak of."""
    outside = for_documents(publication)
    for name in DOCUMENTS:
        yield from document(name, outside)
    yield overview_page(outside)
    yield from sources(outside)


def for_documents(publication: Publication) -> Publication:
    """The publication with the addresses that records have in the documents, which show no drawings."""
    providers = {name: provider for name, provider in publication.providers.items() if name != "charts"}
    return replace(publication, addresses=DocumentAddresses(publication.settings.slug), providers=providers)


def document(name: str, publication: Publication) -> Iterator[Page]:
    """One document, when there are records that it carries."""
    kinds = [kind for kind in publication.registry.kinds if kind.document == name and publication.registry.of(kind.name)]
    if kinds:
        yield _document(name, kinds, publication)


def _document(name: str, kinds: Sequence[Kind], publication: Publication) -> Page:
    context = publication.at(document_file(publication.settings.slug, name))
    first = work_sections(context) if name == "roadmap" else ()
    return Page(
        context.page,
        "documents/document.md.j2",
        {"title": f"{publication.settings.title}: {TITLES[name]}", "lead": Md(markup.harmless(publication.settings.summary))},
        parts=(*first, *(part for kind in kinds for part in _kind_part(kind, context))),
    )


def _kind_part(kind: Kind, context: PageContext) -> Iterator[Section | Chunk]:
    entries = context.registry.of(kind.name)
    table = kind_table(kind, entries, context)._replace(sortable=False, row_ids=())
    yield Section(f"{len(entries)} {kind.plural if len(entries) != 1 else kind.name}", (Prose(Md(kind.about)), table))
    yield from context.sections("record", entries, _record_part)


def _record_part(entry: Entry, context: PageContext) -> tuple[Section]:
    """A record as one section with an anchor; the sections of its view become bold lines, so that the outline stays one of records."""
    view = entry.kind.view(entry, context)
    blocks: list[Block] = []
    if view.lead:
        blocks.append(Prose(view.lead))
    facts = tuple(fact for fact in view.facts if fact.value)
    if view.state is not None and not any(fact.label in ("State", "Status", "Verdict") for fact in facts):
        facts = (Fact("State", view.state), *facts)
    if facts:
        blocks.append(Facts(facts))
    blocks += view.notices
    for section in view.sections:
        blocks += [Prose(Md(f"**{section.title}**")), *section.blocks]
    problems = context.publication.problems_of.get(entry.id, ())
    if problems:
        blocks.append(Prose(Md("**What is wrong with it**")))
        blocks.append(Items(tuple(_problem_words(p.severity.value, p.code.name, markup.sentence(p.message), p.acknowledged) for p in problems)))
    title = f"{entry.id}: {context.title(entry)}" if markup.plain(entry.title) != entry.id else entry.id
    return (Section(title, tuple(blocks), anchor(entry.id)),)


def _problem_words(severity: str, code: str, message: str, acknowledged: str | None) -> Md:
    return Md(f"{severity} `{code}`: {message}" + (f" Accepted: {markup.escape(acknowledged)}" if acknowledged else ""))
