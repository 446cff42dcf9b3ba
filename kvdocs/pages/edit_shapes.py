"""The documents of problems and of edits."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from kvdocs.pages.figure_shapes import Document


class PlaceNote(Document):
    """A further place that belongs to a problem."""

    path: str
    line: int
    col: int
    message: str


class ProblemEntry(Document):
    """One thing that is wrong."""

    code: str = Field(description="A code of the page of problems.")
    severity: Literal["error", "warning", "info"]
    path: str = Field(description="Relative to the project's root, with `/`.")
    line: int
    col: int
    record: str | None
    message: str
    hint: str | None
    related: list[PlaceNote]
    acknowledged: str | None = Field(description="The reason, when the record accepts the warning.")


class ChangedFile(Document):
    """A file of an edit."""

    path: str
    action: Literal["created", "changed", "deleted"]


class EditDocument(Document):
    """What an edit changes."""

    schema_: Literal["kvdocs/edit/v1"] = Field(alias="schema")
    written: bool
    refused: bool = Field(description="True when it would bring new errors; nothing was written then.")
    files: list[ChangedFile]
    diff: str = Field(description="A unified diff, as `git apply` takes it.")
    new_problems: list[ProblemEntry]
    solved_problems: list[ProblemEntry]
    notes: list[str]


class FormatDocument(Document):
    """What formatting changes."""

    schema_: Literal["kvdocs/format/v1"] = Field(alias="schema")
    written: bool
    files: list[str]
    diff: str
    problems: list[ProblemEntry]
