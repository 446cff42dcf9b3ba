"""Files written all or nothing, and the registry as it would be, laid beside the real one."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kvdocs.edit.drafts import Draft, FileChange
from kvdocs.edit.journal import IdTakenError, recover, write_all
from kvdocs.edit.plan import plan_edit
from kvdocs.edit.shadow import shadow
from kvdocs.edit.text import EditError
from kvdocs.pipeline import inspect
from kvdocs.project import Project
from tests.edit.conftest import files_of

Kvdocs = Callable[..., Any]


def change(root: Path, path: str, after: bytes | None) -> FileChange:
    target = root / path
    return FileChange(path, target.read_bytes() if target.exists() else None, after)


def test_files_are_written_made_and_removed_together(small: Path) -> None:
    changes = [change(small, "registry/roadmap/R1.yaml", b"new\n"), change(small, "registry/claims/K1.yaml", b"made\n"), change(small, "registry/roadmap/R2.yaml", None)]
    write_all(Project(small), changes)
    assert (small / "registry/roadmap/R1.yaml").read_bytes() == b"new\n"
    assert (small / "registry/claims/K1.yaml").read_bytes() == b"made\n"
    assert not (small / "registry/roadmap/R2.yaml").exists()
    assert sorted(p.name for p in (small / ".kvdocs/edit").iterdir()) == ["lock"]
    assert (small / ".kvdocs/.gitignore").read_text() == "*\n"


def test_a_file_that_somebody_changed_meanwhile_stops_all_of_them(small: Path) -> None:
    changes = [change(small, "registry/roadmap/R1.yaml", b"new\n"), change(small, "registry/roadmap/R2.yaml", b"new\n")]
    (small / "registry/roadmap/R2.yaml").write_text("typed in an editor\n")
    before = files_of(small)
    with pytest.raises(EditError, match=r"registry/roadmap/R2.yaml was changed by somebody else in the meantime; nothing was written"):
        write_all(Project(small), changes)
    assert files_of(small) == before


def test_the_rights_of_a_file_stay(small: Path) -> None:
    path = small / "registry/roadmap/R1.yaml"
    path.chmod(0o640)
    write_all(Project(small), [change(small, "registry/roadmap/R1.yaml", b"new\n")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_to_a_file_of_the_project_stays_a_link(small: Path) -> None:
    path = small / "registry/roadmap/R1.yaml"
    path.rename(small / "real.yaml")
    path.symlink_to("../../real.yaml")
    write_all(Project(small), [change(small, "registry/roadmap/R1.yaml", b"new\n")])
    assert path.is_symlink()
    assert (small / "real.yaml").read_bytes() == b"new\n"


def test_a_link_out_of_the_project_is_not_followed(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "R1.yaml"
    outside.write_bytes(b"old\n")
    path = small / "registry/roadmap/R1.yaml"
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(EditError, match=r"registry/roadmap/R1.yaml lies outside the project"):
        write_all(Project(small), [change(small, "registry/roadmap/R1.yaml", b"new\n")])
    assert outside.read_bytes() == b"old\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_stops_it_before_anything_is_written(small: Path) -> None:
    before = files_of(small)
    (small / "registry/owners").chmod(0o555)
    try:
        with pytest.raises(EditError, match="cannot write in"):
            write_all(Project(small), [change(small, "registry/roadmap/R1.yaml", b"new\n"), change(small, "registry/owners/ann.yaml", b"new\n")])
    finally:
        (small / "registry/owners").chmod(0o755)
    assert files_of(small) == before


def test_what_an_edit_left_that_never_counted_is_swept_away(small: Path) -> None:
    staged = small / ".kvdocs/edit/staged"
    staged.mkdir(parents=True)
    (staged / "0").write_bytes(b"half written")
    assert recover(Project(small)) is False
    write_all(Project(small), [change(small, "registry/roadmap/R1.yaml", b"new\n")])
    assert not staged.exists()


def test_a_number_that_was_given_to_another_record_in_the_meantime_is_not_written_twice(small: Path) -> None:
    (small / "registry/roadmap/R9-theirs.yaml").write_text("id: R9\n", encoding="utf-8")
    with pytest.raises(IdTakenError, match=r"R9 is taken: registry/roadmap/R9-theirs.yaml is there by now; nothing was written"):
        write_all(Project(small), [FileChange("registry/roadmap/R9-ours.yaml", None, b"id: R9\n")])
    assert not (small / "registry/roadmap/R9-ours.yaml").exists()


def test_two_edits_at_once_come_one_after_the_other(small: Path) -> None:
    names = [f"registry/claims/K{number}.yaml" for number in range(1, 9)]
    threads = [threading.Thread(target=write_all, args=(Project(small), [change(small, name, name.encode())])) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: (small / name).read_bytes() for name in names} == {name: name.encode() for name in names}


def test_the_edited_registry_is_looked_at_without_touching_the_real_one(small: Path) -> None:
    project = Project(small)
    before = {name: (data, (small / name).stat().st_mtime_ns) for name, data in files_of(small).items()}
    changes = [change(small, "registry/roadmap/R1.yaml", b"id: R1\n"), change(small, "registry/roadmap/R2.yaml", None)]
    with shadow(project, changes, inspect(project).registry) as edited:
        assert (edited.root / "registry/roadmap/R1.yaml").read_bytes() == b"id: R1\n"
        assert not (edited.root / "registry/roadmap/R2.yaml").exists()
        assert (edited.root / "registry/defects/D1.yaml").read_bytes() == before["registry/defects/D1.yaml"][0]
        folder = edited.root
    assert not folder.exists()
    assert {name: (data, (small / name).stat().st_mtime_ns) for name, data in files_of(small).items()} == before


def test_a_file_outside_the_registry_that_a_record_names_is_seen_by_the_check(make_project: Callable[[dict[str, str]], Project]) -> None:
    project = make_project({"patches/one.patch": "x\n", "registry/probes/P1.yaml": "id: P1\ntitle: One\nbase_commit: 946c1e5b6\npurpose: It measures.\noutput_correct: true\n"})
    draft = Draft(project)
    draft.write("registry/probes/P1.yaml", (draft.read("registry/probes/P1.yaml") or b"") + b"file: ../../patches/one.patch\n")
    assert [str(p) for p in plan_edit(draft).errors] == []
    draft.write("registry/probes/P1.yaml", (draft.read("registry/probes/P1.yaml") or b"").replace(b"one.patch", b"two.patch"))
    assert [p.code.name for p in plan_edit(draft).errors] == ["missing-file"]


SMALL_FILES_ONLY = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
sys.argv = ["kvdocs", "set", "R1", "size=L"]
import runpy
runpy.run_module("kvdocs", run_name="__main__")
"""
"""Every file that grows beyond 64 bytes is refused, as on a disk that is full."""


