"""The history of a project -> the page of what changed, the feed, and what record pages and the home page show of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b

from kvdocs import markup
from kvdocs.history.sections import LinkTo, changes_table, latest, limits, record_blocks
from kvdocs.history.timeline import History, by_release, read_history
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.page import DataFile, Nav, Page
from kvdocs.project import Project
from kvdocs.view import Block, Link, Md, Notice, Prose, Section

PATH = "changes.md"
FEED = "changes.xml"
MOST_ROWS = 500
"""A part of the history with more changes shows the newest; `kvdocs log` has all."""


class HistoryProvider:
    """What `Context.computed("history", …)` answers: blocks for a record's page, and for "" the newest changes for the home page.

    The history is read when it is first asked for, once for each publication.
    """

    def __init__(self, project: Project, publication: Publication) -> None:
        self.project, self.publication = project, publication

    @cached_property
    def _history(self) -> History:
        return read_history(self.project)

    @cached_property
    def _limits(self) -> str:
        return blake2b(repr(self._history.limits).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

    def __call__(self, record: str) -> tuple[Block, ...] | None:
        if record:
            return record_blocks(self._history, record, lambda commit: commit_link(self.publication, commit)) or None
        newest = latest(self._history, _link_by_id(self.publication.at(PATH)))
        return (newest, Prose(Md(markup.link(Link("All changes", PATH)) + "."))) if newest is not None else limits(self._history) or None

    def text(self, record: str) -> str:
        """A text that is another one whenever the answer is: of most records nothing is told but what cannot be known of any."""
        changes = self._history.of(record) if record else ()
        return f"{self._limits} {changes}" if changes else self._limits if record else repr(self(record))


def history_files(project: Project, publication: Publication) -> Iterator[Page | DataFile]:
    """The page of what changed, and the feed when there is something to tell."""
    history = read_history(project)
    yield changes_page(history, project, publication)
    feed = feed_of(history, publication)
    if feed is not None:
        yield DataFile(FEED, feed)


def changes_page(history: History, project: Project, publication: Publication) -> Page:
    """Every change, cut at the tags of the repository and the newest first, so that what came since a tag stands above its heading."""
    context = publication.at(PATH)
    parts = by_release(history, project)
    newest_tag = next((name for name, _ in parts if name is not None), None)
    sections = [_part(name or (f"Since {newest_tag}" if newest_tag else "All changes"), part, f"in-{name}" if name else "newest", context, publication) for name, part in parts]
    if not sections:
        sections = [Section("Nothing", (Notice("note", "No change is known"),))]
    lead = "What changed in the records, from the commits of this repository; each part reaches from one tag to the next, the newest first."
    if any(change.commit for change in history.changes):
        lead += f" {markup.link(Link('As a feed', FEED))}."
    values = {"title": "What changed", "lead": Md(lead), "notices": limits(history), "script": context.built_file("assets/javascripts/changes.js"), "sections": tuple(sections), "boost": 0}
    return Page(PATH, "changes.md.j2", values, Nav("Reports", 60, "What changed"))


def _part(title: str, part: History, anchor: str, context: PageContext, publication: Publication) -> Section:
    """The changes between two tags."""
    kept = part.changes[-MOST_ROWS:]
    blocks: list[Block] = [changes_table(kept, _link_by_id(context), lambda commit: commit_link(publication, commit), anchor)]
    if len(kept) < len(part.changes):
        blocks.append(Prose(Md(f"These are the newest {len(kept)} of {len(part.changes)} changes; `kvdocs log` shows all.")))
    return Section(title, tuple(blocks), anchor)


def _link_by_id(context: PageContext) -> LinkTo:
    """Links that show the id: a history speaks of records and not of what they describe."""
    return lambda record: context.link(record, record)


def commit_link(publication: Publication, commit: str) -> Link:
    """A link to a commit where the registry's YAML is hosted; hosts keep commits beside their `blob` pages."""
    base, blob, _ = publication.settings.source_url.partition("/blob/")
    return Link(commit[:9], f"{base}/commit/{commit}" if blob else "")


def feed_of(history: History, publication: Publication) -> bytes | None:
    """The Atom feed of a publication."""
    settings = publication.settings
    site = settings.site_url.rstrip("/")

    def address(record: str) -> str:
        return f"{site}/records/{record}/" if site and publication.registry.get(record) is not None else ""

    from kvdocs.history.feed import atom_feed

    return atom_feed(history, title=settings.title, address=address, home=f"{site}/" if site else "", feed=f"{site}/{FEED}" if site else "")
