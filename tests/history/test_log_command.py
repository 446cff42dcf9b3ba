"""`kvdocs log`, with its whole output."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.conftest import Ran
from tests.history.conftest import Story, item

R1 = "registry/roadmap/R1.yaml"


def seen(ran: Ran) -> tuple[int, str, str]:
    """What a command did, to compare as a whole."""
    return ran.code, ran.out, ran.err


def told(story: Story) -> list[str]:
    """Two commits and something that is not committed; the names of the commits."""
    commits = [story.commit("Plan it", {R1: item("R1"), "registry/roadmap/R2.yaml": item("R2")}), story.commit("Finish the `first`", {R1: item("R1", status="done")})]
    story.write({"registry/roadmap/R2.yaml": item("R2", owners="[bob]")})
    return commits


def test_the_newest_first(story: Story, kvdocs: Callable[..., Ran]) -> None:
    first, second = told(story)
    assert seen(kvdocs("log", at=story.root)) == (
        0,
        f"""not committed
  R2 owners ann → bob

{second[:9]} 2026-08-02 Ann: Finish the first
  R1 status open → done

{first[:9]} 2026-08-01 Ann: Plan it
  R1 added: Title of R1
  R2 added: Title of R2
""",
        "",
    )


def test_one_record(story: Story, kvdocs: Callable[..., Ran]) -> None:
    first, second = told(story)
    assert seen(kvdocs("log", "R1", "--limit", "1", at=story.root)) == (0, f"{second[:9]} 2026-08-02 Ann: Finish the first\n  status open → done\n", "")
    assert seen(kvdocs("log", "R2", "--since", "v0", at=story.root)) == (2, "", "error: 'v0' is neither a day such as 2026-08-24 nor a tag or commit; there are no tags here\n")
    assert seen(kvdocs("log", "R1", "--since", second, at=story.root)) == (0, "Nothing changed.\n", "")
    assert seen(kvdocs("log", "R11", at=story.root)) == (2, "", "error: no record has or had the id 'R11'\n  hint: did you mean 'R1'?\n")
    assert first != second


def test_for_programs(story: Story, kvdocs: Callable[..., Ran]) -> None:
    _, second = told(story)
    ran = kvdocs("log", "R1", "--since", "2026-08-02", "--json", at=story.root)
    assert json.loads(ran.out) == {
        "schema": "kvdocs/history/v1",
        "since": "2026-08-02",
        "limits": [],
        "changes": [
            {
                "commit": second, "date": "2026-08-02T12:00:00+02:00", "author": "Ann", "subject": "Finish the `first`", "record": "R1", "kind": "item",
                "field": "status", "before": "open", "after": "done", "topic": "status", "words": "status open → done",
            }
        ],
    }  # fmt: skip


def test_what_cannot_be_known_is_said(story: Story, kvdocs: Callable[..., Ran]) -> None:
    story.write({R1: item("R1")})
    assert seen(kvdocs("log", at=story.root)) == (0, "not committed\n  R1 added: Title of R1\n", "note: Nothing is committed yet.\n")
