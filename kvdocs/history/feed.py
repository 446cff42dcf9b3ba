"""Changes -> an Atom feed (RFC 4287): one entry for each record that a commit changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from kvdocs.history.change import Change
from kvdocs.history.timeline import History

ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 200

Address = Callable[[str], str]
"""The full address of a record's page by its id; empty when it has none."""

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def atom_feed(history: History, *, title: str, address: Address, home: str = "", feed: str = "") -> bytes | None:
    """The feed, the newest entry first; what is not committed has no date and is left out. None when there is nothing to tell.

    `home` and `feed` are the full addresses of the site and of the feed itself; without them (nothing is published yet) the feed has no links.
    The ids of entries depend on the commit and the record alone, so that a reader shows none twice.
    """
    entries = [list(changes) for _, changes in groupby((c for c in history.changes if c.commit is not None), key=lambda c: (c.commit, c.record))]
    if not entries:
        return None
    newest = list(reversed(entries))[:MOST_ENTRIES]
    root = ElementTree.Element("feed", {"xmlns": ATOM})
    _text(root, "id", feed or _urn(f"feed of {title}"))
    _text(root, "title", f"{title}: what changed")
    _text(root, "updated", max((_date(changes) for changes in newest), key=_instant))
    if feed:
        ElementTree.SubElement(root, "link", {"rel": "self", "type": "application/atom+xml", "href": feed})
    if home:
        ElementTree.SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": home})
    for changes in newest:
        _entry(root, changes, address)
    ElementTree.indent(root)
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body + b"\n"


def _entry(root: ElementTree.Element, changes: Sequence[Change], address: Address) -> None:
    first = changes[0]
    entry = ElementTree.SubElement(root, "entry")
    _text(entry, "id", _urn(f"{first.commit} {first.record}"))
    _text(entry, "title", f"{first.record}: {first.words}" + (f" and {len(changes) - 1} more" if len(changes) > 1 else ""))
    _text(entry, "updated", _date(changes))
    author = ElementTree.SubElement(entry, "author")
    _text(author, "name", first.author or "unknown")
    target = address(first.record)
    if target:
        ElementTree.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": target})
    _text(entry, "content", "\n".join([*(change.words for change in changes), "", f"{(first.commit or '')[:9]} {first.subject}"])).set("type", "text")


def _text(parent: ElementTree.Element, name: str, text: str) -> ElementTree.Element:
    """A child with text; what XML cannot hold becomes U+FFFD."""
    child = ElementTree.SubElement(parent, name)
    child.text = _NOT_XML.sub("\ufffd", text)
    return child


def _urn(name: str) -> str:
    """A name that is the same each time and nobody else's."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'kvdocs {name}')}"


def _date(changes: Sequence[Change]) -> str:
    return changes[0].date or ""


def _instant(date: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(date).timestamp()
