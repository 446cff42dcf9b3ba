"""What tests of pictures share: small graphs in one line, and reading a picture back."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

from kvdocs.pictures.graph_data import Arrow, Graph, Node, graph_of

SVG = "{http://www.w3.org/2000/svg}"


def graph(arrows: str, *, done: str = "", nodes: str = "") -> Graph:
    """A graph from `"a>b b>c"`; what stands in `done` is finished and holds nothing up, `nodes` stand alone."""
    pairs = [tuple(pair.split(">")) for pair in arrows.split()]
    finished = set(done.split())
    names = dict.fromkeys([*(name for pair in pairs for name in pair), *nodes.split()])
    waits = {name: tuple(a for a, b in pairs if b == name and a not in finished) for name in names}

    def node(name: str) -> Node:
        state, tone = ("done", "plain") if name in finished else ("waiting", "wait") if waits[name] else ("actionable", "good")
        return Node(name, "item", f"Title of {name}", state, tone, f"../{name}/", ("ann",), () if name in finished else waits[name], is_closed=name in finished)

    return graph_of([node(name) for name in names], [Arrow(a, b, "blocks", a not in finished and b not in finished) for a, b in pairs])


def read(svg: str) -> Element:
    """The root of a picture; fails when it is not well-formed."""
    return fromstring(svg)


def of_class(root: Element, name: str) -> list[Element]:
    """All elements with a class, in the order of the picture."""
    return [element for element in root.iter() if name in element.get("class", "").split()]


def words(element: Element) -> str:
    """The text of an element and all in it."""
    return " ".join("".join(element.itertext()).split())
