"""The documentation and the program agree: every command, option, field, setting, variable and template is documented, and nothing else is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kvdocs.cli import COMMANDS, cli
from kvdocs.cli.reference import command_helps
from kvdocs.kinds import all_codes, all_kinds
from kvdocs.markup import Dialect
from kvdocs.pages.codes import codes_page
from kvdocs.pages.fields import parts_of
from kvdocs.pages.graph import MOST
from kvdocs.pages.home import FIRST
from kvdocs.pages.lists import ROWS
from kvdocs.pages.program import commands_page
from kvdocs.pages.shapes import SHAPES
from kvdocs.pictures.dependency_pictures import WHOLE_LIMIT
from kvdocs.pipeline import Inspection, publication
from kvdocs.project import Settings
from kvdocs.render import Renderer, default_templates
from kvdocs.scaffold import STARTER
from tests.conftest import REPOSITORY
from tests.docs.conftest import PAGES
from tests.docs.conversations import fences

DOCUMENTS = [*PAGES, *(REPOSITORY / name for name in ("CONTRIBUTING.md", "CHANGELOG.md")), *STARTER.rglob("*.md")]
TEXTS = {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in DOCUMENTS}
HELPS = {help_.name: help_.text for help_ in command_helps()}
SETTINGS = TEXTS["site_src/reference/settings.md"]


def commands_in(text: str) -> Iterator[str]:
    """Every `kvdocs …` that a text shows: in code inside a line, and in lines of terminals and scripts."""
    blocks = [fence for fence in fences(text) if fence.language in ("console", "bash", "sh", "yaml")]
    for fence in blocks:
        body = re.sub(r"\$\([^()\n]*\)", "…", fence.body.replace("\\\n", " "))
        yield from re.findall(r"""(?:^|[$(;&] ?)(kvdocs (?:"[^"\n]*"|'[^'\n]*'|[^|>&)\n"'])*)""", body, re.MULTILINE)
    outside = re.sub(r"^( *)`{3,}.*?^\1`{3,} *$", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`(kvdocs [^`]*)`", outside)


def unknown_parts(line: str) -> list[str]:
    """The commands and options of a line that the program does not have."""
    words = shlex.split(line.replace("…", "").replace("...", ""), comments=True)[1:]
    command: click.Command = cli
    context = click.Context(cli, info_name="kvdocs")
    wrong = []
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-") and re.fullmatch(r"[a-z-]+", word):
            found = command.get_command(context, word)
            if found is None:
                return [word]
            command, context = found, click.Context(found, info_name=word, parent=context)
        elif re.match(r"--?[a-z]", word):
            known = {name for parameter in command.get_params(context) for name in (*parameter.opts, *parameter.secondary_opts)}
            wrong += [word] if word.partition("=")[0] not in known else []
    return wrong


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_option_that_a_page_names_exists(name: str) -> None:
    assert [f"{line}: {part}" for line in commands_in(TEXTS[name]) for part in unknown_parts(line)] == []


@pytest.mark.parametrize("name", HELPS)
def test_every_help_text_has_an_example_of_options_that_exist(name: str) -> None:
    text = HELPS[name]
    example = re.findall(r"^ +(?:.*\| )?(kvdocs .*)$", text.partition("Example:")[2].partition("Options:")[0], re.MULTILINE)
    assert example != []
    assert [part for line in example for part in unknown_parts(line.partition("  ")[0])] == []


def test_a_command_that_does_not_exist_would_be_found() -> None:
    assert unknown_parts("kvdocs order --assume R1=done --frobnicate") == ["--frobnicate"]
    assert unknown_parts("kvdocs import nothing FILE") == ["nothing"]
    assert list(commands_in("Use `kvdocs check`.\n\n```console\n$ cd x && kvdocs order --json | head\n```\n")) == ["kvdocs order --json ", "kvdocs check"]


def test_the_page_of_commands_holds_each_help_text_word_for_word() -> None:
    page = Renderer((default_templates(),), Dialect.SITE).render(commands_page(command_helps()))
    assert [name for name, text in HELPS.items() if text.rstrip() not in page] == []
    assert {name.partition(" ")[0] for name in HELPS} == set(COMMANDS)


def test_every_option_says_what_it_does() -> None:
    silent = []
    for name in HELPS:
        command: click.Command = cli
        for word in name.split():
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(cli), word)
            assert found is not None
            command = found
        silent += [f"{name} {p.opts[0]}" for p in command.params if isinstance(p, click.Option) and not p.help]
    assert silent == []


def test_every_field_of_every_record_says_what_it_means() -> None:
    models = {model: None for kind in all_kinds() for model in (kind.model, *parts_of(kind.model))}
    assert [f"{model.__name__}.{name}" for model in models for name, field in model.model_fields.items() if not field.description] == []
    assert [model.__name__ for model in models if not model.__doc__] == []


OF_THE_ENGINE = {"site_name", "site_url", "site_description", "extra_css"}
"""Settings of mkdocs.yml that pages name."""


def test_every_field_that_a_page_names_exists() -> None:
    """A page spoke of scripts with `takes_lock`; the field is `lock`."""
    models = {model: None for kind in all_kinds() for model in (kind.model, *parts_of(kind.model))}
    models |= {model: None for shape in SHAPES for model in (shape.model, *parts_of(shape.model))}
    known = {name for model in models for name in model.model_fields} | set(Settings._fields) | OF_THE_ENGINE
    outside = {name: re.sub(r"^( *)`{3,}.*?^\1`{3,} *$", "", text, flags=re.MULTILINE | re.DOTALL) for name, text in TEXTS.items() if name.startswith("site_src/")}
    assert [f"{name}: {word}" for name, text in outside.items() for word in re.findall(r"`([a-z]+(?:_[a-z]+)+)(?::[^`]*)?`", text) if word not in known] == []


def test_every_document_for_programs_says_what_it_is() -> None:
    assert [shape.name for shape in SHAPES if not shape.model.__doc__ or not shape.made_by] == []


def test_every_problem_says_what_it_means() -> None:
    assert [code.name for code in all_codes() if len(code.meaning) < 20] == []


def test_every_problem_says_how_it_comes_about_and_what_to_do(this_registry: Inspection) -> None:
    """The hint of a problem knows its place; the page of problems is for those who ask why."""
    assert [code.name for code in all_codes() if not (code.cause.endswith(".") and code.repair.endswith("."))] == []
    page = Renderer((default_templates(),), Dialect.SITE).render(codes_page(publication(this_registry), None))
    told = [line.split(" | ")[0].strip("|* ") for line in page.splitlines() if "Usual cause" in line or "Repair" in line]
    assert (len(told), set(told)) == (2 * len(all_codes()), {"Usual cause", "Repair"}), told[:4]


def test_every_setting_is_documented_with_its_default() -> None:
    table = SETTINGS.partition("## registry/project.yaml")[2].partition("##")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.MULTILINE))
    given = Settings._field_defaults
    defaults = {name: ("none" if given[name] == "" else f"`{given[name]}`") if name in given else "required" for name in Settings._fields}
    assert rows == defaults


def test_every_variable_is_documented() -> None:
    used = {name for path in (REPOSITORY / "kvdocs").rglob("*.py") for name in re.findall(r"KVDOCS_[A-Z]+(?:_[A-Z]+)*", path.read_text(encoding="utf-8"))}
    assert sorted(used) == sorted(set(re.findall(r"KVDOCS_[A-Z]+(?:_[A-Z]+)*", SETTINGS)))


def test_every_template_is_documented() -> None:
    named = set(re.findall(r"^\| `(\S+\.j2)`", TEXTS["site_src/how-to/change-a-template.md"], re.MULTILINE))
    assert sorted(named) == sorted(p.relative_to(default_templates()).as_posix() for p in default_templates().rglob("*.j2"))


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_to_a_file_leads_somewhere(name: str, this_registry: Inspection) -> None:
    text = re.sub(r"^( *)`{3,}.*?^\1`{3,} *$", "", TEXTS[name], flags=re.MULTILINE | re.DOTALL)
    links = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target and not target.startswith("#")]
    assert [target for target in links if not leads_somewhere(REPOSITORY / name, target.partition("#")[0], this_registry)] == []


