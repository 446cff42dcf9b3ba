"""Words of a text that may name a record."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from kvdocs.figures.typed import _TYPED
from kvdocs.mentions import find_mentions, named_records
from kvdocs.model import prose_fields
from kvdocs.pipeline import Inspection
from kvdocs.prose import WORDS, has_numbers, named_words, names_in

pieces = st.sampled_from(["D2", "R10", "ABC1", "D2x", "see", "a-D2", "x/D2#5", "#3", "`D4`", "```", "\n", "[D5](x)", "<D6>", "{{ M1.a }}", "https://x/D7", "é", ".", "_", "-", "/", "'", ",", "(", ")", " ", "0", "h200", "sm", "8", "-3"])


@given(st.lists(pieces, max_size=12).map("".join))
@example("x/D2#5")
@example("D2, D3 and D2.")
def test_the_short_way_finds_what_the_pattern_of_all_words_finds(text: str) -> None:
    assert named_words(text)[0] == [match["prefixed"] for match in WORDS.finditer(text) if match["prefixed"] is not None]
    holding_digits = [match for match in WORDS.finditer(text) if match.lastgroup in ("prefixed", "number", "slug") and re.search("[0-9]", match[match.lastgroup])]
    assert [(name.start, name.end, name.text, name.form) for name in names_in(text)] == [(*match.span(), match[0], match.lastgroup) for match in holding_digits]


@given(st.lists(pieces, max_size=12).map("".join))
@example("h200, a_100 and sm_89a, c++17")
@example("x/y#5 D2-b3")
def test_the_short_way_to_other_names_finds_what_the_pattern_of_all_words_finds(text: str) -> None:
    numbers, slugs = ([match for match in WORDS.finditer(text) if match[form] is not None] for form in ("number", "slug"))
    found = sorted([*numbers, *(match for match in slugs if re.search("[0-9]", match["slug"]))], key=lambda match: match.start())
    assert named_words(text)[1] == [match[0] for match in found]


@given(st.lists(pieces, max_size=12).map("".join))
@example("R3 waits for D12")
@example("xD4 and D02")
def test_a_text_that_holds_no_number_but_in_ids_has_no_number_for_the_pattern_of_figures(text: str) -> None:
    assert has_numbers(text) or not any(found["number"] or found["low"] for found in _TYPED.finditer(text))


def test_each_is_given_as_often_as_it_stands_there() -> None:
    assert named_words("D2, D3 and D2; not D02, xD4, D5-b, `D6` or #7.") == (["D2", "D3", "D2"], ["D02", "xD4", "D5-b", "#7"])


def test_what_a_record_names_is_what_its_texts_mention(this_registry: Inspection) -> None:
    registry, repository = this_registry.registry, this_registry.project.settings.repository
    named: dict[str, set[str]] = {}
    for entry, target in named_records(registry, registry, repository):
        named.setdefault(entry.id, set()).add(target)
    for entry in registry:
        texts = (entry.record.title, *(text for _, text in prose_fields(entry.record)))
        mentioned = {mention.target for text in texts for mention in find_mentions(text, registry, repository)} - {None, entry.id}
        assert (entry.id, named.get(entry.id, set())) == (entry.id, mentioned)
