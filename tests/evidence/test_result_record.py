"""What the runner writes is what the kind `result` reads, whatever the ending."""

from __future__ import annotations

from pathlib import Path

import pytest
from executions import Execute

from kvdocs.evidence.canonical import digest
from kvdocs.evidence.seals import RECORD_FILE
from kvdocs.evidence.source_tree import git
from kvdocs.evidence.spec import ProbeSpec
from kvdocs.evidence.store import Stored
from kvdocs.kinds._expectations import Expect
from kvdocs.kinds.result import Result, _command, flat, repository_of
from kvdocs.source import read_records


def read(stored: Stored) -> Result:
    """The record as the registry reads it."""
    [raw], problems = read_records(stored.folder, RECORD_FILE)
    assert problems == []
    return Result.model_validate(raw.data)


def test_every_ending_is_a_record(execute: Execute, tmp_path: Path) -> None:
    tree = tmp_path / "src"
    tree.mkdir()
    git(tree, "init", "-q")
    endings = {
        "passed": execute("echo '{\"ms\": 1.25}' > $KVDOCS_METRICS", settings={"KVDOCS_SOURCE": str(tree)}),
        "failed": execute("exit 3", lock=True, expect={"reproduced": [{"exit": 3}]}),
        "signalled": execute("kill -SEGV $$"),
        "timed-out": execute("sleep 1000", timeout_s=0.2),
        "interrupted": execute("kill -INT $PPID; sleep 1000"),
        "unavailable": execute("true", needs={"tools": ["no-such-tool"]}, probes=(ProbeSpec("P4", output_correct=False),)),
    }
    for outcome, stored in endings.items():
        record = read(stored)
        assert (record.outcome, record.id, record.script, record.environment) == (outcome, stored.folder.name, "it", "here")
    assert read(endings["failed"]).verdict == "reproduced"
    assert str(read(endings["passed"]).metrics["ms"]) == "1.25"


def test_expectations_as_read_are_those_that_the_record_hashes(execute: Execute) -> None:
    expect = Expect.model_validate({"reproduced": [{"value": "ms", "at_least": 2}, {"pattern": "x"}], "exit_code_decides": False})
    stored = execute("true", expect=expect.as_mapping())
    assert expect.as_mapping() == {"reproduced": [{"value": "ms", "at_least": 2}, {"pattern": "x"}], "exit_code_decides": False}
    assert stored.record["invocation"]["expect_sha256"] == digest(expect.as_mapping())
    assert read(stored).expect == expect.as_mapping()


def test_a_command_is_shown_as_one_would_type_it(execute: Execute) -> None:
    record = read(execute("true", argv=("bash", "{file}", "a b", "$HOME")))
    assert _command(record) == "bash <project>/it.sh 'a b' '$HOME'"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/ggml-org/llama.cpp.git", "ggml-org/llama.cpp"),
        ("git@github.com:GenerelSchwerz/llama.cpp", "GenerelSchwerz/llama.cpp"),
        ("ggml-org/llama.cpp", "ggml-org/llama.cpp"),
        ("llama.cpp", None),
        (None, None),
    ],
)
def test_the_name_of_a_repository(address: str | None, name: str | None) -> None:
    assert repository_of(address) == name


def test_figures_by_their_dotted_names() -> None:
    assert flat({"arms": {"serial": {"ms": 2}, "ring": {"ms": 1}}, "exact": "yes"}) == [("arms.serial.ms", 2), ("arms.ring.ms", 1), ("exact", "yes")]
