"""`kvdocs export`: give records and results in the formats of other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvdocs.cli.output import SpeakingGroup, fail, paint, say, the_project
from kvdocs.disk import behind

if TYPE_CHECKING:
    from kvdocs.entry import Entry
    from kvdocs.exchange.record_exports import Export
    from kvdocs.exchange.result_exports import Executed
    from kvdocs.pipeline import Inspection
    from kvdocs.project import Project

END_OF_LONG_LOG = 1024 * 1024
"""So many bytes of a log that is not read as a whole: its excerpts are taken from its end."""

into = click.option("-o", "--output", type=click.Path(path_type=Path), metavar="PATH", help="A file, or a folder for several; the terminal if absent.")


@click.group("export", cls=SpeakingGroup, context_settings={"max_content_width": 100})
def export() -> None:
    """Give records and results in the formats of other programs.

    What a format cannot hold is said on the error output.

    \b
    Example:
      kvdocs export issue D2
      kvdocs export csv --kind item -o items.csv
      kvdocs export kcidb -o report.json
    """


@export.command("json")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@into
@click.pass_context
def json_(ctx: click.Context, ids: tuple[str, ...], output: Path | None) -> None:
    """Whole records with their links and their place in the order.

    \b
    Example:
      kvdocs export json D2 R1
    """
    inspection, entries = _entries(ctx, ids)
    from kvdocs.exchange.record_exports import export_json
    from kvdocs.judge import judge_of

    _give(export_json(inspection.registry, entries, inspection.order, judge_of(inspection.registry, inspection.project.root).of), output)


@export.command("csv")
@click.option("--kind", required=True, help="The kind of the records.")
@into
@click.pass_context
def csv_(ctx: click.Context, kind: str, output: Path | None) -> None:
    """The records of one kind, a column a field; `kvdocs import csv` takes them back.

    \b
    Example:
      kvdocs export csv --kind defect -o defects.csv
    """
    inspection, _ = _entries(ctx, ())
    from kvdocs.exchange.record_exports import Export
    from kvdocs.exchange.records_csv import write_csv
    from kvdocs.exchange.remark import lost

    known = {found.name: found for found in inspection.registry.kinds}
    if kind not in known:
        fail(f"there is no kind {kind!r}", f"one of {', '.join(known)}")
    text = write_csv(entry.record for entry in inspection.registry.of(kind))
    _give(Export({f"{known[kind].folder}.csv": text}, (lost("comments, quotes and the order of keys of the YAML files"),)), output)


@export.command("needs")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@into
@click.pass_context
def needs(ctx: click.Context, ids: tuple[str, ...], output: Path | None) -> None:
    """needs.json for sphinx-needs.

    \b
    Example:
      kvdocs export needs -o needs.json
    """
    inspection, entries = _entries(ctx, ids)
    from kvdocs.exchange.record_exports import export_needs

    _give(export_needs(inspection.registry, entries, inspection.project.settings.title, datetime.now(UTC)), output)


@export.command("beads")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--prefix", metavar="WORD", help="What ids begin with there; the project's slug if absent.")
@into
@click.pass_context
def beads(ctx: click.Context, ids: tuple[str, ...], prefix: str | None, output: Path | None) -> None:
    """beads JSONL: defects as bugs, items as tasks.

    \b
    Example:
      kvdocs export beads -o issues.jsonl
    """
    inspection, entries = _entries(ctx, ids)
    from kvdocs.exchange.record_exports import export_beads

    _give(export_beads(inspection.registry, entries, prefix or inspection.project.settings.slug, datetime.now(UTC)), output)


@export.command("github")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@into
@click.pass_context
def github(ctx: click.Context, ids: tuple[str, ...], output: Path | None) -> None:
    """Texts of GitHub issues, a Markdown file a record with the title on its first line; defects and items if no ID is named.

    \b
    Example:
      kvdocs export github R4 R5 -o issues/
    """
    inspection, entries = _entries(ctx, ids)
    from kvdocs.exchange.record_exports import export_github

    chosen = entries if ids else [entry for entry in entries if entry.kind.name in ("defect", "item")]
    _give(export_github(inspection.registry, chosen), output)


@export.command("issue")
@click.argument("record_id", metavar="DEFECT")
@into
@click.pass_context
def issue(ctx: click.Context, record_id: str, output: Path | None) -> None:
    """An issue for the people who own the code, ready to paste: environment, command, output, place, counts.

    What was executed and what was only reported stand apart.

    \b
    Example:
      kvdocs export issue D2 -o D2.md
    """
    inspection, entries = _entries(ctx, (record_id,))
    from kvdocs.exchange.upstream_issue import export_issue
    from kvdocs.kinds.defect import Defect

    defect = entries[0].record
    if not isinstance(defect, Defect):
        fail(f"{record_id} is a {entries[0].kind.name}, not a defect")
    results = [result for result in _results(inspection.project) if record_id in result.record["about"] or result.record["script"] == defect.script]
    settings = inspection.project.settings
    _give(export_issue(defect, inspection.registry, results, settings.host, settings.repository), output)


@export.command("intoto")
@click.argument("ids", nargs=-1, metavar="[RESULT|SCRIPT|DEFECT]...")
@click.option("--test-result", is_flag=True, help="The predicate test-result v0.1, which holds far less, in place of the whole record.")
@into
@click.pass_context
def intoto(ctx: click.Context, ids: tuple[str, ...], test_result: bool, output: Path | None) -> None:
    """In-toto statements (v1) of results: all, or those of the named results, scripts or defects.

    \b
    Example:
      kvdocs export intoto D4 -o statements/
    """
    from kvdocs.exchange.result_exports import export_intoto

    _give(export_intoto(_chosen(the_project(ctx), ids), test_result=test_result), output)


@export.command("junit")
@click.argument("ids", nargs=-1, metavar="[RESULT|SCRIPT|DEFECT]...")
@into
@click.pass_context
def junit(ctx: click.Context, ids: tuple[str, ...], output: Path | None) -> None:
    """JUnit XML of results: a reproduced defect is a failure.

    \b
    Example:
      kvdocs export junit -o results.xml
    """
    from kvdocs.exchange.result_exports import export_junit

    _give(export_junit(_chosen(the_project(ctx), ids)), output)


@export.command("kcidb")
@click.argument("ids", nargs=-1, metavar="[RESULT|SCRIPT|DEFECT]...")
@into
@click.pass_context
def kcidb(ctx: click.Context, ids: tuple[str, ...], output: Path | None) -> None:
    """A KCIDB 5.3 report of results, with defects as issues.

    \b
    Example:
      kvdocs export kcidb D2 D4 -o report.json
    """
    inspection, _ = _entries(ctx, ())
    from kvdocs.cited import with_figures
    from kvdocs.exchange.result_exports import export_kcidb
    from kvdocs.kinds.defect import Defect

    defects = inspection.registry.records("defect", Defect)
    defects = [d.model_copy(update={"title": with_figures(d.title, inspection.registry)}) for d in defects]
    _give(export_kcidb(_chosen(inspection.project, ids), defects, inspection.project.settings.host), output)


def _entries(ctx: click.Context, ids: Sequence[str]) -> tuple[Inspection, list[Entry]]:
    """The records that were named, or all of them; ends the command when one is not there."""
    project = the_project(ctx)
    from kvdocs.pipeline import inspect

    inspection = inspect(project)
    entries = []
    for record_id in ids or list(inspection.registry.entries):
        entry = inspection.registry.get(record_id)
        if entry is None:
            fail(f"no record has the id {record_id!r}", inspection.registry.nearest(record_id))
        entries.append(entry)
    return inspection, entries


def _results(project: Project) -> list[Executed]:
    """Every result on disk that counts, with its output, in order of folder names; says which ones do not, and ends the command when one cannot be read."""
    from kvdocs.evidence.logs import DamagedLogError
    from kvdocs.evidence.seals import RECORD_FILE, DamagedRecordError, load_result, results
    from kvdocs.exchange.result_exports import Executed
    from kvdocs.kinds import all_kinds
    from kvdocs.kinds.withdrawal import left_out
    from kvdocs.load import load_registry

    registry, _ = load_registry(project, all_kinds())
    fit = {entry.path for entry in registry.of("result")}
    found = []
    for folder in results(project.registry / "results"):
        try:
            record = load_result(folder)
            if f"{folder.relative_to(project.root).as_posix()}/{RECORD_FILE}" not in fit:
                raise DamagedRecordError(f"{RECORD_FILE} is not the record of a result")
            streams = {name: _output(folder, record, name) for name in ("stdout", "stderr")}
        except (DamagedRecordError, DamagedLogError) as error:
            fail(f"{folder.relative_to(project.root)}: {error}", "`kvdocs check` names everything that was changed")
        why_not = left_out(str(record["id"]), registry)
        if why_not:
            say(paint(f"note: {record['id']} is left out: {why_not}", "off", err=True), err=True)
        else:
            found.append(Executed(record, **streams))
    return found


def _output(folder: Path, record: Mapping[str, Any], stream: str) -> str:
    """What an execution printed; the end of it where it is too long to be read as a whole."""
    from kvdocs.evidence.logs import LARGEST_LOG, read_end, read_log, stored_bytes

    stored = stored_bytes(record, stream)
    if stored <= LARGEST_LOG:
        return read_log(folder, record, stream).decode("utf-8", "replace")
    return f"[kvdocs: {stored - END_OF_LONG_LOG} bytes were left out here]\n" + read_end(folder, record, stream, END_OF_LONG_LOG).decode("utf-8", "replace")


def _chosen(project: Project, ids: Sequence[str]) -> list[Executed]:
    """The results that were named by their own id, their script or what they are about; all without a name."""
    every = _results(project)
    for name in ids:
        if not any(name in _names(result) for result in every):
            fail(f"no result is called {name!r}, is of that script, or is about it")
    return [result for result in every if not ids or any(name in _names(result) for name in ids)]


def _names(result: Executed) -> tuple[str, ...]:
    return (str(result.record["id"]), str(result.record["script"]), *result.record["about"])


def _give(export: Export, output: Path | None) -> None:
    """Print one file, or write them; say what the format could not hold."""
    if output is None and len(export.files) != 1:
        fail(f"{len(export.files)} files: name a folder with -o") if export.files else fail("there is nothing to export")
    if output is None:
        click.echo(next(iter(export.files.values())), nl=False)
    else:
        _write(export, output)
    for remark in export.remarks:
        say(paint(f"note: {remark}", "off", err=True), err=True)


def _write(export: Export, output: Path) -> None:
    several = len(export.files) > 1 or output.is_dir() or str(output).endswith("/")
    for name, text in export.files.items():
        path = behind(output / name if several else output)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(text, encoding="utf-8")
        part.replace(path)
        say(f"wrote {path}", err=True)
