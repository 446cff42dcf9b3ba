"""Elements -> SVG text: escaped, well-formed, and the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Mapping

Attributes = Mapping[str, object]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def element(name: str, attributes: Attributes, *children: str) -> str:
    """One element with its children, which are SVG text already; attributes that are None are left out."""
    pairs = "".join(f' {key}="{attribute_text(value)}"' for key, value in attributes.items() if value is not None)
    return f"<{name}{pairs}>{''.join(children)}</{name}>" if children else f"<{name}{pairs}/>"


def text(content: str, attributes: Attributes) -> str:
    """A text element."""
    return element("text", attributes, character_data(content))


def character_data(content: str) -> str:
    """Text between tags; what XML 1.0 cannot hold becomes U+FFFD, and line ends become spaces (a blank line would end an HTML block in Markdown)."""
    return _NOT_XML.sub("\ufffd", " ".join(content.split())).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute_text(value: object) -> str:
    """A value between double quotes; numbers have at most one decimal."""
    if isinstance(value, int | float):
        return number(value)
    return character_data(str(value)).replace('"', "&quot;")


def number(value: float) -> str:
    """A coordinate with at most one decimal, without a needless zero or sign."""
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def percent(fraction: float) -> str:
    """A share of the picture's width, with two decimals at most."""
    written = f"{100 * fraction:.2f}".rstrip("0").rstrip(".")
    return ("0" if written == "-0" else written) + "%"


def lines_of(*parts: str) -> str:
    """Elements one under another, without empty lines."""
    return "\n".join(part for part in parts if part)


def picture(name: str, title: str, description: str, attributes: Attributes, *children: str) -> str:
    """A whole picture whose title and description are read aloud; `name` starts its ids and is unique on the page."""
    head = {"xmlns": "http://www.w3.org/2000/svg", "aria-labelledby": f"{name}-title", "aria-describedby": f"{name}-desc", **attributes}
    spoken = (element("title", {"id": f"{name}-title"}, character_data(title)), element("desc", {"id": f"{name}-desc"}, character_data(description)))
    return element("svg", head, "\n", lines_of(*spoken, *children), "\n")
