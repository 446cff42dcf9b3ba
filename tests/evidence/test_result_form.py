"""Results whose seal holds and whose groups have another form than anything that executes gives them: a program of somebody's wrote them, or somebody did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kvdocs.evidence.canonical import pretty
from kvdocs.evidence.record import sealed
from tests.conftest import MakeProject, Ran

FILES = {
    "registry/environments/box.yaml": "id: box\ntitle: The box\ngpus:\n  - {name: NVIDIA H200}\n",
    "registry/defects/D1.yaml": """
        id: D1
        title: It says bad
        status: confirmed
        severity: low
        owners: [us]
        symptom: It says bad.
        environment: box
        commit: "0123456789"
        script: check
    """,
    "registry/owners/us.yaml": "id: us\ntitle: Us\nowns: The program.\n",
    "registry/scripts/check.sh": "#!/bin/sh\n",
    "registry/scripts/check.yaml": """
        id: check
        title: Checks
        purpose: reproduction
        file: check.sh
        about: [D1]
        expect:
          captures: {worst: {pattern: 'bad: (\\d+)'}}
          reproduced:
            - pattern: bad
    """,
    "run.log": "bad: 3\n",
}


@pytest.fixture
def altered(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> Callable[[tuple[str | int, ...], Any], Path]:
    """A project whose only result has another value at a place, sealed again; gives the project's folder."""

    def alter(place: tuple[str | int, ...], value: Any) -> Path:
        root = make_project(FILES).root
        done = kvdocs("import", "log", "run.log", "--script", "check", "--env", "box", "--exit", "0", "--commit", "0123456789", "--command", "./check", at=root)
        assert done.code == 0, done.err
        (file,) = root.rglob("result.json")
        record = json.loads(file.read_bytes())
        group = record
        for part in place[:-1]:
            group = group[part]
        group[place[-1]] = value
        again = sealed(record)
        file.write_bytes(pretty(again))
        shutil.move(file.parent, file.parent.with_name(again["id"]))
        return root

    return alter


def folder_of(root: Path) -> str:
    """The folder of the only result, as commands name it."""
    (file,) = (root / "registry").rglob("result.json")
    return file.parent.relative_to(root).as_posix()


def lines_of(root: Path, ran: Ran) -> list[str]:
    """What `check` said of the result, without the name of its folder and the number of the line."""
    return [line.split(": ", 1)[1] for line in ran.out.splitlines() if line.startswith(f"{folder_of(root)}/result.json:")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("judgement", "verdict"), ["bad"], "error[wrong-value]: `judgement.verdict`: a list is not one of 'reproduced', 'not-reproduced' or 'inconclusive'"),
        (("judgement", "reasons"), None, "error[wrong-type]: `judgement.reasons` is a list, not nothing"),
        (("judgement", "captures", "worst"), 3, "error[wrong-type]: `judgement.captures.worst` is a mapping, not `3`"),
        (("judgement", "captures", "worst", "lines"), ["stdout:one"], "error[wrong-value]: `judgement.captures.worst.lines[0]`: `stdout:one` does not have the form ^\\w+:[0-9]{1,18}$"),
        (("judgement", "matchers", 0), [], "error[wrong-type]: `judgement.matchers[0]` is a mapping, not a list"),
        (("end", "duration_ns"), 10**20, "error[wrong-value]: `end.duration_ns` is less than 9223372036854775808, not `100000000000000000000`"),
        (("invocation", "argv"), None, "error[wrong-type]: `invocation.argv` is a list, not nothing"),
        (("invocation", "files"), [{"path": "a\0b", "sha256": "0"}], "error[wrong-value]: `invocation.files[0].path`: `a\\x00b` does not have the form ^[^\\x00]*$"),
        (("source", "commit"), 123456789, "error[wrong-type]: `source.commit` is text, not `123456789`"),
        (("source", "patches"), [{"output_correct": False}], "error[missing-field]: a result needs `source.patches[0].id`"),
        (("build",), {"embedded_commit": {"commit": "0123456789"}, "matches_source": "no"}, "error[wrong-type]: `build.matches_source` is true or false, not `no`"),
        (("machine",), {"gpu": [7]}, "error[wrong-type]: `machine.gpu[0]` is a mapping, not `7`"),
        (("streams", "stdout"), None, "error[wrong-type]: `streams.stdout` is a mapping, not nothing"),
        (("missing",), [{"what": "build"}], "error[missing-field]: a result needs `missing[0].why`"),
        (("redaction",), ["path-home"], "error[wrong-type]: `redaction[0]` is a mapping, not `path-home`"),
    ],
)
def test_a_sealed_result_of_another_form_is_a_problem_with_its_place(
    place: tuple[str | int, ...], value: Any, problem: str, altered: Callable[[tuple[str | int, ...], Any], Path], kvdocs: Callable[..., Ran]
) -> None:
    """The pages, the exports and the evidence for a status each read what stood there as it came, and ended with a traceback."""
    root = altered(place, value)
    checked = kvdocs("check", at=root)
    assert (lines_of(root, checked), checked.code, checked.err) == ([problem], 1, "")
    built = kvdocs("build", "--no-site", at=root)
    assert (built.code, built.err.count("\n")) == (0, 1)
    assert (kvdocs("show", "D1", at=root).code, kvdocs("show", "box", at=root).code) == (0, 0)
    for form in ("junit", "kcidb", "intoto"):
        exported = kvdocs("export", form, at=root)
        assert (exported.code, exported.out, exported.err) == (2, "", f"error: {folder_of(root)}: result.json is not the record of a result\n  hint: `kvdocs check` names everything that was changed\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["../../../../../notes.txt", "{root}/notes.txt"])
def test_no_file_from_elsewhere_is_published_as_the_log_of_a_result(name: str, tmp_path: Path, altered: Callable[[tuple[str | int, ...], Any], Path], kvdocs: Callable[..., Ran]) -> None:
    """A sealed result that named a file outside of its folder as its output had it on its page."""
    (tmp_path / "notes.txt").write_text("not for others\n", encoding="utf-8")
    root = altered(("streams", "stdout", "file"), name.format(root=tmp_path))
    checked = kvdocs("check", at=root)
    shown = name.format(root=tmp_path)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    assert (lines_of(root, checked), checked.code) == ([f"error[wrong-value]: `streams.stdout.file`: `{shown}` does not have the form ^[^/\\\\\\x00]+$"], 1)
    assert kvdocs("build", "--no-site", at=root).code == 0
    assert [file for file in (root / "build").rglob("*") if file.is_file() and b"not for others" in file.read_bytes()] == []


@pytest.mark.slow
def test_a_sealed_result_of_another_form_was_taken_in_before_the_command_ended(altered: Callable[[tuple[str | int, ...], Any], Path], kvdocs: Callable[..., Ran]) -> None:
    root = altered(("judgement",), {"verdict": "reproduced"})
    back = shutil.move(root / "registry/results", root.with_name("back"))
    ran = kvdocs("import", "results", str(back), at=root)
    (file,) = back.rglob("result.json")
    assert (ran.code, ran.out, ran.err) == (1, "0 taken in, 0 here already, 1 refused\n", f"refused: {file}: a result needs `judgement.reasons`\n")
    assert not (root / "registry/results").exists()
    assert kvdocs("check", at=root).code == 0
