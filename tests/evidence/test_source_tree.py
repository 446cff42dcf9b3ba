"""Which source it was: the commit, what differs from it, and the patches that are in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from executions import Execute

from kvdocs.evidence.canonical import sha256
from kvdocs.evidence.source_tree import Patch, applied_patches, describe_source, git, git_blob
from kvdocs.evidence.spec import ProbeSpec

IDENTITY = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": "2026-08-24T10:00:00+00:00", "GIT_COMMITTER_DATE": "2026-08-24T10:00:00+00:00", "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip


def commit(tree: Path, message: str) -> str:
    """Commit all that is in the tree; the commit."""
    for command in (["add", "-A"], ["commit", "-q", "-m", message]):
        subprocess.run(["git", *command], cwd=tree, env={**os.environ, **IDENTITY}, check=True)
    return git(tree, "rev-parse", "HEAD").decode().strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A source tree with one commit on a branch."""
    folder = tmp_path / "src"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "beellama-kv-cpu-offload")
    git(folder, "remote", "add", "origin", "https://ada:token@example.org/ada/llama.cpp")
    (folder / "copy.c").write_text("".join(f"line {number}\n" for number in range(40)))
    (folder / ".gitignore").write_text("build/\n")
    commit(folder, "Start")
    return folder


def patch_of(tree: Path, name: str, old: str, new: str, *, output_correct: bool = True) -> Patch:
    """Change a line of the tree; the patch that does it, on top of what the index holds; the index then holds it too."""
    text = (tree / "copy.c").read_text()
    assert old in text
    (tree / "copy.c").write_text(text.replace(old, new))
    data = git(tree, "diff")
    git(tree, "add", "copy.c")
    return Patch(name, f"registry/probes/{name}.patch", data, output_correct)


def test_a_clean_tree(tree: Path) -> None:
    described = describe_source(tree)
    assert described.facts == {
        "commit": git(tree, "rev-parse", "HEAD").decode().strip(), "branch": "beellama-kv-cpu-offload",
        "describe": git(tree, "describe", "--always").decode().strip(), "commit_date": "2026-08-24T10:00:00+00:00",
        "repository": "https://example.org/ada/llama.cpp", "submodules": [], "dirty": False, "diff_sha256": None, "diff_stored": False,
        "untracked": [], "patches": [], "only_patches": None,
    }  # fmt: skip
    assert (described.diff, described.missing) == (b"", ())


def test_a_dirty_tree_is_told_by_its_diff_and_its_untracked_files(tree: Path) -> None:
    (tree / "copy.c").write_text("changed\n")
    (tree / "new.c").write_text("new\n")
    (tree / "tools").mkdir()
    (tree / "tools" / "a").write_text("a")
    (tree / "build").mkdir()
    (tree / "build" / "ignored").write_text("x")
    described = describe_source(tree)
    assert described.facts["dirty"]
    assert b"-line 0\n" in described.diff
    assert b"+changed\n" in described.diff
    assert described.facts["diff_sha256"] == sha256(described.diff)
    assert described.facts["untracked"] == [{"path": "new.c", "sha256": sha256(b"new\n")}, {"path": "tools/", "sha256": None}]


def test_results_of_the_runner_do_not_make_their_own_source_dirty(tree: Path) -> None:
    """A registry inside the source that it is about: each run writes a result there, and the next one runs on the same commit."""
    results = tree / "registry" / "results"
    (results / "box" / "abort" / "1a2b").mkdir(parents=True)
    (results / "box" / "abort" / "1a2b" / "result.json").write_text("{}")
    for elsewhere in (None, tree.parent / "results", tree):
        assert describe_source(tree, results=elsewhere).facts["untracked"] == [{"path": "registry/", "sha256": None}]
    described = describe_source(tree, results=results)
    assert (described.facts["untracked"], described.facts["dirty"]) == ([], False)
    (tree / "registry" / "notes.yaml").write_text("new\n")
    assert describe_source(tree, results=results).facts["untracked"] == [{"path": "registry/", "sha256": None}]


