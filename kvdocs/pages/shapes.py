"""The documents that commands print for programs: each schema name, what prints it, and every field of it.

The commands build these documents from their own values. The models here describe them to readers;
`tests/docs/test_json_shapes.py` holds what the commands really print against them, so neither can drift.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field

from kvdocs.kinds.result import Result
from kvdocs.model import Part
from kvdocs.pages.edit_shapes import EditDocument, FormatDocument, ProblemEntry
from kvdocs.pages.execution_shapes import DryRunDocument, GatesDocument, ImportedDocument, IntakeDocument, PackDocument, PlanDocument, RunDocument
from kvdocs.pages.figure_shapes import ComparisonDocument, Computed, FigureDocument
from kvdocs.pages.figure_shapes import Document as Document  # noqa: PLC0414  # the base of all documents, so exported from here too
from kvdocs.pages.outside_shapes import ErrorDocument, PublishDocument, RenderDocument, SyncDocument


class Row(Document):
    """A record in the order of work."""

    id: str
    kind: Literal["item", "decision", "reference"]
    title: str
    state: Literal["actionable", "in_review", "waiting", "done", "not_planned"]
    rank: int | None = Field(description="Its place, from 1; null for what is done, not planned, or a reference.")
    owners: list[str] = Field(description="Ids of owners; of a decision, who decides.")
    owner_open: str | None = Field(description="Why it has no owner.")
    size: str | None
    blast_radius: str | None
    blocked_by: list[str] = Field(description="What it waits for; finished blockers are left out.")
    unlocks: list[str] = Field(description="What waits for it directly.")
    next_step: str | None = Field(description="What to do with it now; null when it waits.")
    why: str = Field(description="Why it stands there, in words.")


class RowsLeftOut(Document):
    """How many rows of each list `--limit` left out."""

    actionable: int
    in_review: int
    waiting: int
    done: int
    not_planned: int


class OrderDocument(Document):
    """What to do next: one list for each state, in rank order."""

    schema_: Literal["kvdocs/order/v1"] = Field(alias="schema")
    actionable: list[Row] = Field(description="Nothing is missing: it can be started or decided.")
    in_review: list[Row] = Field(description="Written; what is missing is a merge or a validation. `--limit N` leaves the first N by rank of this list and `actionable` together, so that `--limit 1` is what to do now.")
    waiting: list[Row] = Field(description="What it waits for is in `blocked_by`. `--limit N` leaves N rows here, and as many in each list after it.")
    done: list[Row]
    not_planned: list[Row]
    left_out: RowsLeftOut = Field(description="How many rows `--limit N` left out of each list; rows that `--owner` does not ask for are not counted. Without `--limit` each is 0.")


class ChainStep(Document):
    """One record of a chain of reasons."""

    depth: int = Field(description="0 for the record itself, 1 for what it waits for, and so on.")
    id: str
    state: str
    text: str


class ExplanationDocument(Document):
    """Why a record stands where it does."""

    schema_: Literal["kvdocs/explanation/v1"] = Field(alias="schema")
    id: str
    chain: list[ChainStep]
    neighbours: list[str] = Field(description="What stands before and after it, in words.")
    changes: list[str] = Field(description="What would change its place, in words; each was tried out.")


class PathDocument(Document):
    """Work in the order in which it has to be done."""

    schema_: Literal["kvdocs/path/v1"] = Field(alias="schema")
    goal: str | None = Field(description="The record that `--for` named; null for the critical path.")
    weight: float = Field(description="The summed effort: XS 1, S 2, M 4, L 8, XL 16, a decision 1.")
    steps: list[Row]


class ProblemsDocument(Document):
    """Everything that is wrong with the record."""

    schema_: Literal["kvdocs/problems/v1"] = Field(alias="schema")
    counts: dict[str, int] = Field(description="How many of each severity; all three are present.")
    problems: list[ProblemEntry]


class LinkTo(Document):
    """A link of a record."""

    field: str
    to: str


class LinkFrom(Document):
    """A link of another record to this one."""

    field: str
    from_: str = Field(alias="from")
    kind: str


class LeftOut(Document):
    """Why an execution counts for nothing. All but `words` is null where it was superseded, not withdrawn."""

    words: str
    by: str | None = Field(description="Who withdrew it.")
    on: str | None = Field(description="The day, as YYYY-MM-DD.")
    because: str | None
    record: str | None = Field(description="The id of the withdrawal.")


class EvidenceSum(Document):
    """The executions in one environment and on one source."""

    environment: str
    source: str = Field(description="The commit, and what the source tree had beyond it.")
    words: str = Field(description="Such as `reproduced in 3 of 3`.")


class EvidenceExecution(Document):
    """An execution that bears on a record."""

    result: str
    script: str
    environment: str
    source: str
    verdict: Literal["reproduced", "not-reproduced", "inconclusive"]
    bearing: Literal["supports", "contradicts", "inconclusive", "silent", "left out"] = Field(description="What it says of the status of the record.")
    stale: list[str] = Field(description="Why it no longer speaks for today; empty when it does.")
    left_out: str | None = Field(description="That it was withdrawn or superseded, in words; null where it counts.")
    labels: list[str] = Field(description="What must be said wherever it is shown.")


class EvidenceEntry(Document):
    """What executions say of a record."""

    summary: list[EvidenceSum]
    executions: list[EvidenceExecution] = Field(description="Newest last.")


class RecordDocument(Document):
    """One record with its links in both directions."""

    schema_: Literal["kvdocs/record/v1"] = Field(alias="schema")
    id: str
    kind: str
    title: str
    path: str
    line: int
    order: Row | None = Field(description="Its row in the order; null for kinds that have no place in it.")
    computed: Computed | None = Field(description="Null for records that have no figures.")
    left_out: LeftOut | None = Field(description="Of an execution that counts for nothing; null for every other record.")
    evidence: EvidenceEntry | None = Field(description="What executions say of it; null when nothing was executed for it.")
    fields: dict[str, Any] = Field(description="As in the YAML, with the defaults filled in.")
    links: list[LinkTo]
    back_links: list[LinkFrom]


class RegistryDocument(Document):
    """All records."""

    schema_: Literal["kvdocs/registry/v1"] = Field(alias="schema")
    title: str
    counts: dict[str, int] = Field(description="How many records of each kind.")
    records: list[RecordDocument]


class ExportDocument(Document):
    """Records for another program."""

    schema_: Literal["kvdocs/export/v1"] = Field(alias="schema")
    program: str
    records: list[RecordDocument]


class GraphNode(Document):
    """A record in the graph."""

    id: str
    kind: str
    title: str
    state: str = Field(description="As in the order; for a defect its status.")
    owners: list[str]
    rank: int | None


class GraphEdge(Document):
    """`source` comes before `target`."""

    source: str
    target: str
    relation: Literal["blocks", "fixes"]


class GraphDocument(Document):
    """The dependency graph."""

    schema_: Literal["kvdocs/graph/v1"] = Field(alias="schema")
    nodes: list[GraphNode]
    edges: list[GraphEdge]


class ChangeEntry(Document):
    """One change of one field."""

    commit: str | None = Field(description="Null for what is not committed.")
    date: str | None
    author: str | None
    subject: str = Field(description="The first line of the commit's message.")
    record: str
    kind: str
    field: str = Field(description="Empty when the record came or went.")
    before: str | None
    after: str | None
    topic: Literal["record", "status", "owner", "blockers", "values", "text", "other"]
    words: str


class HistoryDocument(Document):
    """What changed when, the newest first."""

    schema_: Literal["kvdocs/history/v1"] = Field(alias="schema")
    since: str | None
    limits: list[str] = Field(description="What cannot be known here, such as in a shallow clone.")
    changes: list[ChangeEntry]


class FieldDifference(Document):
    """One field that has another value."""

    record: str
    kind: str
    topic: Literal["record", "status", "owner", "blockers", "values", "text", "other"]
    field: str = Field(description="Empty when the record came or went.")
    before: str | None
    after: str | None
    words: str


class Turned(Document):
    """Something computed of a record that has another value."""

    record: str
    name: str = Field(description="A figure, the title of a claim or of a record, `executions`, or a gate.")
    before: str
    after: str
    reason: str


class BeforeAfter(Document):
    """Ids in rank order, in both versions."""

    before: list[str]
    after: list[str]


class NewAndSolved(Document):
    """Problems that came and those that went."""

    new: list[ProblemEntry]
    solved: list[ProblemEntry]


class DiffDocument(Document):
    """What changed between two versions of the registry."""

    schema_: Literal["kvdocs/diff/v1"] = Field(alias="schema")
    before: str = Field(description="The version that was named first.")
    after: str = Field(description="The other version; `working tree` for the files as they are.")
    changes: list[FieldDifference]
    figures: list[Turned] = Field(description="Computed cells with another value.")
    claims: list[Turned] = Field(description="Claims with another verdict.")
    evidence: list[Turned] = Field(description="What executions say, and gates with another verdict.")
    states: list[Turned] = Field(description="Records with another state in the order of work.")
    actionable: BeforeAfter = Field(description="What can be worked on, or is in review.")
    problems: NewAndSolved


class Shape(NamedTuple):
    """A document: its model, who makes it, and the name of its example."""

    model: type[Part]
    made_by: tuple[str, ...]
    example: str

    @property
    def name(self) -> str:
        """The name that stands under `schema`."""
        (name,) = get_args(self.model.model_fields["schema_"].annotation)
        return str(name)

    @property
    def anchor(self) -> str:
        """Where the page tells of it."""
        return self.name.replace("/", "-")


EDITS = ("new", "set", "link", "unlink", "rename", "ack")

SHAPES: tuple[Shape, ...] = (
    Shape(OrderDocument, ("kvdocs order --json", "api/order.json"), "order"),
    Shape(ExplanationDocument, ("kvdocs order --explain ID --json",), "explanation"),
    Shape(PathDocument, ("kvdocs order --for ID --json", "kvdocs order --critical-path --json"), "path"),
    Shape(ProblemsDocument, ("kvdocs check --json", "api/problems.json"), "problems"),
    Shape(RecordDocument, ("kvdocs show ID --json", "api/records/ID.json"), "record"),
    Shape(FigureDocument, ('kvdocs show "M1.gain[4096]" --json',), "figure"),
    Shape(ComparisonDocument, ("kvdocs compare ID --json",), "comparison"),
    Shape(RegistryDocument, ("api/registry.json",), ""),
    Shape(ExportDocument, ("kvdocs export json",), ""),
    Shape(GraphDocument, ("kvdocs graph --format json",), "graph"),
    Shape(HistoryDocument, ("kvdocs log --json",), "history"),
    Shape(DiffDocument, ("kvdocs diff --json",), "diff"),
    Shape(GatesDocument, ("kvdocs gate ID --json",), "gates"),
    Shape(PlanDocument, ("kvdocs run ID --plan --json",), "plan"),
    Shape(DryRunDocument, ("kvdocs run ID --dry-run --json",), ""),
    Shape(RunDocument, ("kvdocs run ID --json",), ""),
    Shape(Result, ("registry/results/…/result.json",), ""),
    Shape(PackDocument, ("kvdocs pack ID --json",), "pack"),
    Shape(IntakeDocument, ("kvdocs import results DIR --json",), "intake"),
    Shape(ImportedDocument, ("kvdocs import log FILE --json", "and the other imports of logs"), ""),
    Shape(EditDocument, (*(f"kvdocs {name} --json" for name in EDITS), "the imports of records and benchmarks"), "edit"),
    Shape(FormatDocument, ("kvdocs fmt --json",), "format"),
    Shape(RenderDocument, ("kvdocs render --check DIR --json", "kvdocs render --out DIR --json"), "render"),
    Shape(SyncDocument, ("kvdocs sync --json",), ""),
    Shape(PublishDocument, ("kvdocs publish --json",), ""),
    Shape(ErrorDocument, ("any command with --json that cannot be carried out",), "error"),
)  # fmt: skip
"""Every document, in the order of the reference page."""
