"""What is known of a run -> its result record: the same for a run that ended and for one whose runner died."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .build_tree import embedded_commit, matches
from .expect import Verdict
from .judging import judge
from .logs import Log, WrittenLog
from .observation import RAN_TO_ITS_END, Observation, output_of
from .record import kcidb_status, labels_of, outcome_of
from .redaction import Redactor
from .terminal import plain_text


@dataclass(frozen=True)
class End:
    """How a run ended: the outcome (see `record.OUTCOMES`), the reason in a sentence, and what is known of the process."""

    outcome: str
    reason: str
    exit_code: int | None = None
    signal: str | None = None
    duration_ns: int | None = None
    resources: Mapping[str, Any] = field(default_factory=dict)
    left_behind: tuple[str, ...] = ()
    harness_error: str | None = None

    def as_record(self) -> dict[str, Any]:
        """The end as the record keeps it."""
        return {
            "exit_code": self.exit_code, "signal": self.signal, "reason": self.reason, "duration_ns": self.duration_ns,
            "resources": dict(self.resources), "left_behind": list(self.left_behind), "harness_error": self.harness_error,
        }  # fmt: skip


def end_of(how: str, reason: str, exit_code: int | None, **rest: Any) -> End:
    """The end for the end of a process."""
    return End(outcome_of(how, exit_code), reason, exit_code, **rest)


def assemble(draft: Mapping[str, Any], end: End, logs: Mapping[str, Log], metrics: Mapping[str, Any], redactor: Redactor, **groups: Any) -> dict[str, Any]:
    """The result record of a run, ready to be stored.

    `draft` is what was known before the script started; `groups` are added to it or replace what is there.
    The verdict is taken from what is stored (redacted, cut), so that it can be taken again from the record.
    """
    seen = observe(end.outcome, end.reason, end.exit_code, end.signal, logs, metrics)
    verdict = judge({**draft, **groups}["expect"], seen)
    return assemble_judged({**draft, **groups}, end, logs, verdict, redactor, metrics)


def assemble_judged(whole: dict[str, Any], end: End, logs: Mapping[str, Log | WrittenLog], verdict: Verdict, redactor: Redactor, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The same where the verdict is known. `whole` is taken apart."""
    build = _with_embedded(whole.get("build"), logs, (whole.get("source") or {}).get("commit"))
    patches = (whole.get("source") or {}).get("patches") or []
    labels = [*labels_of(patches), *whole.pop("unlike", ())]
    if build and build.get("matches_source") is False:
        labels.append("the program was built from another commit than that of the source tree")
    expect = whole.pop("expect")
    body = redactor.record({
        **whole,
        "build": build,
        "outcome": end.outcome,
        "end": end.as_record(),
        "judgement": verdict.as_record(),
        "status": kcidb_status(end.outcome, verdict.word, whole["purpose"]),
        "metrics": dict(metrics),
        "labels": labels,
        "output_correct": all(patch["output_correct"] for patch in patches),
    })  # fmt: skip
    names = {key: whole[key] for key in ("script", "environment", "kind", "purpose")}
    return {**body, **names, "expect": dict(expect), "redaction": redactor.report()}


def observe(outcome: str, reason: str, exit_code: int | None, signal: str | None, logs: Mapping[str, Log], metrics: Mapping[str, Any]) -> Observation:
    """An execution as expectations see it."""
    ended = outcome in RAN_TO_ITS_END
    streams = {name: output_of(logs[name].content, gap_at=logs[name].gap_at, ended=ended) if name in logs else output_of(b"", ended=ended) for name in ("stdout", "stderr")}
    return Observation(outcome, reason, exit_code, signal, streams["stdout"], streams["stderr"], metrics)


def _with_embedded(build: Mapping[str, Any] | None, logs: Mapping[str, Log | WrittenLog], commit: str | None) -> dict[str, Any] | None:
    """The build's facts with what the program itself printed about its commit, which weighs more than files of the build tree; both ends of the output are searched for it."""
    text = "\n".join(plain_text(part) for log in logs.values() for part in log.edges)
    found = embedded_commit(text)
    if found is None:
        return dict(build) if build else None
    return {**(build or {}), "embedded_commit": found, "matches_source": matches(found, commit)}
