"""`kvdocs init`: a project that is sound from its first minute."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any
from zipfile import ZipFile

import pytest

from kvdocs.scaffold import STARTER, make_project
from tests.conftest import write_files

Run = Callable[..., Any]


def test_it_refuses_a_folder_that_holds_something(kvdocs: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = kvdocs("init", ".", at=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", "error: . is not an empty folder: it holds mine.txt\n  hint: name a new folder, or an empty one\n")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_a_new_repository_counts_as_empty_and_keeps_what_it_has(kvdocs: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    own = {"README.md": "# Mine\n", "LICENSE": "MIT\n", ".gitignore": "*.o\n/site/\n"}
    write_files(tmp_path, own)
    done = kvdocs("init", ".", at=tmp_path)
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if not line.startswith("new  ")]
    assert lines == [
        "kept README.md",
        "kept .gitignore",
        "note: add to .gitignore, because the commands make these: /build/ /.kvdocs/",
        "",
        "Next:",
        "  kvdocs check   what is wrong with the record",
        "  kvdocs order   what to do next, and why",
        "  kvdocs build   the site, into site/",
    ]
    assert {name: (tmp_path / name).read_text() for name in own} == own
    assert kvdocs("check", "--strict", at=tmp_path).code == 0


def test_it_says_what_it_wrote_and_what_to_do_next(kvdocs: Run, tmp_path: Path) -> None:
    done = kvdocs("init", "new", at=tmp_path)
    files = sorted(p.relative_to(tmp_path).as_posix() for p in (tmp_path / "new").rglob("*") if p.is_file())
    assert done.code == 0
    assert sorted(line.removeprefix("new  ") for line in done.out.splitlines() if line.startswith("new  ")) == files
    assert done.out.endswith("Next:\n  cd new\n  kvdocs check   what is wrong with the record\n  kvdocs order   what to do next, and why\n  kvdocs build   the site, into site/\n")


def test_its_record_is_sound_and_has_an_order(kvdocs: Run, tmp_path: Path) -> None:
    make_project(tmp_path)
    checked = kvdocs("check", "--strict", at=tmp_path)
    note = """\
        registry/defects/D1.yaml:5:9: info[only-reported]: D1 is confirmed by what was reported alone: no execution on record reproduces it
            hint: `kvdocs run d1-empty-list` on a machine that has what it needs
        1 note
        """
    assert (checked.code, checked.out) == (0, dedent(note))
    ordered = kvdocs("order", "--json", at=tmp_path)
    assert '"id": "R1"' in ordered.out


def test_its_files_have_their_stable_form(kvdocs: Run, tmp_path: Path) -> None:
    make_project(tmp_path)
    done = kvdocs("fmt", "--check", at=tmp_path)
    assert (done.code, done.out) == (0, "every file has its stable form\n")


def test_its_script_shows_what_its_defect_says(tmp_path: Path) -> None:
    make_project(tmp_path)
    done = subprocess.run([sys.executable, "registry/scripts/d1-empty-list.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "IndexError: list index out of range\nREPRODUCED\n")
    assert os.access(tmp_path / "registry/scripts/d1-empty-list.py", os.X_OK)


@pytest.mark.slow
def test_its_site_builds_without_a_warning(kvdocs: Run, tmp_path: Path) -> None:
    make_project(tmp_path)
    built = kvdocs("build", "--strict", at=tmp_path)
    assert built.code == 0, built.err
    assert (tmp_path / "site" / "records" / "D1" / "index.html").is_file()


def test_its_settings_are_those_of_this_repository() -> None:
    """Both sites have the same engine settings; their names come from their `project.yaml`."""
    assert (STARTER / "mkdocs.yml").read_text() == (STARTER.parent.parent / "mkdocs.yml").read_text()


@pytest.mark.slow
def test_the_wheel_alone_makes_a_project_and_its_site(tmp_path: Path) -> None:
    """Templates, assets and the sample project travel in the wheel; nothing of the checkout is needed."""
    wheels, unpacked = tmp_path / "wheels", tmp_path / "unpacked"
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, STARTER.parent.parent], check=True, capture_output=True)
    [wheel] = wheels.glob("kvdocs-*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}

    def run(*arguments: str, at: Path) -> str:
        done = subprocess.run([sys.executable, *arguments], cwd=at, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("-c", "import kvdocs; print(kvdocs.__file__)", at=tmp_path).strip() == str(unpacked / "kvdocs" / "__init__.py")
    run("-m", "kvdocs", "init", "new", at=tmp_path)
    run("-m", "kvdocs", "build", "--strict", at=tmp_path / "new")
    assert (tmp_path / "new" / "site" / "assets" / "stylesheets" / "kvdocs.css").is_file()
