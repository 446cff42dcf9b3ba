"""Executions that were made elsewhere become results, with what is not known of them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.evidence.canonical import sha256
from kvdocs.evidence.expect import evaluate
from kvdocs.evidence.logs import read_log, stored_log, whole_log
from kvdocs.evidence.observation import Observation, output_of
from kvdocs.evidence.outside import NOT_IN_A_LOG, Execution, Found, Source, add_execution
from kvdocs.evidence.pieces import LONGEST_PIECE, LongLineError, pieces_of
from kvdocs.evidence.redaction import Redactor
from kvdocs.evidence.seals import verify
from kvdocs.evidence.spec import ScriptSpec

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


class Told:
    """A reader that finds the same in every output."""

    def feed(self, raw: bytes) -> None:
        """Nothing is taken from it."""

    def found(self) -> Found:
        return Found({"errors": 1}, ("unknown: the options",))


def add(root: Path, output: bytes, name: str = "d2.log", **given: Any) -> dict[str, Any]:
    """Store an execution on `h200` with exit code 0 and give its record."""
    facts = {"environment": "h200", "command": "compute-sanitizer --tool synccheck bin/test -p 'a b'", "exit_code": 0, "commit": COMMIT, "repository": "us/ours"}
    return add_execution(root, SPEC, Execution(stdout=Source(name, BytesIO(output)), **{**facts, **given}), {}, Told()).record


def test_what_was_given_and_what_a_log_does_not_tell(tmp_path: Path) -> None:
    output = b"Barrier error\nERROR SUMMARY: 1 errors\n"
    record = add(tmp_path, output, started="2026-11-29T15:00:00Z", duration_s=2.0)
    assert (record["kind"], record["script"], record["environment"], record["about"]) == ("import", "barrier", "h200", ["D2"])
    assert record["invocation"]["argv"] == ["compute-sanitizer", "--tool", "synccheck", "bin/test", "-p", "a b"]
    assert record["source"] == {"repository": "us/ours", "commit": COMMIT, "dirty": None, "patches": []}
    assert (record["outcome"], record["end"]["exit_code"], record["end"]["duration_ns"]) == ("passed", 0, 2_000_000_000)
    assert (record["judgement"]["verdict"], record["status"]) == ("reproduced", "FAIL")
    assert [what["what"] for what in record["missing"]] == list(NOT_IN_A_LOG)
    assert (record["import"]["files"], record["import"]["lossy"]) == ([{"name": "d2.log", "sha256": sha256(output)}], ["unknown: the options"])
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
    assert record["import"]["lossy"] == ["unknown: the options", "lost: a part of the output, of a size that is not known"]
    assert record["judgement"]["verdict"] == "reproduced"


def test_what_is_absent_from_a_cut_log_is_not_known_to_be_absent(tmp_path: Path) -> None:
    assert add(tmp_path, b"nothing so far\n", cut=True)["judgement"]["verdict"] == "inconclusive"


def test_the_same_import_again_is_the_same_result(tmp_path: Path) -> None:
    assert add(tmp_path, b"x\n")["id"] == add(tmp_path, b"x\n")["id"]
    assert add(tmp_path, b"y\n")["id"] != add(tmp_path, b"x\n")["id"]


def test_secrets_and_home_folders_are_taken_out(tmp_path: Path) -> None:
    output = Source("d2.log", BytesIO(b"token sesame-open-1234 in /home/ann/x\n"))
    record = add_execution(tmp_path, SPEC, Execution("h200", "run /home/ann/x", 0, output), {"MY_TOKEN": "sesame-open-1234"}).record
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


LOG = b"""\
-I/home/ann/llama.cpp/include
Barrier error at kernel.cu:63 \xc3\xa9 \xff\x1b[31m red\x1b[0m
\x1b]0;a title that goes on
over a line\x07password:
  hunter22hunter22
-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASC
-----END PRIVATE KEY-----, and on
ERROR SUMMARY: 7 errors
build: 5530 (775450a68)
no end of the line: sesame-open-1234"""
ENVIRON = {"MY_TOKEN": "sesame-open-1234"}


class Trickle(BytesIO):
    """A pipe that gives so many bytes at a time."""

    def __init__(self, content: bytes, size: int) -> None:
        super().__init__(content)
        self._size = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._size)


def taken_in(root: Path, content: bytes, errors: bytes, size: int, **given: Any) -> dict[str, Any]:
    """The record of an import whose outputs come in pieces of this size."""
    out, err = (Source(name, Trickle(raw, size)) for name, raw in (("out", content), ("err", errors)))
    return add_execution(root, SPEC, Execution("h200", "run", 1, out, err, **given), ENVIRON).record


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(times=st.sampled_from([1, 3, 200, 1000]), size=st.integers(1, 300), cut=st.booleans())
def test_an_output_in_pieces_of_any_size_is_the_same_result(tmp_path: Path, times: int, size: int, cut: bool) -> None:
    content, errors = LOG * times, LOG[:100] * (times // 100)
    record = taken_in(tmp_path, content, errors, max(1, size * times // 3), cut=cut, tail=b"ERROR SUMMARY: 9 errors\n" if cut else b"")
    folder = tmp_path / "h200" / "barrier" / record["id"]
    redactor = Redactor({}, ENVIRON)
    stored = {"stdout": redactor.data(content)}
    gap_at = None
    if cut:
        stored["stdout"] += b"\n"
        gap_at = len(stored["stdout"])
        stored["stdout"] += b"[kvdocs: a part of the output is not here]\nERROR SUMMARY: 9 errors\n"
    stored["stderr"] = redactor.data(errors)
    seen = Observation("failed", "exit 1, as reported", 1, None, output_of(stored["stdout"], gap_at=gap_at), output_of(stored["stderr"]))
    assert {name: read_log(folder, record, name) for name in stored} == stored
    assert record["judgement"] == evaluate(SPEC.expect, seen).as_record()
    assert record["redaction"] == redactor.report()
    assert record["import"]["files"] == [{"name": "out", "sha256": sha256(content)}, {"name": "err", "sha256": sha256(errors)}]
    logs = [stored_log(name, whole_log(raw)) for name, raw in stored.items()]
    assert [record["streams"][name]["sha256"] for name in stored] == [words["sha256"] for words, _ in logs]
    assert {file["path"]: file["sha256"] for file in record["files"]} == {name: sha256(data) for _, files in logs for name, data in files.items()}
    assert record["streams"]["stdout"]["gap_at"] == gap_at
    assert record["build"]["embedded_commit"]["commit"] == "775450a68"
    assert list(verify(tmp_path)) == []


def test_a_line_that_is_longer_than_any_that_is_read(tmp_path: Path) -> None:
    redactor = Redactor({}, {})
    assert list(pieces_of(BytesIO(b"one\n" + b"x" * 99 + b"\ntwo\n"), redactor, size=10, longest=100)) == [b"one\n", b"x" * 99 + b"\n", b"two\n"]
    assert b"".join(pieces_of(BytesIO(b"x" * 100), redactor, size=10, longest=100)) == b"x" * 100
    with pytest.raises(LongLineError, match=r"^a\.log:3: this line is longer than 16 MiB, the most that is read of a line$"):
        add(tmp_path, b"one\ntwo\n" + b"x" * (LONGEST_PIECE + 1), name="a.log")
    assert [path.name for path in (tmp_path / ".running").iterdir()] == [".gitignore"]


def test_when_the_reader_refuses_an_output_nothing_is_stored(tmp_path: Path) -> None:
    class Refusing(Told):
        def found(self) -> Found:
            raise ValueError("no such format")

    with pytest.raises(ValueError, match="no such format"):
        add_execution(tmp_path, SPEC, Execution("h200", "run", 0, Source("x", BytesIO(LOG * 2000))), {}, Refusing())
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == [".running/.gitignore"]
