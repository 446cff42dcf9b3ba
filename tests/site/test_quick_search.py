"""The index of the search is the one that Material's plugin makes, whatever a page leaves out of it."""

from __future__ import annotations

from typing import Any

import pytest

from kvdocs.site.quick.search import quick_search

TABLE = '<div class="kv-table" data-table="defects" data-search-exclude="">\n<table>\n<thead><tr><th>#</th><th>Title</th></tr></thead>\n<tbody>\n<tr><td>{}</td><td>left out</td></tr>\n</tbody>\n</table>\n</div>'


def _index(text: str) -> list[tuple[str | None, list[str], list[str]]]:
    from material.plugins.search.plugin import Parser

    parser: Any = Parser()
    parser.feed(text)
    parser.close()
    return [(section.id, section.title, section.text) for section in parser.data]


CELLS = {
    "links and marks": '<span id="D1"></span><a href="../D1/" title="A &lt;b&gt; title">D1</a> <code>x &lt; y</code><br />two<br>lines<img src="a.png">',
    "a tag that nothing ends": "<b>D1",
    "a tag that ends twice": "D1</span>",
    "a comment": "<!-- </div> -->D1",
    "an element in it": '<div class="inner">D1</div>',
    "a script": "<script>if (a < b) { document.write('</div>'); }</script>D1",
    "half a tag": "D1 <a href='x",
    "a heading": '<h3 id="d1">D1</h3>',
    "an end that never comes": '</td></tr></tbody></table><table><tbody><tr><td><a title="</div>',
    "an attribute with a tag in it": '<a title="</div>">D1</a>',
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_a_table_that_is_left_out(cell: str) -> None:
    page = f'<h1 id="defects">Defects</h1>\n<p>What goes wrong.</p>\n{TABLE.format(cell)}\n<h2 id="next">Next</h2>\n{TABLE.format("D2")}\n<p>The end.</p>'
    texts = (page, page[: page.rindex("</div>")])
    whole = [_index(text) for text in texts]
    with quick_search():
        assert [_index(text) for text in texts] == whole


def test_the_rows_of_such_a_table_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing were gained, and nobody would see it."""
    from material.plugins.search.plugin import Parser

    read: list[str] = []
    plain = Parser.handle_starttag
    monkeypatch.setattr(Parser, "handle_starttag", lambda self, tag, attrs: (read.append(tag), plain(self, tag, attrs)))
    with quick_search():
        _index(TABLE.format("D1"))
    assert read == ["div"]
