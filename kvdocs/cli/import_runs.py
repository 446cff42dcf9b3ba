"""`kvdocs import log` and its like: executions made elsewhere become results; `kvdocs import results` takes whole ones."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from kvdocs.cli.option_types import Seconds
from kvdocs.cli.output import fail, paint, print_json, say, the_project
from kvdocs.cli.superseding import on_record, supersedes_option
from kvdocs.exchange.formats import IMPORTS, Format

if TYPE_CHECKING:
    from kvdocs.evidence.outside import Execution, Found
    from kvdocs.evidence.spec import ScriptSpec
    from kvdocs.evidence.store import Stored
    from kvdocs.project import Project

SCHEMA = "kvdocs/import/v1"
INTAKE_SCHEMA = "kvdocs/intake/v1"


def run_commands() -> list[click.Command]:
    """A command for each format that gives a result."""
    return [_command(form) for form in IMPORTS if form.gives == "result"]


def _command(form: Format) -> click.Command:
    @click.argument("source", metavar="FILE", type=click.File("rb"))
    @click.option("--script", "script_id", metavar="ID", required=True, help="The script whose expectations judge it.")
    @click.option("--env", "environment", metavar="ENV", required=True, help="The environment that it ran on.")
    @click.option("--exit", "exit_code", type=int, metavar="N", help="The exit code, as the shell reported it; without it the result is inconclusive.")
    @click.option("--command", "command_line", metavar="TEXT", required=True, help="The command, as it was typed.")
    @click.option("--commit", metavar="SHA", help="The source that it was built from.")
    @click.option("--repository", metavar="OWNER/NAME", help="The repository of that commit.")
    @click.option("--stderr", "errors", type=click.File("rb"), help="The error output, when it was kept apart.")
    @click.option("--timed-out", is_flag=True, help="A time limit ended it.")
    @click.option("--cut", is_flag=True, help="FILE is the beginning of a longer output.")
    @click.option("--tail", metavar="TEXT", default="", help="With --cut: what is known of its last lines; `\\n` parts lines.")
    @click.option("--started", metavar="TIME", help="When it began, in UTC, such as 2026-11-29T15:48:00Z.")
    @click.option("--seconds", type=Seconds(min=0), metavar="S", help="How long it took.")
    @supersedes_option
    @click.option("--dry-run", is_flag=True, help="Say what would be stored, and store nothing.")
    @click.option("--json", "as_json", is_flag=True, help="Print what was stored as a document (kvdocs/import/v1).")
    @click.pass_context
    def run(ctx: click.Context, /, source: BinaryIO, script_id: str, environment: str, dry_run: bool, as_json: bool, **given: Any) -> None:
        project = the_project(ctx)
        spec = _spec(project, script_id, environment, given["supersedes"])
        execution = _execution(form, source, environment, given)
        _finish(project, form, spec, execution, dry_run=dry_run, as_json=as_json)

    lacks = f"It does not tell: {form.lacks}."
    example = f"kvdocs import {form.name} run.log --script d4-test-kvarn --env h200 --exit 134 --commit 775450a68 --command bin/test-kvarn"
    help_text = f"{form.title[0].upper()}{form.title[1:]}, of an execution made elsewhere: a result.\n\n{lacks}\n\n\b\nExample:\n  {example}"
    command = click.command(form.name, help=help_text, short_help=f"{form.title}: a result")(run)
    assert isinstance(command, click.Command)
    return command


def _spec(project: Project, script_id: str, environment: str, supersedes: str | None) -> ScriptSpec:
    """The script as the runner takes it; ends the command when the script, the environment or the superseded result is not on record."""
    from kvdocs.kinds import all_kinds
    from kvdocs.kinds.script import spec_of
    from kvdocs.load import load_registry

    registry, _ = load_registry(project, all_kinds())
    for kind, name in (("script", script_id), ("environment", environment), *([("result", supersedes)] if supersedes else [])):
        on_record(registry, kind, name)
    return spec_of(registry, script_id)


def _execution(form: Format, source: BinaryIO, environment: str, given: dict[str, Any]) -> Execution:
    """What was given on the command line."""
    from kvdocs.evidence.outside import Execution, Source

    errors = given["errors"]
    return Execution(
        environment=environment,
        command=given["command_line"],
        exit_code=given["exit_code"],
        stdout=Source(Path(source.name).name, source),
        stderr=Source(Path(errors.name).name, errors) if errors is not None else None,
        timed_out=given["timed_out"],
        cut=given["cut"],
        tail=given["tail"].replace("\\n", "\n").encode() + b"\n" * bool(given["tail"]),
        commit=given["commit"],
        repository=given["repository"],
        started=given["started"],
        duration_s=given["seconds"],
        format=form.name,
        supersedes=given["supersedes"],
    )


class _FormatReader:
    """A reader of a format, as the store of executions asks for one."""

    def __init__(self, form: Format) -> None:
        from kvdocs.exchange.findings import reader_of

        self._reader = reader_of(form.name)
        self.feed = self._reader.feed

    def found(self) -> Found:
        """Its findings, as a result record holds them."""
        from kvdocs.evidence.outside import Found

        findings = self._reader.findings()
        return Found(findings.figures, tuple(str(remark) for remark in findings.remarks))


def _finish(project: Project, form: Format, spec: ScriptSpec, execution: Execution, *, dry_run: bool, as_json: bool) -> None:
    stored = _store(project, form, spec, execution, dry_run=dry_run)
    if as_json:
        print_json({"schema": SCHEMA, "written": not dry_run, "record": stored.record})
        return
    _say(stored)
    for remark in stored.record["import"]["lossy"]:
        say(f"note: {remark}")
    place = f"registry/results/{stored.record['environment']}/{stored.record['script']}/{stored.record['id']}"
    say(f"{'would have written' if dry_run else 'wrote'} {place}")


def _store(project: Project, form: Format, spec: ScriptSpec, execution: Execution, *, dry_run: bool) -> Stored:
    """Read and store the execution, in a folder that is gone afterwards when nothing is to be written; ends the command when it cannot be read."""
    from contextlib import nullcontext
    from tempfile import TemporaryDirectory

    from kvdocs.cli.reading import Progress
    from kvdocs.evidence.outside import add_execution
    from kvdocs.evidence.pieces import LongLineError
    from kvdocs.exchange.remark import UnreadableSourceError

    sources = [source for source in (execution.stdout, execution.stderr) if source is not None]
    try:
        with (
            TemporaryDirectory() if dry_run else nullcontext(project.registry / "results") as folder,
            Progress(sources[0].name, [source.stream for source in sources]) as progress,
        ):
            return add_execution(Path(folder), spec, execution, os.environ, _FormatReader(form), progress.heard)
    except UnreadableSourceError as error:
        fail(f"{execution.stdout.stream.name}: {error}", "`kvdocs import log` takes any output")
    except LongLineError as error:
        fail(str(error), "part it into lines before it is imported")
    except ValueError as error:
        fail(str(error))


def _say(stored: Stored) -> None:
    """A result in a line for the verdict and one for each reason."""
    judgement = stored.record["judgement"]
    tone = {"reproduced": "bad", "not-reproduced": "good"}.get(judgement["verdict"], "warn")
    say(f"{stored.record['script']} on {stored.record['environment']}: {paint(judgement['verdict'].replace('-', ' '), tone, bold=True)} ({stored.record['end']['reason']})")
    for reason in judgement["reasons"]:
        say(f"  {reason}")


@click.command("results")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print what was taken in as a document (kvdocs/intake/v1).")
@click.pass_context
def results(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Results that `kvdocs run` or a packed job made elsewhere.

    Each result is verified by its hashes before and after it is copied. One that is damaged, or has another form than a
    result, is refused as a whole, the others are taken in; a result that is here already is left alone.

    Exits with 1 when a result was refused.

    \b
    Example:
      kvdocs import results ./kvdocs-results
    """
    project = the_project(ctx)
    from kvdocs.evidence.intake import take_in

    intake = take_in(folder, project.registry / "results", _flaws)
    if as_json:
        refused = [
            {"path": damage.path.relative_to(folder).as_posix() if damage.path.is_relative_to(folder) else damage.path.name, "what": damage.what} for damage in intake.refused
        ]
        names = {key: [stored.record["id"] for stored in found] for key, found in (("taken", intake.taken), ("known", intake.known), ("recovered", intake.recovered))}
        print_json({"schema": INTAKE_SCHEMA, **names, "refused": refused})
    else:
        for stored in intake.taken:
            _say(stored)
        for damage in intake.refused:
            say(f"{paint('refused', 'bad')}: {damage.path}: {damage.what}", err=True)
        say(
            f"{len(intake.taken)} taken in, {len(intake.known)} here already, {len({d.path.parent for d in intake.refused})} refused"
            + (f", {len(intake.recovered)} recovered" if intake.recovered else "")
        )
    sys.exit(1 if intake.refused else 0)


def _flaws(folder: Path) -> list[str]:
    """What `check` would say of the form of a record, whose seal tells nothing of that."""
    from kvdocs.evidence.seals import RECORD_FILE
    from kvdocs.kinds.result import KIND
    from kvdocs.shape import validate
    from kvdocs.source import read_records

    raws, problems = read_records(folder, RECORD_FILE)
    return [problem.message for problem in [*problems, *(fault for raw in raws for fault in validate(raw, KIND)[1])]]
