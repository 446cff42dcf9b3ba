"""`kvdocs run`: execute scripts and keep what comes out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.option_types import Seconds
from kvdocs.cli.output import fail, paint, print_json, say, table, the_project
from kvdocs.cli.superseding import on_record, supersedes_option

if TYPE_CHECKING:
    from kvdocs.evidence.pool import Pooled
    from kvdocs.evidence.source_tree import Patch
    from kvdocs.evidence.spec import ScriptSpec, Setting
    from kvdocs.evidence.store import Stored
    from kvdocs.project import Project

SCHEMA = "kvdocs/run/v1"
DRY_RUN_SCHEMA = "kvdocs/dry-run/v1"
INTERRUPTED = 130


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--env", "environment", metavar="ENV", help="The environment that the results belong to (else $KVDOCS_ENV, or the only one on record).")
@click.option("--repeat", type=click.IntRange(min=1), metavar="N", help="How often to execute each script, instead of its own number.")
@click.option("--timeout", type=Seconds(min=0, min_open=True), metavar="S", help="Time limit of each execution in seconds, instead of the script's own.")
@click.option("--plan", "only_plan", is_flag=True, help="Say which scripts would be executed, what each needs and what is missing here.")
@click.option("--dry-run", is_flag=True, help="Say exactly what would be executed, and execute nothing.")
@click.option("--source", type=click.Path(path_type=Path, file_okay=False), help="The source tree ($KVDOCS_SOURCE).")
@click.option("--build", type=click.Path(path_type=Path, file_okay=False), help="The build tree ($KVDOCS_BUILD).")
@click.option("--model", type=click.Path(path_type=Path, dir_okay=False), help="The model file ($KVDOCS_MODEL).")
@click.option("--cpus", metavar="LIST", help="The CPUs to pin to, such as 0,2,4 ($KVDOCS_CPUS).")
@click.option("--other-machine", is_flag=True, help="Execute although the GPUs here are not those on record for ENV; each result says so.")
@supersedes_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as a document (kvdocs/run/v1).")
@click.pass_context
def run(
    ctx: click.Context, /, ids: tuple[str, ...], environment: str | None, repeat: int | None, timeout: float | None, only_plan: bool, dry_run: bool, other_machine: bool, supersedes: str | None, as_json: bool, **places: Any
) -> None:
    """Execute scripts and keep what comes out.

    ID is a script, or a record with scripts: a defect, a measurement, an item with its gates. Every execution becomes a
    result in registry/results/, whatever happens; what a script needs is looked at before, and what is missing is a result
    too. A GPU job waits until no other has the machine. Nothing is executed for an environment whose GPUs are not those of
    this machine. With --supersedes, an execution that could not begin or was interrupted takes no result's place.

    Exits with 0 when every script was executed, whatever it found; 1 when one could not be; 130 after an interrupt.

    \b
    Example:
      kvdocs run D10 --env h200 --source ~/llama.cpp
    """
    from kvdocs.cli.executions import environment_of, registry_of, setting_of, specs_of, unlikeness_of
    from kvdocs.kinds.script import patches_of

    project = the_project(ctx)
    registry = registry_of(project)
    specs = specs_of(registry, ids)
    if supersedes:
        on_record(registry, "result", supersedes)
        if len(specs) > 1:
            fail(f"one result is superseded by executions of one script, and these are {', '.join(spec.id for spec in specs)}", "name the script")
    setting = setting_of(registry, environment_of(registry, environment), places)
    unlike = None if other_machine else unlikeness_of(setting)
    patches = patches_of(registry, project.root)
    if only_plan:
        sys.exit(_plan(specs, setting, patches, repeat, unlike, as_json=as_json))
    if dry_run:
        _dry_run(project, specs, setting, timeout, as_json=as_json)
        return
    if unlike:
        fail(unlike, f"name the environment that this machine is, or record it with `kvdocs new environment NAME`; --other-machine files the results under {setting.environment} all the same, and each says so")
    sys.exit(_execute(project, specs, setting, patches, repeat, timeout, supersedes, as_json=as_json))


def _plan(specs: Sequence[ScriptSpec], setting: Setting, patches: Sequence[Patch], repeat: int | None, unlike: str | None, *, as_json: bool) -> int:
    from kvdocs.evidence.machine import describe_machine
    from kvdocs.evidence.requirements import unmet
    from kvdocs.evidence.source_tree import describe_source

    machine = describe_machine()
    found = describe_source(setting.source, patches).facts.get("patches") if setting.source is not None else None
    lacking = {spec.id: [*([unlike] if unlike else []), *unmet(spec, setting, machine, found)] for spec in specs}
    if as_json:
        rows = [{"script": s.id, "about": list(s.about), "executions": repeat or s.repeat, "timeout_s": s.timeout_s, "lock": s.lock, "missing": lacking[s.id]} for s in specs]
        print_json({"schema": "kvdocs/plan/v1", "environment": setting.environment, "scripts": rows})
        return 1 if any(lacking.values()) else 0
    cells = [(s.id, ", ".join(s.about), str(repeat or s.repeat), f"{s.timeout_s:g} s", "yes" if s.lock else "", "can run" if not lacking[s.id] else "cannot run") for s in specs]
    tones = [["plain"] * 5 + ["good" if not lacking[s.id] else "bad"] for s in specs]
    header, *lines = table(("SCRIPT", "ABOUT", "RUNS", "LIMIT", "GPU LOCK", "HERE"), cells, tones)
    say(header)
    for spec, line in zip(specs, lines, strict=True):
        say(line)
        for sentence in lacking[spec.id]:
            say(paint(f"    {sentence}", "off"))
    return 1 if any(lacking.values()) else 0


def _dry_run(project: Project, specs: Sequence[ScriptSpec], setting: Setting, timeout: float | None, *, as_json: bool) -> None:
    """The command, folder, variables and limits of each script, with the run's own names in brackets."""
    rows = [_commission(project, spec, setting, timeout) for spec in specs]
    if as_json:
        print_json({"schema": DRY_RUN_SCHEMA, "environment": setting.environment, "scripts": rows})
        return
    import shlex

    for row in rows:
        say(paint(row["script"], "plain", bold=True))
        # A name in brackets stands for a path of this machine, and needs no quotes.
        say(f"  command    {' '.join(part if part.startswith('<') and ' ' not in part else shlex.quote(part) for part in row['argv'])}")
        say(f"  folder     {row['cwd']}")
        say(f"  limit      {row['timeout_s']:g} s")
        say(f"  GPU lock   {row['lock'] or 'not taken'}")
        say(f"  CPUs       {','.join(map(str, row['cpus'])) or 'not pinned'}")
        say(f"  results    {row['results']}")
        for name, value in row["env"].items():
            say(f"  {name}={value}")


