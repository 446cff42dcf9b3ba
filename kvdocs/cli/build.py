"""`kvdocs build`: the site, from the registry to the last page."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NoReturn

import click

from kvdocs.cli.option_types import Address
from kvdocs.cli.output import fail, note_errors, paint, say, the_project
from kvdocs.cli.redrawn import RedrawnLine

if TYPE_CHECKING:
    from kvdocs.site.engine import Built


@click.command()
@click.option("--engine", type=click.Choice(["mkdocs", "properdocs", "zensical"]), default="mkdocs", help="What turns Markdown into the site.")
@click.option("--strict", is_flag=True, help="Fail on any warning of the engine, such as a dead link.")
@click.option("--no-site", is_flag=True, help="Stop at the Markdown in build/docs.")
@click.option("--site-url", type=Address("site_url"), default="", metavar="URL", help="Where the site will be published; sitemap and feeds need it.")
@click.pass_context
def build(ctx: click.Context, engine: str, strict: bool, no_site: bool, site_url: str) -> None:
    """The site: Markdown into build/docs, then pages into site/.

    Problems of the registry do not stop it: each shows on the page of its record, and errors are counted at the end.

    \b
    Example:
      kvdocs build --strict
    """
    project = the_project(ctx)
    from kvdocs.cache import Scan
    from kvdocs.site.engine import EngineError, command_of, run_engine
    from kvdocs.site.standing import Counts, Standing

    if not no_site:
        try:
            command_of(engine)
        except EngineError as error:
            fail(str(error))
    started = time.monotonic()
    scan = Scan(project.root, "registry", project.open_cache())
    standing = Standing(project, scan, (engine, site_url))
    if not no_site and (stood := standing.counts()) is not None:
        say(f"build/docs: {stood.pages} pages, 0 files written, 0 removed, {stood.files} kept")
        say(f"site: {stood.built} pages by {engine}, as they were ({time.monotonic() - started:.1f} s); open site/index.html")
        note_errors(stood.errors)
        return
    from kvdocs.cli.reference import command_helps
    from kvdocs.pipeline import inspect, publication
    from kvdocs.problems import Severity
    from kvdocs.render import TemplateFaultError, write_files
    from kvdocs.site.incremental import update_source
    from kvdocs.site.settings import PATH, engine_settings

    try:
        with RedrawnLine() as progress:
            progress.step("reading the records")
            inspection = inspect(project, scan)
            progress.step("putting the work in order")
            source = update_source(project, publication(inspection), command_helps, scan, progress.step)
    except TemplateFaultError as error:
        fail(str(error))
    errors = sum(problem.severity is Severity.ERROR for problem in inspection.problems)
    wrote = source.wrote
    write_files({PATH: engine_settings(project, source.nav, site_url, engine=engine).encode()}, project.root, remove_stale=False)
    say(f"build/docs: {source.pages} pages, {len(wrote.written)} files written, {len(wrote.removed)} removed, {wrote.kept} kept ({time.monotonic() - started:.1f} s)")
    if no_site:
        note_errors(errors)
        return
    say(paint(f"{engine} builds site/ …", "off"), err=True)
    started = time.monotonic()
    with RedrawnLine() as progress:
        built = run_engine(project, engine, strict=strict, scanned=source.scanned, tell=progress.step if progress.shown else None)
    if built.code != 0:
        _refused(engine, built, strict=strict)
    for line in built.remarks:
        say(line, err=True)
    if source.digest is not None and built.site is not None and not built.remarks:
        standing.keep(built.site, source.digest, Counts(source.pages, len(wrote.written) + wrote.kept, built.pages, errors))
    say(f"site: {built.pages} pages by {engine} ({time.monotonic() - started:.1f} s); open site/index.html")
    note_errors(errors)


def _refused(engine: str, built: Built, *, strict: bool) -> NoReturn:
    """End the command because there is no new site."""
    say(built.output.rstrip(), err=True)
    say(paint("error: ", "bad", err=True) + f"{engine} ended with {built.code}", err=True)
    if strict:
        say("  hint: mend what it says above (pages that no record makes are in site_src/), or build without --strict", err=True)
    sys.exit(1)