def test_a_detached_tree_has_no_branch(tree: Path) -> None:
    git(tree, "checkout", "-q", "--detach")
    assert describe_source(tree).facts["branch"] is None


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: folder.mkdir(), lambda folder: (folder.mkdir(), git(folder, "init", "-q"))])
def test_what_is_no_tree_with_a_commit_is_said_to_be_missing(tmp_path: Path, make: object) -> None:
    make(tmp_path / "x")  # type: ignore[operator]
    described = describe_source(tmp_path / "x")
    assert described.facts == {}
    assert [m["what"] for m in described.missing] in (["source"], ["source.commit"])


def test_a_stack_of_patches_is_recognised_though_each_changes_what_the_one_below_wrote(tree: Path) -> None:
    first = patch_of(tree, "01", "line 5\n", "line 5\ncount_h2d();\n")
    second = patch_of(tree, "02", "count_h2d();\n", "count_h2d(); count_d2h();\n")
    absent = Patch("05", "registry/probes/05.patch", first.data.replace(b"line 5", b"line 25"), True)
    found, only = applied_patches(tree, [second, absent, first])
    assert [(p["id"], p["where"], p["sha256"]) for p in found] == [("01", "tree", sha256(first.data)), ("02", "tree", sha256(second.data))]
    assert only is True
    (tree / "copy.c").write_text((tree / "copy.c").read_text() + "something else\n")
    assert applied_patches(tree, [first, second])[1] is False


def test_looking_for_patches_changes_neither_the_tree_nor_the_repository(tree: Path) -> None:
    patch = patch_of(tree, "01", "line 5\n", "line five\n")

    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}

    before = everything()
    assert [p["id"] for p in applied_patches(tree, [patch])[0]] == ["01"]
    describe_source(tree, [patch])
    assert everything() == before


def test_a_repair_that_the_commit_contains_is_in_the_commit(tree: Path) -> None:
    repair = patch_of(tree, "06", "line 7\n", "line 7, nullptr\n")
    commit(tree, "Repair")
    found, only = applied_patches(tree, [repair])
    assert ([(p["id"], p["where"]) for p in found], only) == ([("06", "commit")], True)


def test_a_result_under_a_patch_whose_output_is_wrong_carries_that_label(execute: Execute, tree: Path) -> None:
    right = patch_of(tree, "01", "line 5\n", "line 5, counted\n")
    wrong = patch_of(tree, "04-overlap-ceiling", "line 30\n", "line 30, unordered\n", output_correct=False)
    record = execute("true", settings={"KVDOCS_SOURCE": str(tree)}, patches=(right, wrong)).record
    assert (record["output_correct"], record["labels"]) == (False, ["output incorrect by construction: 04-overlap-ceiling"])
    assert [p["id"] for p in record["source"]["patches"]] == ["01", "04-overlap-ceiling"]


def test_a_patch_that_nobody_can_look_for_is_taken_on_the_scripts_word_and_labelled(execute: Execute) -> None:
    record = execute("true", probes=(ProbeSpec("P4", output_correct=False),)).record
    assert (record["outcome"], record["labels"]) == ("passed", ["output incorrect by construction: P4"])
    assert record["source"]["patches"] == [{"id": "P4", "path": None, "sha256": None, "output_correct": False, "where": "declared"}]
    assert {"what": "source.patches[P4]", "why": "its file is not at hand, so the script's word is taken for it"} in record["missing"]


def test_the_diff_of_a_dirty_tree_lies_beside_the_result(execute: Execute, tree: Path) -> None:
    (tree / "copy.c").write_text("api_key = abcdefgh12345678\n")
    stored = execute("true", settings={"KVDOCS_SOURCE": str(tree)})
    diff = (stored.folder / "source.diff").read_text()
    assert "+api_key = [redacted]\n" in diff
    assert stored.record["source"]["dirty"]


def test_the_name_that_git_gives_a_file() -> None:
    assert git_blob(b"test content\n") == "d670460b4b4aece5915caf5c68d12f560a9fe3e4"
