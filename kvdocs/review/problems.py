"""Problems of two versions of a registry -> those that came and those that went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from kvdocs.mentions import find_mentions
from kvdocs.problems import Problem
from kvdocs.registry import Registry

Key = tuple[str, str, str, str]


def changed_problems(before: Sequence[Problem], after: Sequence[Problem], registry: Registry, renamed: Mapping[str, str]) -> tuple[list[Problem], list[Problem]]:
    """The problems that came and those that went.

    Lines do not count, since edits move them. `renamed` maps old ids to new ones: a problem that only changed its record's name is no new one;
    `registry` is the one in which the old ids are known.
    """
    rename = _renaming(registry, renamed)
    old = Counter(_key(p, rename) for p in before)
    new = Counter(_key(p, str) for p in after)
    return _take(after, new - old, str), _take(before, old - new, rename)


def _key(problem: Problem, rename: Callable[[str], str]) -> Key:
    return (problem.code.name, problem.severity, rename(problem.record or ""), rename(problem.message))


def _take(problems: Sequence[Problem], wanted: Counter[Key], rename: Callable[[str], str]) -> list[Problem]:
    taken = []
    for problem in problems:
        key = _key(problem, rename)
        if wanted[key] > 0:
            wanted[key] -= 1
            taken.append(problem)
    return taken


def _renaming(registry: Registry, renamed: Mapping[str, str]) -> Callable[[str], str]:
    """A function that puts the new ids into a text."""

    def rename(text: str) -> str:
        if text in renamed:
            return renamed[text]
        for mention in reversed(list(find_mentions(text, registry))):
            if mention.text in renamed:
                text = text[: mention.start] + renamed[mention.text] + text[mention.end :]
        return text

    return rename if renamed else str
