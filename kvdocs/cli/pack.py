"""`kvdocs pack`: one file that runs scripts on a bare machine."""

from __future__ import annotations

from pathlib import Path

import click

from kvdocs.cli.output import fail, paint, print_json, say, the_project


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=Path("job.pyz"), show_default=True, help="The file to write.")
@click.option("--env", "environment", metavar="ENV", help="The environment that the results belong to; it can still be said there.")
@click.option("--json", "as_json", is_flag=True, help="Print what was packed as a document (kvdocs/pack/v1).")
@click.pass_context
def pack(ctx: click.Context, ids: tuple[str, ...], output: Path, environment: str | None, as_json: bool) -> None:
    """One file that runs scripts on a bare machine.

    ID is a script, or a record with scripts. The file needs Python 3.9 or newer and nothing else; what it writes is taken
    in with `kvdocs import results DIR`. The same scripts give the same bytes.

    \b
    Example:
      kvdocs pack R1 R2 -o job.pyz --env h200
      python3 job.pyz --out results        (on the other machine)
    """
    from kvdocs.cli.executions import environment_of, registry_of, specs_of
    from kvdocs.disk import behind
    from kvdocs.evidence.pack import PackError
    from kvdocs.evidence.pack import pack as write_job
    from kvdocs.kinds.environment import recorded_gpus
    from kvdocs.kinds.script import patches_of

    project = the_project(ctx)
    registry = registry_of(project)
    specs = specs_of(registry, ids)
    named = environment_of(registry, environment) if environment else None
    try:
        job = write_job(specs, behind(output), project.root, environment=named, patches=patches_of(registry, project.root), gpus=recorded_gpus(registry))
    except PackError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{output} cannot be written: {error.strerror}")
    if as_json:
        print_json(
            {"schema": "kvdocs/pack/v1", "path": str(job.path), "sha256": job.sha256, "environment": named, "scripts": [spec.id for spec in specs], "files": list(job.files)}
        )
        return
    say(f"wrote {job.path} with {', '.join(spec.id for spec in specs)} and {len(job.files)} file{'' if len(job.files) == 1 else 's'}")
    say(paint(f"  sha256 {job.sha256}", "off"))
    say(f"  run it:          python3 {job.path.name} --out results")
    say("  take them in:    kvdocs import results results")
