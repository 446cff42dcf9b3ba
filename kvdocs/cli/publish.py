"""`kvdocs publish`: the site, to a branch of a remote."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout

import click

from kvdocs.cli.build import build
from kvdocs.cli.output import fail, print_json, say, the_project

SCHEMA = "kvdocs/publish/v1"


@click.command()
@click.option("--remote", default="origin", show_default=True, help="The remote, by its name.")
@click.option("--branch", default="gh-pages", show_default=True, help="The branch that holds the site.")
@click.option("--version", "version", metavar="NAME", help="Publish as one version beside the others.")
@click.option("--tag", "from_tag", is_flag=True, help="As --version, with the tag of the commit that is checked out.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name of the version, such as `latest`; repeatable.")
@click.option("--cname", default="", metavar="DOMAIN", help="The domain that the host of the pages shall answer to.")
@click.option("--engine", type=click.Choice(["mkdocs", "properdocs", "zensical"]), default="mkdocs", show_default=True, help="What turns Markdown into the site.")
@click.option("--allow-dirty", is_flag=True, help="Publish although something is not committed.")
@click.option("--allow-errors", is_flag=True, help="Publish although the registry has errors.")
@click.option("--replace-versions", is_flag=True, help="Publish one site although the branch holds versions.")
@click.option("--dry-run", is_flag=True, help="Check and build, and publish nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was published as a document (kvdocs/publish/v1).")
@click.pass_context
def publish(
    ctx: click.Context,
    remote: str,
    branch: str,
    version: str | None,
    from_tag: bool,
    aliases: tuple[str, ...],
    cname: str,
    engine: str,
    allow_dirty: bool,
    allow_errors: bool,
    replace_versions: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """The site, to a branch of a remote.

    Checks the registry, builds the site strictly, and puts it on the branch as a commit of its own.
    Refuses when something that the site is made from is not committed, or when the registry has errors.
    Versions need mike: pip install 'kvdocs[versions]'.

    \b
    Example:
      kvdocs publish
      kvdocs publish --tag --alias latest
    """
    project = the_project(ctx)
    from kvdocs.pipeline import inspect
    from kvdocs.problems import Severity
    from kvdocs.publish import Destination, PublishError, held, publish_site, publish_version, revision, tag_here, uncommitted

    destination = Destination(remote, branch)
    try:
        if from_tag and (version := tag_here(project)) is None:
            fail("the commit that is checked out has no tag", "git tag v1.0, or name it with --version")
        if aliases and version is None:
            fail("an alias belongs to a version", "add --version or --tag")
        dirty = uncommitted(project)
        if dirty and not allow_dirty:
            fail(f"{len(dirty)} files are not committed, {dirty[0]} among them" if len(dirty) > 1 else f"{dirty[0]} is not committed", "commit it, or say --allow-dirty")
        errors = [p for p in inspect(project).problems if p.severity is Severity.ERROR]
        if errors and not allow_errors:
            fail(f"the registry has {len(errors)} error{'s' if len(errors) > 1 else ''}; the first is {errors[0].place}: {errors[0].message}", "`kvdocs check` shows all; --allow-errors publishes all the same")
        there = held(project, destination)
        if version is None and not replace_versions and there == "versions":
            fail(f"{destination} holds versions, which one site would replace", "name a --version, or say --replace-versions")
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            ctx.invoke(build, engine=engine, strict=True, site_url=project.settings.site_url)
        commit = None
        if not dry_run:
            commit = publish_version(project, destination, version, aliases, cname=cname) if version is not None else publish_site(project, destination, cname=cname)
    except PublishError as error:
        fail(str(error))
    if as_json:
        print_json({"schema": SCHEMA, "published": revision(project), "remote": remote, "branch": branch, "commit": commit, "version": version, "aliases": list(aliases)})
    else:
        what = f"{revision(project)} to {destination}" + (f" as {', '.join([version, *aliases])}" if version else "")
        say(f"published {what}: {commit[:9]}" if commit is not None else f"would publish {what}")
    if version is not None and there == "site":
        say(f"note: the pages that {destination} held before stay beside the versions; delete the branch first to be rid of them", err=True)
