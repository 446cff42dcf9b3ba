"""Results as in-toto statements, JUnit XML, KCIDB reports and an upstream issue, held against the libraries of these formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from kvdocs.evidence.outside import Execution, Source, add_execution
from kvdocs.evidence.spec import ScriptSpec
from kvdocs.exchange import junit
from kvdocs.exchange.result_exports import Executed, export_intoto, export_junit, export_kcidb
from kvdocs.exchange.upstream_issue import excerpt, export_issue
from kvdocs.kinds.defect import Defect
from kvdocs.pipeline import Inspection

InspectFiles = Callable[[Mapping[str, str]], Inspection]
COMMIT = "775450a68" + "0" * 31
SPEC = ScriptSpec(
    id="d4-test-kvarn",
    about=("D4",),
    expect={"reproduced": [{"exit": 134}, {"pattern": r"GGML_ASSERT\(ok\) failed"}], "not_reproduced": [{"exit": 0}]},
)
LOG = "loading\nggml-cuda.cu:4389: GGML_ASSERT(ok) failed\nframe\n"
FILES = {
    "registry/environments/h200.yaml": "id: h200\ntitle: An H200\ngpus: [{name: NVIDIA H200, compute_capability: '9.0'}]\ndriver: 580.159.04\n",
    "registry/owners/us.yaml": "id: us\ntitle: Us\nowns: everything\n",
    "registry/defects/D4.yaml": """
        id: D4
        title: "`test-kvarn` aborts"
        status: confirmed
        severity: aborts the test
        owners: [us]
        repository: us/ours
        commit: 775450a68
        environment: h200
        symptom: The test aborts.
        command: ctest -R test-kvarn
        output: reported output
        locations: [{path: ggml/ggml-cuda.cu, line: 4389, what: the assertion}]
        observations: [{what: it aborted, environment: h200, failures: 1, runs: 1}]
        not_established: [Whether a real model meets it.]
        """,
}


@pytest.fixture
def executed(tmp_path: Path) -> Callable[..., Executed]:
    """Store an execution and give it as exports see it."""

    def execute(log: str = LOG, **given: Any) -> Executed:
        facts = {
            "environment": "h200",
            "command": "bin/test-kvarn",
            "exit_code": 134,
            "commit": COMMIT,
            "repository": "us/ours",
            "started": "2026-11-29T15:00:00Z",
            "duration_s": 1.5,
        }
        stored = add_execution(tmp_path / "results", SPEC, Execution(stdout=Source("log", BytesIO(log.encode())), **{**facts, **given}), {})
        return Executed(stored.record, log)

    return execute


def test_intoto_statement(executed: Callable[..., Executed]) -> None:
    result = executed()
    export = export_intoto([result])
    (name, text), *_ = export.files.items()
    statement = json.loads(text)
    assert name == f"{result.record['id']}.intoto.json"
    assert (statement["_type"], statement["predicateType"]) == ("https://in-toto.io/Statement/v1", "urn:kvdocs:evidence:v1")
    assert statement["subject"] == [{"name": "git+https://github.com/us/ours", "digest": {"gitCommit": COMMIT}}]
    assert statement["predicate"] == result.record
    assert [str(remark) for remark in export.remarks] == ["lost: a signature: the statements are not signed"]


def test_intoto_without_the_whole_hash_of_the_commit(executed: Callable[..., Executed]) -> None:
    result = executed(commit="775450a68")
    export = export_intoto([result])
    statement = json.loads(next(iter(export.files.values())))
    assert [subject["name"] for subject in statement["subject"]] == ["stdout.log"]
    assert str(export.remarks[0]) == f"unknown: {result.name}: the whole hash of the commit, so the statement is not about the source"


@pytest.mark.parametrize("test_result", [False, True])
def test_intoto_is_accepted_by_the_library_of_its_makers(executed: Callable[..., Executed], test_result: bool) -> None:
    from google.protobuf import json_format
    from in_toto_attestation.v1 import statement as attestation

    text = next(iter(export_intoto([executed()], test_result=test_result).files.values()))
    attestation.Statement.copy_from_pb(json_format.Parse(text, attestation.spb.Statement())).validate()


def test_intoto_test_result(executed: Callable[..., Executed]) -> None:
    statement = json.loads(next(iter(export_intoto([executed()], test_result=True).files.values())))
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    predicate = {key: value for key, value in statement["predicate"].items() if key != "configuration"}
    assert predicate == {"result": "FAILED", "passedTests": [], "warnedTests": [], "failedTests": ["d4-test-kvarn"]}


def test_junit_is_read_back(executed: Callable[..., Executed]) -> None:
    results = [executed(), executed("fine\n", exit_code=0), executed("half\n", exit_code=124, timed_out=True), executed("control \x1b[1m\x00\n", exit_code=7)]
    report = junit.parse(export_junit(results).files["results.junit.xml"])
    assert [(case.suite, case.classname, case.outcome.value, case.seconds) for case in report.cases] == [
        ("h200", "h200.d4-test-kvarn", "failed", 1.5),
        ("h200", "h200.d4-test-kvarn", "passed", 1.5),
        ("h200", "h200.d4-test-kvarn", "error", 1.5),
        ("h200", "h200.d4-test-kvarn", "error", 1.5),
    ]
    assert report.whole
    assert [str(remark) for remark in report.remarks] == ["unknown: the source commit, the command and the environment: JUnit XML has no place for them"]


def test_kcidb(executed: Callable[..., Executed], inspect_files: InspectFiles) -> None:
    defect = inspect_files(FILES).registry.record("D4", Defect)
    assert defect is not None
    results = [executed(), executed("fine\n", exit_code=0), executed("half\n", exit_code=124, timed_out=True)]
    report = json.loads(export_kcidb(results, [defect]).files["kcidb.json"])
    assert report["version"] == {"major": 5, "minor": 3}
    assert [test["status"] for test in report["tests"]] == ["FAIL", "PASS", "ERROR"]
    assert [(incident["issue_id"], incident["present"]) for incident in report["incidents"]] == [("kvdocs:D4", True), ("kvdocs:D4", False)]
    assert len(report["checkouts"]) == len(report["builds"]) == 1
    assert report["checkouts"][0]["git_commit_hash"] == COMMIT
    assert report["tests"][0]["log_excerpt"] == LOG


def test_kcidb_is_accepted_by_the_schema_of_its_makers(executed: Callable[..., Executed], inspect_files: InspectFiles) -> None:
    from kcidb_io import schema

    defect = inspect_files(FILES).registry.record("D4", Defect)
    assert defect is not None
    for results in ([executed()], [executed(commit=None), executed("\0" * 20_000, commit="775450a68", exit_code=1)], []):
        schema.LATEST.validate(json.loads(export_kcidb(results, [defect]).files["kcidb.json"]))


def test_an_upstream_issue(executed: Callable[..., Executed], inspect_files: InspectFiles) -> None:
    registry = inspect_files(FILES).registry
    defect = registry.record("D4", Defect)
    assert defect is not None
    results = [executed(), executed("fine\n", exit_code=0), executed("half\n", exit_code=124, timed_out=True)]
    export = export_issue(defect, registry, results, "https://github.com", "us/ours")
    assert export.remarks == ()
    assert export.files["D4.md"] == (
        """\
