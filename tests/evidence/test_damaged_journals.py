"""What a dead runner left may be damaged: it stops no later run, and nothing comes of it that is not so."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from executions import Execute

from kvdocs.evidence.journal import running_folder
from kvdocs.evidence.logs import read_log
from kvdocs.evidence.recovery import recover
from kvdocs.evidence.seals import Damage, results, verify

NONCE = "0123456789abcdef"


def journal() -> dict[str, Any]:
    """What a runner notes of a run."""
    return {
        "record": {
            "kind": "run", "script": "it", "environment": "here", "about": [], "title": "it on here", "purpose": "reproduction", "expect": {},
            "invocation": {"run": NONCE, "started": "2026-11-29T17:08:09.123Z", "ended": None}, "repeat": {"index": 1, "of": 1, "name": "1f"},
        },
        "pid": 42, "phase": "the script ran", "folders": {"/home/ada/kernels": "<project>"}, "spool": {"head": 1000, "tail": 1000},
    }  # fmt: skip


def dead_run(root: Path, content: bytes | None = None) -> Path:
    """The folder that a runner left when it was killed, with a journal of this content."""
    folder = root / ".running" / NONCE
    folder.mkdir(parents=True)
    (folder / "journal.json").write_bytes(json.dumps(journal()).encode() if content is None else content)
    (folder / "stdout.head").write_bytes(b"at work\n")
    return folder


def test_what_a_dead_runner_left_becomes_a_result(tmp_path: Path) -> None:
    """The others here are this one, damaged."""
    dead_run(tmp_path)
    [stored] = recover(tmp_path)
    assert (stored.record["outcome"], stored.record["invocation"]["run"], read_log(stored.folder, stored.record, "stdout")) == ("runner-died", NONCE, b"at work\n")


def test_a_journal_of_deep_json_ended_each_later_run(tmp_path: Path) -> None:
    folder = dead_run(tmp_path, b'{"record": ' + b"[" * 100_000)
    assert recover(tmp_path) == []
    assert not folder.exists()


@pytest.mark.parametrize(("put", "name"), [(os.mkfifo, "finishing.json"), (os.mkfifo, "stdout.head"), (os.mkdir, "stdout.head"), (os.mkdir, "stdout.tail.0")])
def test_a_pipe_in_the_place_of_a_file_was_waited_for_and_a_folder_ended_each_later_run(put: Callable[[Path], None], name: str, tmp_path: Path) -> None:
    folder = dead_run(tmp_path)
    (folder / name).unlink(missing_ok=True)
    put(folder / name)
    assert [stored.record["outcome"] for stored in recover(tmp_path)] == ["runner-died"]
    assert not folder.exists()


def test_a_run_whose_journal_cannot_be_read_now_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    folder = dead_run(tmp_path)
    monkeypatch.setattr("kvdocs.evidence.journal.own_bytes", refuse)
    assert recover(tmp_path) == []
    monkeypatch.undo()
    assert [stored.record["outcome"] for stored in recover(tmp_path)] == ["runner-died"]
    assert not folder.exists()


def test_a_pipe_in_the_place_of_a_journal_was_waited_for(tmp_path: Path) -> None:
    folder = dead_run(tmp_path)
    (folder / "journal.json").unlink()
    os.mkfifo(folder / "journal.json")
    assert recover(tmp_path) == []
    assert not folder.exists()


def test_a_file_beside_the_segments_of_a_stream_ended_each_later_run(tmp_path: Path) -> None:
    (dead_run(tmp_path) / "stdout.tail.orig").write_bytes(b"?")
    [stored] = recover(tmp_path)
    assert read_log(stored.folder, stored.record, "stdout") == b"at work\n"


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a group is missing": lambda data: data["record"].pop("invocation"),
    "it names no script": lambda data: data["record"].pop("script"),
    "a group has another form": lambda data: data["record"].update(source=True),
    "a text is a number": lambda data: data["record"].update(environment=7),
    "the expectations are none": lambda data: data["record"].update(expect={"reproduced": "x"}),
    "the folders are no texts": lambda data: data.update(folders={"/home/ada": None}),
    "the sizes are missing": lambda data: data.update(spool=None),
    "it is that of another run": lambda data: data["record"]["invocation"].update(run="fedcba9876543210"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_journal_of_another_form_ended_each_later_run(damage: Callable[[dict[str, Any]], object], tmp_path: Path) -> None:
    """What was printed may be all that is left of the run, and stays."""
    data = journal()
    damage(data)
    folder = dead_run(tmp_path, json.dumps(data).encode())
    assert recover(tmp_path) == []
    assert (folder / "stdout.head").read_bytes() == b"at work\n"
    assert [path.name for path in tmp_path.iterdir()] == [".running"]


@pytest.mark.parametrize("name", ["../../../outside", "a/b", "\0", "n\u0301"])
@pytest.mark.parametrize("key", ["script", "environment"])
def test_a_name_in_a_journal_led_a_result_out_of_the_results(key: str, name: str, tmp_path: Path) -> None:
    data = journal()
    data["record"][key] = name
    dead_run(tmp_path / "1" / "2" / "results", json.dumps(data).encode())
    assert recover(tmp_path / "1" / "2" / "results") == []
    assert [path.name for path in (*tmp_path.iterdir(), *tmp_path.glob("*/*"), *tmp_path.glob("*/*/*"), *tmp_path.glob("*/*/*/*"))] == ["1", "2", "results", ".running"]


@pytest.mark.parametrize("target", ["../outside", "/tmp/outside", "here/it/0000000000000000", "here", "", ".", "a/b/\0", 7])
def test_a_note_of_where_a_result_goes_led_it_elsewhere(target: object, execute: Execute, tmp_path: Path) -> None:
    """A result belongs where its own record says."""
    stored = execute("echo done")
    folder = dead_run(tmp_path / "results")
    stored.folder.rename(folder / "record")
    (folder / "finishing.json").write_text(json.dumps({"target": target}))
    [again] = recover(tmp_path / "results")
    assert again.record["outcome"] == "passed"
    assert list(verify(tmp_path / "results")) == []
    assert list(results(tmp_path / "results")) == [stored.folder] == [again.folder]
    assert not folder.exists()


def test_a_damaged_result_in_the_place_of_one_that_was_almost_stored_ended_each_later_run(execute: Execute, tmp_path: Path) -> None:
    stored = execute("echo done")
    folder = dead_run(tmp_path / "results")
    (folder / "finishing.json").write_text(json.dumps({"target": f"here/it/{stored.folder.name}"}))
    (stored.folder / "result.json").write_bytes(b"{")
    [again] = recover(tmp_path / "results")
    assert again.record["outcome"] == "runner-died"
    assert list(verify(tmp_path / "results")) == [Damage(stored.folder / "result.json", "result.json is not JSON")]


def test_a_link_among_the_runs_led_a_file_out_of_the_project(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = dead_run(tmp_path / "results")
    (folder / "alive").symlink_to(outside / "alive")
    folder.with_name("fedcba9876543210").symlink_to(outside)
    assert recover(tmp_path / "results") == []
    assert list(outside.iterdir()) == []


def test_a_link_in_the_place_of_the_runs_had_hidden_folders_elsewhere_removed(tmp_path: Path) -> None:
    """Somebody's results, or a repository of theirs, may hold such a link, to a home for instance."""
    home = tmp_path / "home"
    for folder in (home / ".ssh", home / ".0123456789abcdef"):
        folder.mkdir(parents=True)
        os.utime(folder, (0, 0))
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / ".running").symlink_to(home)
    assert recover(tmp_path / "results") == []
    assert sorted(path.name for path in home.iterdir()) == [".0123456789abcdef", ".ssh"]
    with pytest.raises(OSError, match="it is a link, and has to be a folder"):
        running_folder(tmp_path / "results")


def test_hidden_folders_of_others_among_the_runs_were_removed(tmp_path: Path) -> None:
    running = dead_run(tmp_path).parent
    for name in (".notes", f".{NONCE}", f".intake-{NONCE}"):
        (running / name).mkdir()
        os.utime(running / name, (0, 0))
    recover(tmp_path)
    assert [path.name for path in running.iterdir()] == [".notes"]


def test_a_folder_that_is_none_of_a_run_was_removed(tmp_path: Path) -> None:
    notes = dead_run(tmp_path).with_name("notes")
    notes.mkdir()
    assert len(recover(tmp_path)) == 1
    assert notes.exists()


@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir, Path.touch, lambda path: path.symlink_to("nowhere")], ids=["pipe", "folder", "file", "link"])
@pytest.mark.parametrize("name", [f"{NONCE}/record", f".{NONCE}"])
def test_what_lay_in_the_place_of_a_hidden_folder_ended_each_later_run(name: str, put: Callable[[Path], None], tmp_path: Path) -> None:
    running = dead_run(tmp_path).parent
    put(running / name)
    assert [stored.record["outcome"] for stored in recover(tmp_path)] == ["runner-died"]
    assert list(running.iterdir()) == []
