"""Prose of a record -> prose for readers outside the registry: figures instead of citations, names instead of ids."""

from __future__ import annotations

from kvdocs.kinds.reference import Reference
from kvdocs.registry import Registry


def with_figures(text: str, registry: Registry) -> str:
    """The text with each `{{ ... }}` replaced by the figure that it cites."""
    if "{{" not in text:
        return text
    from kvdocs.figures.citations import cited
    from kvdocs.ledger import ledger_of

    return cited(text, ledger_of(registry).workbook)


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
