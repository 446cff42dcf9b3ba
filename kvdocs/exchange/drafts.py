"""Drafts: records that an importer proposes, with ids that are free and links that lead somewhere.

A draft says only what its source says. A field that a kind requires and the source does not have is filled with the
words `not stated in the source`, and a remark names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from kvdocs.exchange.remark import Remark, doubtful, unknown

NOT_STATED = "not stated in the source"


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposed record: its kind, its fields as YAML has them (`id` and `title` among them), and where it came from.

    `source` is what the source calls it, such as `#12` or `line 40`.
    """

    kind: str
    values: Mapping[str, Any]
    source: str

    @property
    def id(self) -> str:
        """The proposed id."""
        return str(self.values["id"])


@dataclass(frozen=True, slots=True)
class DraftSet:
    """What an importer proposes, and what it could not take over."""

    drafts: tuple[Draft, ...]
    remarks: tuple[Remark, ...]

    def of(self, kind: str) -> list[Draft]:
        """The drafts of a kind."""
        return [draft for draft in self.drafts if draft.kind == kind]


@dataclass(frozen=True)
class Known:
    """What the registry has already: ids, names of owners, references by (repository, number), and id prefixes.

    `owners` maps a name in lower case to an owner's id. `prefixes` maps a kind to the letters of its ids.
    `repository` is what a bare `#12` means. `decisions` maps words in lower case that name a decision to its id.
    `today` is the day that a drafted reference says its state was looked at.
    """

    ids: frozenset[str] = frozenset()
    owners: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[tuple[str, int], str] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=lambda: {"defect": "D", "item": "R", "decision": "Q"})
    repository: str = ""
    decisions: Mapping[str, str] = field(default_factory=dict)
    today: date = date.min


class Ids:
    """Hands out ids: the wanted one where it has the form of the kind and is free, the next free number otherwise."""

    def __init__(self, known: Known) -> None:
        self._taken = set(known.ids)
        self._prefixes = known.prefixes
        self._wanted: set[str] = set()

    def reserve(self, wanted: Iterable[str]) -> None:
        """Keep ids that sources already use from being handed out as next free numbers."""
        self._wanted.update(wanted)

    def take(self, kind: str, wanted: str = "") -> str:
        """An id for a new record of a kind."""
        prefix = self._prefixes.get(kind)
        fits = re.fullmatch(rf"{prefix}[1-9]\d*", wanted) is not None if prefix else bool(re.fullmatch(r"[A-Za-z0-9][\w.-]*", wanted))
        found = wanted if fits and wanted not in self._taken else next(i for i in self._free(prefix or f"{kind}-") if i not in self._taken | self._wanted)
        self._taken.add(found)
        return found

    @staticmethod
    def _free(prefix: str) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"{prefix}{number}"


class Owners:
    """Names of people in a source -> ids of owners, with a draft for each that the registry does not know."""

    def __init__(self, known: Known, ids: Ids) -> None:
        self._known = dict(known.owners)
        self._ids = ids
        self.drafts: list[Draft] = []
        self.remarks: list[Remark] = []

    def knows(self, name: str) -> bool:
        """Whether a name is one of an owner already."""
        return name.strip().lower() in self._known

    def id_of(self, name: str) -> str:
        """The owner's id; a new owner is drafted for a new name."""
        key = name.strip().lower()
        if key not in self._known:
            found = self._ids.take("owner", re.sub(r"[^a-z0-9._-]+", "-", key).strip("-.") or "owner")
            self._known[key] = found
            self.drafts.append(Draft("owner", {"id": found, "title": name.strip(), "owns": NOT_STATED.capitalize() + "."}, name))
            self.remarks.append(unknown(f"what {name.strip()} owns: a new owner {found} was drafted"))
        return self._known[key]


def prose(text: str, source: str, remarks: list[Remark]) -> str:
    """Text of a source as prose of a record: line ends made one kind, and no citation of a figure in it.

    Two braces would be read as a citation, so they are parted, with a remark.
    """
    cleaned = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")).strip()
    if "{{" in cleaned:
        remarks.append(doubtful(f"{source}: `{{{{` in its text was parted, since it would be read as the citation of a figure"))
        cleaned = cleaned.replace("{{", "{ {")
    return cleaned


def one_line(text: str) -> str:
    """A title: white space folded, never empty."""
    return " ".join(text.split()) or NOT_STATED


def reference_id(repository: str, number: int) -> str:
    """An id for a reference to an issue or a pull request: `llama.cpp-27678`."""
    return f"{repository.rsplit('/', 1)[-1]}-{number}"
