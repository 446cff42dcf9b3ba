"""`kvdocs serve`: the site, live while records are edited."""

from __future__ import annotations

import gc
import signal
import time
from errno import EACCES, EADDRINUSE
from typing import TYPE_CHECKING

import click

from kvdocs.cli.output import fail, paint, say, the_project

if TYPE_CHECKING:
    from kvdocs.project import Project
    from kvdocs.site.watch import Watch


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one.")
@click.option("--engine", type=click.Choice(["mkdocs", "properdocs", "zensical"]), default="mkdocs", help="What turns Markdown into the site.")
@click.pass_context
def serve(ctx: click.Context, host: str, port: int, engine: str) -> None:
    """The site, live while records are edited.

    An error shows in the browser and here with its place, and the last good pages stay; where there are none yet, they are built all the same. Ctrl-C ends it.

    \b
    Example:
      kvdocs serve --port 8080
    """
    project = the_project(ctx)
    gc.set_threshold(2_000_000, 20, 100)
    from kvdocs.site.engine import EngineError, command_of
    from kvdocs.site.live import LiveSite
    from kvdocs.site.watch import Watch

    try:
        command_of(engine)
        site = LiveSite(project.root / "site", host, port)
    except EngineError as error:
        fail(str(error))
    except OSError as error:
        is_of_port = error.errno in (EADDRINUSE, EACCES)
        fail(f"cannot listen on {host}:{port}: {error.strerror}", "choose another with --port, or --port 0 for a free one" if is_of_port else "name an address of this machine with --host")
    watch = Watch(project)
    watch.start()
    _end_on_interrupt(watch)
    say(f"building {project.root.name} …", err=True)
    site.rebuild(lambda: build_once(project, engine))
    site.start()
    say(f"{paint('serving', 'good')} {site.address}   (Ctrl-C ends it)")
    try:
        while not watch.stopped and (changed := watch.changes()):
            say(paint(f"changed: {', '.join(changed[:3])}{f' and {len(changed) - 3} more' if len(changed) > 3 else ''}", "off"))
            site.rebuild(lambda: build_once(project, engine))
    except KeyboardInterrupt:
        say()
    finally:
        watch.stop()
        site.stop()


def _end_on_interrupt(watch: Watch) -> None:
    """Ctrl-C breaks off what is being done, and where Python drops the exception, as it does while it clears objects away, ends the watch all the same."""

    def interrupted(*_: object) -> None:
        watch.end()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)


def build_once(project: Project, engine: str) -> str:
    """Build the site; what is wrong, as it is printed here and shown in the browser, or nothing.

    With an error in the registry nothing is built, so that the last good pages stay, unless there are none.
    """
    from kvdocs.cache import Scan
    from kvdocs.cli.reference import command_helps
    from kvdocs.pipeline import inspect, publication
    from kvdocs.problems import Severity, counted
    from kvdocs.project import Project as Fresh
    from kvdocs.project import ProjectError
    from kvdocs.render import TemplateFaultError, write_files
    from kvdocs.site.engine import run_engine
    from kvdocs.site.incremental import update_source
    from kvdocs.site.settings import PATH, engine_settings

    started = time.monotonic()
    # The settings are read once in the life of a project, and they may be what was edited.
    project = Fresh(project.root)
    try:
        _ = project.settings
        scan = Scan(project.root, "registry", project.open_cache())
        inspection = inspect(project, scan)
        errors = [str(p) for p in inspection.problems if p.severity is Severity.ERROR]
        if errors and (project.root / "site" / "index.html").is_file():
            return _wrong("\n".join(errors))
        source = update_source(project, publication(inspection), command_helps, scan)
        write_files({PATH: engine_settings(project, source.nav, engine=engine).encode()}, project.root, remove_stale=False)
        built = run_engine(project, engine, strict=False, scanned=source.scanned)
    except (ProjectError, TemplateFaultError) as error:
        return _wrong(str(error))
    except OSError as error:  # a file may go while it is being read, and is there again for the next build
        return _wrong(f"{error.filename}: {error.strerror}")
    if built.code != 0:
        return _wrong(built.output.strip())
    others = len(source.wrote.written) if not built.written else 0
    pages = counted(built.pages, "page")
    what = f"{built.written} of {pages}" if built.written or others else f"{pages}, as they were"
    say(f"built in {time.monotonic() - started:.1f} s: {what}" + (f", {counted(others, 'other file')}" if others else ""))
    for line in built.remarks:
        say(paint(line, "warn"))
    for line in errors:
        say(line)
    return "\n".join(errors)


def _wrong(text: str) -> str:
    say(text)
    say(paint("the last good pages stay until this is mended", "warn"))
    return text
