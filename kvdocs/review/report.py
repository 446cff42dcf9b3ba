"""A difference as text for a terminal, and as Markdown for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from kvdocs.history.change import TOPICS, Change
from kvdocs.markup import code, escape, plain
from kvdocs.order import Row
from kvdocs.problems import Problem, Severity
from kvdocs.review.comparison import Difference, Turn

HEADINGS = {"record": "Records", "status": "Status", "owner": "Owners", "blockers": "Blockers", "values": "Values", "text": "Texts", "other": "Other fields"}

MARK = "<!-- kvdocs diff -->"
"""The first line of the Markdown: by it a workflow finds its own comment again."""

Line = tuple[str, str]
"""What a line is about (an id, or nothing), and its words."""


def sections(difference: Difference) -> Iterator[tuple[str, list[Line]]]:
    """Headings with their lines, in the order in which a reviewer wants them; empty ones are left out."""
    found: list[tuple[str, list[Line]]] = [("Next", list(_next(difference)))]
    found.append(("Order of work", [(t.record, f"{t.before} → {t.after}: {t.reason}") for t in difference.states]))
    for topic in TOPICS[:4]:
        found.append((HEADINGS[topic], [(c.record, c.words) for c in difference.changes if c.topic == topic]))
    found.append(("Claims", [(t.record, f"{t.before} → {t.after}: {t.reason}") for t in difference.claims]))
    found.append(("Figures", [("", f"{t.name} {t.before} → {t.after}") for t in difference.figures]))
    found.append(("Evidence", [(t.record, _turned(t)) for t in difference.evidence]))
    for topic in TOPICS[4:]:
        found.append((HEADINGS[topic], _by_record([c for c in difference.changes if c.topic == topic])))
    found.append(("New problems", [_problem(p) for p in difference.new]))
    found.append(("Solved problems", [_problem(p) for p in difference.solved]))
    return ((heading, lines) for heading, lines in found if lines)


def _next(difference: Difference) -> Iterator[Line]:
    """What can be worked on now and could not before, and the other way round."""
    before = [difference.renamed.get(r.id, r.id) for r in difference.actionable_before]
    after = [r.id for r in difference.actionable]
    yield from ((row.id, f"can be worked on now: {_row(row)}") for row in difference.actionable if row.id not in before)
    yield from ((name, "is no longer there to be worked on") for name in before if name not in after)


def _row(row: Row) -> str:
    return f"rank {row.rank}, {row.why}"


def _turned(turn: Turn) -> str:
    return f"{turn.name} {turn.before} → {turn.after}" + (f": {turn.reason}" if turn.reason else "")


def _by_record(changes: list[Change]) -> list[Line]:
    """One line for each record, with all that changed of it."""
    words: dict[str, list[str]] = {}
    for change in changes:
        words.setdefault(change.record, []).append(change.words)
    return [(record, "; ".join(found)) for record, found in words.items()]


def _problem(problem: Problem) -> Line:
    words = f"{problem.severity} {problem.code.name}: {problem.message}"
    return (problem.record, words) if problem.record else ("", f"{problem.place.path}: {words}")


def text_lines(difference: Difference) -> Iterator[str]:
    """The difference for a terminal: a heading, then its lines, indented."""
    yield f"{difference.before} → {difference.after}"
    if difference.is_empty:
        yield "nothing changed"
    width = max((len(record) for _, lines in sections(difference) for record, _ in lines), default=0)
    for heading, lines in sections(difference):
        yield ""
        yield heading
        for record, words in lines:
            yield f"  {record:<{width}}  {plain(words)}".rstrip() if record else f"  {plain(words)}"


def markdown(difference: Difference) -> str:
    """The difference as a comment: the summary first, then a list under each heading; long sections are folded."""
    lines = [MARK, "", f"### What this changes in the record ({code(difference.before)} → {code(difference.after)})", ""]
    if difference.is_empty:
        return "\n".join([*lines, "Nothing.", ""])
    lines += [_summary(difference), ""]
    for heading, rows in sections(difference):
        folded = len(rows) > 12 or heading in ("Texts", "Other fields", "Figures")
        lines += [f"<details><summary>{heading} ({len(rows)})</summary>", ""] if folded else [f"**{heading}**", ""]
        lines += [f"- {_bold(record)}{escape(plain(words))}" for record, words in rows]
        lines += ["", "</details>", ""] if folded else [""]
    return "\n".join(lines)


def _bold(record: str) -> str:
    return f"**{escape(record)}** " if record else ""


def _summary(difference: Difference) -> str:
    """One sentence with what matters most."""
    errors = sum(p.severity is Severity.ERROR for p in difference.new)
    turned = sum(t.after == "fails" for t in difference.claims)
    now = [r.id for r in difference.actionable if r.id not in {difference.renamed.get(b.id, b.id) for b in difference.actionable_before}]
    records = {c.record for c in difference.changes}
    parts = [f"{len(records)} record{'s' if len(records) != 1 else ''} changed"]
    if now:
        parts.append(f"{', '.join(now)} can be worked on now")
    if turned:
        parts.append(f"{turned} claim{'s' if turned != 1 else ''} no longer hold{'s' if turned == 1 else ''}")
    if errors:
        parts.append(f"{errors} new error{'s' if errors != 1 else ''}")
    return escape("; ".join(parts)) + "."
