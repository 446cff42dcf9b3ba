"""Prose of a record -> prose for readers outside the registry: names instead of ids (`kvdocs.cited` puts figures in the place of citations)."""

from __future__ import annotations

from kvdocs.kinds.reference import Reference
from kvdocs.registry import Registry


def with_names(text: str, registry: Registry, repository: str) -> tuple[str, list[str]]:
    """The text with references under the names that they have at their host, and the ids of this registry that are left in it."""
    from kvdocs.mentions import find_mentions

    parts, left, end = [], [], 0
    for mention in find_mentions(text, registry, repository):
        reference = registry.record(mention.target, Reference) if mention.target is not None else None
        if reference is not None:
            parts += [text[end : mention.start], reference.short]
            end = mention.end
        elif mention.target is not None:
            left.append(mention.target)
    return "".join(parts) + text[end:], list(dict.fromkeys(left))
