"""`kvdocs sync` against a host on this machine: what it brings, what it asks, and what it does when the host does not play along."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kvdocs.project import Project
from kvdocs.upstream.client import api_address, token_from
from tests.edit.conftest import files_of
from tests.upstream.host import Reply, pull, serving

Kvdocs = Callable[..., Any]
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"

RECORD = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: The kernels.\n",
    "registry/references/pr-7.yaml": """
        id: pr-7
        title: The repair
        type: pull-request
        repository: us/ours
        number: 7
        state: open  # as of then
        state_on: 2026-08-24
        state_note: pending merge
    """,
    "registry/references/bug-9.yaml": """
        id: bug-9
        title: The report
        type: issue
        repository: us/ours
        number: 9
        state: open
        state_on: 2026-08-24
    """,
    "registry/references/base.yaml": """
        id: base
        title: The base
        type: commit
        repository: us/ours
        commit: 0a85856ee
        state: exists
        state_on: 2026-08-24
    """,
    "registry/references/v1.yaml": """
        id: v1
        title: The release
        type: release
        repository: us/ours
        tag: v1.0
        state: exists
        state_on: 2026-08-24
    """,
    "registry/roadmap/R1.yaml": """
        id: R1
        title: Build on the repair
        owners: [ann]
        status: open
        blocked_by: [pr-7]
    """,
}

PULL, ISSUE, COMMIT, RELEASE, TAG = (
    "/repos/us/ours/pulls/7", "/repos/us/ours/issues/9", "/repos/us/ours/commits/0a85856ee", "/repos/us/ours/releases/tags/v1.0", "/repos/us/ours/git/ref/tags%2Fv1.0",
)  # fmt: skip


def as_recorded(_: str) -> dict[str, Reply]:
    """A host on which nothing happened since."""
    return {
        PULL: Reply(body=pull(), headers={"etag": 'W/"p1"', "x-ratelimit-remaining": "57"}),
        ISSUE: Reply(body={"number": 9, "state": "open", "closed_at": None, "title": "It hangs", "html_url": "https://github.com/us/ours/issues/9"}, headers={"etag": '"i1"'}),
        COMMIT: Reply(body={"sha": "0a85856ee" + "0" * 31, "html_url": "https://github.com/us/ours/commit/0a85856ee"}, headers={"etag": '"c1"'}),
        RELEASE: Reply(404, {"message": "Not Found"}),
        TAG: Reply(body={"ref": "refs/tags/v1.0"}, headers={"etag": '"t1"'}),
    }


def merged(address: str) -> dict[str, Reply]:
    """A host on which the pull request was merged."""
    return {
        **as_recorded(address),
        PULL: Reply(body=pull(state="closed", merged=True, merged_at="2026-09-01T23:59:59Z", closed_at="2026-09-01T23:59:59Z", merge_commit_sha="1234567890" * 4)),
    }


def text(block: str) -> str:
    return dedent(block).lstrip("\n").replace("TODAY", TODAY)


@pytest.fixture
def project(make_project: Callable[[dict[str, str]], Project]) -> Path:
    return make_project(RECORD).root


def test_a_merge_is_shown_and_what_can_be_worked_on_then(kvdocs: Kvdocs, project: Path) -> None:
    before = files_of(project)
    with serving(merged) as host:
        ran = kvdocs("sync", "pr-7", "--api", host.address, at=project)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == text("""
        ID    Where      Recorded  Seen    Title there
        pr-7  us/ours#7  open      merged  Two lines

        --- a/registry/references/pr-7.yaml
        +++ b/registry/references/pr-7.yaml
        @@ -3,6 +3,9 @@
         type: pull-request
         repository: us/ours
         number: 7
        -state: open  # as of then
        -state_on: 2026-08-24
        +state: merged  # as of then
        +state_on: TODAY
         state_note: pending merge
        +merge_commit: 1234567890123456789012345678901234567890
        +closed_on: 2026-09-01
        +upstream_title: Two lines
        note: pr-7 was open and has the note 'pending merge': does it still hold?
        then: R1 is actionable, not waiting any more: nothing waits for it; size unknown, blast radius unknown
        nothing was written; --write writes it
    """).replace("merge_commit: 1234567890123456789012345678901234567890", 'merge_commit: "1234567890123456789012345678901234567890"')
    assert files_of(project) == before


def test_write_writes_it_and_the_day_of_looking(kvdocs: Kvdocs, project: Path) -> None:
    with serving(merged) as host:
        ran = kvdocs("sync", "--write", "--api", host.address, at=project)
    assert ran.code == 0
    assert [line for line in ran.out.split("\n") if line.startswith("wrote")] == [f"wrote registry/references/{name}.yaml" for name in ("base", "bug-9", "pr-7", "v1")]
    assert (project / "registry/references/bug-9.yaml").read_text() == text("""
        id: bug-9
        title: The report
        type: issue
        repository: us/ours
        number: 9
        state: open
        state_on: TODAY
        upstream_title: It hangs
    """)
    assert kvdocs("order", at=project).out.split("\n")[2].split()[:2] == ["1", "R1"]


def test_what_is_as_recorded_can_be_left_alone(kvdocs: Kvdocs, project: Path) -> None:
    with serving(as_recorded) as host:
        assert kvdocs("sync", "--write", "--api", host.address, at=project).code == 0
        before = files_of(project)
        ran = kvdocs("sync", "--write", "--changed", "--api", host.address, at=project)
    assert ran.out.split("\n")[-2] == "nothing changes"
    assert files_of(project) == before


def test_a_second_look_asks_only_whether_something_changed(kvdocs: Kvdocs, project: Path) -> None:
    with serving(as_recorded) as host:
        first = json.loads(kvdocs("sync", "--json", "--api", host.address, at=project).out)
        asked = len(host.questions)
        second = json.loads(kvdocs("sync", "--json", "--api", host.address, at=project).out)
        again = host.questions[asked:]
    assert [r["from_cache"] for r in first["references"]] == [False] * 4
    assert [(r["id"], r["after"], r["from_cache"]) for r in second["references"]] == [("base", "exists", True), ("bug-9", "open", True), ("pr-7", "open", True), ("v1", "exists", True)]
    assert [headers.get("if-none-match") for _, headers in again] == ['"c1"', '"i1"', 'W/"p1"', None, '"t1"']


def test_the_document_for_programs(kvdocs: Kvdocs, project: Path) -> None:
    with serving(merged) as host:
        document = json.loads(kvdocs("sync", "pr-7", "--json", "--api", host.address, at=project).out)
    assert document.pop("edit")["files"] == [{"path": "registry/references/pr-7.yaml", "action": "changed"}]
    assert document == {
        "schema": "kvdocs/sync/v1",
        "stopped": None,
        "asked": 1,
        "remaining": None,
        "references": [
            {
                "id": "pr-7", "before": "open", "looked_at": True, "after": "merged", "title": "Two lines", "closed_on": "2026-09-01",
                "merge_commit": "1234567890" * 4, "moved_to": None, "remark": None, "from_cache": False,
            }
        ],
        "states": [{"record": "R1", "before": "waiting", "after": "actionable", "reason": "nothing waits for it; size unknown, blast radius unknown"}],
    }  # fmt: skip


def test_what_was_rejected_is_recorded_and_the_contradiction_is_told(kvdocs: Kvdocs, project: Path) -> None:
    with serving(lambda a: {**as_recorded(a), PULL: Reply(body=pull(state="closed", closed_at="2026-09-02T01:00:00Z"))}) as host:
        ran = kvdocs("sync", "pr-7", "--write", "--api", host.address, at=project)
    assert ran.code == 1
    assert "new: registry/roadmap/R1.yaml:5:14: error[blocked-by-rejected]: R1 waits for us/ours#7, which was closed without being merged\n" in ran.out
    assert "state: closed" in (project / "registry/references/pr-7.yaml").read_text()


def test_a_reopened_issue_loses_its_day_of_closing(kvdocs: Kvdocs, project: Path) -> None:
    kvdocs("set", "bug-9", "state=closed", "closed_on=2026-08-01", at=project)
    with serving(as_recorded) as host:
        kvdocs("sync", "bug-9", "--write", "--api", host.address, at=project)
    assert "closed_on" not in (project / "registry/references/bug-9.yaml").read_text()


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_moved_repository_is_followed_and_named(kvdocs: Kvdocs, project: Path, status: int) -> None:
    def moved(address: str) -> dict[str, Reply]:
        there = Reply(body=pull(html_url="https://github.com/them/theirs/pull/7"))
        return {PULL: Reply(status, {"message": "Moved"}, {"location": f"{address}/repositories/12/pulls/7"}), "/repositories/12/pulls/7": there}

    with serving(moved) as host:
        ran = kvdocs("sync", "pr-7", "--api", host.address, at=project)
    assert ran.code == 0
    assert "note: pr-7 (us/ours#7) is at them/theirs#7 now: kvdocs set pr-7 repository=them/theirs\n" in ran.out


def test_what_the_host_does_not_know_is_left_as_it_is(kvdocs: Kvdocs, project: Path) -> None:
    before = files_of(project)
    with serving(lambda _: {}) as host:
        ran = kvdocs("sync", "pr-7", "v1", "--write", "--api", host.address, at=project)
        name = host.address.removeprefix("http://")
    assert ran.code == 0
    assert ran.out == (
        "ID    Where         Recorded  Seen  Title there\n"
        "pr-7  us/ours#7     open      ?\n"
        "v1    us/ours@v1.0  exists    ?\n"
        f"note: pr-7 (us/ours#7): {name} knows nothing of that name, or not for you (404); the record is left as it is\n"
        f"note: v1 (us/ours@v1.0): {name} knows nothing of that name, or not for you (404); the record is left as it is\n"
        "nothing changes\n"
    )
    assert files_of(project) == before


RESET = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=20)

LIMITS = {
    "primary": (Reply(403, {"message": "API rate limit exceeded for 192.0.2.1."}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(RESET.timestamp()))}), f" until {RESET:%Y-%m-%d %H:%M} UTC"),
    "many requests": (Reply(429, {"message": "Too many requests"}, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(RESET.timestamp()))}), f" until {RESET:%Y-%m-%d %H:%M} UTC"),
    "secondary": (Reply(403, {"message": "You have exceeded a secondary rate limit."}, {}), ""),
}


@pytest.mark.parametrize("name", LIMITS)
def test_at_the_rate_limit_it_stops_and_keeps_what_it_saw(kvdocs: Kvdocs, project: Path, name: str) -> None:
    reply, until = LIMITS[name]
    with serving(lambda a: {**merged(a), PULL: reply}) as host:
        ran = kvdocs("sync", "--write", "--api", host.address, at=project)
        asked = [path for path, _ in host.questions]
    assert ran.code == 3
    assert ran.err == f"stopped: the rate limit of {host.address.removeprefix('http://')} is reached{until}; 2 of 4 not looked at\n"
    assert asked == [COMMIT, ISSUE, PULL]
    assert f"state_on: {TODAY}" in (project / "registry/references/bug-9.yaml").read_text()
    assert "state_on: 2026-08-24" in (project / "registry/references/pr-7.yaml").read_text()


def test_a_forbidden_answer_that_is_no_limit_costs_only_itself(kvdocs: Kvdocs, project: Path) -> None:
    with serving(lambda a: {**as_recorded(a), COMMIT: Reply(403, {"message": "Resource protected by organization SAML enforcement."})}) as host:
        ran = kvdocs("sync", "--api", host.address, at=project)
    assert ran.code == 0
    assert "note: base (us/ours@0a85856ee): 127.0.0.1" in ran.out
    assert "answered 403: Resource protected by organization SAML enforcement.; the record is left as it is\n" in ran.out


def test_a_host_that_does_not_answer_in_time_changes_nothing(kvdocs: Kvdocs, project: Path) -> None:
    before = files_of(project)
    with serving(lambda a: {COMMIT: Reply(body={}, delay=1.5)}) as host:
        ran = kvdocs("sync", "--write", "--timeout", "0.3", "--api", host.address, at=project)
    assert ran.code == 3
    assert ran.out == "nothing changes\n"
    assert ran.err == f"stopped: {host.address.removeprefix('http://')} did not answer within 0.3 s; 4 of 4 not looked at\n"
    assert files_of(project) == before


def test_without_a_network_it_says_so_and_changes_nothing(kvdocs: Kvdocs, project: Path) -> None:
    before = files_of(project)
    ran = kvdocs("sync", "--write", "--api", "http://127.0.0.1:9", at=project)
    assert (ran.code, ran.out, ran.err) == (3, "nothing changes\n", "stopped: 127.0.0.1:9 cannot be reached: Connection refused; 4 of 4 not looked at\n")
    assert files_of(project) == before


def test_the_token_goes_to_the_host_and_to_no_other(kvdocs: Kvdocs, project: Path) -> None:
    with serving(lambda _: {"/stolen": Reply(body=pull())}) as other:
        elsewhere = other.address.replace("127.0.0.1", "localhost")
        with serving(lambda _: {PULL: Reply(301, {}, {"location": f"{elsewhere}/stolen"})}) as host:
            kvdocs("sync", "pr-7", "--api", host.address, at=project, env={"GITHUB_TOKEN": "secret-word"})
        assert [headers.get("authorization") for _, headers in host.questions] == ["Bearer secret-word"]
        assert [headers.get("authorization") for _, headers in other.questions] == [None]
    assert "secret-word" not in "".join(p.read_text(errors="replace") for p in (project / ".kvdocs").rglob("*") if p.is_file())


def test_a_refused_token_stops_it(kvdocs: Kvdocs, project: Path) -> None:
    with serving(lambda _: {COMMIT: Reply(401, {"message": "Bad credentials"})}) as host:
        ran = kvdocs("sync", "--api", host.address, at=project, env={"GH_TOKEN": "wrong"})
    assert (ran.code, ran.err) == (3, f"stopped: {host.address.removeprefix('http://')} refuses the token; 4 of 4 not looked at\n")


def test_an_unknown_reference_is_said(kvdocs: Kvdocs, project: Path) -> None:
    ran = kvdocs("sync", "pr-8", at=project)
    assert (ran.code, ran.err) == (2, "error: no reference has the id 'pr-8'\n  hint: the only one of this form is 'pr-7'\n")


def test_the_address_follows_the_host() -> None:
    assert {host: api_address(host) for host in ("https://github.com", "https://octo.ghe.com", "https://git.example.org/", "http://localhost:3000")} == {
        "https://github.com": "https://api.github.com",
        "https://octo.ghe.com": "https://api.octo.ghe.com",
        "https://git.example.org/": "https://git.example.org/api/v3",
        "http://localhost:3000": "http://localhost:3000/api/v3",
    }


def test_the_token_is_the_first_that_is_set() -> None:
    assert token_from({"GH_TOKEN": "b", "GITHUB_TOKEN": "a"}) == "a"
    assert token_from({"GITHUB_TOKEN": "", "GH_ENTERPRISE_TOKEN": "c"}) == "c"
    assert token_from({}) is None
