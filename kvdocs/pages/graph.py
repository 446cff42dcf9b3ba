"""The page of the dependency picture, and the pictures of what stands around each record."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kvdocs import markup
from kvdocs.order import Order
from kvdocs.pages.context import PageContext, Provider, Publication
from kvdocs.pages.home import waiting_table
from kvdocs.pages.page import Nav, Page
from kvdocs.pictures.dependency_pictures import neighbourhood_pictures, whole_pictures
from kvdocs.pictures.record_graph import record_graph, work_graph
from kvdocs.registry import Registry
from kvdocs.view import Block, Md, Notice, Picture, Prose, Section

PATH = "graph.md"
MOST = 3000
"""Beyond so many records the surroundings are not drawn: the lists on each page say the same."""

_LEAD = "Arrows run with the work: from what blocks to what waits, from a pull request to the item that it implements, from an item to the defect that it fixes. Colour is the state, shape is the kind. Each box leads to its record."


def graph_page(publication: Publication) -> Page:
    """The whole picture, a part of it to print where it is large, and the same in words."""
    context = publication.at(PATH)
    pictures = whole_pictures(work_graph(publication.registry, publication.order, lambda name: context.built(f"records/{name}.md")))
    blocks: list[Block] = []
    if pictures.remark:
        blocks.append(Notice("note", "Not all of it", markup.paragraph(pictures.remark)))
    blocks += [picture for picture in (pictures.all, pictures.important) if picture is not None]
    waiting = publication.order.of("waiting")
    words: tuple[Section, ...] = (Section("What waits, in words", (waiting_table(waiting, context),), "words"),) if waiting else ()
    return Page(
        PATH,
        "graph.md.j2",
        {
            "title": "What waits for what",
            "lead": Md(_LEAD),
            "scripts": tuple(context.built_file(f"assets/javascripts/{name}.js") for name in ("graph-drawing", "graph")),
            "sections": (Section("The picture", tuple(blocks) or (Prose(Md("There is nothing to draw.")),), "picture"), *words),
            "boost": 0.5,
        },
        Nav("Record", 5, "Dependencies"),
    )


def surroundings(registry: Registry, order: Order) -> Provider:
    """For each record that has neighbours, the picture of them for its page; all are drawn when the first is asked for."""

    @cache
    def drawn() -> Mapping[str, Picture]:
        if len(registry) > MOST:
            return {}
        graph = record_graph(registry, order, lambda name: f"../{name}/index.html")
        return neighbourhood_pictures(graph, [entry.id for entry in registry if entry.kind.name != "result"])

    return lambda record_id: drawn().get(record_id)


def around_section(record_id: str, context: PageContext) -> tuple[Section, ...]:
    """The surroundings of a record as a section of its page."""
    picture = context.computed("surroundings", record_id)
    return (Section("What stands around it", (picture,), "around"),) if isinstance(picture, Picture) else ()
