"""References -> what the host says of them now."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from kvdocs.kinds.reference import Reference
from kvdocs.upstream.client import Answer, Client, UnreachableError

PULL = ("state", "merged", "merged_at", "merge_commit_sha", "closed_at", "title", "html_url", "number")
ISSUE = ("state", "closed_at", "title", "html_url", "number", "pull_request")
COMMIT = ("sha", "html_url")
RELEASE = ("name", "html_url", "tag_name")
TAG = ("ref",)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What the host said of a reference. `state` is None when it said nothing of use, and `remark` says why.

    `moved_to` is the present name of its repository (and number), when that is another one.
    """

    id: str
    state: str | None = None
    title: str | None = None
    closed_on: str | None = None
    merge_commit: str | None = None
    moved_to: str | None = None
    remark: str = ""
    known: bool = False


@dataclass(frozen=True)
class Look:
    """What was seen of the references that were asked for, in their order; `stopped` says why the rest was not looked at."""

    sightings: tuple[Sighting, ...]
    stopped: str = ""
    asked: int = 0
    remaining: int | None = None


def look(client: Client, references: Iterable[Reference]) -> Look:
    """Ask for each reference. When the host cannot be reached any more, what was seen so far is the answer."""
    seen: list[Sighting] = []
    stopped = ""
    try:
        for reference in references:
            seen.append(_see(client, reference))
    except UnreachableError as error:
        stopped = error.message
    client.save()
    return Look(tuple(seen), stopped, client.asked, client.remaining)


def _see(client: Client, reference: Reference) -> Sighting:
    base = f"/repos/{reference.repository}"
    if reference.type == "pull-request":
        return _issue_or_pull(reference, client.get(f"{base}/pulls/{reference.number}", PULL))
    if reference.type == "issue":
        return _issue_or_pull(reference, client.get(f"{base}/issues/{reference.number}", ISSUE))
    if reference.type == "commit":
        return _thing(reference, client.get(f"{base}/commits/{reference.commit}", COMMIT))
    answer = client.get(f"{base}/releases/tags/{quote(reference.tag or '', safe='')}", RELEASE)
    if answer.outcome == "missing":  # a tag that was never made into a release
        answer = client.get(f"{base}/git/ref/{quote(f'tags/{reference.tag}', safe='')}", TAG)
    return _thing(reference, answer)


def _issue_or_pull(reference: Reference, answer: Answer) -> Sighting:
    if answer.outcome != "found":
        return Sighting(reference.id, remark=answer.reason)
    data = answer.data
    state = str(data.get("state"))
    if reference.type == "pull-request" and data.get("merged"):
        state = "merged"
    if state not in ("open", "closed", "merged"):
        return Sighting(reference.id, remark=f"its state there is {state!r}, which the record has no word for")
    remark = "it is a pull request there" if reference.type == "issue" and data.get("pull_request") else ""
    return Sighting(
        reference.id,
        state=state,
        title=_text(data.get("title")),
        closed_on=(_text(data.get("merged_at") if state == "merged" else None) or _text(data.get("closed_at")) or "")[:10] or None if state != "open" else None,
        merge_commit=_text(data.get("merge_commit_sha")) if state == "merged" else None,
        moved_to=_moved(reference, answer),
        remark=remark,
        known=answer.known,
    )


def _thing(reference: Reference, answer: Answer) -> Sighting:
    """A commit, a release or a tag: it is there, or it is not."""
    if answer.outcome != "found":
        return Sighting(reference.id, remark=answer.reason)
    return Sighting(reference.id, state="exists", title=_text(answer.data.get("name")), moved_to=_moved(reference, answer), known=answer.known)


def _moved(reference: Reference, answer: Answer) -> str | None:
    """Where it is now, by the address of its page, when the question was redirected."""
    match = re.search(r"//[^/]+/([\w.-]+/[\w.-]+)(?:/(?:pull|issues)/(\d+))?", str(answer.data.get("html_url") or ""))
    if not answer.moved or match is None:
        return None
    where = match[1] + (f"#{match[2]}" if match[2] else "")
    return where if where.lower() not in (reference.repository.lower(), reference.short.lower()) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
