"""What a command imports: a warm `order` or `check` reads a kept answer and needs none of the heavy libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MakeProject

FILES = {
    "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n",
    "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n",
}

HEAVY = ("pydantic", "networkx", "jinja2", "ruamel", "pint", "scipy", "numpy", "rich", "mkdocs", "watchdog", "yaml", "simpleeval")


def _imported(*arguments: str, at: Path) -> set[str]:
    """The heavy libraries that a command has loaded when it ends."""
    told = f"print('\\n@', *sorted({{m.split('.')[0] for m in sys.modules}} & {set(HEAVY)!r}))"
    code = f"import atexit, sys; sys.argv = ['kvdocs', *{arguments!r}]; atexit.register(lambda: {told})\nfrom kvdocs.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=at, capture_output=True, text=True, check=False, timeout=120)
    return set(done.stdout.rsplit("@", 1)[1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("order", "--help"), ("check", "--help")])
def test_asking_for_help_loads_nothing_heavy(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert _imported(*arguments, at=tmp_path) == set()


@pytest.mark.parametrize("arguments", [("order",), ("order", "--json"), ("check",), ("check", "--format", "sarif")])
def test_a_kept_answer_needs_nothing_heavy(arguments: tuple[str, ...], make_project: MakeProject) -> None:
    root = make_project(FILES).root
    _imported(*arguments, at=root)
    assert _imported(*arguments, at=root) == set()


def test_order_without_a_cache_needs_only_what_it_works_with(monkeypatch: pytest.MonkeyPatch, make_project: MakeProject) -> None:
    monkeypatch.setenv("KVDOCS_NO_CACHE", "1")
    assert _imported("order", at=make_project(FILES).root) == {"pydantic", "networkx", "yaml"}


def test_a_check_after_one_edit_loads_what_reads_the_record_and_no_more(make_project: MakeProject) -> None:
    root = make_project(FILES).root
    _imported("check", at=root)
    path = root / "registry" / "roadmap" / "R1.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "size: S\n", encoding="utf-8")
    assert _imported("check", at=root) == {"pydantic", "yaml"}


def test_a_build_that_finds_nothing_changed_loads_no_templates(make_project: MakeProject) -> None:
    root = make_project(FILES).root
    _imported("build", "--no-site", at=root)
    assert "jinja2" not in _imported("build", "--no-site", at=root)


@pytest.mark.parametrize(("arguments", "code"), [(("order",), 0), (("check",), 1), (("nothing",), 2)])
def test_a_command_that_ends_at_once_prints_everything_and_gives_its_exit_code(arguments: tuple[str, ...], code: int, make_project: MakeProject) -> None:
    root = make_project(FILES | {"registry/roadmap/R2.yaml": "id: R2\ntitle: Second\nstatus: open\nowners: [bob]\n"}).root
    ended = f"import atexit, sys; sys.argv = ['kvdocs', *{arguments!r}]; atexit.register(print, 'the end')\nfrom kvdocs.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", ended], cwd=root, capture_output=True, text=True, check=False, timeout=120)
    usual = subprocess.run([sys.executable, "-c", ended.replace("main()", "cli()").replace("import main", "import cli").replace("kvdocs.__main__", "kvdocs.cli")], cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (code, usual.stdout)
    assert done.stdout.endswith("the end\n")
