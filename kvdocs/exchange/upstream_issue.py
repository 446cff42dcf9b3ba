"""A defect and the results about it -> the text of an issue for the people who own the code, ready to paste.

What was executed and what was only reported stand under separate headings. References stand under the names that they
have at their host, and environments are explained; a remark lists the other ids that are left in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kvdocs.cited import with_figures
from kvdocs.exchange.outside_text import with_names
from kvdocs.exchange.record_exports import Export, fenced
from kvdocs.exchange.remark import doubtful, unknown
from kvdocs.exchange.result_exports import Executed
from kvdocs.judge import changes_of
from kvdocs.kinds.defect import Defect
from kvdocs.kinds.environment import Environment
from kvdocs.kinds.result import Result
from kvdocs.model import SourceLocation
from kvdocs.registry import Registry

EXCERPT_LINES = 40


def export_issue(defect: Defect, registry: Registry, results: Sequence[Executed], host: str, repository: str) -> Export:
    """The issue as Markdown: its title on the first line, then what, where, how often, and what is not established.

    `host` and `repository` are the project's, for links into the source.
    A program of the registry's own that shows a mechanism says nothing of how often the defect shows, and is left out.
    """
    results = [result for result in results if result.record["purpose"] != "kernel"]
    text, left = with_names(with_figures(_text(defect, registry, results, host, repository), registry), registry, repository)
    left = [name for name in left if registry.record(name, Environment) is None]
    remarks = [doubtful(f"ids that mean nothing to the reader are left in the text: {', '.join(left)}")] if left else []
    if not any(result.record["judgement"]["verdict"] == "reproduced" for result in results):
        remarks.append(unknown("an execution that reproduced it: command and output are as reported"))
    return Export({f"{defect.id}.md": text}, tuple(remarks))


def _text(defect: Defect, registry: Registry, results: Sequence[Executed], host: str, repository: str) -> str:
    shown = _shown(results)
    parts = [
        f"# {defect.title}",
        defect.symptom.strip(),
        _section("Environment", _environments(defect, registry, results)),
        _section("How to reproduce", _reproduce(defect, shown)),
        _section("Output", _output(defect, shown)),
        _section("Where", _places(defect, host, repository)),
        _section("Cause", defect.cause or ""),
        _section("How often", _counts(results)),
        _section("Reported, not executed by this record", _reported(defect)),
        _section("Not established", "\n".join(f"- {text}" for text in defect.not_established)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(heading: str, text: str) -> str:
    return f"### {heading}\n\n{text.strip()}" if text.strip() else ""


def _shown(results: Sequence[Executed]) -> Executed | None:
    """The result that the text shows: the first that reproduced the defect."""
    return next((result for result in results if result.record["judgement"]["verdict"] == "reproduced"), None)


def _environments(defect: Defect, registry: Registry, results: Sequence[Executed]) -> str:
    names = dict.fromkeys([*(str(result.record["environment"]) for result in results), *([defect.environment] if defect.environment else [])])
    return "\n".join(f"- `{name}`: {line}" for name in names if (line := _environment(registry.record(name, Environment))))


def _environment(environment: Environment | None) -> str:
    """An environment in a line: GPU, driver, CUDA, CPU, system."""
    if environment is None:
        return ""
    gpus = [gpu.name + (f" (sm_{gpu.compute_capability.replace('.', '')})" if gpu.compute_capability else "") for gpu in environment.gpus]
    facts = [
        *gpus,
        f"driver {environment.driver}" if environment.driver else "",
        f"CUDA {environment.cuda}" if environment.cuda else "",
        environment.cpu or "",
        environment.os or "",
    ]
    return ", ".join(fact for fact in facts if fact) or environment.title


def _reproduce(defect: Defect, shown: Executed | None) -> str:
    if shown is None:
        return fenced(defect.command, "bash") if defect.command else ""
    source = shown.record.get("source") or {}
    where = f"On {source.get('repository') or 'the source'} at {source['commit']}:\n\n" if source.get("commit") else ""
    invocation = shown.record["invocation"]
    return where + fenced(str(invocation.get("command") or " ".join(map(str, invocation["argv"]))), "bash")


def _output(defect: Defect, shown: Executed | None) -> str:
    if shown is not None and (shown.stdout.strip() or shown.stderr.strip()):
        matched = _matched_lines(shown.record)
        stream = max(("stdout", "stderr"), key=lambda name: (len(matched.get(name, [])), len(getattr(shown, name).strip()) > 0))
        labels = "".join(f"{label[:1].upper()}{label[1:]}.\n\n" for label in shown.record.get("labels") or ())
        return labels + fenced(excerpt(getattr(shown, stream), matched.get(stream, [])), "text")
    return f"As reported:\n\n{fenced(defect.output, 'text')}" if defect.output else ""


def _matched_lines(record: Mapping[str, Any]) -> dict[str, list[int]]:
    """The lines of each stream, from 1, on which the expectations of the script matched."""
    judgement = record["judgement"]
    found: dict[str, set[int]] = {}
    for source in (*judgement.get("matchers", []), *judgement.get("captures", {}).values()):
        for name in source.get("lines") or []:
            stream, _, line = str(name).partition(":")
            found.setdefault(stream, set()).add(int(line))
    return {stream: sorted(lines) for stream, lines in found.items()}


def excerpt(output: str, lines: Sequence[int], limit: int = EXCERPT_LINES) -> str:
    """The lines around the first few of the given ones and the end, or the last lines alone, with `[...]` where something was left out."""
    every = output.rstrip("\n").split("\n")
    if len(every) <= limit:
        return "\n".join(every)
    wanted: set[int] = set()
    for line in dict.fromkeys([*lines[:1], *(len(every) for _ in lines[:1]), *lines[-1:], *lines[1:3]]):
        around = set(range(max(1, line - 2), min(len(every), line + 4) + 1))
        if len(wanted | around) > limit:
            break
        wanted |= around
    wanted = wanted or set(range(len(every) - limit + 1, len(every) + 1))
    text: list[str] = []
    for number, content in enumerate(every, start=1):
        if number in wanted:
            text.append(content)
        elif not text or text[-1] != "[...]":
            text.append("[...]")
    return "\n".join(text)


def _places(defect: Defect, host: str, repository: str) -> str:
    return "\n".join(f"- {_place(location, defect, host, repository)}{f': {location.what}' if location.what else ''}" for location in defect.locations)


def _place(location: SourceLocation, defect: Defect, host: str, repository: str) -> str:
    name = location.path + (f":{location.line}" if location.line else "")
    commit, home = location.commit or defect.commit, location.repository or defect.repository or repository
    if not (commit and home):
        return f"`{name}`"
    lines = f"#L{location.line}" + (f"-L{location.end_line}" if location.end_line else "") if location.line else ""
    return f"[`{name}`]({host}/{home}/blob/{commit}/{location.path}{lines})"


def _counts(results: Sequence[Executed]) -> str:
    """Reproduced in k of n, by environment, commit and what the source had beside it; executions that decided nothing stand beside it."""
    groups: dict[tuple[str, str], list[str]] = {}
    for result in results:
        source = result.record.get("source") or {}
        commit = f"{source.get('repository') or ''}@{source['commit'][:9]}".lstrip("@") if source.get("commit") else "not recorded"
        changes = changes_of(Result.model_validate_json(json.dumps(result.record)))
        where = commit + (f" with {changes}" if changes else "")
        groups.setdefault((str(result.record["environment"]), where), []).append(result.record["judgement"]["verdict"])
    if not groups:
        return ""
    rows = ["| environment | source | reproduced | undecided |", "|---|---|---|---|"]
    for (environment, commit), verdicts in groups.items():
        decided = [verdict for verdict in verdicts if verdict in ("reproduced", "not-reproduced")]
        rows.append(f"| {environment} | {commit} | {decided.count('reproduced')} of {len(decided)} | {len(verdicts) - len(decided)} |")
    return "\n".join(rows)


def _reported(defect: Defect) -> str:
    return "\n".join(_lines(defect))


def _lines(defect: Defect) -> Iterable[str]:
    for observation in defect.observations:
        count = f" ({observation.failures} of {observation.runs} runs)" if observation.failures is not None and observation.runs is not None else ""
        where = ", ".join(part for part in (observation.environment, observation.commit) if part)
        yield f"- {' '.join(observation.what.split())}{count}{f' [{where}]' if where else ''}"
