"""The cache is never wrong: whatever happens to its files, the answer is the one without a cache."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Cache, Scan, digest_of
from kvdocs.pipeline import inspect
from tests.conftest import MakeProject, Ran, write_files

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\npayoffs: [{what: Faster, gain: 7.50, basis: measured}]\n",
    "registry/roadmap/R2.yaml": "id: R2\ntitle: Second\nstatus: open\nowners: [ann]\nblocked_by: [R1]\n",
}


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "other program", "not json", "gone"])
def test_a_damaged_file_is_as_good_as_absent(tmp_path: Path, damage: str) -> None:
    cache = Cache(tmp_path / "cache")
    value = {"number": 31.5, "list": [1, "two", None, True]}
    cache.write("x", value)
    assert cache.read("x") == value
    path = tmp_path / "cache" / "x.json"
    data = path.read_bytes()
    head, _, body = data.partition(b"\n")
    damaged = {
        "cut": data[:-3],
        "flip": data[:-2] + bytes([data[-2] ^ 1]) + data[-1:],
        "empty": b"",
        "other program": head.replace(b"kvdocs-cache", b"kvdocs-cachf") + b"\n" + body,
        "not json": b"\x00\xff",
        "gone": None,
    }[damage]
    path.unlink()
    if damaged is not None:
        path.write_bytes(damaged)
    assert cache.read("x") is None


def test_every_single_byte_counts(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.write("x", {"a": [1, 2.5, "é"]})
    path = tmp_path / "cache" / "x.json"
    data = path.read_bytes()
    survivors = []
    for position in range(len(data)):
        for bit in (1, 128):
            path.write_bytes(data[:position] + bytes([data[position] ^ bit]) + data[position + 1 :])
            if cache.read("x") is not None:
                survivors.append(position)
    assert survivors == []


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=20) | st.floats(allow_nan=False),
    lambda v: st.lists(v, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=8), v, max_size=4) | st.tuples(v, v),
    max_leaves=12,
)


@pytest.mark.parametrize("encoder", ["pydantic's", "Python's"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_json)
def test_what_is_written_is_read_back(tmp_path: Path, encoder: str, value: Any) -> None:
    cache = Cache(tmp_path / "cache")
    with pytest.MonkeyPatch.context() as patched:
        if encoder == "Python's":
            patched.delitem(sys.modules, "pydantic_core")
        cache.write("x", [value])
    assert cache.read("x") == json.loads(json.dumps([value]))


def test_the_name_of_a_file_that_is_no_text_is_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.write("x", {"registry/results/\udcff.log": "1"})
    assert cache.read("x") == {"registry/results/\udcff.log": "1"}


STRICT = """
import json, sys
import kvdocs.cache
encode, write = kvdocs.cache.encode, kvdocs.cache.Cache._write
def strict(value):
    json.dumps(value)
    return encode(value)
def told(cache, file, body):
    print(file.partition(".")[0], file=sys.stderr)
    write(cache, file, body)
