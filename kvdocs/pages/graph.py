"""The page of the dependency picture, and the pictures of what stands around each record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from kvdocs import markup
from kvdocs.order import Order
from kvdocs.pages.context import PageContext, Publication
from kvdocs.pages.home import waiting_table
from kvdocs.pages.page import Nav, Page
from kvdocs.registry import Registry
from kvdocs.view import Block, Md, Notice, Picture, Prose, Section

if TYPE_CHECKING:
    from kvdocs.pictures.graph_data import Graph

PATH = "graph.md"
MOST = 3000
"""Beyond so many records the surroundings are not drawn: the lists on each page say the same."""

_LEAD = "Arrows run with the work: from what blocks to what waits, from a pull request to the item that it implements, from an item to the defect that it fixes. Colour is the state, shape is the kind. Each box leads to its record."


def graph_page(publication: Publication) -> Page:
    """The whole picture, a part of it to print where it is large, and the same in words."""
    from kvdocs.pictures.dependency_pictures import outlined_pictures
    from kvdocs.pictures.record_graph import WorkGraph, is_over

    context = publication.at(PATH)
    before, after = context.built("records/ID.md").split("ID")
    work = WorkGraph(publication.registry, publication.order, lambda name: f"{before}{name}{after}")
    outline = work.outline(lambda entries: map(bool, context.texts("over", entries, lambda entry, _: b"over" if is_over(entry) else b"")))
    pictures = outlined_pictures(outline, work.part)
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


class Surroundings:
    """For each record that has neighbours, the picture of them for its page.

    All are drawn when the first is asked for, unless `draw` said which ones will be.
    """

    def __init__(self, registry: Registry, order: Order) -> None:
        self.registry, self.order = registry, order
        self._drawn: dict[str, Picture | None] = {}

    def __call__(self, record_id: str) -> Picture | None:
        if record_id not in self._drawn:
            self.draw([record_id] if self._drawn else [entry.id for entry in self.registry])
        return self._drawn.get(record_id)

    def __contains__(self, record_id: object) -> bool:
        """Whether there can be a picture of a record."""
        return isinstance(record_id, str) and self._is_drawn(record_id)

    def draw(self, record_ids: Sequence[str]) -> None:
        """Draw the surroundings of these records in one go, which is faster than one by one."""
        from kvdocs.pictures.dependency_pictures import neighbourhood_pictures

        wanted = [name for name in record_ids if name not in self._drawn and self._is_drawn(name)]
        pictures = neighbourhood_pictures(self._graph, wanted) if wanted else {}
        self._drawn.update({name: pictures.get(name) for name in record_ids})

    def text(self, record_id: str) -> str:
        """A text that is another one whenever the picture is."""
        from kvdocs.pictures.dependency_pictures import near_text

        return near_text(self._graph, record_id) if self._is_drawn(record_id) else ""

    def _is_drawn(self, record_id: str) -> bool:
        entry = self.registry.get(record_id)
        return len(self.registry) <= MOST and entry is not None and entry.kind.name != "result"

    @cached_property
    def _graph(self) -> Graph:
        from kvdocs.pictures.record_graph import record_graph

        return record_graph(self.registry, self.order, lambda name: f"../{name}/index.html")


def around_section(record_id: str, context: PageContext) -> tuple[Section, ...]:
    """The surroundings of a record as a section of its page."""
    picture = context.computed("surroundings", record_id)
    return (Section("What stands around it", (picture,), "around"),) if isinstance(picture, Picture) else ()
