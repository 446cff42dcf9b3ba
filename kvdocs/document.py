"""Records as documents for programs: the shape of `kvdocs show --json` and of the site's `api/`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from kvdocs.cited import title_of, with_figures
from kvdocs.entry import Entry
from kvdocs.exhibit import Evidence
from kvdocs.order import Order
from kvdocs.registry import Registry

SCHEMA = "kvdocs/record/v1"


def record_document(entry: Entry, registry: Registry, order: Order | None = None, evidence: Evidence | None = None) -> dict[str, Any]:
    """A record with its fields, what is computed for it, what executions say, its links in both directions, where it stands in the order, and its source."""
    row = order.rows.get(entry.id) if order is not None else None
    return {
        "schema": SCHEMA,
        "id": entry.id,
        "kind": entry.kind.name,
        "title": title_of(entry, registry),
        "path": entry.path,
        "line": entry.raw.line,
        "order": row.document() if row is not None else None,
        "computed": _computed(entry, registry),
        "left_out": _left_out(entry, registry),
        "evidence": evidence_document(evidence) if evidence is not None else None,
        "fields": plain(entry.record.model_dump(exclude_defaults=False)),
        "links": [{"field": field_name(link.loc), "to": link.target} for link in registry.links_from(entry.id)],
        "back_links": [{"field": field_name(back.link.loc), "from": back.entry.id, "kind": back.entry.kind.name} for back in registry.links_to(entry.id)],
    }


def evidence_document(evidence: Evidence) -> dict[str, Any]:
    """What executions say of a record: summed up by environment and source, then each of them, newest last."""
    return {
        "summary": [{"environment": t.environment, "source": t.source, "words": t.words} for t in evidence.tallies],
        "executions": [
            {
                "result": e.result, "script": e.script, "environment": e.environment, "source": e.source, "verdict": e.verdict, "bearing": e.bearing,
                "stale": list(e.stale), "left_out": e.left_out or None, "labels": list(e.labels),
            }
            for e in evidence.exhibits
        ],
    }  # fmt: skip


def _computed(entry: Entry, registry: Registry) -> dict[str, Any] | None:
    """What is computed for a record; what computes figures is loaded only for records that have some."""
    if entry.kind.name not in ("measurement", "claim") and not entry.extract.cites:
        return None
    from kvdocs.figure_documents import computed_document
    from kvdocs.ledger import ledger_of

    return computed_document(entry, ledger_of(registry, entry))


def _left_out(entry: Entry, registry: Registry) -> dict[str, Any] | None:
    """Why an execution counts for nothing; None when it counts, and for every other kind."""
    if entry.kind.name != "result":
        return None
    from kvdocs.kinds.withdrawal import left_out, withdrawal_of

    why = left_out(entry.id, registry)
    record = withdrawal_of(entry.id, registry)
    if record is None:
        return {"words": why, "by": None, "on": None, "because": None, "record": None} if why else None
    return {"words": why, "by": record.by, "on": record.on.isoformat(), "because": with_figures(record.because.strip(), registry), "record": record.id}


def field_name(loc: tuple[str | int, ...]) -> str:
    """The field of a link without positions: `payoffs.source`."""
    return ".".join(str(part) for part in loc if isinstance(part, str))


def plain(value: Any) -> Any:
    """A value of a record as JSON has it; a number with a decimal point stays a number."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