def test_a_full_disk_was_told_without_the_name_of_a_file(small: Path) -> None:
    before = (small / "registry/roadmap/R1.yaml").read_bytes()
    ran = subprocess.run([sys.executable, "-c", SMALL_FILES_ONLY], cwd=small, capture_output=True, text=True, check=False)
    place = re.fullmatch(r"error: (.+): File too large\n", ran.stderr)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert place is not None, ran.stderr
    assert place[1].endswith("registry/roadmap/R1.yaml")
    assert (small / "registry/roadmap/R1.yaml").read_bytes() == before
    assert [path for path in small.rglob("*.tmp") if ".git" not in path.parts] == []


@pytest.mark.parametrize("journal", [b"", b"null", b"[]", b"{}", b"\xff\xfe", b"[" * 5000, b'{"steps": [1]}', b'{"steps": [{"path": 1, "staged": null, "before": null, "after": null}]}'])
def test_a_damaged_journal_made_every_command_end_with_a_traceback(journal: bytes, small: Path, kvdocs: Kvdocs) -> None:
    folder = small.resolve() / ".kvdocs/edit"
    (folder / "staged").mkdir(parents=True)
    (folder / "staged/0").write_text("id: what was to be written\n", encoding="utf-8")
    (folder / "journal.json").write_bytes(journal)
    for command in ("check", "order"):
        ran = kvdocs(command, at=small)
        assert (ran.code, ran.out, ran.err) == (
            2,
            "",
            f"error: an edit was interrupted, and its journal is damaged: {folder}/journal.json cannot be read, so it cannot be finished by itself\n"
            f"  hint: take over by hand what you want from {folder}/staged, then remove {folder}/journal.json\n",
        )
    assert (folder / "staged/0").read_text(encoding="utf-8") == "id: what was to be written\n"
