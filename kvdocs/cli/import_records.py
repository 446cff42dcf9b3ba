"""`kvdocs import register` and its like: registers and issue lists of other tools become records."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from kvdocs.cli.edits import edit_errors, edit_options, finish
from kvdocs.cli.output import fail, the_project
from kvdocs.exchange.formats import IMPORTS, Format

if TYPE_CHECKING:
    from kvdocs.exchange.drafts import DraftSet, Known
    from kvdocs.exchange.remark import Remark
    from kvdocs.exchange.tickets import Ticket
    from kvdocs.kind import Kind

KINDS = click.Choice(["defect", "item"])
EXAMPLES = {
    "register": "kvdocs import register docs/roadmap.md --owner us=fork --dry-run",
    "github": "gh issue list --state all --json number,title,body,state,stateReason,labels,assignees,url | kvdocs import github -",
    "csv": "kvdocs import csv items.csv --kind item",
    "needs": "kvdocs import needs build/needs/needs.json",
    "doorstop": "kvdocs import doorstop reqs/",
    "beads": "kvdocs import beads .beads/issues.jsonl",
}


def record_commands() -> list[click.Command]:
    """A command for each format that gives records."""
    return [_command(form) for form in IMPORTS if form.gives == "records"]


def _command(form: Format) -> click.Command:
    @click.argument("source", metavar="DIR" if form.name == "doorstop" else "FILE", type=click.Path(exists=True, allow_dash=form.name != "doorstop", path_type=Path))
    @click.option(
        "--kind", type=click.STRING if form.name == "csv" else KINDS, required=form.name == "csv", help="Make all of them records of this kind.", hidden=form.name == "register"
    )
    @click.option("--owner", "owners", multiple=True, metavar="NAME=ID", help="A name that the source uses, and the owner that it means; repeatable.")
    @click.option("--repository", metavar="OWNER/NAME", help="What a bare #12 belongs to; the project's repository if absent.")
    @edit_options
    @click.pass_context
    def run(ctx: click.Context, source: Path, kind: Any, owners: Sequence[str], repository: str | None, dry_run: bool, as_json: bool) -> None:
        project = the_project(ctx)
        from kvdocs.edit.drafts import Draft
        from kvdocs.edit.plan import plan_edit
        from kvdocs.exchange.known import known_of
        from kvdocs.exchange.remark import UnreadableSourceError
        from kvdocs.exchange.taken import draft_records
        from kvdocs.kinds import all_kinds
        from kvdocs.load import load_registry

        kinds = all_kinds()
        registry, _ = load_registry(project, kinds)
        known = known_of(registry, repository or project.settings.repository, datetime.now(UTC).date(), _owners(owners))
        try:
            found = _read(form.name, source, known, kind, kinds)
        except UnreadableSourceError as error:
            fail(f"{source}: {error}")
        except UnicodeDecodeError:
            fail(f"{source}: it is not UTF-8 text")
        with edit_errors():
            draft = Draft(project)
            draft_records(draft, found, kinds)
            plan = plan_edit(draft, [str(remark) for remark in found.remarks])
        finish(plan, dry_run=dry_run, as_json=as_json, nothing="no new record in it")

    help_text = f"{form.title[0].upper()}{form.title[1:]}: records.\n\nIt does not tell: {form.lacks}.\nAn id that is taken gets the next free one, or is left out where the source is a register of this project.\n\n\b\nExample:\n  {EXAMPLES[form.name]}"
    command = click.command(form.name, help=help_text, short_help=f"{form.title}: records")(run)
    assert isinstance(command, click.Command)
    return command


def _owners(typed: Sequence[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in typed]
    for name, sign, record_id in pairs:
        if not (name and sign and record_id):
            raise click.BadParameter(f"{name or sign!r} is not NAME=ID", param_hint="--owner")
    return {name.strip(): record_id.strip() for name, _, record_id in pairs}


def _read(name: str, source: Path, known: Known, kind: Literal["defect", "item"] | str | None, kinds: Sequence[Kind]) -> DraftSet:
    """The drafts of a source. UnreadableSourceError when it is not of the format."""
    if name == "csv":
        from kvdocs.exchange.records_csv import draft_csv

        chosen = next((k for k in kinds if k.name == kind), None)
        if chosen is None:
            fail(f"there is no kind {kind!r}", f"one of {', '.join(k.name for k in kinds)}")
        return draft_csv(_text(source), chosen.name, chosen.model, known)
    if name == "register":
        from kvdocs.exchange.register import draft_register

        return draft_register(_text(source), known)
    from kvdocs.exchange.tickets import draft_tickets

    tickets, remarks = _tickets(name, source, known)
    return draft_tickets(tickets, known, "defect" if kind == "defect" else "item" if kind == "item" else "", remarks)


def _text(source: Path) -> str:
    data = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    return data.decode("utf-8-sig")


def _tickets(name: str, source: Path, known: Known) -> tuple[list[Ticket], list[Remark]]:
    """The tickets of an issue list or of a folder of items."""
    from kvdocs.disk import read_text
    from kvdocs.exchange import beads, doorstop, github_issues, needs

    if name == "github":
        return github_issues.parse(_text(source), known.repository, known.today)
    if name == "beads":
        return beads.parse(_text(source))
    if name == "needs":
        return needs.parse(_text(source))
    files = sorted(source.rglob("*")) if source.is_dir() else [source]
    return doorstop.parse({path.name: read_text(path) for path in files if path.is_file() and path.suffix in (".yml", ".yaml", ".md")})
