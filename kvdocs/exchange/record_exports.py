"""Records -> JSON, needs.json, beads JSONL and texts for GitHub issues, with what each of them cannot hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kvdocs import __version__
from kvdocs.cited import title_of, with_figures
from kvdocs.document import plain
from kvdocs.entry import Entry
from kvdocs.exchange.remark import Remark, doubtful, lost, unknown
from kvdocs.exhibit import Evidence
from kvdocs.order import Order
from kvdocs.registry import Registry

JSON_SCHEMA = "kvdocs/export/v1"


@dataclass(frozen=True, slots=True)
class Export:
    """Files by name, and what the format could not hold."""

    files: Mapping[str, str]
    remarks: tuple[Remark, ...] = ()


def export_json(registry: Registry, entries: Sequence[Entry], order: Order | None = None, evidence: Callable[[str], Evidence | None] = lambda _: None) -> Export:
    """Whole records with their links: `{"schema": "kvdocs/export/v1", "records": [...]}`, each as `kvdocs show --json`."""
    from kvdocs.document import record_document

    document = {"schema": JSON_SCHEMA, "program": f"kvdocs {__version__}", "records": [record_document(entry, registry, order, evidence(entry.id)) for entry in entries]}
    return Export({"records.json": _dump(document)}, (lost("comments, quotes and the order of keys of the YAML files"),))


def export_needs(registry: Registry, entries: Sequence[Entry], project: str, at: datetime) -> Export:
    """needs.json with one need a record; links of each field stand under the field's name."""
    document = needs_document(registry, entries, project, at.replace(microsecond=0).isoformat())
    remarks = [lost("fields that are neither text nor links: numbers, tables, gates, payoffs and observations")]
    short = [entry.id for entry in entries if not re.match(r"[A-Z0-9_]{5,}", entry.id)]
    if short:
        remarks.append(doubtful(f"sphinx-needs takes ids such as {short[0]} only with a wider `needs_id_regex` than its default"))
    return Export({"needs.json": _dump(document)}, tuple(remarks))


def needs_document(registry: Registry, entries: Sequence[Entry], project: str, created: str | None) -> dict[str, Any]:
    """The content of needs.json; without a time at which it was made the same records give the same document."""
    return _needs_document({entry.id: need_of(entry, registry) for entry in entries}, len(entries), project, created)


def needs_frame(amount: int, project: str) -> tuple[str, str]:
    """What stands in the text of `needs_document`, without a time at which it was made, before and after the texts of so many needs with their ids: `"R1": {…}, "R2": {…}`."""
    head, tail = json.dumps(_needs_document({}, amount, project, None), ensure_ascii=False).rsplit("{}", 1)
    return f"{head}{{", f"}}{tail}"


def _needs_document(needs: Mapping[str, Any], amount: int, project: str, created: str | None) -> dict[str, Any]:
    stamp = {"created": created} if created is not None else {}
    version = {**stamp, "creator": {"program": "kvdocs", "version": __version__}, "needs": needs, "needs_amount": amount}
    return {**stamp, "current_version": "1", "project": project, "versions": {"1": version}}


def need_of(entry: Entry, registry: Registry) -> dict[str, Any]:
    """A record as a need."""
    links: dict[str, list[str]] = {}
    for link in registry.links_from(entry.id):
        links.setdefault(str(link.loc[0]), []).append(link.target)
    status = getattr(entry.record, "status", None) or getattr(entry.record, "state", None)
    need: dict[str, Any] = {
        "id": entry.id,
        "type": entry.kind.name,
        "type_name": entry.kind.name.capitalize(),
        "title": title_of(entry, registry),
        "status": status if isinstance(status, str) else None,
        "content": body(entry, registry),
        "doctype": ".md",
        "docname": f"{entry.kind.folder}/{entry.id}",
        "tags": [],
        "links": [],
    }
    return need | {name: list(dict.fromkeys(targets)) for name, targets in links.items() if name not in need}


_BEADS_STATUS = {"done": "closed", "fixed": "closed", "not-planned": "closed", "withdrawn": "closed", "superseded": "closed", "historical": "closed"}


def export_beads(registry: Registry, entries: Sequence[Entry], prefix: str, at: datetime) -> Export:
    """beads JSONL with defects as bugs and items as tasks; ids become `PREFIX-d2`. Other kinds have no place there."""
    wanted = [entry for entry in entries if entry.kind.name in ("defect", "item")]
    present = {entry.id for entry in wanted}
    stamp = at.replace(microsecond=0).isoformat()
    lines = [json.dumps(_bead(entry, registry, prefix, stamp, present), ensure_ascii=False) for entry in wanted]
    others = sorted({entry.kind.plural for entry in entries if entry not in wanted})
    remarks = [
        lost("sizes, blast radius, severity, observations, locations and evidence; why a defect's owner is open"),
        unknown("when a record was written and changed: both dates are those of the export"),
    ]
    if others:
        remarks.append(lost(f"records of other kinds: {', '.join(others)}, and the links to them"))
    return Export({"issues.jsonl": "".join(line + "\n" for line in sorted(lines))}, tuple(remarks))


