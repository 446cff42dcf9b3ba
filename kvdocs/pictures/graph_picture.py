"""Layouts -> SVG: a box for each record, coloured by state, shaped by kind, linked to its page; arrows that run with the work.

The picture has the role `group` and not `img`: an image hides what is in it, and every box here is a link.
Classes and `data-` attributes are what `graph.js` and the stylesheet hold on to; without both it is a plain drawing with links.
"""

from __future__ import annotations

from functools import lru_cache

from kvdocs.pictures.graph_data import Arrow, Graph, Node
from kvdocs.pictures.layout import BOX_WIDTH, GROWTH, PART_GAP, READING_WIDTH, Layout, Part, Route
from kvdocs.pictures.lettering import shortened, width_of, wrapped
from kvdocs.pictures.shapes import FOLD, outline
from kvdocs.pictures.svg import character_data, element, lines_of, number, picture, text

MARGIN = 8.0
ID_SIZE, STATE_SIZE, TITLE_SIZE = 14.0, 11.5, 12.0
BOLD = 1.08
"""How much wider bold letters are."""

INSETS = {"decision": 20.0, "reference": 20.0}
"""Where the text begins inside an outline that has no straight sides; 12 elsewhere."""

HEAD_LENGTH, HEAD_WIDTH = 7.0, 4.0
SEPARATOR = " · "
"""Between the parts of a box's tooltip; `graph.js` shows each part on a line of its own."""


def graph_svg(graph: Graph, layout: Layout, *, name: str, title: str, description: str, centre: str = "", interactive: bool = False, for_screen_only: bool = False) -> str:
    """The picture of a laid-out graph; `centre` is the box that stands out.

    An interactive picture tells `graph.js` how its parts were packed; one `for_screen_only` is left out of print.
    """
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    attributes: dict[str, object] = {
        "class": "kv-graph" + (" kv-screen-only" if for_screen_only else ""),
        "role": "group",
        "width": width,
        "height": height,
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "style": f"--kv-width:{number(width)}px",
        "fill": "currentColor",
        "font-size": TITLE_SIZE,
        "data-search-exclude": "",
    }
    if interactive:
        attributes |= {"data-kv-graph": "zoom", "data-margin": MARGIN, "data-gap": PART_GAP, "data-reading-width": READING_WIDTH, "data-growth": GROWTH}
    parts = [_part_svg(graph, part, x + MARGIN, y + MARGIN, centre) for part, (x, y) in zip(layout.parts, layout.places, strict=True)]
    return picture(name, title, description, attributes, *parts)


def _part_svg(graph: Graph, part: Part, x: float, y: float, centre: str) -> str:
    arrows = [_arrow_svg(route) for route in part.routes]
    boxes = [_box_svg(graph.nodes[name], bx, by, centre) for name, (bx, by) in part.boxes.items()]
    attributes = {"class": "kv-part", "transform": _translate(x, y), "data-width": part.width, "data-height": part.height}
    drawn = element("g", {"fill": "none", "stroke": "currentColor"}, *arrows) if arrows else ""
    return element("g", attributes, "\n", lines_of(drawn, *boxes), "\n")


def _arrow_svg(route: Route) -> str:
    """The curve and its head; where the line is broken the head is an element of its own, since a broken head cannot be seen."""
    arrow = route.arrow
    ends = {"data-from": arrow.source, "data-to": arrow.target}
    if arrow.relation == "blocks":
        return element("path", {"class": arrow_class(arrow), "d": _curve(route) + _head(route), **ends})
    return element("path", {"class": arrow_class(arrow), "d": _curve(route), **ends}) + element("path", {"class": f"{arrow_class(arrow)} kv-head", "d": _head(route), **ends})


def arrow_class(arrow: Arrow) -> str:
    """The classes of an arrow: its relation, and whether it holds its target up today."""
    return f"kv-arrow kv-{arrow.relation}" + (" kv-holds-up" if arrow.holds_up else "")


def _curve(route: Route) -> str:
    (x, y), *rest = route.points
    return f"M{_pair(x, y)}C{' '.join(_pair(px, py) for px, py in rest)}"


def _head(route: Route) -> str:
    x, y = route.points[-1]
    return f"M{_pair(x - HEAD_LENGTH, y - HEAD_WIDTH)} {_pair(x, y)} {_pair(x - HEAD_LENGTH, y + HEAD_WIDTH)}"


def _box_svg(node: Node, x: float, y: float, centre: str) -> str:
    attributes: dict[str, object] = {
        "class": f"kv-node kv-kind-{node.kind} kv-tone-{node.tone}" + (" kv-centre" if node.id == centre else ""),
        "href": node.href or None,
        "transform": _translate(x, y),
        "aria-current": "page" if node.id == centre and node.href else None,
        "data-id": node.id,
        "data-kind": node.kind,
        "data-state": node.state,
        "data-owners": "|".join(node.owners),
    }
    return element("a" if node.href else "g", attributes, _inside(node))


@lru_cache(maxsize=4096)
def _inside(node: Node) -> str:
    """What stands in a box: a record is drawn in the surroundings of many others."""
    return "".join((element("title", {}, character_data(tooltip(node))), outline(node.kind), *_lettering(node)))


def _lettering(node: Node) -> list[str]:
    inset = INSETS.get(node.kind, 12.0)
    inner = BOX_WIDTH - 2 * inset
    right = BOX_WIDTH - max(inset, FOLD + 5 if node.kind == "defect" else 0)
    state = shortened(node.state, inner / 2, STATE_SIZE)
    name = shortened(node.id, right - inset - BOLD * width_of(state, STATE_SIZE) - 6, BOLD * ID_SIZE)
    lines = [
        text(name, {"class": "kv-id", "x": inset, "y": 18, "font-size": ID_SIZE}),
        text(state, {"class": "kv-state", "x": right, "y": 18, "text-anchor": "end", "font-size": STATE_SIZE}),
    ]
    for row, line in enumerate(wrapped(node.title, inner, TITLE_SIZE, 2)):
        lines.append(text(line, {"class": "kv-title", "x": inset, "y": 34 + 15 * row}))
    return lines


def tooltip(node: Node) -> str:
    """What hovering shows and a screen reader says: id and title, kind and state, what it waits for, owners, rank."""
    parts = [f"{node.id}: {node.title}", node.kind if node.kind == node.state else f"{node.kind}, {node.state}"]
    if node.waits_for:
        parts.append(f"waits for {joined(node.waits_for)}")
    if node.owners:
        parts.append(f"owner {joined(node.owners)}")
    if node.rank:
        parts.append(f"rank {node.rank}")
    return SEPARATOR.join(parts)


def joined(words: tuple[str, ...] | list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _translate(x: float, y: float) -> str:
    return f"translate({number(x)} {number(y)})"


def _pair(x: float, y: float) -> str:
    return f"{number(x)},{number(y)}"
