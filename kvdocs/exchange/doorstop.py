"""Doorstop items (a YAML file or Markdown with front matter each) -> tickets.

The file name is the item's id; `links` point to parents; `header`, or the first line of `text`, is its title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kvdocs.exchange.remark import Remark, UnreadableSourceError, lost, unknown
from kvdocs.exchange.tickets import Ticket

_STANDARD = frozenset(("active", "derived", "header", "level", "links", "normative", "ref", "references", "reviewed", "text"))
_FRONT = re.compile(r"\A---\n(?P<yaml>.*?)\n---\n?(?P<text>.*)\Z", re.DOTALL)


def parse(files: Mapping[str, str]) -> tuple[list[Ticket], list[Remark]]:
    """The items of files, given by their names without folders (`REQ001.yml`), and what could not be taken.

    A file whose name begins with a dot is the document's own settings and is passed over.
    Raises UnreadableSourceError when none of the files is an item.
    """
    tickets: list[Ticket] = []
    remarks: list[Remark] = [unknown("whether an item is a defect or work, its state and its owner: Doorstop has no such fields")]
    for name, text in sorted(files.items()):
        uid, _, ending = name.rpartition(".")
        if name.startswith(".") or ending not in ("yml", "yaml", "md"):
            continue
        data = _load(text, markdown=ending == "md")
        if not isinstance(data, dict) or not ({"active", "level", "normative", "links", "text"} & set(data)):
            remarks.append(lost(f"{name} is no Doorstop item"))
        elif data.get("active") is False:
            remarks.append(lost(f"{uid} is not active"))
        elif _is_heading(data):
            remarks.append(lost(f"{uid} is a heading: {_title(data) or uid}"))
        else:
            tickets.append(_ticket(uid, data))
    if not tickets and not any("active" in remark.text or "heading" in remark.text for remark in remarks[1:]):
        raise UnreadableSourceError("no Doorstop item among these files")
    return tickets, remarks


def _ticket(uid: str, data: Mapping[str, Any]) -> Ticket:
    text, title = str(data.get("text") or "").strip(), _title(data)
    return Ticket(
        key=uid,
        title=title or uid,
        body=text,
        related=tuple(_links(data.get("links"))),
        labels=() if data.get("normative", True) else ("not normative",),
        unheld=tuple(f"{key}: {data[key]}" for key in sorted(data) if _has(data, key)),
    )


def _has(data: Mapping[str, Any], key: str) -> bool:
    """Whether a field carries something that no record has a place for."""
    return bool(data[key]) and (key in ("ref", "references", "derived") or key not in _STANDARD)


def _links(links: Any) -> list[str]:
    """Parents, whether a link is written as `REQ001` or as `REQ001: fingerprint`."""
    return [str(name) for link in links or [] for name in (link if isinstance(link, dict) else [link])]


def _is_heading(data: Mapping[str, Any]) -> bool:
    return data.get("normative") is False and str(data.get("level", "")).endswith(".0")


def _title(data: Mapping[str, Any]) -> str:
    header = str(data.get("header") or "").strip()
    first = next((line.strip() for line in str(data.get("text") or "").splitlines() if line.strip()), "")
    return header or first


def _load(text: str, *, markdown: bool) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    front = _FRONT.match(text) if markdown else None
    if markdown and front is None:
        return None
    try:
        data = YAML(typ="safe", pure=True).load(front["yaml"] if front else text)
    except YAMLError:
        return None
    if isinstance(data, dict) and front is not None:
        heading = re.match(r"\s*# (?P<header>.+)\n?", front["text"])
        data = {"header": heading["header"] if heading else "", "text": front["text"][heading.end() if heading else 0 :].strip(), **data}
    return data
