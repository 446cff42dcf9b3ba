"""What defects and items share: owners, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from kvdocs.entry import Entry
from kvdocs.kind import Context
from kvdocs.model import Markdown, Record, Ref, empty_list
from kvdocs.problems import Code, Problem, Severity
from kvdocs.registry import Registry
from kvdocs.view import Cell

NO_OWNER = Code(
    "no-owner",
    Severity.ERROR,
    "A defect or item names neither an owner nor why the owner is open, or names both.",
    cause="Nobody was named, or an owner was found and `owner_open` was left behind.",
    repair="Name `owners`, or say in `owner_open` why there is none; not both.",
)


class Owned(Record):
    """A record that somebody has to take care of."""

    owners: list[Annotated[str, Ref("owner")]] = Field(default_factory=empty_list, description="Who takes care of it.")
    owner_open: Markdown | None = Field(default=None, description="Instead of owners: why nobody has it yet.")


def check_owner(entry: Entry, registry: Registry) -> Iterator[Problem]:
    """Owners, or a reason why there are none; never both."""
    record = entry.record
    assert isinstance(record, Owned)
    if not record.owners and not record.owner_open:
        yield Problem(NO_OWNER, f"{record.id} has no owner", entry.raw.place_of(), record.id, hint="name `owners`, or say in `owner_open` why it has none")
    elif record.owners and record.owner_open:
        yield Problem(NO_OWNER, f"{record.id} has owners and says that its owner is open", entry.raw.place_of(("owner_open",)), record.id, hint="remove one of the two")


def owners_cell(entry: Entry, context: Context) -> Cell:
    """Links to the owners, or the words that say why there is none."""
    record = entry.record
    assert isinstance(record, Owned)
    if record.owners:
        return tuple(context.link(owner) for owner in record.owners)
    return context.prose(record.owner_open, record.id) if record.owner_open else None
