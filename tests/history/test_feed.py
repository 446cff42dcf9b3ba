"""The feed and the sections of pages, whole."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

from kvdocs.history.change import Change
from kvdocs.history.feed import atom_feed
from kvdocs.history.sections import latest, record_blocks
from kvdocs.history.timeline import History
from kvdocs.view import Code, Items, Link, Md, Prose, Table

ATOM = "{http://www.w3.org/2005/Atom}"
FIRST, SECOND = "1" * 40, "2" * 40


def change(record: str, field: str, before: str | None, after: str | None, *, commit: str | None = FIRST, subject: str = "Do it", topic: str = "status", author: str = "Ann", kind: str = "item") -> Change:
    date = {FIRST: "2026-08-01T12:00:00+02:00", SECOND: "2026-08-02T01:00:00+02:00"}.get(commit or "")
    return Change(commit, date, author if commit else None, subject, record, kind, field, before, after, topic)  # type: ignore[arg-type]  # the topic is one of them


TOLD = History(
    (
        change("R1", "", None, "Fix <it> & more", topic="record"),
        change("R1", "status", "open", "done", commit=SECOND),
        change("R1", "blocked_by", "R2", None, commit=SECOND, topic="blockers"),
        change("R2", "summary", "a", "b", commit=SECOND, topic="text"),
        change("R2", "status", "open", "done", commit=None, subject="not committed"),
    )
)


def test_the_feed_of_a_small_history() -> None:
    feed = atom_feed(TOLD, title="Record", address=lambda name: f"https://example.org/records/{name}/", home="https://example.org/", feed="https://example.org/changes.xml")
    assert feed is not None
    assert feed.decode() == """<?xml version='1.0' encoding='utf-8'?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>https://example.org/changes.xml</id>
  <title>Record: what changed</title>
  <updated>2026-08-02T01:00:00+02:00</updated>
  <link rel="self" type="application/atom+xml" href="https://example.org/changes.xml" />
  <link rel="alternate" type="text/html" href="https://example.org/" />
  <entry>
    <id>urn:uuid:8f68dc51-5beb-552d-af3e-d47960ae2f84</id>
    <title>R2: summary rewritten</title>
    <updated>2026-08-02T01:00:00+02:00</updated>
    <author>
      <name>Ann</name>
    </author>
    <link rel="alternate" type="text/html" href="https://example.org/records/R2/" />
    <content type="text">summary rewritten

222222222 Do it</content>
  </entry>
  <entry>
    <id>urn:uuid:ff56726d-b95c-5148-991d-fadde4a19323</id>
    <title>R1: status open → done and 1 more</title>
    <updated>2026-08-02T01:00:00+02:00</updated>
    <author>
      <name>Ann</name>
    </author>
    <link rel="alternate" type="text/html" href="https://example.org/records/R1/" />
    <content type="text">status open → done
blocked by R2 → none

222222222 Do it</content>
  </entry>
  <entry>
    <id>urn:uuid:64989e11-0670-5f88-ba21-19191becdd2e</id>
    <title>R1: added: Fix &lt;it&gt; &amp; more</title>
    <updated>2026-08-01T12:00:00+02:00</updated>
    <author>
      <name>Ann</name>
    </author>
    <link rel="alternate" type="text/html" href="https://example.org/records/R1/" />
    <content type="text">added: Fix &lt;it&gt; &amp; more

111111111 Do it</content>
  </entry>
</feed>
"""


def test_what_rfc_4287_requires_is_there_without_any_address() -> None:
    feed = atom_feed(TOLD, title="Record", address=lambda name: "")
    assert feed is not None
    root = fromstring(feed)
    assert root.tag == f"{ATOM}feed"
    assert {child.tag.removeprefix(ATOM) for child in root} == {"id", "title", "updated", "entry"}
    ids = [element.text or "" for element in root.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids) == 4
    assert all(name.startswith("urn:uuid:") for name in ids)
    for entry in root.iter(f"{ATOM}entry"):
        assert {child.tag.removeprefix(ATOM) for child in entry} == {"id", "title", "updated", "author", "content"}


def test_ids_of_entries_stay_when_more_is_committed() -> None:
    def ids(history: History) -> list[str | None]:
        feed = atom_feed(history, title="Record", address=lambda name: "")
        assert feed is not None
        return [entry.findtext(f"{ATOM}id") for entry in fromstring(feed).iter(f"{ATOM}entry")]

    assert ids(TOLD)[-1:] == ids(History(TOLD.changes[:1]))


def test_control_characters_of_a_subject_do_not_break_the_feed() -> None:
    feed = atom_feed(History((change("R1", "status", "open", "done", subject="a\x1b\x00b", author="A\x07"),)), title="Record", address=lambda name: "")
    assert feed is not None
    assert fromstring(feed).findtext(f".//{ATOM}name") == "A\ufffd"


def test_without_commits_there_is_no_feed() -> None:
    assert atom_feed(History(TOLD.changes[-1:]), title="Record", address=lambda name: "") is None


def test_the_history_on_the_page_of_a_record() -> None:
    assert record_blocks(TOLD, "R1", lambda commit: Link(commit, f"https://example.org/commit/{commit}")) == (
        Table(
            ("When", "Who", "What changed", "Commit"),
            (
                ("2026-08-02", "Ann", ("status open → done", "blocked by R2 → none"), Link("222222222", f"https://example.org/commit/{SECOND}", "Do it")),
                ("2026-08-01", "Ann", ("added: Fix <it> & more",), Link("111111111", f"https://example.org/commit/{FIRST}", "Do it")),
            ),
        ),
    )


def test_a_record_without_changes_shows_what_cannot_be_known() -> None:
    assert record_blocks(History((), ("There is no history here: git is not installed.",)), "R1", Link) == (Prose(Md("There is no history here: git is not installed.")),)


def test_the_newest_changes_leave_out_texts_and_executions() -> None:
    told = History((*TOLD.changes, change("abc", "", None, "An execution", kind="result", topic="record")))
    assert latest(told, lambda name: Link(name, f"{name}.md"), 2) == Items((("not committed", Link("R2", "R2.md"), "status open → done"), ("2026-08-02", Link("R1", "R1.md"), "status open → done")))


def test_a_commit_without_a_host_is_code() -> None:
    (table,) = record_blocks(TOLD, "R2", lambda commit: Link(commit[:9]))
    assert isinstance(table, Table)
    assert table.rows[1][3] == Code("222222222")
