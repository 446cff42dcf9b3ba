"""Pipes where files belong: nobody writes into them, and who reads one waits for ever."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from tests.conftest import MakeProject, Ran

FILES = {
    "registry/owners/us.yaml": "id: us\ntitle: Us\nowns: The program.\n",
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/scripts/check.sh": "#!/bin/sh\n",
    "registry/scripts/check.yaml": "id: check\ntitle: Checks\npurpose: reproduction\nfile: check.sh\nexpect:\n  reproduced:\n    - pattern: bad\n",
    "run.log": "bad\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("registry/owners/us.yaml", "registry/owners/us.yaml:1:1: error[unreadable]: this is not read: it is a pipe, a socket or a device, and no file"),
        ("registry/scripts/check.sh", "registry/scripts/check.yaml:4:7: error[missing-file]: there is no file 'check.sh' beside the record"),
        ("stdout.log", "{}:1:1: error[not-as-stored]: stdout.log is missing"),
        ("result.json", "{}:1:1: error[not-as-stored]: result.json is no file"),
    ],
)
def test_no_command_waits_for_a_pipe(name: str, problem: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """`check` waited for the content of a script, `build` and `log` for that of a record that was a file in the last commit, and `export` for a log."""
    root = make_project(FILES).root
    done = kvdocs("import", "log", "run.log", "--script", "check", "--env", "box", "--exit", "0", "--command", "./check", at=root)
    assert done.code == 0, done.err
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    (path,) = root.rglob(name) if "/" not in name else [root / name]
    path.unlink()
    os.mkfifo(path)
    checked = kvdocs("check", at=root)
    assert (checked.code, problem.format(path.relative_to(root).as_posix()) in checked.out.splitlines(), checked.err) == (1, True, ""), checked.out
    codes = {command: kvdocs(*command.split(), at=root).code for command in ("order", "log", "diff", "build --no-site", "render --out docs", "export json", "export junit")}
    damaged = path.parent.parent.name == "check"
    assert codes == {"order": 0, "log": 0, "diff": 0, "build --no-site": 0, "render --out docs": 0, "export json": 0, "export junit": 2 if damaged else 0}


@pytest.mark.parametrize(
    ("command", "error"),
    [("export json -o out", "error: out: it is no file\n"), ("pack check -o out", "error: out cannot be written: it is no file\n")],
)
def test_a_pipe_or_a_device_was_replaced_by_the_file_that_it_was_to_be_given(command: str, error: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """`-o /dev/stdout`, for who may write in `/dev`."""
    root = make_project(FILES).root
    for put in (os.mkfifo, lambda path: path.symlink_to("/dev/null")):
        put(root / "out")
        ran = kvdocs(*command.split(), at=root)
        assert (ran.code, ran.out, ran.err) == (2, "", error)
        assert not (root / "out").is_file()
        (root / "out").unlink()


@pytest.mark.parametrize("command", ["export json -o out", "pack check -o out"])
def test_a_link_to_a_file_was_replaced_and_the_file_stayed_as_it_was(command: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "behind": "old"}).root
    (root / "out").symlink_to("behind")
    assert kvdocs(*command.split(), at=root).code == 0
    assert (root / "out").is_symlink()
    assert (root / "behind").read_bytes() != b"old"
