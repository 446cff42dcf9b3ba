"""Registers and issue lists of other tools become records; what could not be read is listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.exchange import beads, doorstop, github_issues, needs
from kvdocs.exchange.draft_yaml import yaml_text
from kvdocs.exchange.drafts import DraftSet, Known
from kvdocs.exchange.register import draft_register
from kvdocs.exchange.register_rows import full_names
from kvdocs.exchange.remark import UnreadableSourceError
from kvdocs.exchange.tickets import Ticket, draft_tickets
from kvdocs.kinds import all_kinds
from kvdocs.pipeline import inspect
from kvdocs.project import Project
from kvdocs.source import load_yaml

SAMPLES = Path(__file__).parent / "samples"
Sample = Callable[[str], str]
MakeProject = Callable[[Mapping[str, str]], Project]
TODAY = date(2026, 8, 24)
NOBODY = Known(repository="us/ours", today=TODAY)
TEAM = Known(repository="us/ours", today=TODAY, owners={"beellama": "beellama", "upstream": "upstream", "this fork": "fork", "us": "fork"})
OWNERS = {f"registry/owners/{name}.yaml": f"id: {name}\ntitle: {name}\nowns: a part\n" for name in ("beellama", "upstream", "fork")}
FOLDERS = {kind.name: kind.folder for kind in all_kinds()}
MODELS = {kind.name: kind.model for kind in all_kinds()}


def problems_of(found: DraftSet, make_project: MakeProject, files: Mapping[str, str] = {}) -> list[str]:
    """The errors and warnings that `check` finds in a project that holds the drafts."""
    written = {f"registry/{FOLDERS[d.kind]}/{d.id}.yaml": yaml_text(d.values, MODELS[d.kind]) for d in found.drafts}
    return [str(problem) for problem in inspect(make_project({**files, **written})).problems if problem.severity != "info"]


def values_of(found: DraftSet, kind: str, *names: str) -> dict[str, tuple[Any, ...]]:
    return {draft.id: tuple(draft.values.get(name) for name in names) for draft in found.of(kind)}


def remarks(found: DraftSet) -> list[str]:
    return [str(remark) for remark in found.remarks]


def test_a_register_in_markdown(sample: Sample, make_project: MakeProject) -> None:
    found = draft_register(sample("register.md"), TEAM)
    assert values_of(found, "defect", "status", "status_note", "owners", "owner_open", "fixed_by") == {
        "D1": ("confirmed", "exit 134", ["beellama"], None, None),
        "D2": ("confirmed", "and reported upstream as #27678", ["upstream"], None, ["R1"]),
        "D3": ("confirmed", "1 in 3 runs; cause not established", None, "investigation; D2 correlation only", None),
        "D5": ("confirmed", None, ["beellama", "fork"], None, None),
        "D6": ("not-reproduced", "coverage is one case wide", ["beellama"], None, None),
        "D7": ("historical", "base failure; fixed by #34", ["beellama"], None, None),
    }
    assert values_of(found, "item", "status", "owners", "size", "blast_radius", "blocked_by") == {
        "R1": ("open", ["upstream"], "M-L", "very high", None),
        "R4": ("open", ["fork"], "XL", "high", ["Q1"]),
        "R5": ("open", ["fork"], "S", "low", ["R1"]),
        "R6": ("open", ["beellama", "fork"], "XL", "high", ["R9", "Q2"]),
        "R7": ("not-planned", ["beellama"], None, None, None),
        "R9": ("implemented", ["beellama"], "S", "none", None),
        "R11": ("open", ["beellama"], "M", "high", ["R9"]),
    }
    assert values_of(found, "item", "reason", "implemented_by", "next_step", "blocked_note")["R7"] == ("the build takes too long", None, None, None)
    assert values_of(found, "item", "reason", "implemented_by", "next_step", "blocked_note")["R9"] == (None, ["ours-34"], "merge and validation", None)
    assert values_of(found, "item", "blocked_note")["R11"] == ("PR #34 merge and validation",)
    assert values_of(found, "reference", "repository", "number", "type") == {"llama.cpp-27678": ("other/llama.cpp", 27678, "issue"), "ours-34": ("us/ours", 34, "pull-request")}
    assert values_of(found, "decision", "title", "decided_by") == {"Q1": ("design decision", ["fork"]), "Q2": ("ownership decision", ["beellama", "fork"])}
    assert problems_of(found, make_project, OWNERS) == []


def test_prose_goes_to_the_record_that_it_begins_with(sample: Sample) -> None:
    values = {draft.id: draft.values for draft in draft_register(sample("register.md"), TEAM).drafts}
    assert values["D2"]["symptom"].startswith("The guard does not have one value for the whole block.\n\n```cpp\n__syncthreads();")
    assert values["D1"]["symptom"] == values["D1"]["title"]
    assert values["D2"]["notes"] == values["R1"]["notes"].split("\n\n")[0] == "R1 / D2: upstream knows it as other/llama.cpp#27678."
    assert values["D6"]["notes"] == "**D6** is listed because it was recorded before."
    assert values["R1"]["notes"].split("\n\n")[1] == "R1 comes first."


def test_what_a_register_could_not_give(sample: Sample) -> None:
    assert remarks(draft_register(sample("register.md"), TEAM)) == [
        "lost: line 1: the section 'KV offload': prose that no record takes",
        "doubtful: line 10: #27678 was taken as issue other/llama.cpp#27678; its state is not recorded",
        "doubtful: line 24: R1 and D2 stand together, which was read as: R1 fixes D2",
        "doubtful: line 36: #34 was taken as pull request us/ours#34; its state is not recorded",
        "lost: line 43: a table of 1 row that is no register: Depth, host, device",
        "unknown: the blocker 'design decision': drafted as the decision Q1; its options are not in the table",
        "unknown: the blocker 'ownership decision': drafted as the decision Q2; its options are not in the table",
        "unknown: how severe these are: D1, D2, D3, D5, D6, D7",
    ]


def test_owners_that_nobody_knows_are_drafted(sample: Sample, make_project: MakeProject) -> None:
    found = draft_register(sample("register.md"), NOBODY)
    assert values_of(found, "owner", "title") == {"beellama": ("BeeLlama",), "upstream": ("upstream",), "us": ("us",), "this-fork": ("this fork",)}
    assert values_of(found, "defect", "owners")["D5"] == (["beellama", "us"],)
    assert problems_of(found, make_project) == []


def test_tables_with_tabs_as_a_copied_page_has_them() -> None:
    text = "Defects\n\n#\tDefect\tStatus\tOwner\nD1\tIt aborts\tconfirmed\tupstream\nD2\tIt is slow\tsuspected\tus\n\nD1, in detail\n\nAt line 3.\n"
    found = draft_register(text, TEAM)
    assert values_of(found, "defect", "title", "status", "owners", "symptom") == {
        "D1": ("It aborts", "confirmed", ["upstream"], "At line 3."),
        "D2": ("It is slow", "suspected", ["fork"], "It is slow"),
    }
    assert remarks(found) == ["unknown: how severe these are: D1, D2"]


def test_an_item_table_may_name_the_defects_that_are_fixed() -> None:
    text = "| id | title | status | owner | severity |\n|-|-|-|-|-|\n| D1 | a | confirmed | us | crash |\n\n| id | item | owner | blocked by | defect |\n|-|-|-|-|-|\n| R1 | b | us | - | D1 |\n"
    found = draft_register(text, TEAM)
    assert values_of(found, "defect", "fixed_by", "severity") == {"D1": (["R1"], "crash")}


def test_records_that_are_there_already_are_not_taken_again(sample: Sample) -> None:
    found = draft_register(sample("register.md"), Known(ids=frozenset(["D1", "R1"]), repository="us/ours", today=TODAY, owners=TEAM.owners))
    assert "D1" not in values_of(found, "defect")
    assert values_of(found, "item", "blocked_by")["R5"] == (["R1"],)
    assert "lost: line 9: D1: there is such a record already" in remarks(found)


def test_a_document_without_records_is_refused() -> None:
    with pytest.raises(UnreadableSourceError, match="no table of records"):
        draft_register("# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", TEAM)


@given(st.text(alphabet="|-\tDR12 #\n*ab,;:—", max_size=120))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    table = "| id | title | status | owner |\n|-|-|-|-|\n| D1 | a | confirmed | us |\n\n"
    found = draft_register(table + text, TEAM)
    assert "D1" in values_of(found, "defect")


def test_github_issues_as_the_api_lists_them(sample: Sample, make_project: MakeProject) -> None:
    tickets, said = github_issues.parse(sample("github-api.json"), "us/ours", TODAY)
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert [(draft.kind, dict(draft.values)) for draft in found.drafts] == [
        ("owner", {"id": "alice", "title": "alice", "owns": "Not stated in the source."}),
        ("reference", {"id": "ours-13", "title": "Repair it", "type": "pull-request", "repository": "us/ours", "number": 13, "state": "merged", "state_on": TODAY}),
        ("reference", {"id": "ours-12", "title": "Wrong values at hsk=64", "type": "issue", "repository": "us/ours", "number": 12, "state": "open", "state_on": TODAY}),
        (
            "defect",
            {
                "id": "D1",
                "title": "Wrong values at hsk=64",
                "status": "suspected",
                "severity": "not stated in the source",
                "owner_open": "not stated in the source",
                "symptom": "One case fails.\n\nThe template prints { { err }}.",
                "reported_as": ["ours-12"],
                "notes": "Taken from us/ours#12.\nLabels: `bug`, `cuda`.",
            },
        ),
        ("reference", {"id": "ours-14", "title": "Support another cache type", "type": "issue", "repository": "us/ours", "number": 14, "state": "closed", "state_on": TODAY}),
        (
            "item",
            {
                "id": "R1",
                "title": "Support another cache type",
                "status": "not-planned",
                "reason": "closed as not planned",
                "owners": ["alice"],
                "summary": "It would be nice.",
                "notes": "Taken from us/ours#14.\nLabels: `enhancement`.",
            },
        ),
    ]
    assert remarks(found) == [
        "unknown: comments, and whether a closed issue's repair reached this source",
        "doubtful: #12: `{{` in its text was parted, since it would be read as the citation of a figure",
        "unknown: #12: how severe the defect is",
        "lost: #12: comments",
        "unknown: what alice owns: a new owner alice was drafted",
    ]
    assert problems_of(found, make_project) == []


def test_github_issues_as_gh_prints_them(sample: Sample, make_project: MakeProject) -> None:
    tickets, said = github_issues.parse(sample("github-cli.json"), "us/ours", TODAY)
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert values_of(found, "item", "title", "status", "blocked_by") == {"R1": ("Measure the crossover", "open", ["R2"]), "R2": ("Repair the barrier", "done", None)}
    assert "lost: #21: blocked by #99, which is not in the source" in remarks(found)
    assert problems_of(found, make_project) == []


def test_all_issues_as_one_kind(sample: Sample) -> None:
    tickets, _ = github_issues.parse(sample("github-cli.json"), "us/ours", TODAY)
    assert values_of(draft_tickets(tickets, NOBODY, "defect"), "defect", "status", "needs") == {"D1": ("suspected", ["D2"]), "D2": ("fixed", None)}


def test_beads(sample: Sample, make_project: MakeProject) -> None:
    tickets, said = beads.parse(sample("beads.jsonl"))
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert values_of(found, "defect", "title", "owners", "symptom") == {"D1": ("Decode aborts at head dimension 320", ["alice"], "Exit 134.")}
    assert values_of(found, "item", "title", "status", "blocked_by", "gates", "notes") == {
        "R1": ("Route head dimension 320 to MMA", "open", ["R2"], [{"id": "accepted", "text": "The suite runs to its end."}], "Taken from `kv-2`.\nRelated: D1."),
        "R2": ("Build with line information", "done", None, None, "Taken from `kv-3`.\nClosed: merged"),
    }
    assert remarks(found) == [
        "lost: line 4: kv-4: a deleted issue",
        "lost: line 5: a line that is no issue",
        "unknown: priorities: a record's rank is computed from what it blocks and what it brings",
        "unknown: kv-1: how severe the defect is",
        "lost: kv-2: blocked by kv-9, which is not in the source",
        "lost: kv-2: estimated_minutes",
        "unknown: what alice owns: a new owner alice was drafted",
    ]
    assert problems_of(found, make_project) == []


def test_needs(sample: Sample, make_project: MakeProject) -> None:
    tickets, said = needs.parse(sample("needs.json"))
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert values_of(found, "defect", "title", "status", "status_note", "symptom", "notes") == {
        "D1": ("It aborts", "suspected", "confirmed", "Exit 134.", "Taken from `B_1`.\nRelated: R1."),
    }
    assert values_of(found, "item", "title", "status", "summary", "notes") == {
        "R1": ("Keep the cache in host memory", "open", "The cache **shall** stay in host memory.", "Taken from `R_1`.\nLabels: `kv`, `host`."),
    }
    assert problems_of(found, make_project) == []


def test_needs_without_a_schema_and_with_fields_of_the_project() -> None:
    text = '{"current_version": "2", "versions": {"1": {"needs": {}}, "2": {"needs": {"R7": {"id": "R7", "title": "t", "status": "done", "depends_on": ["R8"], "asil": "B"}, "R8": {"title": "u", "owner": "ann"}}}}}'
    tickets, said = needs.parse(text)
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert values_of(found, "item", "status", "blocked_by", "owners") == {"R7": ("done", ["R8"], None), "R8": ("open", None, ["ann"])}
    assert remarks(found)[1:3] == ["lost: other versions in the file: 1", "lost: R7: asil: B"]


def test_doorstop(sample: Sample, make_project: MakeProject) -> None:
    files = {path.name: path.read_text() for path in (SAMPLES / "doorstop").iterdir()}
    tickets, said = doorstop.parse(files)
    found = draft_tickets(tickets, NOBODY, remarks=said)
    assert values_of(found, "item", "title", "summary", "notes") == {
        "R1": ("Cache in host memory", "The cache **shall** stay in host memory.", "Taken from `REQ001`."),
        "R2": (
            "Count the bytes that are copied for each token.",
            "Count the bytes that are copied for each token.\n\nThe count is that of the driver.",
            "Taken from `TST001`.\nRelated: R1.",
        ),
    }
    assert remarks(found) == [
        "unknown: whether an item is a defect or work, its state and its owner: Doorstop has no such fields",
        "lost: REQ002 is a heading: Performance",
        "lost: TST001: invented-by: jane@example.com",
    ]
    assert problems_of(found, make_project) == []


def test_doorstop_items_in_markdown() -> None:
    tickets, _ = doorstop.parse({"REQ1.md": "---\nactive: true\nlinks: []\n---\n# A title\n\nThe text.\n"})
    assert [(ticket.key, ticket.title, ticket.body) for ticket in tickets] == [("REQ1", "A title", "The text.")]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda text: github_issues.parse(text, "", TODAY), "[{}]"),
        (beads.parse, '{"a": 1}\n'),
        (needs.parse, "{}"),
        (needs.parse, "not json"),
        (needs.parse, '{"versions": {"1": {"needs": ["N1"]}}}'),
        (lambda text: doorstop.parse({"a.yml": text}), "x: 1\n"),
    ],
)
def test_files_of_something_else_are_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(UnreadableSourceError):
        read(text)


def test_a_blocker_of_the_wrong_kind_is_named_and_left_out() -> None:
    found = draft_tickets([Ticket("a", "work", blocked_by=("b",)), Ticket("b", "a bug", kind="defect")], NOBODY)
    assert values_of(found, "item", "blocked_by") == {"R1": (None,)}
    assert "lost: a: blocked by b, which is of kind defect and cannot stand there" in remarks(found)


@given(st.lists(st.builds(Ticket, key=st.text(min_size=1, max_size=4), title=st.text(max_size=20), body=st.text(max_size=60)), max_size=6))
def test_every_draft_reads_back_as_it_was_written(tickets: list[Ticket]) -> None:
    found = draft_tickets(tickets, NOBODY)
    ids = [draft.id for draft in found.drafts]
    assert len(set(ids)) == len(ids)
    for draft in found.drafts:
        assert load_yaml(yaml_text(draft.values).encode()) == dict(draft.values)


@given(st.text(max_size=80))
def test_any_text_survives_yaml(text: str) -> None:
    printable = re.sub(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd]", "", text)
    assert load_yaml(yaml_text({"id": "D1", "text": printable, "words": [printable, "a"]}).encode()) == {"id": "D1", "text": printable, "words": [printable, "a"]}


def test_the_fullest_table_of_several_with_the_same_records_is_read() -> None:
    brief = "| Rank | # | What | Waits for |\n|-|-|-|-|\n| 1 | R1 | a | R2 |\n\n"
    full = "| # | Title | Owner | Size | Blocked by |\n|-|-|-|-|-|\n| [R1](#r1) | **a** | [us](#us) | M | [Q3 the choice](#q3) |\n| [R2](#r2) | b | us | S | — |\n"
    found = draft_register(brief + full, TEAM)
    assert values_of(found, "item", "title", "owners", "size", "blocked_by") == {"R1": ("**a**", ["fork"], "M", ["Q3"]), "R2": ("b", ["fork"], "S", None)}
    assert values_of(found, "decision", "title") == {"Q3": ("the choice",)}


def test_a_long_word_in_a_register_was_looked_through_once_for_each_of_its_characters() -> None:
    assert full_names("x" * 300_000 + " in owner/name#12 and (owner/other#12), else/where#3.") == {3: "else/where"}