def _bead(entry: Entry, registry: Registry, prefix: str, stamp: str, present: set[str]) -> dict[str, Any]:
    record: Any = entry.record
    status = _BEADS_STATUS.get(record.status, "open")
    waiting = {"blocked_by": "blocks", "needs": "blocks", "fixed_by": "related", "correlated_with": "related"}
    dependencies = [
        {"issue_id": bead_id(prefix, entry.id), "depends_on_id": bead_id(prefix, link.target), "type": waiting[str(link.loc[0])], "created_at": stamp, "created_by": "kvdocs"}
        for link in registry.links_from(entry.id)
        if link.loc[0] in waiting and link.target in present
    ]
    bead: dict[str, Any] = {
        "id": bead_id(prefix, entry.id),
        "title": title_of(entry, registry)[:500],
        "description": body(entry, registry),
        "status": status,
        "priority": 2,
        "issue_type": "bug" if entry.kind.name == "defect" else "task",
        "created_at": stamp,
        "updated_at": stamp,
        "labels": [entry.kind.name, record.status],
    }
    if record.owners:
        bead["assignee"] = record.owners[0]
        bead["labels"] += [f"owner:{owner}" for owner in record.owners[1:]]
    gates = [f"- {gate.text}" for gate in getattr(record, "gates", [])]
    if gates:
        bead["acceptance_criteria"] = "\n".join(gates)
    if status == "closed":
        bead |= {"closed_at": stamp, "close_reason": getattr(record, "reason", None) or record.status}
    if dependencies:
        bead["dependencies"] = dependencies
    return bead


def bead_id(prefix: str, record_id: str) -> str:
    """`D2` as beads wants it: `kv-offload-d2`."""
    return f"{prefix}-{record_id.lower()}"


def export_github(registry: Registry, entries: Sequence[Entry]) -> Export:
    """A Markdown file a record, ready for `gh issue create --title ... --body-file`: the title on its first line."""
    files = {f"{entry.id}.md": f"# {title_of(entry, registry)}\n\n{_issue_body(entry, registry)}" for entry in entries}
    return Export(files, (lost("links as links: an issue names other records by their ids"), lost("typed fields: an issue is a text")))


def _issue_body(entry: Entry, registry: Registry) -> str:
    record: Any = entry.record
    facts = [(name, _words(getattr(record, name, None))) for name in ("status", "severity", "size", "blast_radius", "owners", "blocked_by", "fixed_by", "command")]
    lines = [
        f"- **{name.replace('_', ' ').capitalize()}**: {f'`{words}`' if name == 'command' and chr(10) not in words else words}"
        for name, words in facts
        if words and chr(10) not in words
    ]
    parts = [body(entry, registry), "\n".join(lines)]
    parts += [f"## {heading}\n\n{text}" for heading, text in _sections(record)]
    return with_figures("\n\n".join(part for part in parts if part), registry) + "\n"


def _sections(record: Any) -> Iterable[tuple[str, str]]:
    """The further texts of a record with a heading each."""
    command = getattr(record, "command", None)
    if command and "\n" in command:
        yield "How to see it", fenced(command, "bash")
    if getattr(record, "output", None):
        yield "What it prints", fenced(record.output, "text")
    for name, heading in (("cause", "Cause"), ("ownership", "Whose it is"), ("why", "Why"), ("notes", "Notes")):
        if getattr(record, name, None):
            yield heading, str(getattr(record, name)).strip()
    gates = getattr(record, "gates", None)
    if gates:
        yield "When it counts as done", "\n".join(f"- [ ] {gate.text}" for gate in gates)
    if getattr(record, "not_established", None):
        yield "What is not established", "\n".join(f"- {text}" for text in record.not_established)


def fenced(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def body(entry: Entry, registry: Registry) -> str:
    """The text that says what a record is about: its symptom, summary, or whatever its kind has for it."""
    for name in ("symptom", "summary", "why", "purpose", "wrong", "text", "owns"):
        text = getattr(entry.record, name, None)
        if isinstance(text, str) and text.strip():
            return with_figures(text.strip(), registry)
    return ""


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return str(plain(value)) if value is not None else ""


def _dump(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
