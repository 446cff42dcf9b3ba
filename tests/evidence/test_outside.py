"""Executions that were made elsewhere become results, with what is not known of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kvdocs.evidence.logs import read_log
from kvdocs.evidence.outside import NOT_IN_A_LOG, Execution, add_execution
from kvdocs.evidence.spec import ScriptSpec
from kvdocs.evidence.store import verify

SPEC = ScriptSpec(
    id="barrier",
    about=("D2",),
    expect={
        "exit_code_decides": False,
        "captures": {"errors": {"pattern": r"ERROR SUMMARY: (\d+) errors$", "take": "last"}},
        "reproduced": [{"pattern": "Barrier error", "at_least": 1}],
        "not_reproduced": [{"value": "errors", "equals": 0}],
    },
)
COMMIT = "775450a68"


def add(root: Path, output: bytes, **given: Any) -> dict[str, Any]:
    """Store an execution on `h200` with exit code 0 and give its record."""
    facts = {"environment": "h200", "command": "compute-sanitizer --tool synccheck bin/test -p 'a b'", "exit_code": 0, "commit": COMMIT, "repository": "us/ours"}
    return add_execution(root, SPEC, Execution(stdout=output, **{**facts, **given}), {}).record


def test_what_was_given_and_what_a_log_does_not_tell(tmp_path: Path) -> None:
    record = add(
        tmp_path,
        b"Barrier error\nERROR SUMMARY: 1 errors\n",
        started="2026-11-29T15:00:00Z",
        duration_s=2.0,
        files=(("d2.log", "ab" * 32),),
        lossy=("unknown: the options",),
        figures={"errors": 1},
    )
    assert (record["kind"], record["script"], record["environment"], record["about"]) == ("import", "barrier", "h200", ["D2"])
    assert record["invocation"]["argv"] == ["compute-sanitizer", "--tool", "synccheck", "bin/test", "-p", "a b"]
    assert record["source"] == {"repository": "us/ours", "commit": COMMIT, "dirty": None, "patches": []}
    assert (record["outcome"], record["end"]["exit_code"], record["end"]["duration_ns"]) == ("passed", 0, 2_000_000_000)
    assert (record["judgement"]["verdict"], record["status"]) == ("reproduced", "FAIL")
    assert [what["what"] for what in record["missing"]] == list(NOT_IN_A_LOG)
    assert (record["import"]["files"], record["import"]["lossy"]) == ([{"name": "d2.log", "sha256": "ab" * 32}], ["unknown: the options"])
    assert (record["import"]["found"], record["metrics"]) == ({"errors": 1}, {})
    assert list(verify(tmp_path)) == []


def test_an_exit_code_of_zero_is_clean_only_where_the_output_says_so(tmp_path: Path) -> None:
    assert add(tmp_path, b"ERROR SUMMARY: 0 errors\n")["judgement"]["verdict"] == "not-reproduced"
    assert add(tmp_path, b"nothing\n")["judgement"]["verdict"] == "inconclusive"


def test_a_time_limit_is_inconclusive(tmp_path: Path) -> None:
    record = add(tmp_path, b"ERROR SUMMARY: 0 errors\n", exit_code=124, timed_out=True)
    assert (record["outcome"], record["judgement"]["verdict"], record["status"]) == ("timed-out", "inconclusive", "ERROR")


def test_an_unknown_end_is_inconclusive(tmp_path: Path) -> None:
    record = add(tmp_path, b"ERROR SUMMARY: 0 errors\n", exit_code=None)
    assert (record["outcome"], record["judgement"]["verdict"]) == ("interrupted", "inconclusive")


def test_the_beginning_of_a_log_with_its_last_line(tmp_path: Path) -> None:
    record = add(tmp_path, b"Barrier error\nBarrier err", cut=True, tail=b"ERROR SUMMARY: 4000 errors\n")
    folder = tmp_path / "h200" / "barrier" / record["id"]
    assert read_log(folder, record, "stdout") == b"Barrier error\nBarrier err\n[kvdocs: a part of the output is not here]\nERROR SUMMARY: 4000 errors\n"
    assert record["judgement"]["captures"]["errors"]["value"] == 4000
    assert record["import"]["lossy"] == ["lost: a part of the output, of a size that is not known"]
    assert record["judgement"]["verdict"] == "reproduced"


def test_what_is_absent_from_a_cut_log_is_not_known_to_be_absent(tmp_path: Path) -> None:
    assert add(tmp_path, b"nothing so far\n", cut=True)["judgement"]["verdict"] == "inconclusive"


def test_the_same_import_again_is_the_same_result(tmp_path: Path) -> None:
    assert add(tmp_path, b"x\n")["id"] == add(tmp_path, b"x\n")["id"]
    assert add(tmp_path, b"y\n")["id"] != add(tmp_path, b"x\n")["id"]


def test_secrets_and_home_folders_are_taken_out(tmp_path: Path) -> None:
    record = add_execution(tmp_path, SPEC, Execution("h200", "run /home/ann/x", 0, b"token sesame-open-1234 in /home/ann/x\n"), {"MY_TOKEN": "sesame-open-1234"}).record
    folder = tmp_path / "h200" / "barrier" / record["id"]
    assert read_log(folder, record, "stdout") == b"token [redacted] in /home/[user]/x\n"
    assert record["invocation"]["command"] == "run /home/[user]/x"
    assert record["streams"]["stdout"]["raw_sha256"] is None
    assert {rule["rule"] for rule in record["redaction"]} == {"variable-MY_TOKEN", "path-home"}


def test_a_command_that_no_shell_could_read_is_kept_as_it_is(tmp_path: Path) -> None:
    assert add(tmp_path, b"", command="it's")["invocation"]["argv"] == ["it's"]


def test_an_environment_that_cannot_name_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot name a script or an environment"):
        add(tmp_path, b"", environment="../x")
