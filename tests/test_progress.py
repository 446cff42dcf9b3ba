"""On a terminal a long build says how far it is, in one line that is gone in the end; nowhere else does it say so."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.site.engine import run_engine
from kvdocs.site.progress import PROGRESS, to_parent, told
from tests.conftest import MakeProject, Ran
from tests.site.test_cached_engine import SETTINGS

FILES = {
    "mkdocs.yml": SETTINGS,
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n",
}


def on_a_terminal(*arguments: str, at: Path) -> tuple[str, str]:
    """What a command prints, and what the terminal gets on which its error output is."""
    terminal, error_output = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "kvdocs", *arguments], cwd=at, stdout=subprocess.PIPE, stderr=error_output, text=True, env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"})
    os.close(error_output)
    seen = b""
    try:
        while part := os.read(terminal, 65536):
            seen += part
    except OSError:  # the last process has let go of the terminal
        pass
    finally:
        os.close(terminal)
    printed, _ = process.communicate(timeout=120)
    return printed, seen.decode()


def begun(seen: str) -> list[str]:
    """The lines that stood on the terminal one after the other; of those that count, only the first: how often one is drawn is a matter of time."""
    lines = [re.sub(r"of [1-9][0-9]*$", "of …", line) for line in re.split(r"\r\x1b\[K|\r\n", seen)]
    return [line for line in lines if not re.search(r": [1-9][0-9]* of …$", line)]


@pytest.mark.slow
def test_a_build_says_each_step_and_takes_it_away(make_project: MakeProject) -> None:
    """A build of 10,000 records said nothing for half a minute, and then again."""
    root = make_project(FILES).root
    printed, seen = on_a_terminal("build", at=root)
    assert begun(seen) == [
        "",
        "reading the records …",
        "putting the work in order …",
        "writing build/docs: 0 of …",
        "mkdocs builds site/ …",
        "",
        "mkdocs reads pages: 0 of …",
        "mkdocs writes pages: 0 of …",
        "",
    ]
    assert [line.partition(":")[0] for line in printed.splitlines()] == ["build/docs", "site"]


@pytest.mark.slow
def test_an_error_stands_in_a_line_of_its_own(make_project: MakeProject) -> None:
    root = make_project({**FILES, "templates/record.md.j2": "{{ nothing }}\n"}).root
    printed, seen = on_a_terminal("build", "--no-site", at=root)
    assert printed == ""
    error = "error: record.md.j2, for records/R1.md: 'nothing' is undefined"
    assert begun(seen) == ["", "reading the records …", "putting the work in order …", "writing build/docs: 0 of …", error, ""]


def test_nowhere_else_is_anything_said(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    assert kvdocs("build", "--no-site", at=make_project(FILES).root).err == ""


@pytest.mark.slow
def test_what_the_engine_tells_is_not_what_it_prints(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project({**FILES, "site_src/page.md": "# A page\n\n[gone](nowhere.md)\n"})
    kvdocs("build", "--no-site", at=project.root)
    heard: list[tuple[str, int, int]] = []
    built = run_engine(project, "mkdocs", strict=False, tell=lambda *progress: heard.append(progress))
    assert [(what, done) for what, done, _ in heard if not done] == [("mkdocs reads pages", 0), ("mkdocs writes pages", 0)]
    assert {total for _, _, total in heard} == {built.pages}
    assert [line for line in built.output.splitlines() if told(line) is not None] == []
    assert "nowhere.md" in "".join(built.remarks)


def test_the_engine_tells_only_who_asks(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROGRESS, raising=False)
    to_parent()("mkdocs reads pages", 0, 7)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv(PROGRESS, "1")
    tell = to_parent()
    for done in range(7):
        tell("mkdocs reads pages", done, 7)
    assert told(capsys.readouterr().out.splitlines()[0]) == ("mkdocs reads pages", 0, 7)
    assert told("INFO    -  Building documentation") is None
