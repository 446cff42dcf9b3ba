"""What changed when, from repositories that the tests write: moves, merges, unreadable files, shallow clones, no git at all."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.history.git import GitError
from kvdocs.history.timeline import History, by_release, read_history, since
from kvdocs.project import find_project
from tests.conftest import Ran
from tests.history.conftest import Story, item

Lines = Callable[[History], list[str]]
R1 = "registry/roadmap/R1.yaml"


def test_the_life_of_an_item(story: Story, lines: Lines) -> None:
    story.commit("Plan it", {R1: item("R1", size="S"), "registry/owners/ann.yaml": "id: ann\ntitle: Ann\n"})
    story.commit("Wait for another", {R1: item("R1", size="S", blocked_by="[R2]"), "registry/roadmap/R2.yaml": item("R2")})
    story.commit("Hand over", {R1: item("R1", size="M", owners="[ann, bob]", blocked_by="[R2]")})
    story.commit("Nothing of the registry", {"notes.txt": "x\n"})
    story.commit("Finish", {R1: item("R1", status="done", size="M", owners="[ann, bob]", summary="Finished at last.")})
    story.commit("Give up the other", {"registry/roadmap/R2.yaml": None})
    assert lines(story.history()) == [
        "2026-08-01 Ann R1: added: Title of R1",
        "2026-08-01 Ann ann: added: Ann",
        "2026-08-02 Ann R1: blocked by none → R2",
        "2026-08-02 Ann R2: added: Title of R2",
        "2026-08-03 Ann R1: owners ann → ann, bob",
        "2026-08-03 Ann R1: size S → M",
        "2026-08-05 Ann R1: status open → done",
        "2026-08-05 Ann R1: summary written",
        "2026-08-05 Ann R1: blocked by R2 → none",
        "2026-08-06 Ann R2: removed: Title of R2",
    ]


def test_each_change_says_what_it_is_about(story: Story) -> None:
    story.commit("First", {R1: item("R1", size="S", summary="Old.")})
    commit = story.commit("Second", {R1: item("R1", status="done", owners="[bob]", size="M", blocked_by="[R2]", summary="New.", payoffs="[{what: It, gain: 2.5, basis: measured}]")})
    story.commit("Third", {R1: item("R1", status="done", owners="[bob]", size="M", blocked_by="[R2]", summary="New.", payoffs="[{what: It, gain: 3, basis: measured}]")})
    changes = story.history().of("R1")
    assert [(c.field, c.before, c.after, c.topic) for c in changes[1:]] == [
        ("status", "open", "done", "status"),
        ("owners", "ann", "bob", "owner"),
        ("size", "S", "M", "other"),
        ("blocked_by", None, "R2", "blockers"),
        ("summary", "Old.", "New.", "text"),
        ("payoffs", None, "1 entry", "other"),
        ("payoffs[0].gain", "2.5", "3", "values"),
    ]
    assert (changes[1].commit, changes[1].date, changes[1].author, changes[1].subject, changes[1].kind) == (commit, "2026-08-02T12:00:00+02:00", "Ann", "Second", "item")


def test_a_cell_of_a_measurement_is_named_by_its_row(story: Story, lines: Lines) -> None:
    measurement = """
        id: M1
        title: Rates
        key: depth
        columns: [{name: depth, title: Depth, unit: token}, {name: rate, title: Rate, unit: token/s}]
        rows: [{depth: 4096, rate: 31.72}, {depth: 32768, rate: VALUE}]
    """
    story.commit("Measure", {"registry/measurements/M1.yaml": measurement.replace("VALUE", "13.01")})
    story.commit("Measure again", {"registry/measurements/M1.yaml": measurement.replace("VALUE", "13.030")})
    assert lines(story.history())[1:] == ["2026-08-02 Ann M1: rows[32768].rate 13.01 → 13.030"]


def test_a_record_that_moves_to_another_file_does_not_change(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1"), "registry/roadmap/R2.yaml": item("R2")})
    story.commit("Move", {R1: None, "registry/roadmap/R2.yaml": None, "registry/roadmap/all.yaml": "- {id: R1, title: Title of R1, status: done, owners: [ann]}\n- {id: R2, title: Title of R2, status: open, owners: [ann]}\n"})
    assert lines(story.history())[2:] == ["2026-08-02 Ann R1: status open → done"]


def test_a_record_with_a_new_id_keeps_its_history(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1", title="Same")})
    story.commit("Rename", {R1: None, "registry/roadmap/R7.yaml": item("R7", title="Same")})
    story.commit("Finish", {"registry/roadmap/R7.yaml": item("R7", title="Same", status="done")})
    history = story.history()
    assert lines(History(history.of("R7"))) == ["2026-08-01 Ann R1: added: Same", "2026-08-02 Ann R7: renamed from R1", "2026-08-03 Ann R7: status open → done"]
    assert history.of("R9") == ()


def test_a_record_renamed_by_the_command_keeps_its_history(story: Story, lines: Lines, kvdocs: Callable[..., Ran]) -> None:
    """The command writes `formerly`, so that the record is not the same otherwise; and more may have changed with it."""
    story.commit("First", {R1: item("R1", title="Same")})
    assert kvdocs("rename", "R1", "R7", at=story.root).code == 0
    assert kvdocs("set", "R7", "status=done", at=story.root).code == 0
    story.commit("Rename and finish", {})
    history = story.history()
    assert lines(history) == ["2026-08-01 Ann R1: added: Same", "2026-08-02 Ann R7: renamed from R1", "2026-08-02 Ann R7: status open → done"]
    assert history.of("R7") == history.changes


def test_a_merge_is_credited_with_what_no_parent_had(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1", size="S"), "registry/roadmap/R2.yaml": item("R2")})
    story.git("checkout", "--quiet", "-b", "side")
    story.commit("On the side", {R1: item("R1", size="M"), "registry/roadmap/R2.yaml": item("R2", status="done")})
    story.git("checkout", "--quiet", "main")
    story.commit("On main", {R1: item("R1", size="L")})
    story.day += 1
    subprocess.run(["git", "merge", "--quiet", "side"], cwd=story.root, env={"PATH": "/usr/bin:/bin", "HOME": str(story.root), "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x"}, capture_output=True, check=False)
    story.day -= 1
    story.commit("Merge", {R1: item("R1", size="XL", owners="[bob]")})
    assert sorted(lines(story.history())[2:]) == [
        "2026-08-02 Ann R1: size S → M",
        "2026-08-02 Ann R2: status open → done",
        "2026-08-03 Ann R1: size S → L",
        "2026-08-04 Ann R1: owners ann → bob",
        "2026-08-04 Ann R1: size L → XL",
    ]


def test_a_merge_without_conflict_changes_nothing_itself(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1"), "registry/roadmap/R2.yaml": item("R2")})
    story.git("checkout", "--quiet", "-b", "side")
    story.commit("On the side", {R1: item("R1", status="done")})
    story.git("checkout", "--quiet", "main")
    story.commit("On main", {"registry/roadmap/R2.yaml": item("R2", status="done")})
    story.git("merge", "--quiet", "--no-ff", "--message", "Merge", "side")
    assert sorted(lines(story.history())[2:]) == ["2026-08-02 Ann R1: status open → done", "2026-08-03 Ann R2: status open → done"]


def test_a_file_that_could_not_be_read_for_a_while_is_compared_with_what_it_last_held(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.commit("Break", {R1: "id: R1\nstatus: [\n"})
    story.commit("Break more", {R1: "id: R1\nstatus: {\n"})
    story.history()  # what was read so far is kept, together with the last readable content
    story.commit("Repair", {R1: item("R1", status="done")})
    assert lines(story.history()) == [
        "2026-08-01 Ann R1: added: Title of R1",
        "2026-08-02 Ann registry/roadmap/R1.yaml: registry/roadmap/R1.yaml cannot be read: did not find expected node content",
        "2026-08-03 Ann registry/roadmap/R1.yaml: registry/roadmap/R1.yaml cannot be read: did not find expected node content",
        "2026-08-04 Ann R1: status open → done",
    ]


def test_what_a_committed_file_last_held_that_cannot_be_read_was_forgotten_by_the_second_look(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.commit("Break", {R1: "id: R1\nstatus: [\n"})
    story.write({R1: item("R1", status="done")})
    first = lines(story.history())
    assert first[-1] == "not committed - R1: status open → done"
    assert lines(story.history()) == first


def test_what_is_not_committed_is_shown_as_such(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1"), "registry/roadmap/R3.yaml": item("R3")})
    story.write({R1: item("R1", status="done"), "registry/roadmap/R2.yaml": item("R2"), "registry/roadmap/R3.yaml": None})
    history = story.history()
    assert lines(history)[2:] == ["not committed - R1: status open → done", "not committed - R2: added: Title of R2", "not committed - R3: removed: Title of R3"]
    assert {(c.commit, c.date, c.author) for c in history.changes[2:]} == {(None, None, None)}
    story.git("add", "--all")
    assert lines(story.history()) == lines(history)


def test_in_a_repository_without_commits_everything_is_not_committed(story: Story, lines: Lines) -> None:
    story.write({R1: item("R1")})
    assert (lines(story.history()), story.history().limits) == (["not committed - R1: added: Title of R1"], ("Nothing is committed yet.",))


def test_a_project_in_a_folder_of_its_repository(story: Story, lines: Lines, tmp_path: Path) -> None:
    inner = tmp_path / "deep" / "project"
    story.commit("Outside", {R1: item("R1")})
    story.commit("Inside", {"deep/project/mkdocs.yml": "site_name: x\n", "deep/project/registry/project.yaml": "title: Inner\n", f"deep/project/{R1}": item("R1", title="Inner")})
    assert lines(read_history(find_project(inner))) == ["2026-08-02 Ann R1: added: Inner"]


def test_names_that_need_quotes(story: Story, lines: Lines) -> None:
    story.commit("Plan ünd 'quote'\x1b", {'registry/roadmap/a "b" ü.yaml': item("R1")})
    assert lines(story.history()) == ["2026-08-01 Ann R1: added: Title of R1"]


def test_a_shallow_clone_says_where_it_begins(story: Story, lines: Lines, tmp_path: Path) -> None:
    story.commit("First", {R1: item("R1")})
    story.commit("Second", {R1: item("R1", size="S")})
    story.commit("Third", {R1: item("R1", size="S", status="done")})
    clone = tmp_path / "clone"
    story.git("clone", "--quiet", "--depth", "2", f"file://{story.root}", str(clone))
    history = read_history(find_project(clone))
    assert lines(history) == ["2026-08-03 Ann R1: status open → done"]
    assert history.limits == (
        "This clone is shallow: it does not hold the whole history. It begins on 2026-08-02, and what was there then came at that time or earlier. `git fetch --unshallow` brings the rest.",
    )
    story.git("fetch", "--quiet", "--unshallow", at=clone)
    deep = read_history(find_project(clone))
    assert (len(deep.changes), deep.limits) == (3, ())


def test_without_a_repository_there_are_words(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (story.root / ".git").rename(tmp_path / "elsewhere")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert story.history() == History((), ("There is no history here: the project is not in a git repository.",))


def test_without_git_there_are_words(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    story.commit("First", {R1: item("R1")})
    monkeypatch.setenv("PATH", str(story.root))
    assert story.history() == History((), ("There is no history here: git is not installed.",))


def test_only_new_commits_are_read_again(story: Story, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    story.commit("First", {R1: item("R1")})
    first = story.history()
    story.commit("Second", {R1: item("R1", status="done")})
    asked: list[object] = []
    monkeypatch.setattr("kvdocs.history.timeline._Reader.changes_of", _noting(asked))
    assert lines(story.history()) == [*lines(first), "2026-08-02 Ann R1: status open → done"]
    assert asked == ["Second", "not committed"]
    asked.clear()
    story.history()
    assert asked == ["not committed"]


def _noting(asked: list[object]) -> Callable[..., object]:
    from kvdocs.history.timeline import _Reader

    original = _Reader.changes_of

    def noting(self: _Reader, commit: object) -> object:
        asked.append(commit.subject)  # type: ignore[attr-defined]  # a commit has one
        return original(self, commit)  # type: ignore[arg-type]

    return noting


def test_another_branch_is_read_from_its_beginning(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.git("checkout", "--quiet", "-b", "side")
    story.commit("Side", {R1: item("R1", size="S")})
    assert lines(story.history())[1:] == ["2026-08-02 Ann R1: size none → S"]
    story.git("checkout", "--quiet", "main")
    story.commit("Main", {R1: item("R1", size="M")})
    assert lines(story.history())[1:] == ["2026-08-03 Ann R1: size none → M"]


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[]", b'{"head": 1}'])
def test_a_damaged_cache_is_as_good_as_none(damage: bytes, story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    whole = lines(story.history())
    (kept,) = (story.root / ".kvdocs").rglob("history.json")
    kept.write_bytes(damage)
    assert lines(story.history()) == whole


def test_since_a_day(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.commit("Second", {R1: item("R1", size="S")})
    story.write({R1: item("R1", size="M")})
    assert lines(since(story.history(), story.project, "2026-08-02")) == ["2026-08-02 Ann R1: size none → S", "not committed - R1: size S → M"]
    assert lines(since(story.history(), story.project, "2026-08-03")) == ["not committed - R1: size S → M"]


def test_since_a_tag(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.git("tag", "v1")
    story.commit("Second", {R1: item("R1", size="S")})
    assert lines(since(story.history(), story.project, "v1")) == ["2026-08-02 Ann R1: size none → S"]


@pytest.mark.parametrize("point", ["v9", "2026-13-01", "--all", "", "HEAD:registry"])
def test_since_something_unknown(point: str, story: Story) -> None:
    story.commit("First", {R1: item("R1")})
    story.git("tag", "v1")
    with pytest.raises(GitError, match=r"is neither a day such as 2026-08-24 nor a tag or commit; the newest tags are v1"):
        since(story.history(), story.project, point)


def test_the_history_cut_at_tags(story: Story, lines: Lines) -> None:
    story.commit("First", {R1: item("R1")})
    story.git("tag", "v1")
    story.commit("Second", {R1: item("R1", size="S")})
    story.day += 1
    story.git("tag", "-a", "-m", "Second version", "v2")
    story.commit("Third", {R1: item("R1", size="M")})
    assert [(name, lines(part)) for name, part in by_release(story.history(), story.project)] == [
        (None, ["2026-08-04 Ann R1: size S → M"]),
        ("v2", ["2026-08-02 Ann R1: size none → S"]),
        ("v1", ["2026-08-01 Ann R1: added: Title of R1"]),
    ]
