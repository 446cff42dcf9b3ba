"""The two forms of a record: what its digest is taken of, and what is written to disk."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.evidence.canonical import pretty

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",)), max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_what_is_written_is_what_the_standard_library_writes(value: Any) -> None:
    assert pretty(value).decode() == json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


@given(values)
def test_what_was_read_is_written_as_it_was(value: Any) -> None:
    assert pretty(json.loads(pretty(value))) == pretty(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_does_not_have_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        pretty({"value": [number]})
