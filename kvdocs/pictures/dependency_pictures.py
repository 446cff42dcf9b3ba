"""Graphs of records -> pictures with their words: the whole, and the surroundings of each record.

Up to `WHOLE_LIMIT` records are drawn as boxes.
Beyond `STILL_LIMIT` a picture of all of them is for zooming only, so the most important part gets a still picture of its own.
Beyond `WHOLE_LIMIT` only unfinished work is drawn, and where that is too much as well, words say what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from kvdocs.pictures.graph_data import WORK, Graph, Outlined, most_important, neighbourhood, reduced, unfinished
from kvdocs.pictures.graph_picture import graph_svg, joined
from kvdocs.pictures.layout import Engine, Layout, lay_out
from kvdocs.pictures.shapes import WORDS
from kvdocs.view import Picture

WHOLE_LIMIT = 2000
STILL_LIMIT = 150
IMPORTANT = 40
NEIGHBOURS = 60
HOPS = 2

LINES = {
    ("blocks", True): "thick red arrows are what holds somebody up today",
    ("blocks", False): "thin arrows are what no longer does",
    ("fixes", False): "dashed ones lead to the defect that an item fixes",
    ("implements", False): "dotted ones come from the pull request that implements an item",
}
"""What the lines stand for, by relation and whether they hold up."""


@dataclass(frozen=True, slots=True)
class WholePictures:
    """`all` can be zoomed when a script is there; `important` is the part to print where the whole is too large for paper.

    `all` is None when even the unfinished work is too much. `remark` says what is left out, and is empty when nothing is.
    """

    all: Picture | None
    important: Picture | None
    remark: str


def whole_pictures(graph: Graph, *, engine: Engine | None = None, limit: int = WHOLE_LIMIT) -> WholePictures:
    """The pictures of a whole work graph; their ids start with `graph`."""
    return outlined_pictures(graph.nodes, graph.part, engine=engine, limit=limit)


def outlined_pictures(outline: Mapping[str, Outlined], part: Callable[[Collection[str]], Graph], *, engine: Engine | None = None, limit: int = WHOLE_LIMIT) -> WholePictures:
    """The same from its nodes in outline; `part` gives the nodes of these names, with the arrows between them."""
    shown, remark = _within(outline, limit)
    important = most_important(outline, IMPORTANT) if len(outline) > STILL_LIMIT else None
    parts = {name: reduced(part(names)) for name, names in (("graph", shown), ("graph-important", important)) if names is not None}
    layouts = dict(zip(parts, lay_out(list(parts.values()), engine), strict=True))
    pictures = {name: _whole(name, part, layouts[name], remark) for name, part in parts.items()}
    return WholePictures(pictures.get("graph"), pictures.get("graph-important"), remark)


def neighbourhood_pictures(graph: Graph, centres: Collection[str], *, engine: Engine | None = None) -> dict[str, Picture]:
    """For each record that has neighbours, what lies within two steps of it; ids start with `near`."""
    parts = {name: part for name in centres if (part := near_part(graph, name)) is not None}
    layouts = lay_out(list(parts.values()), engine)
    return {
        name: _near(name, part, layout, _left_out(graph, name, part))
        for (name, part), layout in zip(parts.items(), layouts, strict=True)
    }


def near_part(graph: Graph, centre: str) -> Graph | None:
    """What the picture of a record's neighbourhood shows; None when it has no neighbours."""
    part = neighbourhood(graph, centre, HOPS, NEIGHBOURS) if centre in graph.nodes else None
    return reduced(part) if part is not None and len(part.nodes) > 1 else None


def near_text(graph: Graph, centre: str) -> str:
    """A text that is another one whenever the picture of a record's neighbourhood is; it costs no drawing."""
    part = near_part(graph, centre)
    return "" if part is None else f"{list(part.nodes.values())} {part.arrows} {_left_out(graph, centre, part)}"


def described(graph: Graph) -> str:
    """The picture in words: how many records there are in each state, and what waits for what."""
    counts = Counter(node.state for node in graph.nodes.values())
    parts = [f"{_count(len(graph.nodes), 'record')}: {', '.join(f'{n} {state}' for state, n in counts.most_common())}."]
    waiting = [f"{node.id} waits for {joined(node.waits_for)}" for node in graph.nodes.values() if node.waits_for]
    fixes = [f"{a.source} fixes {a.target}" for a in graph.arrows if a.relation == "fixes"]
    if len(graph.nodes) <= STILL_LIMIT:
        parts += [f"{'; '.join(sentence)}." for sentence in (waiting, fixes) if sentence]
    return " ".join(parts)


def _whole(name: str, graph: Graph, layout: Layout, remark: str) -> Picture:
    title = "What waits for what" if name == "graph" else "What matters most now, and what it waits for"
    text = f"{described(graph)} {remark}".strip()
    large = name == "graph" and len(graph.nodes) > STILL_LIMIT
    svg = graph_svg(graph, layout, name=name, title=title, description=text, interactive=name == "graph", for_screen_only=large)
    return Picture(svg, text, legend(graph) if name == "graph" else "")


def legend(graph: Graph) -> str:
    """What the outlines and lines of a picture mean, as far as they occur in it."""
    kinds = {node.kind for node in graph.nodes.values()}
    lines = {(arrow.relation, arrow.holds_up) for arrow in graph.arrows}
    sentences = ["; ".join(words for kind, words in WORDS.items() if kind in kinds), "; ".join(words for line, words in LINES.items() if line in lines)]
    return " ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence)


def _left_out(graph: Graph, centre: str, part: Graph) -> int:
    """How many records that the centre refers to, or that refer to it, are too many for its picture; 0 where work is shown instead."""
    around = graph.arrows_at[centre]
    return 0 if any(a.relation in WORK for a in around) else len({end for a in around for end in (a.source, a.target)} - part.nodes.keys())


def _near(name: str, graph: Graph, layout: Layout, left_out: int) -> Picture:
    """The surroundings of a record."""
    remark = f"{_count(left_out, 'further link')} {'is' if left_out == 1 else 'are'} not drawn." if left_out else ""
    text = f"{described(graph)} {remark}".strip()
    return Picture(graph_svg(graph, layout, name="near", title=f"What stands around {name}", description=text, centre=name), text, remark)


def _within(nodes: Mapping[str, Outlined], limit: int) -> tuple[Collection[str] | None, str]:
    """What of the graph can be drawn, and the words for the rest."""
    if len(nodes) <= limit:
        return nodes.keys(), ""
    open_ = unfinished(nodes)
    finished = _count(len(nodes) - len(open_), "finished record")
    if len(open_) <= limit:
        return open_, f"{finished} {'is' if finished.startswith('1 ') else 'are'} left out: there are {len(nodes)} in all, and at most {limit} are drawn. Each record's page shows what stands around it."
    return None, f"There are {len(nodes)} records, {len(open_)} of them unfinished, and at most {limit} can be drawn. The lists show all of them, and each record's page shows what stands around it."


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
