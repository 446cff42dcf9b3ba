"""Options that matter to every command stand before the command or behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest

from kvdocs.cli import COMMANDS, cli
from tests.conftest import MakeProject, Ran

Kvdocs = Callable[..., Ran]

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n",
}


@pytest.fixture
def root(make_project: MakeProject) -> Path:
    return make_project(FILES).root


@pytest.mark.parametrize("line", ["--no-cache check", "check --no-cache", "check --quiet --no-cache", "export --no-cache json R1", "export json R1 --no-cache"])
def test_nothing_is_kept_where_everything_is_read_anew(line: str, root: Path, kvdocs: Kvdocs) -> None:
    assert kvdocs(*line.split(), at=root).code == 0
    assert not (root / ".kvdocs").exists()
    kvdocs(*(word for word in line.split() if word != "--no-cache"), at=root)
    assert (root / ".kvdocs").exists()


@pytest.mark.parametrize("line", ["-C {} show R1", "show -C {} R1", "show R1 --project {}", "--project nowhere show R1 -C {}", "export json R1 -C {}", "export -C {} json R1"])
def test_a_command_goes_to_the_folder_that_it_is_told(line: str, root: Path, kvdocs: Kvdocs, tmp_path_factory: pytest.TempPathFactory) -> None:
    ran = kvdocs(*line.format(root).split(), at=tmp_path_factory.mktemp("elsewhere"))
    assert (ran.code, "First" in ran.out) == (0, True)


@pytest.mark.parametrize("words", ["kvdocs -C {} show R", "kvdocs show -C {} R"])
def test_the_shell_completes_what_that_folder_holds(words: str, root: Path, kvdocs: Kvdocs, tmp_path_factory: pytest.TempPathFactory) -> None:
    asked = {"_KVDOCS_COMPLETE": "bash_complete", "COMP_WORDS": words.format(root), "COMP_CWORD": "4"}
    assert kvdocs(at=tmp_path_factory.mktemp("elsewhere"), env=asked).out == "plain,R1\n"


CHOOSES = "error: --owner, --limit and --all choose rows of the order: leave them out with --explain, --for and --critical-path\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("order --explain R1 --limit 1", CHOOSES),
        ("order --for R1 --all", CHOOSES),
        ("order --critical-path --owner ann", CHOOSES),
        ("check --format sarif --json", '{\n  "schema": "kvdocs/error/v1",\n  "error": "--json is --format json, and --format sarif asks for something else: choose one",\n  "hint": null\n}\n'),
    ],
)
def test_an_option_that_would_do_nothing_beside_another_one_was_passed_over(line: str, message: str, root: Path, kvdocs: Kvdocs) -> None:
    ran = kvdocs(*line.split(), at=root)
    assert (ran.code, ran.out + ran.err) == (2, message)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("run D1 --timeout nan", "'--timeout': nan is not a number of seconds that anybody waits"),
        ("run D1 --timeout inf", "'--timeout': inf is not a number of seconds that anybody waits"),
        ("import log x --script x --env x --command x --seconds 1e300", "'--seconds': 1e300 is not a number of seconds that anybody waits"),
        ("import log x --script x --env x --command x --seconds -5", "'--seconds': -5.0 is not in the range x>=0"),
        ("sync --api https://[", "'--api': 'https://[' is not an address with the name of a host, and with a number where a port is named"),
        ("build --site-url https://[", "'--site-url': 'https://[' is not an address with the name of a host, and with a number where a port is named"),
        ("build --site-url example.org", "'--site-url': 'example.org' is not an address that begins with https:// or http://"),
    ],
)
def test_a_value_that_is_none_ended_with_a_traceback_or_lifted_a_limit(line: str, why: str, root: Path, kvdocs: Kvdocs) -> None:
    (root / "x").touch()
    ran = kvdocs(*line.split(), at=root)
    assert (ran.code, ran.out, ran.err.splitlines()[0]) == (2, "", f"error: invalid value for {why}")


def test_a_check_without_notes_does_not_deny_them(root: Path, kvdocs: Kvdocs) -> None:
    assert kvdocs("check", "--quiet", at=root).out == "no errors or warnings\n"


def test_order_says_of_a_record_with_an_error_that_it_is_there(root: Path, kvdocs: Kvdocs) -> None:
    (root / "registry" / "roadmap" / "R2.yaml").write_text("id: R2\ntitel: Second\nstatus: open\nowners: [ann]\n", encoding="utf-8")
    ran = kvdocs("order", "--explain", "R2", at=root)
    assert (ran.code, ran.err.splitlines()[-2:]) == (2, ["error: R2 cannot be read", "  hint: `kvdocs check` says what is wrong with it"])


def test_what_is_misspelled_behind_a_command_is_named(root: Path, kvdocs: Kvdocs) -> None:
    ran = kvdocs("check", "--no-cach", at=root)
    assert (ran.code, ran.out, ran.err) == (2, "", "error: no such option '--no-cach'. Did you mean '--no-cache'?\n  hint: kvdocs check [OPTIONS]; more with --help\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("show", "error: missing argument 'ID'\n  hint: kvdocs show [OPTIONS] ID; more with --help\n"),
        ("shwo R1", "error: no such command 'shwo'; did you mean 'show'?\n  hint: kvdocs [OPTIONS] COMMAND [ARGS]...; more with --help\n"),
        ("import nosuch", "error: no such command 'nosuch'\n  hint: kvdocs import [OPTIONS] COMMAND [ARGS]...; more with --help\n"),
        ("order --limit many", "error: invalid value for '--limit': 'many' is not a valid integer range\n  hint: kvdocs order [OPTIONS]; more with --help\n"),
    ],
)
def test_a_command_line_that_cannot_be_understood_was_answered_in_another_form_than_other_errors(line: str, message: str, root: Path, kvdocs: Kvdocs) -> None:
    ran = kvdocs(*line.split(), at=root)
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_no_command_has_an_option_or_argument_of_the_same_name() -> None:
    """The folder of `init` and the folder of `-C` had one name, and each took the other's place."""
    found = [click.Context(cli)]
    for context in found:
        names = [parameter.name for parameter in context.command.get_params(context)]
        assert (context.command.name, sorted(names)) == (context.command.name, sorted(set(names)))
        if isinstance(context.command, click.Group):
            below = (context.command.get_command(context, name) for name in context.command.list_commands(context))
            found += [click.Context(command, parent=context) for command in below if command is not None]
    assert len(found) > len(COMMANDS) + 1
