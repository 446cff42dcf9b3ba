"""Stamps that are taken with earlier ones known are those that are taken without, whatever happened to the folder in between."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from time import sleep

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvdocs.cache import Scan
from kvdocs.site.stamps import Stamps, take_stamps

FOLDERS = ("", "a", "a/b", "c")

EDITS = st.tuples(st.sampled_from(("write", "delete", "delete folder", "link", "rename")), st.sampled_from(FOLDERS), st.sampled_from(("one", "two", ".hidden")), st.sampled_from(FOLDERS))


def _edit(root: Path, what: str, folder: str, name: str, other: str) -> None:
    path, target = root / folder / name, root / other
    if what == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text("new\n", encoding="utf-8")
    elif what == "delete":
        path.unlink(missing_ok=True)
    elif what == "delete folder" and folder:
        shutil.rmtree(root / folder, ignore_errors=True)
    elif what == "link" and path.parent.is_dir():
        path.unlink(missing_ok=True)
        path.symlink_to(target / "one")
    elif what == "rename" and (root / folder).is_dir() and not target.exists() and not target.is_relative_to(root / folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        (root / folder).rename(target)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rounds=st.lists(st.lists(EDITS, max_size=5), min_size=2, max_size=4))
def test_after_any_edits(tmp_path: Path, rounds: list[list[tuple[str, str, str, str]]]) -> None:
    root = tmp_path / "site"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    known: Stamps | None = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scan, "RACY_NS", 20_000_000)
        for edits in rounds:
            for edit in edits:
                _edit(root, *edit)
            sleep(0.025)
            known = take_stamps(str(root), known)
            assert known.files == take_stamps(str(root)).files
            for path in take_stamps(str(root)).odd:  # as a build does
                (root / path).unlink()


def test_files_behind_a_link_in_the_place_of_their_folder_were_taken_for_those_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scan, "RACY_NS", 0)
    root = tmp_path / "site"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "one").write_text("text", encoding="utf-8")
    known = take_stamps(str(root))
    (root / "a").rename(tmp_path / "elsewhere")
    (root / "a").symlink_to(tmp_path / "elsewhere")
    look = take_stamps(str(root), known)
    assert (look.files, look.odd, look.folders.keys()) == ({}, ["a"], {"."})


def test_a_file_whose_time_was_set_back_after_an_edit_was_taken_for_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("as it was", encoding="utf-8")
    before, look = path.stat(), take_stamps(str(tmp_path))
    sleep(0.025)
    path.write_text("as it is!", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert take_stamps(str(tmp_path)).files != look.files


def _listed(root: Path, known: Stamps, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are listed to take stamps."""
    listed: list[str] = []
    plain = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(os.path.relpath(path, root)), plain(path))[1])
    take_stamps(str(root), known)
    monkeypatch.undo()
    return listed


def test_a_folder_is_listed_again_only_when_it_was_changed_or_is_so_new_that_a_change_would_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one/file", "two/file"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("text", encoding="utf-8")
    assert sorted(_listed(tmp_path, take_stamps(str(tmp_path)), monkeypatch)) == [".", "one", "two"]
    monkeypatch.setattr(Scan, "RACY_NS", 0)
    known = take_stamps(str(tmp_path))
    sleep(0.025)
    (tmp_path / "two" / "stray").write_text("text", encoding="utf-8")
    assert _listed(tmp_path, known, monkeypatch) == ["two"]
