"""The documents of commands that talk to other machines, and of errors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kvdocs.pages.edit_shapes import EditDocument
from kvdocs.pages.figure_shapes import Document


class SeenReference(Document):
    """A reference, as recorded and as its host has it now."""

    id: str
    before: Literal["open", "closed", "merged", "exists", "not-recorded"] = Field(description="The state on record.")
    looked_at: bool = Field(description="False when the host could not be asked any more.")
    after: Literal["open", "closed", "merged", "exists"] | None = Field(description="The state there; null when it is not known.")
    title: str | None = Field(description="Its title there.")
    closed_on: str | None
    merge_commit: str | None
    moved_to: str | None = Field(description="`owner/name#number`, when it is somewhere else than on record.")
    remark: str | None = Field(description="Why nothing is known of it, or what is odd about it.")
    from_cache: bool = Field(description="True when the host said that nothing changed since the last question.")


class NewState(Document):
    """A record with another state in the order of work, if what was seen is written."""

    record: str
    before: str
    after: str
    reason: str


class SyncDocument(Document):
    """What the host says of references, and what follows."""

    schema_: Literal["kvdocs/sync/v1"] = Field(alias="schema")
    stopped: str | None = Field(description="Why not everything was looked at; the exit code is 3 then.")
    asked: int = Field(description="How many questions were asked.")
    remaining: int | None = Field(description="How many more the host allows, where it says so.")
    references: list[SeenReference]
    states: list[NewState]
    edit: EditDocument = Field(description="The edit that records it, as edits have it.")


class PublishDocument(Document):
    """What was published, and where."""

    schema_: Literal["kvdocs/publish/v1"] = Field(alias="schema")
    published: str = Field(description="The commit of the record.")
    remote: str
    branch: str
    commit: str | None = Field(description="The commit of the site on the branch; null with `--dry-run`.")
    version: str | None
    aliases: list[str]


class RenderedDocument(Document):
    """A document for another repository."""

    path: str = Field(description="Relative to the folder.")
    state: Literal["missing", "out of date", "up to date", "written", "kept"] = Field(description="`written` and `kept` with `--out`, the others with `--check`.")


class RenderDocument(Document):
    """The documents for another repository, and whether its folder has them as they are now."""

    schema_: Literal["kvdocs/render/v1"] = Field(alias="schema")
    folder: str = Field(description="As it was named.")
    up_to_date: bool = Field(description="With `--check` the exit code is 1 when this is false.")
    documents: list[RenderedDocument]


class ErrorDocument(Document):
    """Why a command could not be carried out. Its exit code is 2."""

    schema_: Literal["kvdocs/error/v1"] = Field(alias="schema")
    error: str
    hint: str | None
