"""A script's expectations and what an execution left behind -> reproduced, not reproduced or inconclusive, with the reasons.

Expectations are a mapping:

    exit_code_decides: false              an exit code alone decides nothing (true when absent)
    captures:                             values to take from the output, by name
      errors: {pattern: 'ERROR SUMMARY: (\\d+) errors?$', take: last}
      place:  {pattern: '(?P<file>[\\w.-]+):(?P<line>\\d+)', stream: stderr}
      barrier: {pattern: 'Barrier error', take: count, capped_at: 100, total: 'ERROR SUMMARY: (\\d+) errors'}
    reproduced:     [CONDITION, …]        all of them hold: reproduced
    not_reproduced: [CONDITION, …]        all of them hold: not reproduced
    pool: {reproduced_at_least: 1, clean_at_least: 10}

A CONDITION is one of
    {exit: 134}  {exit: [1, 134]}  {exit: nonzero}  {signal: SIGABRT}
    {pattern: REGEX, stream: any|stdout|stderr, at_least: 1, capped_at: 100, total: REGEX}
    {absent: REGEX}
    {value: errors, equals: 0}            a capture, or a figure that the script wrote (`value: arms.serial.ms`)
    {any: [CONDITION, …]}  {all: [CONDITION, …]}
with `equals`, `at_least`, `at_most`, `above` and `below` as relations; a pattern's default is `at_least: 1`.

Patterns are Python's regular expressions, searched for line by line. A count is of matches.
What is not known is neither true nor false: after a time limit, or where a part of the output was not kept, a count is "at least",
and what was not seen may have been there. A count that reached `capped_at` is "at least" unless a line with the `total` is there.
When both lists hold, or neither does, the verdict is inconclusive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .captures import Captured, capture, count, lines_record
from .observation import RAN_TO_ITS_END, RELATIONS, Observation, Range, ended_with, exactly

REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE = "reproduced", "not-reproduced", "inconclusive"
_LISTS = ((REPRODUCED, "reproduced"), (NOT_REPRODUCED, "not_reproduced"))


@dataclass(frozen=True)
class Verdict:
    """What follows from one execution. `matchers` hold each condition with what was observed, `captures` the values taken."""

    word: str
    reasons: tuple[str, ...]
    matchers: tuple[dict[str, Any], ...] = ()
    captures: dict[str, Any] = field(default_factory=dict)

    @property
    def eligible(self) -> bool:
        """Whether the execution counts in a rate: it decided something."""
        return self.word != INCONCLUSIVE

    def as_record(self) -> dict[str, Any]:
        """The verdict as the result record keeps it."""
        return {"verdict": self.word, "reasons": list(self.reasons), "matchers": list(self.matchers), "captures": self.captures}


def verdict_from(judgement: Mapping[str, Any]) -> Verdict:
    """The verdict that a result record keeps as its `judgement`."""
    return Verdict(judgement["verdict"], tuple(judgement["reasons"]), tuple(judgement.get("matchers", ())), dict(judgement.get("captures", {})))


def evaluate(expect: Mapping[str, Any], seen: Observation) -> Verdict:
    """The verdict on one execution. ValueError when the expectations are malformed."""
    if not seen.ran:
        return Verdict(INCONCLUSIVE, (f"it could not run: {seen.reason}",))
    captured = {name: capture(how, seen) for name, how in expect.get("captures", {}).items()}
    values = {name: found.as_record() for name, found in captured.items()}
    if not any(expect.get(key) for _, key in _LISTS):
        return Verdict(INCONCLUSIVE, ("the script declares no expectation",), (), values)
    leaves: list[_Leaf] = []
    held: dict[str, bool | None] = {}
    for word, key in _LISTS:
        judge = _Judge(seen, captured, key)
        held[word] = judge.list_holds(expect.get(key) or [], bool(expect.get("exit_code_decides", True)))
        leaves += judge.leaves
    word = _word(held)
    return Verdict(word, _reasons(word, held, leaves, seen), tuple(leaf.as_record() for leaf in leaves), values)


def _word(held: Mapping[str, bool | None]) -> str:
    true = [word for word, value in held.items() if value]
    return true[0] if len(true) == 1 else INCONCLUSIVE


@dataclass
class _Leaf:
    """One condition and what was found."""

    id: str
    condition: Mapping[str, Any]
    hit: bool | None
    observed: str
    about_exit: bool = False
    censored: bool = False
    lines: tuple[tuple[str, int], ...] = ()

    def as_record(self) -> dict[str, Any]:
        return {
            "id": self.id, "condition": dict(self.condition), "observed": self.observed, "censored": self.censored, "hit": self.hit,
            "lines": lines_record(self.lines),
        }  # fmt: skip

    def sentence(self) -> str:
        return f"{_words(self.condition)}: {self.observed}"


class _Judge:
    """Evaluates one list of conditions and remembers what it saw."""

    def __init__(self, seen: Observation, captured: Mapping[str, Captured], key: str) -> None:
        self.seen, self.captured, self.key = seen, captured, key
        self.leaves: list[_Leaf] = []

    def list_holds(self, conditions: Sequence[Mapping[str, Any]], exit_code_decides: bool) -> bool | None:
        """Whether all conditions hold; an empty list never does, and one that rests on the exit code alone is unknown where that does not decide."""
        if not conditions:
            return False
        result = _all([self._holds(c, f"{self.key}[{i}]") for i, c in enumerate(conditions)])
        if result and not exit_code_decides and not any(leaf.hit and not leaf.about_exit for leaf in self.leaves):
            return None
        return result

    def _holds(self, condition: Mapping[str, Any], place: str) -> bool | None:
        for key, combine in (("any", _any), ("all", _all)):
            if key in condition:
                return combine([self._holds(c, f"{place}.{key}[{i}]") for i, c in enumerate(condition[key])])
        leaf = self._leaf(condition, place)
        self.leaves.append(leaf)
        return leaf.hit

    def _leaf(self, condition: Mapping[str, Any], place: str) -> _Leaf:
        if "exit" in condition or "signal" in condition:
            wanted = condition.get("exit", condition.get("signal"))
            return _Leaf(place, condition, ended_with(self.seen, wanted), _end(self.seen), about_exit=True)
        if "absent" in condition:
            found = count({**condition, "pattern": condition["absent"]}, self.seen)
            return _Leaf(place, condition, found.number.holds("equals", 0), _times(found.number), False, not found.number.exact, found.lines)
        if "pattern" in condition:
            found = count(condition, self.seen)
            return _Leaf(place, condition, _all_relations(condition, found.number, {"at_least": 1}), _times(found.number), False, not found.number.exact, found.lines)
        if "value" in condition:
            return self._value_leaf(condition, place)
        raise ValueError(f"{place}: a condition is one of exit, signal, pattern, absent, value, any, all; not {', '.join(condition) or 'nothing'}")

    def _value_leaf(self, condition: Mapping[str, Any], place: str) -> _Leaf:
        name = condition["value"]
        found = self.captured.get(name) or _metric(name, self.seen)
        wants_text = isinstance(condition.get("equals"), str)
        if wants_text and found.text is not None:
            return _Leaf(place, condition, found.text == condition["equals"], repr(found.text), lines=found.lines)
        if found.number is None or wants_text:
            known_absent = found.complete
            return _Leaf(place, condition, False if known_absent else None, "not found" if known_absent else "not found in the part of the output that is there", lines=found.lines)
        return _Leaf(place, condition, _all_relations(condition, found.number, {}), found.number.words(), False, not found.number.exact, found.lines)


def _metric(name: str, seen: Observation) -> Captured:
    """A figure that the script wrote; dots lead into mappings."""
    value: Any = seen.metrics
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        text = None if value is None else str(value)
        return Captured(None, text, (), {}, seen.outcome in RAN_TO_ITS_END)
    return Captured(exactly(value), str(value), (), {}, True)


def _all_relations(condition: Mapping[str, Any], number: Range, default: Mapping[str, float]) -> bool | None:
    wanted = {relation: condition[relation] for relation in RELATIONS if relation in condition} or default
    if not wanted:
        raise ValueError(f"a condition on a value needs one of {', '.join(RELATIONS)}")
    return _all([number.holds(relation, bound) for relation, bound in wanted.items()])


def _all(values: Sequence[bool | None]) -> bool | None:
    return False if False in values else None if None in values else True


def _any(values: Sequence[bool | None]) -> bool | None:
    return True if True in values else None if None in values else False


def _reasons(word: str, held: Mapping[str, bool | None], leaves: Sequence[_Leaf], seen: Observation) -> tuple[str, ...]:
    by_list = {name: [leaf for leaf in leaves if leaf.id.startswith(f"{key}[")] for name, key in _LISTS}
    if word != INCONCLUSIVE:
        return tuple(leaf.sentence() for leaf in by_list[word] if leaf.hit)
    if all(held.values()):
        return ("the expectations contradict each other: both lists hold", *(leaf.sentence() for leaf in leaves if leaf.hit))
    reasons = [] if seen.outcome in RAN_TO_ITS_END else [seen.reason or seen.outcome]
    for name, value in held.items():
        if not by_list[name]:
            continue
        if value is None and all(leaf.hit for leaf in by_list[name]):
            reasons.append(f"for {_spoken(name)} only the exit code speaks, and it does not decide here")
        unmet = [leaf for leaf in by_list[name] if leaf.hit is not True]
        reasons += [f"{'unknown' if leaf.hit is None else 'not met'} for {_spoken(name)}: {leaf.sentence()}" for leaf in unmet]
    return tuple(reasons)


def _spoken(word: str) -> str:
    return word.replace("-", " ")


def _words(condition: Mapping[str, Any]) -> str:
    """A condition as a reason names it."""
    if "exit" in condition:
        return f"exit {_choices(condition['exit'])} wanted"
    if "signal" in condition:
        return f"{_choices(condition['signal'])} wanted"
    if "absent" in condition:
        return f"no line with `{condition['absent']}`"
    relations = " and ".join(f"{r.replace('_', ' ')} {condition[r]}" for r in RELATIONS if r in condition)
    if "pattern" in condition:
        return f"lines with `{condition['pattern']}`" + (f", {relations}" if relations else "")
    return f"`{condition['value']}` {relations}"


def _choices(wanted: object) -> str:
    return " or ".join(map(str, wanted)) if isinstance(wanted, (list, tuple)) else str(wanted)


def _times(number: Range) -> str:
    return "none" if number == exactly(0) else "not seen, and not all is there" if number.low == 0 else f"{number.words()} found"


def _end(seen: Observation) -> str:
    if seen.signal:
        return f"ended by {seen.signal}"
    return f"exit {seen.exit_code}" if seen.outcome in ("passed", "failed") else seen.reason or seen.outcome


def check_patterns(expect: Mapping[str, Any]) -> list[str]:
    """A sentence for each regular expression in the expectations that Python cannot compile."""
    found: list[str] = []
    _walk_patterns(expect, found)
    return found


def _walk_patterns(value: object, found: list[str]) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in ("pattern", "absent", "total") and isinstance(item, str):
                try:
                    re.compile(item)
                except (re.error, OverflowError, RecursionError) as error:
                    found.append(f"`{item}` is not a regular expression: {error}")
            else:
                _walk_patterns(item, found)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _walk_patterns(item, found)
