"""Tickets: what issue trackers have in common -> drafts of defects, items, owners and references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from kvdocs.exchange.drafts import NOT_STATED, Draft, DraftSet, Ids, Known, Owners, one_line, prose, reference_id
from kvdocs.exchange.remark import Remark, lost, unknown

State = Literal["open", "done", "rejected"]


@dataclass(frozen=True, slots=True)
class Pointer:
    """The issue or pull request that a ticket is: repository, number and state at the host, and when that was read."""

    repository: str
    number: int
    type: Literal["issue", "pull-request"]
    state: Literal["open", "closed", "merged"]
    read_on: date


@dataclass(frozen=True, slots=True)
class Ticket:
    """An issue of a tracker. `kind` is `defect`, `item`, or empty where the tracker does not tell.

    `blocked_by` and `related` name other tickets by their `key`. `reason` says why it was closed.
    `unheld` are fields of the source that no field of a record takes.
    """

    key: str
    title: str
    body: str = ""
    kind: Literal["defect", "item", ""] = ""
    state: State = "open"
    status: str = ""
    owners: tuple[str, ...] = ()
    blocked_by: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    acceptance: str = ""
    reason: str = ""
    pointer: Pointer | None = None
    unheld: tuple[str, ...] = ()


DEFECT_WORDS = frozenset(("bug", "defect", "regression", "crash", "type: bug", "kind/bug", "bug-unconfirmed"))


def kind_of(labels: Sequence[str]) -> Literal["defect", "item", ""]:
    """`defect` where a label says so, otherwise empty."""
    return "defect" if any(label.lower() in DEFECT_WORDS for label in labels) else ""


def draft_tickets(tickets: Sequence[Ticket], known: Known, kind: Literal["defect", "item", ""] = "", remarks: Sequence[Remark] = ()) -> DraftSet:
    """Records for tickets. `kind` makes all of them of that kind; without it a ticket that is no defect is an item.

    A pull request becomes a reference. Links between tickets become links between records where a field can hold them.
    """
    drafting = _Drafting(known, list(remarks))
    chosen = [ticket if not kind else replace(ticket, kind=kind) for ticket in tickets]
    named = [ticket for ticket in chosen if drafting.name(ticket)]
    for ticket in named:
        drafting.draft(ticket)
    return DraftSet(
        drafts=tuple(drafting.owners.drafts + drafting.drafts),
        remarks=tuple(drafting.remarks + drafting.owners.remarks),
    )


class _Drafting:
    def __init__(self, known: Known, remarks: list[Remark]) -> None:
        self.known = known
        self.ids = Ids(known)
        self.owners = Owners(known, self.ids)
        self.names: dict[str, tuple[str, str]] = {}
        self.pointers: dict[tuple[str, int], str] = dict(known.references)
        self.drafts: list[Draft] = []
        self.remarks = remarks

    def name(self, ticket: Ticket) -> bool:
        """Give a ticket its kind and id before any link to it is made; False for one that has them already."""
        if ticket.key in self.names:
            self.remarks.append(lost(f"{ticket.key} stands there twice; the second one was left out"))
            return False
        if ticket.pointer is not None and ticket.pointer.type == "pull-request":
            self.names[ticket.key] = ("reference", self._reference(ticket.pointer, ticket.title))
        else:
            kind = ticket.kind or "item"
            self.names[ticket.key] = (kind, self.ids.take(kind, ticket.key))
        return True

    def draft(self, ticket: Ticket) -> None:
        kind, record_id = self.names[ticket.key]
        if kind == "reference":
            return
        values: dict[str, Any] = {"id": record_id, "title": one_line(ticket.title)}
        values.update(self._defect(ticket) if kind == "defect" else self._item(ticket))
        if ticket.unheld:
            self.remarks.append(lost(f"{ticket.key}: {', '.join(ticket.unheld)}"))
        self.drafts.append(Draft(kind, values, ticket.key))

    def _owned(self, ticket: Ticket) -> dict[str, Any]:
        if ticket.owners:
            return {"owners": list(dict.fromkeys(self.owners.id_of(name) for name in ticket.owners))}
        return {"owner_open": NOT_STATED}

    def _defect(self, ticket: Ticket) -> dict[str, Any]:
        status = {"open": "suspected", "done": "fixed", "rejected": "withdrawn"}[ticket.state]
        values: dict[str, Any] = {"status": status}
        if ticket.status and ticket.status != status:
            values["status_note"] = ticket.status
        values |= {"severity": NOT_STATED, **self._owned(ticket), "symptom": self._body(ticket) or one_line(ticket.title)}
        self.remarks.append(unknown(f"{ticket.key}: how severe the defect is"))
        needs = self._links(ticket, ticket.blocked_by, ("defect",), "blocked by")
        reported = [] if ticket.pointer is None else [self._reference(ticket.pointer, ticket.title)]
        values |= {key: links for key, links in (("reported_as", reported), ("needs", needs)) if links}
        return values | self._notes(ticket)

    def _item(self, ticket: Ticket) -> dict[str, Any]:
        status = {"open": "open", "done": "done", "rejected": "not-planned"}[ticket.state]
        values: dict[str, Any] = {"status": status}
        if status == "not-planned":
            values["reason"] = ticket.reason or NOT_STATED
        values |= self._owned(ticket)
        blockers = self._links(ticket, ticket.blocked_by, ("item", "decision", "reference"), "blocked by")
        if blockers:
            values["blocked_by"] = blockers
        if body := self._body(ticket):
            values["summary"] = body
        if ticket.acceptance:
            values["gates"] = [{"id": "accepted", "text": prose(ticket.acceptance, ticket.key, self.remarks)}]
        if ticket.pointer is not None:
            self._reference(ticket.pointer, ticket.title)
        return values | self._notes(ticket)

    def _body(self, ticket: Ticket) -> str:
        return prose(ticket.body, ticket.key, self.remarks)

    def _notes(self, ticket: Ticket) -> dict[str, Any]:
        """What has no field of its own, as a note: where it was taken from, labels, related records."""
        lines = []
        if ticket.pointer is not None:
            lines.append(f"Taken from {ticket.pointer.repository}#{ticket.pointer.number}.")
        elif ticket.key != self.names[ticket.key][1]:
            lines.append(f"Taken from `{ticket.key}`.")
        if ticket.labels:
            lines.append("Labels: " + ", ".join(f"`{label}`" for label in ticket.labels) + ".")
        related = [self.names[key][1] for key in ticket.related if key in self.names]
        if related:
            lines.append("Related: " + ", ".join(dict.fromkeys(related)) + ".")
        if ticket.reason and ticket.state == "done":
            lines.append(f"Closed: {ticket.reason}")
        return {"notes": prose("\n".join(lines), ticket.key, self.remarks)} if lines else {}

    def _links(self, ticket: Ticket, keys: Sequence[str], kinds: Sequence[str], what: str) -> list[str]:
        found = []
        for key in dict.fromkeys(keys):
            kind, record_id = self.names.get(key, ("", ""))
            if not kind:
                self.remarks.append(lost(f"{ticket.key}: {what} {key}, which is not in the source"))
            elif kind not in kinds:
                self.remarks.append(lost(f"{ticket.key}: {what} {key}, which is of kind {kind} and cannot stand there"))
            else:
                found.append(record_id)
        return found

    def _reference(self, pointer: Pointer, title: str) -> str:
        key = (pointer.repository, pointer.number)
        if key not in self.pointers:
            record_id = self.ids.take("reference", reference_id(*key))
            self.pointers[key] = record_id
            values = {
                "id": record_id,
                "title": one_line(title),
                "type": pointer.type,
                "repository": pointer.repository,
                "number": pointer.number,
                "state": pointer.state,
                "state_on": pointer.read_on,
            }
            self.drafts.append(Draft("reference", values, f"{pointer.repository}#{pointer.number}"))
        return self.pointers[key]