kvdocs.cache.encode, kvdocs.cache.Cache._write = strict, told
from kvdocs.cli import cli
cli(sys.argv[1:], prog_name="kvdocs")
"""
"""Python's encoder takes nothing that JSON does not have; pydantic's would make a text of it, and whoever reads it back would have another value."""


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (("order",), {"answer-order", "index-measurements", "index-roadmap"}),
        (("check",), {"answer-check", "index-measurements", "memo"}),
        (("render", "--out", "documents"), {"documents", "index-measurements", "pieces"}),
        (("build", "--no-site"), {"index-measurements", "pages", "scan-build-docs"}),
    ],
)
def test_everything_that_is_kept_is_plain(make_project: MakeProject, command: tuple[str, ...], kept: set[str]) -> None:
    measured = "id: M1\ntitle: Speed\nenvironment: gpu\nkey: depth\ncolumns:\n  - {name: depth, title: Depth, unit: token, exact: true}\n  - {name: speed, title: Speed, unit: token/s}\nrows:\n  - {depth: 4096, speed: 15.790}\n"
    project = make_project(FILES | {"registry/measurements/M1.yaml": measured, "registry/environments/gpu.yaml": "id: gpu\ntitle: A GPU\n"})
    done = subprocess.run([sys.executable, "-c", STRICT, *command], cwd=project.root, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    assert set(done.stderr.split("\n")) >= kept, done.stderr


def test_infinity_and_nothing_are_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.write("x", [math.inf, -math.inf])
    assert cache.read("x") == [math.inf, -math.inf]


def test_writers_at_once_leave_one_whole_value(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    values = [{"writer": n, "bulk": [n] * 2000} for n in range(8)]
    threads = [threading.Thread(target=lambda v=v: [cache.write("x", v) for _ in range(10)]) for v in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.read("x") in values
    assert [p.name for p in (tmp_path / "cache").iterdir()] == ["x.json"]


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    cache = Cache(tmp_path / "file" / "cache")
    cache.write("x", 1)
    assert cache.read("x") is None


def test_what_could_not_be_removed_from_the_cache_ended_the_build(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "pages")
    cache.keep_only(())
    for name in ("wanted", "old"):
        cache.write(name, 1)
    (tmp_path / "pages" / "a-folder").mkdir()
    cache.keep_only({"wanted.json"})
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["a-folder", "wanted.json"]


def test_an_edit_that_keeps_size_and_time_is_seen_while_it_is_fresh(tmp_path: Path) -> None:
    """A second edit within the clock's grain leaves no trace in the status, so young files are read again."""
    path = tmp_path / "registry" / "a.yaml"
    path.parent.mkdir()
    path.write_text("a: 1\n", encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    first = Scan(tmp_path, "registry", cache)
    first.save()
    status = path.stat()
    path.write_text("a: 2\n", encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Scan(tmp_path, "registry", cache).whole() != first.whole()


def test_a_log_edited_with_its_time_set_back_was_taken_for_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scan, "RACY_NS", 0)
    path = tmp_path / "registry" / "stdout.log"
    path.parent.mkdir()
    path.write_text("12 errors\n", encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    time.sleep(0.05)
    first = Scan(tmp_path, "registry", cache)
    first.save()
    status = path.stat()
    path.write_text("10 errors\n", encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Scan(tmp_path, "registry", cache).whole() != first.whole()


@pytest.mark.parametrize("size", [10, 1024 * 1024, 1024 * 1024 + 1, 3_000_000])
def test_a_log_of_any_length_has_the_digest_of_its_content(tmp_path: Path, size: int) -> None:
    path = tmp_path / "registry" / "stdout.log.gz"
    path.parent.mkdir()
    path.write_bytes(b"x" * (size - 1) + b"y")
    assert Scan(tmp_path, "registry", Cache(tmp_path / "cache")).digest("registry/stdout.log.gz") == digest_of(path.read_bytes())


def test_a_file_that_was_young_once_was_read_again_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scan, "RACY_NS", 50_000_000)
    path = tmp_path / "registry" / "a.yaml"
    path.parent.mkdir()
    path.write_text("a: 1\n", encoding="utf-8")
    cache = Cache(tmp_path / "cache")
    Scan(tmp_path, "registry", cache).save()
    time.sleep(0.1)
    second = Scan(tmp_path, "registry", cache)
    second.save()
    assert (second.changed, Scan(tmp_path, "registry", cache).changed) == (["registry/a.yaml"], [])


_edits = st.lists(
    st.tuples(
        st.sampled_from(["R1", "R2", "R3"]),
        st.sampled_from(["status: done", "status: open", "status: opne", "blocked_by: [R2]", "blocked_by: [R9]", "size: S-M", "title: [", "delete"]),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_edits)
def test_after_any_edits_the_cached_answer_is_the_fresh_one(make_project: MakeProject, monkeypatch: pytest.MonkeyPatch, edits: list[tuple[str, str]]) -> None:
    project = make_project(FILES)
    for name, edit in edits:
        path = project.root / f"registry/roadmap/{name}.yaml"
        if edit == "delete":
            path.unlink(missing_ok=True)
        else:
            lines = {"id": f"id: {name}", "title": "title: Edited", "status": "status: open", "owners": "owners: [ann]"}
            lines[edit.split(":", 1)[0]] = edit
            path.write_text("\n".join(lines.values()) + "\n", encoding="utf-8")
        monkeypatch.delenv("KVDOCS_NO_CACHE", raising=False)
        cached = [str(p) for p in inspect(project).problems], inspect(project).order.document()
        monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
        fresh = [str(p) for p in inspect(project).problems], inspect(project).order.document()
        assert cached == fresh


def test_the_commands_answer_alike_with_and_without_a_cache(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project(FILES)
    for command in (("order",), ("check",), ("order", "--json"), ("check", "--json")):
        first, second, fresh = kvdocs(*command, at=project.root), kvdocs(*command, at=project.root), kvdocs("--no-cache", *command, at=project.root)
        assert first == second == fresh
    write_files(project.root, {"registry/roadmap/R2.yaml": FILES["registry/roadmap/R2.yaml"].replace("R1]", "R8]")})
    assert kvdocs("check", at=project.root).out == (
        "registry/roadmap/R2.yaml:5:14: error[unknown-ref]: `blocked_by` of R2 names 'R8', which no record has\n    hint: those of this form go from R1 to R2\n1 error\n"
    )


def test_a_note_says_what_is_wrong_with_the_order_and_with_a_site_each_time(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """The answer is kept, and what was said with it too."""
    round_about = {"registry/roadmap/R1.yaml": FILES["registry/roadmap/R1.yaml"] + "blocked_by: [R2]\n", "registry/roadmap/R3.yaml": "id: R3\n"}
    root = make_project({**FILES, **round_about}).root
    notes = "note: 2 errors in the registry left records out; see `kvdocs check`\nnote: some records wait for each other in a circle, so none of them can begin; see `kvdocs check`\n"
    assert [kvdocs("order", at=root).err for _ in range(2)] == [notes, notes]
    assert kvdocs("build", "--no-site", at=root).err == "note: 3 errors in the registry; see `kvdocs check`\n"


def test_the_cache_ignores_itself(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project(FILES)
    kvdocs("order", at=project.root)
    assert (project.root / ".kvdocs" / ".gitignore").read_text(encoding="utf-8") == "*\n"
