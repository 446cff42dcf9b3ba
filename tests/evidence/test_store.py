"""A stored result is whole, and a change of any byte of it is found."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from executions import Execute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.evidence.canonical import pretty
from kvdocs.evidence.disk import write_durably
from kvdocs.evidence.logs import DamagedLogError, read_end, read_log, whole_log
from kvdocs.evidence.record import sealed
from kvdocs.evidence.seals import damages, results, verify
from kvdocs.evidence.store import Stored, add_result


@pytest.fixture
def stored(execute: Execute) -> Stored:
    """A result with a short log, and one that is long enough to be compressed."""
    return execute("seq 20000; echo short >&2; exit 1", expect={"reproduced": [{"exit": 1}]})


def test_a_result_is_where_its_content_says(stored: Stored, tmp_path: Path) -> None:
    record = stored.record
    assert stored.folder == tmp_path / "results" / "here" / "it" / record["id"]
    assert record["digest"].removeprefix("sha256:").startswith(record["id"])
    assert sorted(path.name for path in stored.folder.iterdir()) == ["result.json", "stderr.log", "stdout.log.gz"]
    assert list(results(tmp_path / "results")) == [stored.folder]
    assert list(verify(tmp_path / "results")) == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_tampering_with_one_byte_is_found(stored: Stored, data: st.DataObject) -> None:
    path = stored.folder / data.draw(st.sampled_from(["result.json", "stderr.log", "stdout.log.gz"]))
    before = path.read_bytes()
    position = data.draw(st.integers(0, len(before) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != before[position]))
    path.write_bytes(before[:position] + bytes([byte]) + before[position + 1 :])
    try:
        assert damages(stored.folder), f"byte {position} of {path.name} became {byte}"
    finally:
        path.write_bytes(before)
    assert damages(stored.folder) == []


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_byte_more_or_less_is_found(stored: Stored, data: st.DataObject) -> None:
    path = stored.folder / data.draw(st.sampled_from(["result.json", "stderr.log", "stdout.log.gz"]))
    before = path.read_bytes()
    position = data.draw(st.integers(0, len(before) - 1))
    path.write_bytes(data.draw(st.sampled_from([before[:position] + before[position + 1 :], before[:position] + b" " + before[position:]])))
    try:
        assert damages(stored.folder)
    finally:
        path.write_bytes(before)


def words(stored: Stored) -> list[str]:
    """The damages of a result, with paths relative to it."""
    return [f"{damage.path.relative_to(stored.folder)}: {damage.what}" for damage in damages(stored.folder)]


def test_each_way_of_changing_a_result_is_named(stored: Stored) -> None:
    original = (stored.folder / "result.json").read_bytes()

    (stored.folder / "stderr.log").write_bytes(b"shorn\n")
    (stored.folder / "stdout.log.gz").unlink()
    (stored.folder / "notes.txt").write_text("mine")
    assert words(stored) == [
        "stderr.log: stderr.log was edited: its hash is not the one in the record",
        "stdout.log.gz: stdout.log.gz is missing",
        "notes.txt: notes.txt does not belong to the result",
    ]

    (stored.folder / "result.json").write_bytes(original.replace(b'"outcome": "failed"', b'"outcome": "passed"'))
    assert words(stored)[0] == "result.json: the record was edited: its digest is not that of its content"
    (stored.folder / "result.json").write_bytes(original.replace(b'"outcome": ', b'"outcome":  '))
    assert words(stored)[0] == "result.json: the record was edited: it is not written as it was stored"
    (stored.folder / "result.json").write_bytes(original[: len(original) // 2])
    assert words(stored) == ["result.json: result.json is not JSON"]
    (stored.folder / "result.json").write_text('{"schema": "kvdocs/evidence/v2"}')
    assert words(stored) == ["result.json: result.json is not a record of kvdocs/evidence/v1"]


def test_a_result_that_was_moved_is_found(stored: Stored, tmp_path: Path) -> None:
    other = tmp_path / "results" / "elsewhere" / "it" / stored.record["id"]
    shutil.copytree(stored.folder, other)
    assert [d.what for d in damages(other)] == [f"the result belongs in here/it/{stored.record['id']}"]


@pytest.mark.parametrize("name", ["../../secret", "a\0b"])
def test_a_record_that_lists_a_file_that_cannot_lie_beside_it_is_refused(name: str, stored: Stored) -> None:
    record = json.loads((stored.folder / "result.json").read_bytes())
    record["files"].append({"path": name, "bytes": 0, "sha256": ""})
    (stored.folder / "result.json").write_bytes(pretty(sealed(record)))
    assert words(stored)[-1] == f"result.json: the record lists a file that cannot lie beside it: {name!r}"


def test_a_log_that_cannot_be_read_ended_the_check_and_the_intake_of_all_others(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("kvdocs.evidence.seals.file_sha256", refuse)
    assert set(words(stored)) == {f"{file['path']}: {file['path']} cannot be read: Permission denied" for file in stored.record["files"]}


def test_a_record_that_is_nested_too_deep_is_damage_and_no_crash(stored: Stored) -> None:
    (stored.folder / "result.json").write_bytes(b'{"schema": "kvdocs/evidence/v1", "x": ' + b"[" * 900 + b"]" * 900 + b"}")
    assert words(stored)[0].startswith("result.json: ")
    (stored.folder / "result.json").write_bytes(b"[" * 100_000)
    assert words(stored) == ["result.json: result.json is not JSON"]


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_a_record_that_is_a_pipe_or_a_device_was_read_without_end(stored: Stored, put: Callable[[Path], None]) -> None:
    record = stored.folder / "result.json"
    record.unlink()
    put(record)
    assert [(d.path, d.what) for d in damages(stored.folder)] == [(record, "result.json is no file")]


def test_a_log_that_is_not_the_stored_one_is_not_read(stored: Stored) -> None:
    (stored.folder / "stderr.log").write_bytes(b"shorn\n")
    with pytest.raises(DamagedLogError, match=r"^stderr\.log is not the log that was stored$"):
        read_log(stored.folder, stored.record, "stderr")


def test_the_end_of_a_log_of_any_length(stored: Stored) -> None:
    assert read_end(stored.folder, stored.record, "stdout", 12) == b"19999\n20000\n"
    assert read_end(stored.folder, stored.record, "stderr", 12) == b"short\n"
    whole = stored.folder / "stdout.log.gz"
    whole.write_bytes(whole.read_bytes()[:-9])
    with pytest.raises(DamagedLogError, match=r"^stdout\.log\.gz: Compressed file ended before the end-of-stream marker was reached$"):
        read_end(stored.folder, stored.record, "stdout", 12)


def test_a_log_that_is_too_long_to_be_read_as_a_whole_says_so(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kvdocs.evidence.logs.LARGEST_LOG", 100)
    with pytest.raises(DamagedLogError, match=r"^stdout\.log\.gz is longer than any log that is read as a whole$"):
        read_log(stored.folder, stored.record, "stdout")


def test_an_import_of_the_same_execution_twice_is_one_result(tmp_path: Path) -> None:
    record = {"kind": "import", "script": "d4", "environment": "h200", "outcome": "failed"}
    first = add_result(tmp_path, record, {"stdout": whole_log(b"aborted\n")})
    again = add_result(tmp_path, record, {"stdout": whole_log(b"aborted\n")})
    other = add_result(tmp_path, record, {"stdout": whole_log(b"aborted again\n")})
    assert first.folder == again.folder != other.folder
    assert sorted(results(tmp_path)) == sorted([first.folder, other.folder])
    assert list(verify(tmp_path)) == []
    assert [path.name for path in (tmp_path / ".running").iterdir()] == [".gitignore"]


def test_runs_in_progress_are_hidden_from_git(execute: Execute, tmp_path: Path) -> None:
    execute("true")
    assert (tmp_path / "results" / ".running" / ".gitignore").read_text() == "*\n"


def test_a_full_disk_left_half_a_file_under_a_temporary_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kvdocs.evidence.disk.os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*record\.json'"):
        write_durably(tmp_path / "record.json", b"{}\n")
    assert list(tmp_path.iterdir()) == []