MADE = ("reference/records.md", "reference/commands.md", "reference/json.md", "reference/problems.md", "reference/modules.md", "explanation/order.md")
"""Pages that the program makes and that hand-written ones link to; the tests of the built site follow every link to its anchor."""


def leads_somewhere(page: Path, target: str, inspection: Inspection) -> bool:
    """Whether a file is there, or is the page of a record, or another one that the program makes."""
    path = (page.parent / target).resolve()
    site = REPOSITORY / "site_src"
    made = path.relative_to(site).as_posix() if path.is_relative_to(site) else ""
    return path.exists() or made in MADE or (made.startswith("records/") and inspection.registry.has(path.stem))


@pytest.mark.parametrize("name", [n for n in TEXTS if n.startswith("site_src/")])
def test_a_page_has_one_title_and_a_place(name: str) -> None:
    text = re.sub(r"^( *)`{3,}.*?^\1`{3,} *$", "", TEXTS[name], flags=re.MULTILINE | re.DOTALL)
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
    assert re.match(r"---\ntitle: .+\nposition: \d+\n(runs_in: .+\n)?(hide: .+\n)?---\n", text)


def test_the_limits_that_a_page_names_are_those_of_the_program() -> None:
    told = TEXTS["site_src/how-to/keep-a-large-registry.md"]
    for words in (
        f"Beyond {MOST:,} records their pages have no picture",
        f"Beyond {WHOLE_LIMIT:,} nodes the dependency picture",
        f"and beyond {WHOLE_LIMIT:,} of these",
        f"the first {FIRST} rows of each table",
        f"a list has parts of {ROWS} rows",
    ):
        assert words in told
