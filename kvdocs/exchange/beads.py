"""beads JSONL (`.beads/issues.jsonl`): one issue a line -> tickets, and records -> lines.

A dependency of type `blocks` says that the issue waits for `depends_on_id`; `closed_at` is there if and only if the
status is `closed`; the priority runs from 0 (critical) to 4 (backlog).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from kvdocs.exchange.json_objects import parse_lines
from kvdocs.exchange.remark import Remark, UnreadableSourceError, lost, unknown
from kvdocs.exchange.tickets import State, Ticket

_UNHELD = ("design", "notes", "estimated_minutes", "comments", "due_at", "defer_until")
_WAITING = ("blocks", "conditional-blocks", "waits-for")


def parse(text: str) -> tuple[list[Ticket], list[Remark]]:
    """The issues of a file and what could not be taken. Raises UnreadableSourceError when no line is an issue."""
    tickets: list[Ticket] = []
    remarks: list[Remark] = []
    for number, value in parse_lines(text):
        if isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("title"), str):
            if value.get("status") == "tombstone":
                remarks.append(lost(f"{value['id']}: a deleted issue", number))
                continue
            tickets.append(_ticket(value))
        elif isinstance(value, dict) and value.get("_type") not in (None, "issue"):
            remarks.append(lost(f"a line of type {value['_type']}", number))
        else:
            remarks.append(lost("a line that is no issue", number))
    if text.strip() and not tickets:
        raise UnreadableSourceError("no beads issue in this file: an issue is a line of JSON with `id` and `title`")
    remarks.append(unknown("priorities: a record's rank is computed from what it blocks and what it brings"))
    return tickets, remarks


def _ticket(issue: Mapping[str, Any]) -> Ticket:
    dependencies = [d for d in issue.get("dependencies") or [] if isinstance(d, dict) and d.get("depends_on_id")]
    status = str(issue.get("status", "open"))
    return Ticket(
        key=issue["id"],
        title=issue["title"],
        body=str(issue.get("description") or ""),
        kind=_kind(str(issue.get("issue_type", ""))),
        state=_state(status),
        status="" if status in ("open", "closed") else status.replace("_", " "),
        owners=(str(issue["assignee"]),) if issue.get("assignee") else (),
        blocked_by=tuple(str(d["depends_on_id"]) for d in dependencies if d.get("type", "blocks") in _WAITING),
        related=tuple(str(d["depends_on_id"]) for d in dependencies if d.get("type", "blocks") not in _WAITING),
        labels=tuple(str(label) for label in issue.get("labels") or ()),
        acceptance=str(issue.get("acceptance_criteria") or ""),
        reason=str(issue.get("close_reason") or ""),
        unheld=tuple(key for key in (*_UNHELD, "external_ref") if issue.get(key)),
    )


def _kind(issue_type: str) -> Literal["defect", "item"]:
    return "defect" if issue_type == "bug" else "item"


def _state(status: str) -> State:
    return "done" if status == "closed" else "open"