def _commission(project: Project, spec: ScriptSpec, setting: Setting, timeout: float | None) -> dict[str, Any]:
    """What would be executed for one script."""
    from kvdocs.evidence.preparation import NOT_RECORDED, prepare

    prepared = prepare(spec, setting, project.root, Path("/kvdocs-run"), "0" * 16)
    hidden = prepared.redactor().text
    return {
        "script": spec.id,
        "argv": [hidden(part) for part in prepared.argv],
        "cwd": hidden(str(prepared.cwd)),
        "timeout_s": timeout or spec.timeout_s,
        "lock": hidden(str(prepared.lock)) if spec.lock else None,
        "cpus": list(prepared.cpus),
        "results": f"registry/results/{setting.environment}/{spec.id}/",
        "env": {name: hidden(value) for name, value in sorted(prepared.env.items()) if name not in NOT_RECORDED},
    }


def _execute(project: Project, specs: Sequence[ScriptSpec], setting: Setting, patches: Sequence[Patch], repeat: int | None, timeout: float | None, supersedes: str | None, *, as_json: bool) -> int:
    """Execute every script in turn; the exit code of the command."""
    from kvdocs.cli.executions import Live, say_recovered, say_result, say_series
    from kvdocs.evidence.recovery import recover
    from kvdocs.evidence.runner import Limits, run_series

    root = project.registry / "results"
    root.mkdir(parents=True, exist_ok=True)
    say_recovered(recover(root), quiet=as_json)
    made: list[Stored] = []
    pools: list[tuple[ScriptSpec, Pooled]] = []
    for spec in specs:
        live = Live(spec.id, repeat or spec.repeat)
        of_script: list[Stored] = []
        for stored in run_series(spec, setting, project.root, root, repeat=repeat, limits=Limits(timeout_s=timeout), patches=patches, listener=live, supersedes=supersedes):
            of_script.append(stored)
            live.finished(stored)
            if not as_json:
                say_result(stored)
        live.clear()
        made += of_script
        pools.append((spec, _pooled(spec, of_script)))
        if not as_json:
            say_series(*pools[-1], len(of_script))
        if of_script and of_script[-1].record["outcome"] == "interrupted":
            break
    if as_json:
        print_json(_document(made, pools))
    elif made and sys.stdout.isatty():
        say()
        say(paint(f"kvdocs show {made[-1].record['id'][:8]}   why this verdict, and what is kept of it", "off"))
    return _exit_code(made)


def _pooled(spec: ScriptSpec, made: Sequence[Stored]) -> Pooled:
    from kvdocs.evidence.expect import verdict_from
    from kvdocs.evidence.pool import pool

    return pool(spec.expect, [(stored.record["id"], verdict_from(stored.record["judgement"])) for stored in made])


def _document(made: Sequence[Stored], pools: Sequence[tuple[ScriptSpec, Pooled]]) -> dict[str, Any]:
    scripts = [
        {
            "script": spec.id, "verdict": pooled.word, "reason": pooled.reason, "reproduced": pooled.reproduced, "clean": pooled.clean,
            "ineligible": [{"result": name, "why": why} for name, why in pooled.ineligible],
        }
        for spec, pooled in pools
    ]  # fmt: skip
    return {"schema": SCHEMA, "results": [stored.record for stored in made], "scripts": scripts}


def _exit_code(made: Sequence[Stored]) -> int:
    outcomes = {stored.record["outcome"] for stored in made}
    if "interrupted" in outcomes:
        return INTERRUPTED
    return 1 if outcomes & {"unavailable", "runner-died"} else 0
