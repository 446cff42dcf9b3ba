"""The page of what changed, as Markdown and whole."""

from __future__ import annotations

from kvdocs.history.page import history_files
from kvdocs.markup import Dialect
from kvdocs.pages.page import DataFile, Page
from kvdocs.pipeline import inspect, publication
from kvdocs.project import Project
from kvdocs.render import Renderer, default_templates
from tests.history.conftest import Story, item

SETTINGS = "title: Record\nsource_url: https://example.org/us/ours/blob/main/{path}#L{line}\nsite_url: https://example.org/record/\n"


def files(project: Project) -> list[Page | DataFile]:
    return list(history_files(project, publication(inspect(project))))


def test_the_page_of_a_repository_with_a_tag(story: Story) -> None:
    first = story.commit("Plan it", {"registry/project.yaml": SETTINGS, "registry/roadmap/R1.yaml": item("R1"), "registry/roadmap/R2.yaml": item("R2")})
    story.git("tag", "v1.0")
    story.write({"registry/roadmap/R1.yaml": item("R1", status="done"), "registry/roadmap/R2.yaml": None})
    page, feed = files(story.project)
    assert isinstance(page, Page)
    assert Renderer((default_templates(),), Dialect.SITE).render(page) == (
        f"""---
title: "What changed"
hide:
  - navigation
search:
  exclude: true
---

# What changed

What changed in the records, from the commits of this repository; each part reaches from one tag to the next, the newest first. [As a feed](changes.xml).

<div class="kv-since"></div>

## Since v1.0 {{#newest}}

<div class="kv-table" data-table="newest" data-choices="3" markdown="1">

| When | Record | What changed | About | Who | Commit |
| --- | --- | --- | --- | --- | --- |
| not committed | [R1](records/R1.md "Title of R1") | status open → done | status | — | — |
| not committed | R2 | removed: Title of R2 | record | — | — |

</div>

## v1.0 {{#in-v1.0}}

<div class="kv-table" data-table="in-v1.0" data-choices="3" markdown="1">

| When | Record | What changed | About | Who | Commit |
| --- | --- | --- | --- | --- | --- |
| 2026-08-01 | [R1](records/R1.md "Title of R1") | added: Title of R1 | record | Ann | [{first[:9]}](https://example.org/us/ours/commit/{first} "Plan it") |
| 2026-08-01 | R2 | added: Title of R2 | record | Ann | [{first[:9]}](https://example.org/us/ours/commit/{first} "Plan it") |

</div>

<script src="../assets/javascripts/changes.js" defer></script>
"""
    )
    assert isinstance(feed, DataFile)
    assert feed.path == "changes.xml"
    assert '<link rel="alternate" type="text/html" href="https://example.org/record/records/R1/" />' in feed.data.decode()
    assert '<link rel="self" type="application/atom+xml" href="https://example.org/record/changes.xml" />' in feed.data.decode()


def test_the_page_without_commits_says_so_and_has_no_feed(story: Story) -> None:
    (page,) = files(story.project)
    assert isinstance(page, Page)
    text = Renderer((default_templates(),), Dialect.SITE).render(page)
    assert '!!! note "Not known here"\n\n    Nothing is committed yet.' in text
    assert "As a feed" not in text
