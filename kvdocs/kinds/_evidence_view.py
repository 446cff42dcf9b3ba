"""How executions are shown on the page of the record that they bear on."""

from __future__ import annotations

from kvdocs import markup
from kvdocs.entry import Entry
from kvdocs.exhibit import BEARING_TONES, Evidence, Exhibit, GateVerdict
from kvdocs.kind import Context
from kvdocs.kinds.withdrawal import struck, withdrawal_of
from kvdocs.view import Badge, Cell, Fact, Inline, Items, Md, Notice, Section, Table

VERDICT_TONES = {"reproduced": "bad", "not-reproduced": "good", "inconclusive": "warn"}


def evidence_of(entry: Entry, context: Context) -> Evidence | None:
    """The executions that bear on a record; None where nothing was executed or nothing is judged."""
    evidence: Evidence | None = context.computed("evidence", entry.id)
    return evidence


def evidence_section(entry: Entry, context: Context) -> list[Section]:
    """The executions by environment and source commit, then one by one with their reasons."""
    evidence = evidence_of(entry, context)
    if evidence is None:
        return [Section("Evidence", (Notice("note", "Nothing was executed for this", Md("What this page says is reported.")),), "evidence")]
    sums = tuple((context.link(t.environment), t.source, Badge(t.words, t.tone)) for t in evidence.tallies)
    rows = tuple(_row(e, context) for e in evidence.exhibits)
    blocks = (
        Table(("Environment", "Source", "What executions show"), sums, caption="By environment and source"),
        Table(("Execution", "Environment", "Source", "Verdict", "For the status", "Why"), rows, caption="Each execution"),
    )
    return [Section("Evidence", (*blocks, *_stale(evidence, context)), "evidence")]


def _row(exhibit: Exhibit, context: Context) -> tuple[Cell, ...]:
    if exhibit.left_out:
        return _row_left_out(exhibit, context)
    why = (*exhibit.labels, *(markup.sentence(reason) for reason in exhibit.reasons[:3]))
    return (
        context.link(exhibit.result, exhibit.result[:8]),
        context.link(exhibit.environment),
        exhibit.source,
        Badge(exhibit.verdict.replace("-", " "), "plain" if exhibit.purpose == "kernel" else VERDICT_TONES.get(exhibit.verdict, "plain")),
        Badge(exhibit.bearing + (", stale" if exhibit.stale else ""), "off" if exhibit.stale else BEARING_TONES[exhibit.bearing]),
        tuple(markup.sentence(words) for words in why) or None,
    )


def _row_left_out(exhibit: Exhibit, context: Context) -> tuple[Cell, ...]:
    """An execution that does not count: its verdict struck out, and why it does not."""
    record = withdrawal_of(exhibit.result, context.registry)
    why: tuple[Inline, ...] = (markup.sentence(exhibit.left_out), *((context.prose(record.because),) if record is not None else ()))
    return (
        context.link(exhibit.result, exhibit.result[:8]),
        context.link(exhibit.environment),
        exhibit.source,
        struck(exhibit.verdict.replace("-", " ")),
        Badge(exhibit.left_out.partition(" ")[0], "off"),
        why,
    )


def _stale(evidence: Evidence, context: Context) -> tuple[Items, ...]:
    """Why executions are stale: each reason, then the executions that it is about."""
    by_reason: dict[str, list[str]] = {}
    for exhibit in evidence.exhibits:
        for reason in exhibit.stale:
            by_reason.setdefault(reason, []).append(markup.link(context.link(exhibit.result, exhibit.result[:8])))
    lines = tuple(Md(f"Stale, because {markup.escape(reason)}: {', '.join(links)}") for reason, links in by_reason.items())
    return (Items(lines),) if lines else ()


def executed_fact(entry: Entry, context: Context) -> Fact:
    """What executions show, one badge for each environment and source."""
    evidence = evidence_of(entry, context)
    return Fact("Executed", evidence.badges if evidence is not None else Badge("nothing executed", "off"))


def gate_verdicts(entry: Entry, context: Context) -> dict[str, GateVerdict]:
    """The verdicts of an item's gates by their ids; empty where nothing is judged."""
    verdicts: tuple[GateVerdict, ...] = context.computed("gates", entry.id) or ()
    return {verdict.id: verdict for verdict in verdicts}


def results_prose(names: tuple[str, ...], context: Context) -> Cell:
    """Links to results by the beginning of their ids."""
    return tuple(context.link(name, name[:8]) for name in names) or None


