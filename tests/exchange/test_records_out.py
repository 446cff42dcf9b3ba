"""Records as JSON, CSV, needs.json, beads JSONL and issue texts, held against the tools that read these formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from kvdocs.exchange import beads, needs
from kvdocs.exchange.draft_yaml import yaml_text
from kvdocs.exchange.drafts import Known
from kvdocs.exchange.record_exports import export_beads, export_github, export_json, export_needs, fenced
from kvdocs.exchange.records_csv import draft_csv, write_csv
from kvdocs.exchange.remark import UnreadableSourceError
from kvdocs.exchange.tickets import draft_tickets
from kvdocs.kinds import all_kinds
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.item import Item
from kvdocs.pipeline import Inspection
from kvdocs.source import load_yaml

InspectFiles = Callable[[Mapping[str, str]], Inspection]
AT = datetime(2026, 8, 24, 12, 0, tzinfo=UTC)
KINDS = [kind.name for kind in all_kinds()]
FILES = {
    "registry/owners/us.yaml": "id: us\ntitle: Us\nowns: everything\n",
    "registry/defects/D1.yaml": """
        id: D1
        title: It aborts
        status: confirmed
        severity: aborts the process
        owners: [us]
        symptom: |-
          Exit 134, at a case
          with 320 columns.
        command: run -x
        output: |-
          ```
          fatal error
        fixed_by: [R1]
        not_established: [Whether others see it.]
        """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Route it elsewhere
        status: open
        owners: [us]
        size: S-M
        blocked_by: [R2]
        payoffs: [{what: speed, gain: 1.50, basis: estimate}]
        gates: [{id: suite, text: The suite runs to its end.}]
        """,
    "registry/roadmap/R2.yaml": """
        id: R2
        title: Ask first
        status: not-planned
        reason: nobody answers; nobody will
        owner_open: nobody wants it
        """,
}


@pytest.fixture
def records(inspect_files: InspectFiles) -> Inspection:
    return inspect_files(FILES)


def test_csv_has_a_column_for_each_field_that_is_set(records: Inspection) -> None:
    assert write_csv(entry.record for entry in records.registry.of("item")) == (
        "id,title,owners,owner_open,status,reason,size,blocked_by,payoffs,gates\n"
        'R1,Route it elsewhere,us,,open,,S-M,R2,"[{""what"": ""speed"", ""gain"": 1.50, ""basis"": ""estimate""}]","[{""id"": ""suite"", ""text"": ""The suite runs to its end.""}]"\n'
        "R2,Ask first,,nobody wants it,not-planned,nobody answers; nobody will,,,,\n"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_csv_gives_back_every_record_of_this_registry(kind: str, this_registry: Inspection) -> None:
    """Through the YAML that an import writes: each record is the same afterwards."""
    entries = this_registry.registry.of(kind)
    if not entries:
        assert kind in ("result", "script", "withdrawal"), f"there is no {kind} to try it on"
        return
    model = type(entries[0].record)
    found = draft_csv(write_csv(entry.record for entry in entries), kind, model, Known(prefixes={k.name: k.prefix for k in all_kinds() if k.prefix}))
    assert found.remarks == ()
    again = {draft.id: model.model_validate(load_yaml(yaml_text(draft.values, model).encode())) for draft in found.drafts}
    assert again == {entry.id: entry.record for entry in entries}


def test_csv_from_a_spreadsheet() -> None:
    text = "\ufeffID,Title,Status,Owner,Blocked by,Colour\nR7,Do it,open,us; them,R1,red\n,Do more,open,us,,\nx,Again,open,us,,,extra\n\n"
    found = draft_csv(text, "item", Item, Known())
    assert [dict(draft.values) for draft in found.drafts] == [
        {"id": "R7", "title": "Do it", "owners": ["us", "them"], "status": "open", "blocked_by": ["R1"]},
        {"id": "R1", "title": "Do more", "owners": ["us"], "status": "open"},
        {"id": "R2", "title": "Again", "owners": ["us"], "status": "open"},
    ]
    assert [str(remark) for remark in found.remarks] == [
        "lost: the column 'Colour': item has no such field",
        "lost: line 4: 1 cells beyond the last heading",
        "lost: line 4: the id x, which is taken or no id of item: it became R2",
    ]


def test_csv_of_something_else_is_refused() -> None:
    with pytest.raises(UnreadableSourceError, match="no column `id` or `title`"):
        draft_csv("a,b\n1,2\n", "defect", Defect, Known())


def test_csv_with_line_ends_of_another_system_was_a_traceback() -> None:
    for end in ("\r", "\r\n"):
        found = draft_csv(end.join(("id,title,status", '"R7","Do it",open', "R8,Do more,done", "")), "item", Item, Known())
        assert [dict(draft.values) for draft in found.drafts] == [{"id": "R7", "title": "Do it", "status": "open"}, {"id": "R8", "title": "Do more", "status": "done"}]


def test_csv_with_a_cell_that_no_reader_takes_was_a_traceback() -> None:
    with pytest.raises(UnreadableSourceError, match=r"^line 2: field larger than field limit \(131072\)$"):
        draft_csv(f"id,title\nR7,{'a' * 200_000}\n", "item", Item, Known())
    found = draft_csv(f"id,title,payoffs\nR7,Do it,{'[' * 100_000}\n", "item", Item, Known())
    assert ([dict(draft.values) for draft in found.drafts], [str(remark) for remark in found.remarks]) == ([{"id": "R7", "title": "Do it"}], ["lost: line 2: payoffs: nested too deeply"])


def test_json_holds_whole_records(records: Inspection) -> None:
    export = export_json(records.registry, list(records.registry))
    document = json.loads(export.files["records.json"])
    assert (document["schema"], [record["id"] for record in document["records"]]) == ("kvdocs/export/v1", ["D1", "R1", "R2", "us"])
    assert document["records"][0]["fields"]["fixed_by"] == ["R1"]


def test_needs_json_is_read_by_the_library_of_its_makers(records: Inspection) -> None:
    import ub_needs_exchange as exchange

    export = export_needs(records.registry, list(records.registry), "Test", AT)
    version = exchange.parse(export.files["needs.json"]).select_version(None)
    assert {record.key: record.fields["title"] for record in version.records()} == {"D1": "It aborts", "R1": "Route it elsewhere", "R2": "Ask first", "us": "Us"}
    assert not version.diagnostics


def test_needs_json_and_back(records: Inspection) -> None:
    export = export_needs(records.registry, list(records.registry), "Test", AT)
    assert [str(remark) for remark in export.remarks] == [
        "lost: fields that are neither text nor links: numbers, tables, gates, payoffs and observations",
        "doubtful: sphinx-needs takes ids such as D1 only with a wider `needs_id_regex` than its default",
    ]
    tickets, _ = needs.parse(export.files["needs.json"])
    found = draft_tickets([ticket for ticket in tickets if ticket.key != "us"], Known())
    assert {draft.id: (draft.kind, draft.values["title"], draft.values.get("blocked_by")) for draft in found.drafts if draft.kind != "owner"} == {
        "D1": ("defect", "It aborts", None),
        "R1": ("item", "Route it elsewhere", ["R2"]),
        "R2": ("item", "Ask first", None),
    }


def test_beads(records: Inspection) -> None:
    export = export_beads(records.registry, list(records.registry), "kv", AT)
    defect, item, rejected = (json.loads(line) for line in export.files["issues.jsonl"].splitlines())
    stamp = "2026-08-24T12:00:00+00:00"
    assert defect == {
        "id": "kv-d1",
        "title": "It aborts",
        "description": "Exit 134, at a case\nwith 320 columns.",
        "status": "open",
        "priority": 2,
        "issue_type": "bug",
        "created_at": stamp,
        "updated_at": stamp,
        "labels": ["defect", "confirmed"],
        "assignee": "us",
        "dependencies": [{"issue_id": "kv-d1", "depends_on_id": "kv-r1", "type": "related", "created_at": stamp, "created_by": "kvdocs"}],
    }
    assert item["acceptance_criteria"] == "- The suite runs to its end."
    assert item["dependencies"][0]["type"] == "blocks"
    assert (rejected["status"], rejected["closed_at"], rejected["close_reason"]) == ("closed", stamp, "nobody answers; nobody will")
    assert str(export.remarks[-1]) == "lost: records of other kinds: owners, and the links to them"
    tickets, _ = beads.parse(export.files["issues.jsonl"])
    assert [(t.key, t.kind, t.state, t.blocked_by) for t in tickets] == [("kv-d1", "defect", "open", ()), ("kv-r1", "item", "open", ("kv-r2",)), ("kv-r2", "item", "done", ())]


def test_issue_texts(records: Inspection) -> None:
    defect = records.registry.get("D1")
    assert defect is not None
    assert export_github(records.registry, [defect]).files == {
        "D1.md": """\
# It aborts

Exit 134, at a case
with 320 columns.

- **Status**: confirmed
- **Severity**: aborts the process
- **Owners**: us
- **Fixed by**: R1
- **Command**: `run -x`

## What it prints

````text
```
fatal error
````

## What is not established

- Whether others see it.
"""
    }


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fenced("a\n````\nb", "x") == "`````x\na\n````\nb\n`````"
