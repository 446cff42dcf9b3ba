"""The shorter ways through Markdown give what the long way gives: HTML, contents, anchors, links and titles, for any text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from kvdocs.site.quick.markdown import quick_markdown

SETTINGS = """\
site_name: test
docs_dir: docs
plugins: []
markdown_extensions:
  [admonition, attr_list, def_list, md_in_html, tables, {toc: {permalink: true, toc_depth: 3}}, pymdownx.highlight, pymdownx.inlinehilite, pymdownx.superfences, pymdownx.details, {pymdownx.tabbed: {alternate_style: true}}]
validation: {links: {anchors: info, not_found: info}}
"""

PICTURE = '<figure class="kv-picture">\n<svg id="near" aria-label="a &amp; b"><a href="../R1/index.html" name="x"><title>R1: [x](y.md) *z*</title></a></svg>\n<figcaption>As **it** is</figcaption>\n</figure>'

AWKWARD = f"""\
# Heading `code` *and* more {{#top .wide}}

{PICTURE}

| a | b |
| :-- | --: |
| [R1](R1.md "It's a title") | <span class="kv-badge kv-good">fine</span> |
| [R1](R1.md#there "x") | `a | b` |
| one |
| one | two | three |

| a | b
| --- | :-:
| [R1](R1.md) [R2](../records/R2.md "t") | [self](R3.md) &amp; <b>x</b>

<div class="kv-facts" markdown="1">

Term
:   [R1](R1.md "T"), 2 < 3 & 4 > 3

| x | y |
| --- | --- |
| [R2](R2.md " spaced ") | 'q' "r" |

{PICTURE}

</div>

```text
{PICTURE}
```

    {PICTURE.splitlines()[0]}

| a | b |
| --- | --- |
:   a definition of a table?

[TOC]

<figure class="kv-picture">
<svg><p>not closed</svg>
</figure>

[data](../data/x.json) [gone](gone.md) ![picture](../data/x.png) <a id="raw">y</a>

| [R1](R1.md "'quoted'") | [R1][one] |
| --- | --- |
| {{ .kv-line }} | text {{ .kv-line }} |

[one]: R2.md "Ref"
"""

TOKENS = (
    "|", " | ", "a", "R1", " ", "  ", "·", ":", "-", "!", "'", '"', "(", ")", "[", "]", "<", ">", "&", "&amp;", "&#39;", "&#", "</", "\\", "\\|", "`", "``", "*", "**", "_", "{", "}", "#", "{: .x}",
    '[R1](R1.md "A title")', "[R1](R1.md)", "[x](R2.md#a)", "[R1](R1.md  'T')", '<span class="a b">', "</span>", "<span>", '<span id="x">', "<b>", "https://a.example/?b=c&d", "a_b_c", "x@a.example",
)  # fmt: skip

rows = st.lists(st.sampled_from(TOKENS), max_size=8).map("".join)
tables = st.tuples(rows, st.sampled_from(("| --- | --- |", "--- | ---", "| :-: | --: |", "| --- |")), st.lists(rows, max_size=3)).map(
    lambda parts: "\n".join([f"| {parts[0]} |" if parts[1].startswith("|") else parts[0], parts[1], *(f"| {row} |" for row in parts[2])])
)
STARTS = (
    "```", "~~~", "- item", "* item", "+ item", "1. first", "12. twelfth", ":   defined", "> quoted", '<div markdown="1">', "</div>", "<div>", "    code", "  indented",
    "[R1]: R2.md", "[R2]:", "[TOC]", '!!! note "Told"', "??? note", '=== "Tab"', "    === \"Tab\"", "Title\n=====", "Title\n---", "- - -", "***", "____", "\n", "text\n:   defined",
)  # fmt: skip
blocks = st.one_of(tables, rows, st.just(PICTURE), rows.map(lambda row: f"# {row}"), st.sampled_from(STARTS))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The settings and files of a small site of MkDocs."""
    return _site(tmp_path_factory.mktemp("site"), SETTINGS)


def _site(root: Path, settings_text: str) -> Any:
    from mkdocs.config import load_config
    from mkdocs.structure.files import File, Files

    (root / "docs").mkdir()
    (root / "mkdocs.yml").write_text(settings_text, encoding="utf-8")
    config = load_config(str(root / "mkdocs.yml"))
    names = ("index.md", "records/R1.md", "records/R2.md", "records/R3.md", "records/index.md", "data/x.json")
    return config, Files([File(name, str(root / "docs"), str(root / "site"), use_directory_urls=True) for name in names])


def _rendered(site: Any, name: str, text: str) -> tuple[Any, ...]:
    from mkdocs.structure.pages import Page

    config, files = site
    page = Page(None, files.get_file_from_path(name), config)
    page.markdown, page.meta = text, {}
    page.render(config, files)
    links = {file.src_uri: anchors for file, anchors in (page.links_to_anchors or {}).items()}
    return page.content, [str(item) for item in page.toc], page.present_anchor_ids, links, page._title_from_render


@pytest.mark.parametrize("name", ["records/R3.md", "records/index.md", "index.md"])
def test_a_page_of_everything_awkward(site: Any, name: str) -> None:
    whole = _rendered(site, name, AWKWARD)
    with quick_markdown():
        assert _rendered(site, name, AWKWARD) == whole
        assert _rendered(site, name, AWKWARD) == whole, "a second time, with what is known by then"
    assert _rendered(site, name, AWKWARD) == whole, "afterwards everything is as it was"


@pytest.mark.parametrize("extension", ["abbr", "smarty", "footnotes", "pymdownx.magiclink", "pymdownx.tilde", "nl2br", "pymdownx.snippets"])
def test_an_extension_that_is_not_known_gets_its_way(extension: str, tmp_path: Path) -> None:
    """It may look at what the shorter ways pass by."""
    site = _site(tmp_path, SETTINGS.replace("[admonition,", f"[admonition, {extension},"))
    text = f"{AWKWARD}\n| HTML | -- \"x\" |\n| --- | --- |\n| HTML https://a.example ~~x~~ | one[^1] ... |\n\n*[HTML]: Hyper Text\n\n[^1]: A note.\n"
    whole = _rendered(site, "records/R3.md", text)
    with quick_markdown():
        assert [_rendered(site, "records/R3.md", text) for _ in range(2)] == [whole, whole]


@settings(max_examples=200, deadline=None)
@given(st.lists(blocks, min_size=1, max_size=6))
@example(['| a | b |\n| --- | --- |\n| [R1](R1.md "A title") | x |', ":   defined"])
@example(["| &# |\n| --- | --- |", PICTURE])
@example(["|  |\n| --- | --- |\n| &# |", "# </span>", PICTURE])
@example(['<![R1](R1.md "A title")'])
def test_any_text(site: Any, parts: list[str]) -> None:
    texts = ["\n\n".join(parts), "\n".join(parts)]
    try:
        whole = [_rendered(site, name, text) for text in texts for name in ("records/R3.md", "records/R1.md")]
    except AssertionError as error:
        if "in marked section" not in str(error):
            raise
        reject()  # Python's parser of HTML ends MkDocs' build at `<![a`: there is no page to compare with
    with quick_markdown():
        assert [_rendered(site, name, text) for text in texts for name in ("records/R3.md", "records/R1.md")] == whole


def test_most_tables_of_a_record_take_the_short_way(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing were gained, and nobody would see it."""
    from markdown.extensions.tables import TableProcessor

    taken: list[str] = []
    monkeypatch.setattr(TableProcessor, "_build_row", lambda self, row, parent, align: taken.append(row))
    with quick_markdown():
        _rendered(site, "records/R3.md", '| Record | State |\n| --- | --- |\n| [R1](R1.md "First · of all") | <span class="kv-badge kv-good">done</span> |\n')
    assert taken == []
