"""What the commands around executions share: which scripts are meant, where things are, and how a run looks while it goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kvdocs.cli.output import fail, paint, say
from kvdocs.cli.redrawn import RedrawnLine
from kvdocs.evidence.runner import Listener
from kvdocs.evidence.spec import ScriptSpec, Setting

if TYPE_CHECKING:
    from kvdocs.evidence.pool import Pooled
    from kvdocs.evidence.store import Stored
    from kvdocs.project import Project
    from kvdocs.registry import Registry

VERDICT_TONES = {"reproduced": "bad", "not-reproduced": "good", "inconclusive": "warn"}
BAR = 20


def registry_of(project: Project) -> Registry:
    """All records of the project that can be read; `check` tells of the others."""
    from kvdocs.kinds import all_kinds
    from kvdocs.load import load_registry

    return load_registry(project, all_kinds())[0]


def specs_of(registry: Registry, ids: Sequence[str]) -> list[ScriptSpec]:
    """The scripts that the ids mean, each once; ends the command when an id means none."""
    from kvdocs.kinds.script import scripts_of, spec_of

    names: dict[str, None] = {}
    for record_id in ids:
        if registry.get(record_id) is None:
            fail(f"no record has the id {record_id!r}", registry.nearest(record_id))
        found = scripts_of(registry, record_id)
        if not found:
            fail(f"{record_id} has no script", "a record names one in `script` or in its gates; a script names records in `about`")
        names.update(dict.fromkeys(found))
    return [spec_of(registry, name) for name in names]


def environment_of(registry: Registry, asked: str | None) -> str:
    """The environment that results belong to; ends the command when it is not clear, or not on record."""
    from kvdocs.problems import did_you_mean

    known = [entry.id for entry in registry.of("environment")]
    name = asked or os.environ.get("KVDOCS_ENV") or (known[0] if len(known) == 1 else None)
    if name is None:
        fail("which environment do the results belong to?", f"say `--env`, or set KVDOCS_ENV; on record: {', '.join(known) or 'none'}")
    if name not in known:
        fail(f"there is no environment {name!r}", did_you_mean(name, known) or f"on record: {', '.join(known) or 'none'}")
    return name


def setting_of(registry: Registry, environment: str, places: Mapping[str, Any]) -> Setting:
    """Where things are: the variables of this process, with what the options say in their place; and the GPUs on record for the environment."""
    from kvdocs.kinds.environment import recorded_gpus

    given = {f"KVDOCS_{name.upper()}": str(Path(value).absolute()) if isinstance(value, Path) else str(value) for name, value in places.items() if value}
    return Setting(environment, {**os.environ, **given}, recorded_gpus(registry).get(environment, ()))


def unlikeness_of(setting: Setting) -> str | None:
    """What contradicts that this machine is the environment of the setting; None when nothing does."""
    from kvdocs.evidence.gpu import Gpus
    from kvdocs.evidence.likeness import unlikeness

    if not setting.gpus:
        return None
    gpus = Gpus()
    present = gpus.facts().gpus
    gpus.close()
    return unlikeness(setting.environment, setting.gpus, present)


def say_result(stored: Stored) -> None:
    """A result: verdict, how it ended, the reasons, what must be said with it, and where it is."""
    record = stored.record
    judgement, repeat = record["judgement"], record["repeat"]
    which = f" {repeat['index']}/{repeat['of']}" if repeat["of"] > 1 else ""
    verdict = paint(judgement["verdict"].replace("-", " "), VERDICT_TONES[judgement["verdict"]], bold=True)
    say(f"{record['script']}{which}: {verdict} ({record['outcome']}: {record['end']['reason']})")
    for reason in judgement["reasons"]:
        if record["end"]["reason"] not in reason:
            say(f"  {reason}")
    for label in record["labels"]:
        say(f"  {paint('note', 'warn')}: {label}")
    say(paint(f"  {record['environment']}/{record['script']}/{record['id']}", "off"))


def say_series(spec: ScriptSpec, pooled: Pooled, executions: int) -> None:
    """What several executions of one script say together."""
    if executions > 1:
        verdict = paint(pooled.word.replace("-", " "), VERDICT_TONES[pooled.word], bold=True)
        say(f"{spec.id}: {verdict} over {executions} executions: {pooled.reason}")
        for name, why in pooled.ineligible:
            say(f"  {name} does not count: {why}")


def say_recovered(recovered: Sequence[Stored], *, quiet: bool) -> None:
    """Runs of an earlier runner that died."""
    for stored in recovered:
        if not quiet:
            say(f"{paint('note', 'warn')}: a run whose runner died is now the result {stored.record['environment']}/{stored.record['script']}/{stored.record['id']}")


class Live(Listener):
    """One line that is redrawn on a terminal: a bar over the repetitions, the time, and the script's newest line. Nothing elsewhere."""

    def __init__(self, name: str, times: int) -> None:
        self._name, self._times, self._done = name, times, 0
        self._counts: dict[str, int] = {}
        self._line = RedrawnLine()

    def phase(self, text: str) -> None:
        """What the runner does now."""
        self._draw(text)

    def line(self, text: str, elapsed_s: float) -> None:
        """The script's newest line."""
        self._draw(f"{elapsed_s:5.0f} s  {text}")

    def finished(self, stored: Stored) -> None:
        """One more repetition is done."""
        self._done += 1
        verdict = stored.record["judgement"]["verdict"].replace("-", " ")
        self._counts[verdict] = self._counts.get(verdict, 0) + 1
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be printed."""
        self._line.clear()

    def _draw(self, text: str) -> None:
        self._line.draw(f"{self._name} {self._bar()}{text}")

    def _bar(self) -> str:
        if self._times == 1:
            return ""
        full = BAR * self._done // self._times
        counts = "".join(f", {count} {verdict}" for verdict, count in self._counts.items())
        return f"[{'#' * full}{'.' * (BAR - full)}] {self._done}/{self._times}{counts}  "
