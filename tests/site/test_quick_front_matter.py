"""What a page's front matter says is what YAML's parser reads in it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.site.quick.front_matter import load_by

HEADS = {
    "as the program writes it": 'title: "D2 · A \\"quoted\\" title"\nsource: "registry/defects/D2.yaml#L1"\nhide:\n  - navigation\nsearch:\n  exclude: true\n',
    "strings alone": 'title: "A"\n',
    "a field twice": 'title: "A"\ntitle: "B"\n',
    "a field again in the rest": 'title: "A"\nhide: [toc]\ntitle: B\n',
    "an escape of YAML's own": 'title: "A\\x41\\_"\nhide: [toc]\n',
    "a string over two lines": 'title: "A\n  B"\n',
    "text after the string": 'title: "A" # said\nhide: [toc]\n',
    "a rest that is a list": 'title: "A"\n- toc\n',
    "a rest that is indented": 'title: "A"\n  hide: [toc]\n',
    "an anchor": 'title: "A"\nhide: &x [toc]\nshow: *x\n',
    "the end of the document": 'title: "A"\n...\n',
    "no string": "title: A\nhide: [toc]\n",
    "nothing": "",
}


def _loaded(load: Any, text: str) -> Any:
    try:
        return load(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return "an error"


@pytest.mark.parametrize("text", HEADS.values(), ids=HEADS)
def test_front_matter(text: str) -> None:
    load = load_by(yaml.load)
    whole = _loaded(yaml.load, text)
    assert [_loaded(load, text) for _ in range(2)] == [whole, whole]


def test_a_page_that_changes_what_it_was_given_changes_no_other() -> None:
    load = load_by(yaml.load)
    text = HEADS["as the program writes it"]
    first = load(text, yaml.SafeLoader)
    before = deepcopy(first)
    first["hide"].append("toc")
    assert load(text, yaml.SafeLoader) == before


@given(st.text(max_size=12), st.sampled_from(("", "hide:\n  - toc\n", "boost: 2\n", "- a\n", "x")))
def test_any_title(title: str, rest: str) -> None:
    text = f"title: {json.dumps(title, ensure_ascii=False)}\n{rest}"
    assert _loaded(load_by(yaml.load), text) == _loaded(yaml.load, text)
