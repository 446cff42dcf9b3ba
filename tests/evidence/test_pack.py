"""One file carries the scripts to a bare machine; what comes back is verified before it is taken in."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import kvdocs.evidence
from kvdocs.evidence.canonical import sha256
from kvdocs.evidence.intake import take_in
from kvdocs.evidence.logs import read_log
from kvdocs.evidence.pack import PackedJob, PackError, pack
from kvdocs.evidence.seals import load_result, results, verify
from kvdocs.evidence.shipped import MODULES, runner_identity
from kvdocs.evidence.source_tree import Patch
from kvdocs.evidence.spec import ScriptSpec

PACKAGE = Path(kvdocs.evidence.__file__).parent


def oldest_python() -> str:
    """Python 3.9 where it is installed, else this one: a packed job runs on either."""
    for found in (shutil.which("python3.9"), *map(str, Path.home().glob(".pyenv/versions/3.9*/bin/python3"))):
        if found is not None and subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0:
            return found
    return sys.executable


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a script that reads a file beside it, and one that fails."""
    folder = tmp_path / "project"
    (folder / "registry" / "scripts" / "kernels").mkdir(parents=True)
    scripts = folder / "registry" / "scripts"
    (scripts / "d10.py").write_text(
        "import json, os, pathlib\nhere = pathlib.Path(__file__).parent\nprint((here / 'kernels' / 'k.cu').read_text())\n"
        "json.dump({'ms': 1.5}, open(os.environ['KVDOCS_METRICS'], 'w'))\n"
    )
    (scripts / "kernels" / "k.cu").write_text("__global__ void k() {}")
    (scripts / "d4.sh").write_text("echo aborted; exit 134\n")
    return folder


NO_TOOL = "no-such-tool is not installed (neither on PATH nor in /usr/local/cuda/bin)"
SPECS = (
    ScriptSpec("d10", title="Reads a file", about=("D10",), file="registry/scripts/d10.py", files=("registry/scripts/kernels/k.cu",), expect={"not_reproduced": [{"pattern": "__global__"}, {"value": "ms", "below": 2}]}),
    ScriptSpec("d4", about=("D4",), file="registry/scripts/d4.sh", repeat=2, expect={"reproduced": [{"exit": 134}]}),
    ScriptSpec("m1", file="registry/scripts/d4.sh", needs={"tools": ["no-such-tool"]}),
)  # fmt: skip


@pytest.fixture
def job(project: Path, tmp_path: Path) -> PackedJob:
    """The packed job, in a folder of its own."""
    bare = tmp_path / "bare"
    bare.mkdir()
    return pack(SPECS, bare / "job.pyz", project, environment="h200")


