"""The output of an execution on its page, and whole beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kvdocs.kinds.result import result_of
from kvdocs.pages.logs import log_path, logs_of, read_log
from kvdocs.pipeline import inspect
from tests.conftest import MakeProject, Ran

FILES = {
    "registry/environments/box.yaml": "id: box\ntitle: The box\n",
    "registry/scripts/check.sh": "#!/bin/sh\n",
    "registry/scripts/check.yaml": "id: check\ntitle: Checks\npurpose: reproduction\nfile: check.sh\nexpect:\n  reproduced:\n    - pattern: bad\n",
}


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(lambda data: data[:12] + b"\xff" * 28 + data[40:], id="another content"),
        pytest.param(lambda data: data[:200], id="cut off"),
        pytest.param(lambda data: b"no gzip at all", id="something else"),
        pytest.param(lambda data: b"", id="empty"),
    ],
)
def test_a_damaged_log_is_a_problem_and_its_page_is_made_without_it(damaged: Callable[[bytes], bytes], make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """`kvdocs build` ended with a traceback when zlib, and not gzip, found the damage."""
    project = make_project(FILES)
    text = "".join(f"line {number}: bad\n" for number in range(10_000))
    (project.root / "run.log").write_text(text, encoding="utf-8")
    done = kvdocs("import", "log", "run.log", "--script", "check", "--env", "box", "--exit", "0", "--command", "./check", at=project.root)
    assert done.code == 0, done.err
    log = next(project.root.rglob("stdout.log.gz"))
    entry = inspect(project).registry.of("result")[0]
    assert [(file.path, file.data.decode()) for file in logs_of(entry)] == [(log_path(entry.id, "stdout"), text)]

    log.write_bytes(damaged(log.read_bytes()))
    assert not read_log(entry, result_of(entry).streams["stdout"])
    assert list(logs_of(entry)) == []
    assert [(p.code.name, p.place.path) for p in inspect(project).problems if p.severity == "error"] == [("not-as-stored", log.relative_to(project.root).as_posix())]
    assert kvdocs("build", at=project.root).code == 0