# `test-kvarn` aborts

The test aborts.

### Environment

- `h200`: NVIDIA H200 (sm_90), driver 580.159.04

### How to reproduce

On us/ours at 775450a680000000000000000000000000000000:

```bash
bin/test-kvarn
```

### Output

```text
loading
ggml-cuda.cu:4389: GGML_ASSERT(ok) failed
frame
```

### Where

- [`ggml/ggml-cuda.cu:4389`](https://github.com/us/ours/blob/775450a68/ggml/ggml-cuda.cu#L4389): the assertion

### How often

| environment | source | reproduced | undecided |
|---|---|---|---|
| h200 | us/ours@775450a68 | 1 of 2 | 1 |

### Reported, not executed by this record

- it aborted (1 of 1 runs) [h200]

### Not established

- Whether a real model meets it.
"""
    )


def test_an_issue_counts_apart_what_is_not_the_same_source_and_leaves_own_programs_out(executed: Callable[..., Executed], inspect_files: InspectFiles) -> None:
    """A run on a patched tree lowered the rate of the commit, and a program that shows the mechanism stood beside it with an unknown source."""
    registry = inspect_files(FILES).registry
    defect = registry.record("D4", Defect)
    assert defect is not None
    plain = executed()
    source = {**plain.record["source"], "dirty": True, "only_patches": True, "patches": [{"id": "P6", "output_correct": True}]}
    clean = {**plain.record["judgement"], "verdict": "not-reproduced"}
    results = [plain, Executed({**plain.record, "source": source, "judgement": clean}), Executed({**plain.record, "purpose": "kernel", "source": None})]
    text = export_issue(defect, registry, results, "https://github.com", "us/ours").files["D4.md"]
    assert [line for line in text.splitlines() if line.startswith("| h200")] == ["| h200 | us/ours@775450a68 | 1 of 1 | 0 |", "| h200 | us/ours@775450a68 with P6 | 0 of 1 | 0 |"]
    incidents = json.loads(export_kcidb(results, [defect]).files["kcidb.json"])["incidents"]
    assert [incident["present"] for incident in incidents] == [True, False]


def test_an_issue_without_executions_says_that_its_output_is_reported(inspect_files: InspectFiles) -> None:
    registry = inspect_files(FILES).registry
    defect = registry.record("D4", Defect)
    assert defect is not None
    export = export_issue(defect, registry, [], "https://github.com", "us/ours")
    text = export.files["D4.md"]
    assert "### Output\n\nAs reported:\n\n```text\nreported output\n```" in text
    assert "### How often" not in text
    assert [str(remark) for remark in export.remarks] == ["unknown: an execution that reproduced it: command and output are as reported"]


def test_an_issue_names_things_as_the_reader_knows_them(this_registry: Inspection) -> None:
    """D2 of this repository cites a reference by its id here, and other records that only this registry has."""
    defect = this_registry.registry.record("D2", Defect)
    assert defect is not None
    export = export_issue(defect, this_registry.registry, [], "https://github.com", "us/ours")
    text = export.files["D2.md"]
    assert "ggml-org/llama.cpp@0208355f4" in text
    assert "upstream-0208355f42" not in text
    assert "{{" not in text
    assert str(export.remarks[0]).startswith("doubtful: ids that mean nothing to the reader are left in the text: ")
    assert str(export.remarks[0]).endswith("D2, D3")


def test_a_long_output_is_shown_around_the_lines_that_matched() -> None:
    output = "\n".join(f"line {number}" for number in range(1, 201))
    assert excerpt(output, [100]) == "[...]\nline 98\nline 99\nline 100\nline 101\nline 102\nline 103\nline 104\n[...]\nline 198\nline 199\nline 200"
    assert excerpt(output, []).startswith("[...]\nline 161\n")
    many = excerpt(output, [10, 20, 30, 40, 190]).split("\n")
    assert [line for line in ("line 10", "line 20", "line 30", "line 40", "line 190") if line in many] == ["line 10", "line 20", "line 30", "line 190"]


def test_a_result_whose_output_is_wrong_says_so_wherever_it_goes(executed: Callable[..., Executed], inspect_files: InspectFiles) -> None:
    registry = inspect_files(FILES).registry
    defect = registry.record("D4", Defect)
    assert defect is not None
    plain = executed()
    label = "output incorrect by construction: P3"
    result = Executed({**plain.record, "labels": [label]}, plain.stdout)
    assert f'<property name="label" value="{label}" />' in export_junit([result]).files["results.junit.xml"]
    assert json.loads(export_kcidb([result], []).files["kcidb.json"])["tests"][0]["misc"]["labels"] == [label]
    assert "Output incorrect by construction: P3.\n\n```text" in export_issue(defect, registry, [result], "https://github.com", "us/ours").files["D4.md"]
