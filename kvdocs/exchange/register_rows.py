"""Rows of a register's tables -> fields of defects and items: words of a cell become owners, blockers and states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kvdocs.exchange.drafts import NOT_STATED, Draft, Ids, Known, Owners, one_line, reference_id
from kvdocs.exchange.remark import Remark, doubtful, lost, unknown

_STATUSES = ("not reproduced", "historical", "confirmed", "suspected", "fixed", "superseded", "withdrawn")
_NOTHING = frozenset(("", "-", "–", "—", "none", "n/a"))
_NUMBERED = re.compile(r"(?:(?<![\w.-])(?P<repository>[\w.-]+/[\w.-]+))?#(?P<number>\d+)")
_ID = re.compile(r"(?<![\w-])([A-Z][1-9]\d*)(?![\w-])")
COLUMNS = frozenset(("defect", "item", "title", "status", "owner", "owners", "severity", "size", "blast radius", "blocked by", "blockers", "fixed by", "fixes"))
"""Headings, in lower case, whose columns are read."""
_SIZES = ("XS", "S", "M", "L", "XL")
_RADII = ("none", "low", "medium", "high", "very high")


class Rows:
    """Takes the rows of all tables; `finish` then settles what depends on several of them.

    `homes` says to which repository a bare `#12` belongs where the document names it in full elsewhere.
    """

    def __init__(self, known: Known, homes: Mapping[int, str] | None = None) -> None:
        self.known = known
        self._homes = homes or {}
        self.ids = Ids(known)
        self.owners = Owners(known, self.ids)
        self.remarks: list[Remark] = []
        self.drafts: list[Draft] = []
        self._kinds: dict[str, str] = {}
        self._references = dict(known.references)
        self._implements: dict[tuple[str, int], str] = {}
        self._waiting: list[tuple[str, str, int]] = []
        self._severity: list[str] = []
        self._fixes: list[tuple[str, str, int]] = []

    def announce(self, kind: str, ids: Iterable[str]) -> None:
        """Say which records the document has, before any link to one of them is read."""
        for record_id in ids:
            self._kinds.setdefault(record_id, kind)

    def kind_of(self, record_id: str) -> str:
        """The kind of a record of the document; empty when it has no such record."""
        return self._kinds.get(record_id, "")

    def take(self, kind: str, record_id: str, cells: Mapping[str, str], line: int) -> None:
        """One row. An id that was taken before, or that the registry has already, is not taken again."""
        if any(draft.id == record_id for draft in self.drafts):
            return
        if record_id in self.known.ids:
            self.remarks.append(lost(f"{record_id}: there is such a record already", line))
            return
        self.ids.take(kind, record_id)
        title = next((cells[name] for name in _TITLES[kind] if cells.get(name)), "")
        values: dict[str, Any] = {"id": record_id, "title": one_line(title)}
        values |= self._defect(record_id, cells, line) if kind == "defect" else self._item(record_id, cells, line)
        self.drafts.append(Draft(kind, values, f"line {line}"))

    def finish(self) -> None:
        """Settle blockers that name a pull request, now that it is known which item the pull request implements."""
        fields = {draft.id: values for draft in self.drafts if isinstance(values := draft.values, dict)}
        for record_id, cell, line in self._waiting:
            self._blockers(fields[record_id], cell, line)
        for item, defect, line in self._fixes:
            if defect in fields:
                fixed_by = fields[defect].setdefault("fixed_by", [])
                fixed_by += [] if item in fixed_by else [item]
            else:
                self.remarks.append(lost(f"{item} fixes {defect}, which was not taken", line))
        if self._severity:
            self.remarks.append(unknown(f"how severe these are: {', '.join(self._severity)}"))

    def _defect(self, record_id: str, cells: Mapping[str, str], line: int) -> dict[str, Any]:
        words = _clean(cells.get("status", ""))
        status = next((word for word in _STATUSES if words.lower().startswith(word)), "")
        note = words[len(status) :].strip(" ,;:—–-")
        if not status:
            self.remarks.append(doubtful(f"{record_id}: {words or 'no status'} is no status of a defect; taken as suspected", line))
        values: dict[str, Any] = {"status": status.replace(" ", "-") or "suspected"}
        if note:
            values["status_note"] = note
        severity = _clean(cells.get("severity", ""))
        if not severity:
            self._severity.append(record_id)
        values |= {"severity": severity or NOT_STATED, **self._owner(cells.get("owner", cells.get("owners", "")))}
        fixed_by = [i for i in _ID.findall(cells.get("fixed by", "")) if self.kind_of(i) == "item"]
        if fixed_by:
            values["fixed_by"] = fixed_by
        reported = self._reported(words, line)
        return values | ({"reported_as": reported} if reported else {})

    def _reported(self, words: str, line: int) -> list[str]:
        """References that the status says the defect was reported as."""
        match = re.search(r"reported.*", words, re.IGNORECASE)
        found = [self._reference(number, "issue", line) for number in _NUMBERED.finditer(match[0] if match else "")]
        return [reference for reference in found if reference]

    def _item(self, record_id: str, cells: Mapping[str, str], line: int) -> dict[str, Any]:
        blocked = _clean(cells.get("blocked by", cells.get("blockers", "")))
        values: dict[str, Any] = {"status": "open"}
        planned = re.match(r"not planned[:;,]?\s*(?P<reason>.*)", blocked, re.IGNORECASE)
        implemented = re.match(r"implemented(?: in| by)?\s*(?P<where>[^;]*);?\s*(?:pending\s*)?(?P<next>.*)", blocked, re.IGNORECASE)
        if planned is not None:
            values |= {"status": "not-planned", "reason": planned["reason"] or NOT_STATED}
        elif implemented is not None:
            values |= {"status": "implemented", **self._implemented(record_id, implemented, line)}
        elif blocked.lower() in ("done", "merged", "closed"):
            values["status"] = "done"
        values |= self._owner(cells.get("owner", cells.get("owners", "")))
        values |= self._scale(record_id, cells, line)
        if values["status"] == "open" and blocked.lower() not in _NOTHING:
            self._waiting.append((record_id, blocked, line))
        for column in ("defect", "fixes"):
            if column != "defect" or any(name in cells for name in ("item", "title")):
                self._fixes += [(record_id, d, line) for d in _ID.findall(cells.get(column, "")) if self.kind_of(d) == "defect"]
        return values

    def _implemented(self, record_id: str, match: re.Match[str], line: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for number in _NUMBERED.finditer(match["where"]):
            reference = self._reference(number, "pull-request", line)
            if reference:
                values.setdefault("implemented_by", []).append(reference)
                self._implements[self._key(number)] = record_id
        return values | ({"next_step": match["next"]} if match["next"] else {})

    def _scale(self, record_id: str, cells: Mapping[str, str], line: int) -> dict[str, Any]:
        values = {}
        size = re.sub(r"\s*[–—-]\s*", "-", _clean(cells.get("size", "")))
        if size and size != "-":
            if all(end in _SIZES for end in size.split("-")):
                values["size"] = size
            else:
                self.remarks.append(lost(f"{record_id}: {size!r} is no size", line))
        radius = _clean(cells.get("blast radius", ""))
        if radius.lower() in _RADII:
            values["blast_radius"] = radius.lower()
        elif radius.lower() not in _NOTHING:
            self.remarks.append(lost(f"{record_id}: {radius!r} is no blast radius", line))
        return values

    def _owner(self, cell: str) -> dict[str, Any]:
        """Owners of a cell such as `BeeLlama + us`; a cell that is no list of names says why the owner is open."""
        words = _clean(cell)
        if words.lower() in _NOTHING:
            return {"owner_open": NOT_STATED}
        parts = [part.strip() for part in re.split(r"\s*(?:\+|&|,|/|\band\b)\s*", words) if part.strip()]
        named = ";" not in words and all(self.owners.knows(part) or len(part.split()) <= 3 for part in parts)
        if not named or words.lower() in ("open", "investigation", "nobody", "tbd", "unassigned"):
            return {"owner_open": words}
        return {"owners": list(dict.fromkeys(self.owners.id_of(part) for part in parts))}

    def _blockers(self, values: dict[str, Any], cell: str, line: int) -> None:
        found: list[str] = []
        spelled_out = False
        for part in re.split(r"\s*[,;]\s*(?![^()]*\))", cell):
            ids = [i for i in _ID.findall(part) if self.kind_of(i) == "item" or i in self.known.ids]
            numbers = list(_NUMBERED.finditer(part))
            if ids:
                found += ids
            elif numbers:
                found += [target for number in numbers if (target := self._behind(number, line))]
            elif part:
                found += self._decision(values, part, line)
            spelled_out |= not _ID.fullmatch(part)
        if found:
            values["blocked_by"] = list(dict.fromkeys(found))
        if spelled_out:
            values["blocked_note"] = cell

    def _behind(self, number: re.Match[str], line: int) -> str:
        """The item that a pull request implements, or the reference itself."""
        return self._implements.get(self._key(number)) or self._reference(number, "pull-request", line)

    def _decision(self, values: dict[str, Any], words: str, line: int) -> list[str]:
        """A decision for a blocker that is neither an id nor a pull request."""
        prefix = self.known.prefixes["decision"]
        named = re.match(rf"(?P<id>{prefix}[1-9]\d*)\b[:.]?\s*(?P<words>.*)", words)
        wanted, words = (named["id"], named["words"] or words) if named is not None else ("", words)
        known = next((i for name, i in self.known.decisions.items() if name in words.lower()), None)
        if known is not None:
            return [known]
        drafted = next((draft.id for draft in self.drafts if draft.kind == "decision" and draft.values["title"] == one_line(words)), None)
        if drafted is not None:
            return [drafted]
        if "owners" not in values:
            self.remarks.append(lost(f"the blocker {words!r}: no id, and nobody who could decide it", line))
            return []
        record_id = self.ids.take("decision", wanted)
        self.remarks.append(unknown(f"the blocker {words!r}: drafted as the decision {record_id}; its options are not in the table"))
        draft = {
            "id": record_id,
            "title": one_line(words),
            "short": one_line(words),
            "decided_by": list(values["owners"]),
            "why": f"It blocks work on line {line} of the register.",
            "options": [{"id": "a", "title": NOT_STATED}, {"id": "b", "title": NOT_STATED}],
        }
        self.drafts.append(Draft("decision", draft, f"line {line}"))
        return [record_id]

    def _key(self, match: re.Match[str]) -> tuple[str, int]:
        number = int(match["number"])
        return match["repository"] or self._homes.get(number) or self.known.repository, number

    def _reference(self, match: re.Match[str], kind: str, line: int) -> str:
        key = self._key(match)
        if not key[0]:
            self.remarks.append(lost(f"{match[0]}: the project has no `repository`, so it is not known whose it is", line))
            return ""
        if key not in self._references:
            record_id = self.ids.take("reference", reference_id(*key))
            self._references[key] = record_id
            values = {"id": record_id, "title": f"{key[0]}#{key[1]}", "type": kind, "repository": key[0], "number": key[1], "state": "not-recorded", "state_on": self.known.today}
            self.drafts.append(Draft("reference", values, f"line {line}"))
            self.remarks.append(doubtful(f"{match[0]} was taken as {kind.replace('-', ' ')} {key[0]}#{key[1]}; its state is not recorded", line))
        return self._references[key]


def full_names(text: str) -> dict[int, str]:
    """The repository of each number that a text writes in full somewhere, such as `owner/name#12`, in one repository only."""
    found: dict[int, set[str]] = {}
    for match in _NUMBERED.finditer(text):
        if match["repository"]:
            found.setdefault(int(match["number"]), set()).add(match["repository"])
    return {number: next(iter(names)) for number, names in found.items() if len(names) == 1}


_TITLES = {"defect": ("defect", "title", "what", "name", "summary"), "item": ("item", "title", "what", "name", "summary", "task")}


def _clean(cell: str) -> str:
    return " ".join(cell.split())
