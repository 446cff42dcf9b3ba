"""A register document -> drafts: its tables become records, its sections and points become their notes.

A table is taken when its first column holds the ids of one kind (`D1`, `R4`). What is not taken is listed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kvdocs.exchange.drafts import Draft, DraftSet, Known, one_line, prose
from kvdocs.exchange.register_rows import COLUMNS, Rows, full_names
from kvdocs.exchange.register_text import Document, Passage, Table, read_document
from kvdocs.exchange.remark import Remark, UnreadableSourceError, doubtful, lost
from kvdocs.problems import counted

_ID_COLUMNS = ("#", "id", "no", "no.", "ref", "key")


def draft_register(text: str, known: Known) -> DraftSet:
    """The records that a register's tables and sections give, and what of it could not be read.

    Where a record stands in several tables, the one with the most columns that are known is read.

    Raises UnreadableSourceError when no table of it holds records.
    """
    document = read_document(text)
    rows = Rows(known, full_names(text))
    remarks: list[Remark] = []
    taken = 0
    registers = [(kind, table) for table in document.tables if (kind := _kind(table, known))]
    for table in document.tables:
        if not _kind(table, known):
            remarks.append(lost(f"a table of {counted(len(table.rows), 'row')} that is no register: {', '.join(h or '(no heading)' for h in table.headings)}", table.line))
    for kind, table in registers:
        rows.announce(kind, [_row_id(row.cells) for row in table.rows])
    for kind, table in sorted(registers, key=lambda found: -_columns_known(found[1])):
        for row in table.rows:
            taken += 1
            rows.take(kind, _row_id(row.cells), row.cells, row.line)
    if not taken:
        raise UnreadableSourceError("no table of records in this document: a first column with ids such as D1 or R1")
    rows.finish()
    drafts = {draft.id: dict(draft.values) for draft in rows.drafts}
    remarks = rows.remarks + _place_passages(document, drafts, rows, remarks)
    for draft in rows.drafts:
        if draft.kind == "defect" and "symptom" not in drafts[draft.id]:
            drafts[draft.id]["symptom"] = drafts[draft.id]["title"]
    finished = [Draft(draft.kind, _ordered(drafts[draft.id]), draft.source) for draft in rows.drafts]
    finished.sort(key=lambda draft: ("reference", "decision", "defect", "item").index(draft.kind))
    remarks.sort(key=lambda remark: (remark.line is None, remark.line))
    return DraftSet(tuple(rows.owners.drafts + finished), tuple(remarks + rows.owners.remarks))


def _row_id(cells: Mapping[str, str]) -> str:
    return next((cells[name].strip("`* ") for name in _ID_COLUMNS if name in cells), "")


def _columns_known(table: Table) -> int:
    """How many columns of a table tell something of a record: of two tables with the same records, the fuller one is read."""
    return sum(heading.lower() in COLUMNS for heading in table.headings)


def _kind(table: Table, known: Known) -> str:
    """The kind whose ids the first column holds; empty when there is none."""
    ids = [_row_id(row.cells) for row in table.rows]
    for kind in ("defect", "item"):
        if ids and all(re.fullmatch(rf"{known.prefixes[kind]}[1-9]\d*", row_id) for row_id in ids):
            return kind
    return ""


def _place_passages(document: Document, drafts: dict[str, dict[str, Any]], rows: Rows, remarks: list[Remark]) -> list[Remark]:
    """Prose to the records that it, or the heading above it, begins with. Returns all remarks, those on the rest among them.

    A section without a word for any record is one remark; where some of it was taken, each rest is one.
    """
    for heading, parts in _sections(document):
        own = _leading_ids(heading, drafts) if heading is not None else []
        texts: dict[tuple[str, ...], list[Passage]] = {}
        rest = []
        for part in parts:
            ids = _leading_ids(part, drafts) or own
            texts.setdefault(tuple(ids), []).append(part)
            rest += [] if ids else [part]
        if heading is not None and own:
            _pair(own, drafts, rows, heading.line, remarks)
        for leading, passages in texts.items():
            for record_id in leading:
                _append(drafts[record_id], passages, record_id, remarks, describes=list(leading) == own)
            _pair(list(leading), drafts, rows, passages[0].line, remarks)
        if heading is not None and rest and len(rest) == len(parts):
            remarks.append(lost(f"the section {heading.heading!r}: prose that no record takes", heading.line))
        else:
            remarks += [lost(f"prose that no record takes: {one_line(part.text)[:60]}…", part.line) for part in rest]
    return remarks


def _sections(document: Document) -> list[tuple[Passage | None, list[Passage]]]:
    """(heading, passages below it) for each heading, after what stands before the first one."""
    groups: list[tuple[Passage | None, list[Passage]]] = [(None, [])]
    for passage in document.passages:
        if passage.form == "heading":
            groups.append((passage, []))
        else:
            groups[-1][1].append(passage)
    return groups


def _leading_ids(passage: Passage, drafts: Mapping[str, Any]) -> list[str]:
    """The records that a heading, a point or a paragraph begins with: `D2, localized`, `R1 / D2: ...`, `**D1** ...`."""
    match = re.match(r"[*`\s]*(?P<ids>[A-Z]\d+(?:[*`\s]*(?:/|,|and|\+)[*`\s]*[A-Z]\d+)*)(?![\w-])", passage.text)
    found = re.findall(r"[A-Z]\d+", match["ids"]) if match else []
    return found if all(record_id in drafts for record_id in found) else []


def _append(values: dict[str, Any], passages: list[Passage], record_id: str, remarks: list[Remark], *, describes: bool) -> None:
    """A defect's own section says what goes wrong, prose about a decision why it is open; everything else is a note."""
    text = prose("\n\n".join(part.text if part.form == "paragraph" else f"- {part.text}" for part in passages), record_id, remarks)
    if len(passages) == 1:
        text = text.removeprefix("- ")
    if describes and "severity" in values and "symptom" not in values:
        values["symptom"] = text
        return
    field = "why" if "options" in values else "notes"
    values[field] = f"{values[field]}\n\n{text}" if values.get(field) else text


def _pair(ids: list[str], drafts: dict[str, dict[str, Any]], rows: Rows, line: int, remarks: list[Remark]) -> None:
    """`R1 / D2` at the head of a passage names an item and the defect that it fixes."""
    items = [i for i in ids if rows.kind_of(i) == "item"]
    defects = [i for i in ids if rows.kind_of(i) == "defect"]
    if len(items) == len(defects) == 1:
        fixed_by = drafts[defects[0]].setdefault("fixed_by", [])
        if items[0] not in fixed_by:
            fixed_by.append(items[0])
            remarks.append(doubtful(f"{items[0]} and {defects[0]} stand together, which was read as: {items[0]} fixes {defects[0]}", line))


_ORDER = (
    "id", "title", "status", "status_note", "reason", "severity", "owners", "owner_open", "size", "blast_radius", "blocked_by",
    "blocked_note", "implemented_by", "next_step", "type", "repository", "number", "state", "state_on", "short", "decided_by",
    "symptom", "summary", "why", "options", "fixed_by", "reported_as", "notes",
)  # fmt: skip


def _ordered(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields in the order in which people write them."""
    return {key: values[key] for key in sorted(values, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))}
