"""needs.json of sphinx-needs -> tickets. Every version holds its needs by id; `current_version` names the valid one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost, unknown
from kvdocs.exchange.tickets import State, Ticket, kind_of

_CORE = frozenset({
    "id", "title", "content", "description", "status", "tags", "type", "type_name", "docname", "doctype", "lineno",
    "section_name", "sections", "layout", "style", "links", "parts", "template", "arch", "constraints", "parent_need",
    "external_css", "external_url", "is_external", "is_import", "is_modified", "modifications", "signature",
})  # fmt: skip
"""Fields that sphinx-needs itself gives every need; only a file without its `needs_schema` needs this list."""
_BLOCKED = ("blocked_by", "depends_on", "needs", "requires")
_DONE = frozenset(("done", "closed", "implemented", "fixed", "verified", "complete", "completed", "released", "accepted"))
_REJECTED = frozenset(("rejected", "not-planned", "not planned", "wontfix", "withdrawn", "obsolete", "cancelled"))


def parse(text: str, version: str | None = None) -> tuple[list[Ticket], list[Remark]]:
    """The needs of a version (the current one, if none is named) and what could not be taken.

    Raises UnreadableSourceError when the text is no needs.json or lacks that version.
    """
    try:
        document = json.loads(text)
        versions = document["versions"]
        chosen = version or document.get("current_version") or (next(iter(versions)) if len(versions) == 1 else "")
        needs = versions[chosen]["needs"]
    except (ValueError, RecursionError) as error:
        raise UnreadableSourceError(f"not JSON: {error}") from error
    except (KeyError, TypeError) as error:
        raise UnreadableSourceError(f"no needs.json, or not one with that version: {error!s} is missing") from error
    if not isinstance(needs, dict):
        raise UnreadableSourceError("no needs.json: its needs are not named by their ids")
    schema = versions[chosen].get("needs_schema")
    fields = (schema.get("properties") if isinstance(schema, dict) else None) or {}
    remarks: list[Remark] = [unknown("owners, sizes and gates, unless the project gave its needs such fields")]
    others = [name for name in versions if name != chosen]
    if others:
        remarks.append(lost(f"other versions in the file: {', '.join(others)}"))
    tickets = []
    for key, need in sorted(needs.items()):
        if not isinstance(need, dict):
            remarks.append(doubtful(f"{key} is no need"))
            continue
        tickets.append(_ticket(key, need, fields))
    return tickets, remarks


def _ticket(key: str, need: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> Ticket:
    need = {**{name: spec.get("default") for name, spec in fields.items()}, **need}
    status = str(need.get("status") or "")
    links = {name: value for name, value in need.items() if _is_links(name, value, fields)}
    return Ticket(
        key=key,
        title=str(need.get("title") or key),
        body=str(need.get("content") or need.get("description") or ""),
        kind=kind_of((str(need.get("type", "")), str(need.get("type_name", "")))),
        state=_state(status),
        status=status,
        owners=tuple(_words(need.get("owners") or need.get("owner") or need.get("assignee"))),
        blocked_by=tuple(t for name in _BLOCKED for t in _words(links.get(name))),
        related=tuple(t for name, targets in links.items() if name not in _BLOCKED for t in _words(targets)),
        labels=tuple(_words(need.get("tags"))),
        unheld=tuple(f"{name}: {value}" for name, value in need.items() if name not in links and _is_unheld(name, value, fields)),
    )


def _is_links(name: str, value: Any, fields: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a field holds links to other needs; without a schema, any list of words that is none of the core's."""
    if not (isinstance(value, list) and value and all(isinstance(target, str) for target in value)):
        return False
    if name in fields:
        return fields[name].get("field_type") == "links" or name in _BLOCKED
    return name == "links" or (name not in _CORE and name != "owners" and not name.endswith("_back"))


def _is_unheld(name: str, value: Any, fields: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a field that the project gave its needs carries something that no record has a place for."""
    own = fields[name].get("field_type") == "extra" if name in fields else name not in _CORE and not name.endswith("_back")
    return own and name not in ("owner", "owners", "assignee") and value not in (None, "", [], {}, fields.get(name, {}).get("default"))


def _state(status: str) -> State:
    word = status.lower()
    return "done" if word in _DONE else "rejected" if word in _REJECTED else "open"


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.replace(";", ",").split(",") if part.strip()]
    return [str(part) for part in value] if isinstance(value, list) else []
