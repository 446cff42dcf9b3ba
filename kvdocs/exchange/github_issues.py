"""GitHub issues, as its REST API lists them or as `gh issue list --json` prints them -> tickets.

The API writes `created_at`, `state: open`, `user`, `pull_request`; gh writes `createdAt`, `state: OPEN`, `author`.
The API's list holds pull requests too; they are told by their `pull_request` key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from kvdocs.exchange.json_objects import Found, find_objects
from kvdocs.exchange.remark import Remark, UnreadableSourceError, lost, unknown
from kvdocs.exchange.tickets import Pointer, State, Ticket, kind_of

_ADDRESS = re.compile(r"(?:github\.com/|/repos/)(?P<repository>[\w.-]+/[\w.-]+)(?:/(?:issues|pull|pulls)/\d+)?$")
_UNHELD = ("milestone", "comments", "projectItems", "projectCards", "reactionGroups", "locked", "isPinned")


def parse(text: str, repository: str, read_on: date) -> tuple[list[Ticket], list[Remark]]:
    """The issues of a JSON array (or of one object) and what could not be taken.

    `repository` is the one that issues without an address belong to; `read_on` the day on which the list was fetched.
    A list that was cut short yields its whole issues. Raises UnreadableSourceError when there is no issue in it.
    """
    objects = find_objects(text, ("number", "title"))
    if not objects.whole:
        if text.strip() == "[]":
            return [], []
        raise UnreadableSourceError("no GitHub issue in this file: an issue has at least `number` and `title`")
    remarks: list[Remark] = []
    if objects.broken:
        remarks.append(lost(f"the list was cut short: {len(objects.whole)} whole issues taken", objects.broken[0]))
    if not any("body" in found.value for found in objects.whole):
        remarks.append(unknown("the texts of the issues: the list was made without `body`"))
    remarks.append(unknown("comments, and whether a closed issue's repair reached this source"))
    return [_ticket(found, repository, read_on) for found in objects.whole], remarks


def _ticket(found: Found, repository: str, read_on: date) -> Ticket:
    issue = found.value
    labels = _names(issue.get("labels"), "name")
    pointer = Pointer(
        repository=_repository(issue) or repository,
        number=int(issue["number"]),
        type="pull-request" if _is_pull_request(issue) else "issue",
        state=_state_at_host(issue),
        read_on=read_on,
    )
    type_name = _name(issue.get("type") or issue.get("issueType"), "name")
    return Ticket(
        key=f"#{issue['number']}",
        title=str(issue["title"]),
        body=str(issue.get("body") or ""),
        kind=kind_of([*labels, type_name]),
        state=_state(issue),
        owners=_names(issue.get("assignees"), "login"),
        blocked_by=tuple(f"#{number}" for number in _numbers(issue.get("blockedBy"))),
        labels=labels,
        reason=_reason(issue),
        pointer=pointer if pointer.repository else None,
        unheld=tuple(key for key in _UNHELD if _is_filled(issue.get(key))),
    )


def _state(issue: Mapping[str, Any]) -> State:
    if str(issue.get("state", "open")).lower() != "closed":
        return "open"
    return "rejected" if _reason_word(issue) in ("not_planned", "duplicate") else "done"


def _state_at_host(issue: Mapping[str, Any]) -> Any:
    pull = issue.get("pull_request")
    merged = str(issue.get("state", "")).lower() == "merged" or bool(pull.get("merged_at") if isinstance(pull, dict) else issue.get("mergedAt"))
    return "merged" if merged else "closed" if str(issue.get("state", "open")).lower() == "closed" else "open"


def _reason_word(issue: Mapping[str, Any]) -> str:
    return str(issue.get("state_reason") or issue.get("stateReason") or "").lower()


def _reason(issue: Mapping[str, Any]) -> str:
    words = {"not_planned": "closed as not planned", "duplicate": "closed as a duplicate", "completed": "completed"}
    return words.get(_reason_word(issue), "")


def _is_pull_request(issue: Mapping[str, Any]) -> bool:
    return "pull_request" in issue or "headRefName" in issue or "/pull/" in str(issue.get("url", ""))


def _repository(issue: Mapping[str, Any]) -> str:
    for key in ("repository_url", "html_url", "url"):
        match = _ADDRESS.search(str(issue.get(key, "")))
        if match is not None:
            return match["repository"]
    return ""


def _names(values: Any, key: str) -> tuple[str, ...]:
    return tuple(name for value in _nodes(values) if (name := _name(value, key)))


def _name(value: Any, key: str) -> str:
    return str(value.get(key) or "") if isinstance(value, dict) else str(value or "")


def _numbers(values: Any) -> list[int]:
    numbers = [value.get("number") if isinstance(value, dict) else value for value in _nodes(values)]
    return [number for number in numbers if isinstance(number, int)]


def _nodes(values: Any) -> Sequence[Any]:
    """A list, whether it is one or stands under `nodes` as GraphQL answers."""
    if isinstance(values, dict):
        values = values.get("nodes")
    return values if isinstance(values, list) else []


def _is_filled(value: Any) -> bool:
    return value not in (None, False, 0, "", [], {}) and not (isinstance(value, dict) and value.get("nodes") == [])