def execute(job: PackedJob, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the job as on a bare machine: isolated from this checkout, in another folder, with an environment that holds nothing of ours."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(job.path.parent)}
    return subprocess.run([oldest_python(), "-I", job.path.name, *arguments], cwd=job.path.parent, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_a_packed_job_runs_on_a_bare_machine_and_its_results_come_home(job: PackedJob, project: Path) -> None:
    shutil.move(project, project.with_name("far-away"))
    done = execute(job, "--out", "back")
    assert done.stderr == ""
    assert [line.split(" -> ")[0] for line in done.stdout.splitlines()] == [
        "d10: passed (exit code 0), not reproduced: lines with `__global__`: 1 found; `ms` below 2: 1.5",
        "d4 [1/2]: failed (exit code 134), reproduced: exit 134 wanted: exit 134",
        "d4 [2/2]: failed (exit code 134), reproduced: exit 134 wanted: exit 134",
        "d4: reproduced over 2 runs: reproduced in 2 of 2 eligible runs",
        f"m1: unavailable ({NO_TOOL}), inconclusive: it could not run: {NO_TOOL}",
        f"results are in {job.path.parent}/back; take them in with: kvdocs import results back",
    ]
    assert done.returncode == 1, "something could not be executed"

    home = job.path.parent.parent / "home" / "registry" / "results"
    intake = take_in(job.path.parent / "back", home)
    assert (len(intake.taken), intake.known, intake.refused) == (4, [], [])
    assert list(verify(home)) == []
    [d10] = [stored for stored in intake.taken if stored.record["script"] == "d10"]
    assert d10.folder == home / "h200" / "d10" / d10.record["id"]
    assert read_log(d10.folder, d10.record, "stdout") == b"__global__ void k() {}\n"
    assert d10.record["invocation"]["runner"]["sha256"] == runner_identity()["sha256"]
    assert d10.record["invocation"]["script"]["path"] == "registry/scripts/d10.py"

    again = take_in(job.path.parent / "back", home)
    assert (again.taken, len(again.known), again.refused) == ([], 4, [])


def test_a_job_says_what_is_in_it_and_what_is_missing(job: PackedJob) -> None:
    assert execute(job, "--list").stdout.splitlines() == [
        "d10: Reads a file (D10; limit 3600 s)", "d4:  (D4; limit 3600 s, 2 times)", "m1:  (about nothing yet; limit 3600 s)",
    ]  # fmt: skip
    dry = execute(job, "--dry-run", "--only", "m1", "--only", "d4")
    assert dry.stdout.splitlines() == ["d4: can run", "m1: cannot run", "    no-such-tool is not installed (neither on PATH nor in /usr/local/cuda/bin)"]
    assert not (job.path.parent / "kvdocs-results").exists()


def test_one_script_of_a_job_for_another_environment(job: PackedJob) -> None:
    done = execute(job, "--only", "d4", "--env", "rtx4070", "--repeat", "1")
    assert done.returncode == 0
    [folder] = results(job.path.parent / "kvdocs-results")
    assert (load_result(folder)["environment"], load_result(folder)["repeat"]["of"]) == ("rtx4070", 1)


def test_wrong_use_of_a_job(job: PackedJob) -> None:
    done = execute(job, "--only", "d5")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: the job has no script 'd5'; it has d10, d4, m1\n")
    assert execute(job, "--env", "a/b").returncode == 2


def test_a_job_whose_scripts_were_changed_is_refused(job: PackedJob) -> None:
    rewritten(job, **{"project/registry/scripts/d4.sh": b"echo tampered\n"})
    done = execute(job)
    assert (done.returncode, done.stderr) == (2, "error: job.pyz is not a whole job: registry/scripts/d4.sh was changed; pack it again\n")


def rewritten(job: PackedJob, **members: bytes) -> None:
    """The job with other content in some of its members."""
    with zipfile.ZipFile(job.path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(job.path, "w") as archive:
        for name, data in {**content, **members}.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[" * 100_000, "maximum recursion depth exceeded"),
        (b"[]", "'list' object has no attribute 'get'"),
        (b'{"schema": "kvdocs/job/v1", "files": 7}', "'int' object is not iterable"),
        (b'{"schema": "kvdocs/job/v1", "files": []}', "'patches'"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [{"id": "P1", "path": "no.patch", "output_correct": true}]}', "No such file or directory"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": null, "gpus": {}, "specs": [{"title": "It has no id"}]}', "missing 1 required positional argument: 'id'"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": null, "gpus": {}, "specs": [{"id": "d4", "about": 4}]}', "`about` of a script is a tuple, not 4"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": null, "gpus": {}, "specs": [{"id": "d4", "about": ["D4", 4]}]}', "`about` of a script holds text, not ('D4', 4)"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": null, "gpus": {}, "specs": [{"id": "d4", "env": {"A": 4}}]}', "`env` of a script holds text, not {'A': 4}"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": 7, "gpus": {}, "specs": []}', "expected string"),
        (b'{"schema": "kvdocs/job/v1", "files": [], "patches": [], "environment": null, "gpus": [], "specs": []}', "no attribute 'items'"),
    ],
)
def test_a_job_of_another_form_ended_with_a_traceback(content: bytes, why: str, job: PackedJob) -> None:
    rewritten(job, **{"job.json": content})
    done = execute(job, "--list")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("error: job.pyz is not a whole job: ")
    assert why in done.stderr


def test_a_job_of_which_a_byte_was_changed_ended_with_a_traceback(job: PackedJob) -> None:
    data = bytearray(job.path.read_bytes())
    in_directory = data.rindex(b"PK\x01\x02", 0, data.rindex(b"job.json"))
    data[in_directory + 10] = 99  # the method of compression
    job.path.write_bytes(data)
    done = execute(job, "--list")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: job.pyz is not a whole job: That compression method is not supported; pack it again\n")


def test_a_folder_that_cannot_be_written_ended_a_job_with_a_traceback(job: PackedJob) -> None:
    done = execute(job, "--out", "job.pyz")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {job.path}: File exists\n")


@pytest.mark.parametrize(("option", "value"), [("--repeat", "-1"), ("--repeat", "x"), ("--timeout", "0"), ("--timeout", "-1"), ("--timeout", "nan"), ("--timeout", "inf")])
def test_a_job_executed_nothing_or_without_limit_and_said_that_all_is_well(option: str, value: str, job: PackedJob) -> None:
    done = execute(job, option, value)
    assert done.returncode == 2
    assert done.stderr.endswith(f"argument {option}: {value} is not {'a number of times, 1 or more' if option == '--repeat' else 'a number of seconds above 0'}\n")
    assert not (job.path.parent / "kvdocs-results").exists()


def test_the_same_scripts_give_the_same_file(project: Path, tmp_path: Path) -> None:
    first = pack(SPECS, tmp_path / "a.pyz", project)
    os.utime(project / "registry" / "scripts" / "d4.sh", (1, 1))
    second = pack(SPECS, tmp_path / "b.pyz", project)
    assert (tmp_path / "a.pyz").read_bytes() == (tmp_path / "b.pyz").read_bytes()
    assert first.sha256 == second.sha256 == sha256((tmp_path / "a.pyz").read_bytes())
    assert first.files == ("registry/scripts/d10.py", "registry/scripts/d4.sh", "registry/scripts/kernels/k.cu")


def test_what_cannot_be_packed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (project / "link.sh").symlink_to(tmp_path / "secret")
    for spec, message in [
        (ScriptSpec("x", file="absent.sh"), "absent.sh cannot be read: No such file or directory"),
        (ScriptSpec("x", file="link.sh"), "link.sh lies outside the project"),
    ]:
        with pytest.raises(PackError, match=message):
            pack([spec], tmp_path / "job.pyz", project)
    with pytest.raises(PackError, match="there is nothing to pack"):
        pack([], tmp_path / "job.pyz", project)
    assert not (tmp_path / "job.pyz").exists()


def test_patches_travel_with_the_job(project: Path, tmp_path: Path) -> None:
    from test_source_tree import commit

    from kvdocs.evidence.source_tree import git

    tree = tmp_path / "src"
    tree.mkdir()
    git(tree, "init", "-q")
    (tree / "a.c").write_text("one\n")
    commit(tree, "Start")
    (tree / "a.c").write_text("one, unordered\n")
    patch = Patch("P4", "registry/probes/p4.patch", git(tree, "diff"), False)
    job = pack([ScriptSpec("d4", file="registry/scripts/d4.sh")], tmp_path / "job.pyz", project, environment="h200", patches=[patch])
    execute(job, "--source", str(tree))
    [folder] = results(tmp_path / "kvdocs-results")
    assert load_result(folder)["labels"] == ["output incorrect by construction: P4"]


def test_damaged_results_are_refused_and_the_others_taken(job: PackedJob, tmp_path: Path) -> None:
    execute(job, "--out", "back")
    back = job.path.parent / "back"
    bad, *_ = [folder for folder in results(back) if folder.parent.name == "d4"]
    (bad / "stdout.log").write_bytes(b"abortex\n")
    intake = take_in(back, tmp_path / "home")
    assert len(intake.taken) == 3
    assert [(d.path, d.what) for d in intake.refused] == [(bad / "stdout.log", "stdout.log was edited: its hash is not the one in the record")]
    assert not (tmp_path / "home" / "h200" / "d4" / bad.name).exists()
    assert list(verify(tmp_path / "home")) == []


def test_what_a_packed_job_carries_imports_the_standard_library_alone_and_is_python_3_9() -> None:
    reached = set()
    todo = ["job"]
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        tree = ast.parse((PACKAGE / f"{name}.py").read_text(), feature_version=(3, 9))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                todo += [node.module] if node.module else [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert (node.level, node.module) == (0, "kvdocs") or str(node.module).split(".")[0] in sys.stdlib_module_names, f"{name} imports {node.module}"
            elif isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= sys.stdlib_module_names, f"{name} imports something else"
    assert reached | {"__init__"} == set(MODULES)
    assert not [node for node in ast.walk(ast.parse((PACKAGE.parent / "__init__.py").read_text())) if isinstance(node, (ast.Import, ast.ImportFrom))]
