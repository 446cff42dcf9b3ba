"""Work: what the order needs to know of a record. It is kept beside the record, so that putting all of them in order reads none."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from kvdocs.cache import decode, encode
from kvdocs.model import Number


class Work(NamedTuple):
    """An item, a decision or a reference, as far as the order of work looks at it.

    `met` are the statuses under which what waits for it can go on, `short` is how reasons name it.
    `gain` is the largest measured payoff in percent; None when it has to be computed, because a payoff cites a figure.
    """

    status: str
    met: tuple[str, ...]
    short: str
    owners: tuple[str, ...] = ()
    owner_open: str | None = None
    size: str | None = None
    blast_radius: str | None = None
    next_step: str | None = None
    reason: str | None = None
    optional: str | None = None
    implemented_by: tuple[str, ...] = ()
    gain: Number | None = 0

    @property
    def is_met(self) -> bool:
        """Whether what waits for it can go on."""
        return self.status in self.met

    def document(self) -> list[Any]:
        """The work as plain data, the gain with its digits as a text; `Work.of` is the inverse."""
        *rest, gain = self
        return [*rest, str(gain) if isinstance(gain, Decimal) else gain]

    @staticmethod
    def of(document: list[Any]) -> Work:
        """A work from its plain data."""
        *rest, gain = document
        return Work._make([*[tuple(value) if isinstance(value, list) else value for value in rest], Decimal(gain) if isinstance(gain, str) else gain])

    def text(self) -> bytes:
        """The work as a text, for `works_of` and those that look at it as it is."""
        return encode(self.document())


def works_of(texts: Sequence[bytes]) -> list[Work | None]:
    """The works of records from their texts; an empty one stands for none."""
    documents = decode(b"[" + b",".join([text or b"null" for text in texts]) + b"]")
    return [None if document is None else Work.of(document) for document in documents]


def cites_gain(text: bytes) -> bool:
    """Whether its gain has to be computed."""
    return text.endswith(b",null]")


def is_implemented(text: bytes) -> bool:
    """Whether it is done but for its review."""
    return text.startswith(b'["implemented",')
