"""Rendering: a project's templates over the shipped ones, changed bytes only, stale files gone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdocs.markup import Dialect, cell, code, escape, flat, harmless, link
from kvdocs.pages.page import DataFile, Page
from kvdocs.pipeline import Inspection
from kvdocs.project import Project
from kvdocs.render import Renderer, TemplateFaultError, Written, default_templates, render_all, tidy, write_files
from kvdocs.view import Badge, Code, Link, Md, Prose, Section
from tests.conftest import MakeProject, Ran


@given(st.text(" \n\ta|", max_size=30))
def test_a_page_has_no_two_empty_lines_in_a_row_and_no_spaces_at_the_ends_of_lines(text: str) -> None:
    expected = re.sub("\n{3,}", "\n\n", re.sub("[ \t]+$", "", text, flags=re.MULTILINE)).strip("\n") + "\n"
    assert tidy(text) == expected


def test_only_what_changed_is_written_and_what_is_stale_goes(tmp_path: Path) -> None:
    assert write_files({"a.md": b"one\n", "sub/b.md": b"two\n"}, tmp_path, remove_stale=True) == Written(("a.md", "sub/b.md"), 0, ())
    before = (tmp_path / "a.md").stat().st_mtime_ns
    assert write_files({"a.md": b"one\n", "c.md": b"three\n"}, tmp_path, remove_stale=True) == Written(("c.md",), 1, ("sub/b.md",))
    assert (tmp_path / "a.md").stat().st_mtime_ns == before
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.md", "c.md"]


def test_other_files_stay_when_the_folder_is_shared(tmp_path: Path) -> None:
    (tmp_path / "theirs.md").write_text("theirs")
    assert write_files({"ours.md": b"ours"}, tmp_path, remove_stale=False) == Written(("ours.md",), 0, ())
    assert (tmp_path / "theirs.md").read_text() == "theirs"


def test_parts_are_laid_out_one_by_one_where_the_template_says(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "page.md.j2").write_text("# {{ title }}\n\n{{ parts }}\n\n\nThe end.\n")
    renderer = Renderer((tmp_path, default_templates()), Dialect.PLAIN)
    parts = (Section("One", (Prose(Md("First.")),)), b"## Two\n\nAs it was.\n\n")
    page = Page("page.md", "documents/page.md.j2", {"title": "Title"}, parts=parts)
    assert renderer.render(page) == "# Title\n\n## One\n\nFirst.\n\n## Two\n\nAs it was.\n\nThe end.\n"
    assert renderer.render(page._replace(parts=())) == "# Title\n\nThe end.\n"


def test_a_template_of_the_project_wins_alone(tmp_path: Path) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "page.md.j2").write_text("mine: {{ title }}\n")
    renderer = Renderer.of(Project(tmp_path), Dialect.SITE)
    assert renderer.render(Page("x.md", "page.md.j2", {"title": "T"})) == "mine: T\n"
    assert renderer.render(Page("x.md", "list.md.j2", {"title": "T"})) == "mine: T\n", "the shipped list page extends the project's frame"


def test_a_template_of_the_project_may_add_to_the_shipped_one_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.md.j2").write_text('{% extends "kvdocs/page.md.j2" %}\n{% block body %}\n{{ super() }}\nmine\n{% endblock %}\n')
    renderer = Renderer.of(Project(tmp_path), Dialect.SITE)
    assert renderer.render(Page("x.md", "page.md.j2", {"title": "T", "sections": ()})) == '---\ntitle: "T"\n---\n\n# T\n\nmine\n'


def test_a_name_that_the_context_lacks_is_an_error() -> None:
    renderer = Renderer((default_templates(),), Dialect.SITE)
    with pytest.raises(TemplateFaultError, match=r"page\.md\.j2, for x\.md: 'sections' is undefined"):
        renderer.render(Page("x.md", "page.md.j2", {"title": "T"}))


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (b"a\n{{ 1 / 0 }}\n", "{0}:2, for x.md: division by zero"),
        (b"a\n{{ title + 1 }}\n", '{0}:2, for x.md: can only concatenate str (not "int") to str'),
        (b"{% include 'page.md.j2' %}\n", "page.md.j2, for x.md: templates include each other without end"),
        (b"\xff\n", "page.md.j2, for x.md: a template is not UTF-8"),
    ],
)
def test_a_template_that_cannot_be_computed_was_a_traceback(template: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / "page.md.j2").write_bytes(template)
    with pytest.raises(TemplateFaultError) as raised:
        Renderer((tmp_path,), Dialect.SITE).render(Page("x.md", "page.md.j2", {"title": "T"}))
    assert str(raised.value) == expected.format(tmp_path / "page.md.j2")


def test_a_document_whose_template_cannot_be_computed_was_a_traceback(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: All.\n", "templates/documents/overview.md.j2": "# {{ heading }}\n"}).root
    for way in ("--out", "--check"):
        ran = kvdocs("render", way, "docs", at=root)
        assert (ran.code, ran.out, ran.err) == (2, "", "error: documents/overview.md.j2, for overview.md: 'heading' is undefined\n")
    ran = kvdocs("render", "--check", "docs", "--json", at=root)
    assert (ran.code, json.loads(ran.out), ran.err) == (2, {"schema": "kvdocs/error/v1", "error": "documents/overview.md.j2, for overview.md: 'heading' is undefined", "hint": None}, "")
    assert not (root / "docs").exists()


@pytest.mark.parametrize("name", ["mkdocs.yml", "site_src/page.md"])
def test_a_file_of_the_site_that_is_not_utf_8_was_a_traceback(name: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({name: "title: first\n"}).root
    (root / name).write_bytes("title: Größe\n".encode("latin-1"))
    ran = kvdocs("build", "--no-site", at=root)
    assert (ran.code, ran.err) == (2, f"error: {root / name}: line 1 is not UTF-8\n")


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("`<b>` is code, <b> is not", "`<b>` is code, &lt;b> is not"),
        ("`\n\n<script>\n\n`", "`\n\n&lt;script>\n\n`"),
        ("\\`<b>`", "\\`&lt;b>`"),
        ("```c\n#include <stdio.h>\n```\n", "```c\n#include <stdio.h>\n```\n"),
        ("```c onclick\n<script>\n```\n", "&#x60;``c onclick\n&lt;script>\n&#x60;``\n"),
        ("- a\n\n  ```\n  <b>\n  ```\n", "- a\n\n  ```\n  <b>\n  ```\n"),
        ("  ```\n<b>\n  ```\n", "  &#x60;``\n&lt;b>\n  &#x60;``\n"),
        ("~~~\nswallows the page", "&#x7e;~~\nswallows the page"),
        ("```" + "\n" * 400, "&#x60;``" + "\n" * 400),
        ("<https://example.org/a>", "<https://example.org/a>"),
        ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
        ("[x](javascript:alert(1))", "[x]&#x28;javascript:alert(1))"),
        ("[x]( &#106;ava\tscript:alert(1))", "[x]&#x28; &#106;ava\tscript:alert(1))"),
        ("[x](data:text/html,y)", "[x]&#x28;data:text/html,y)"),
        ("[r]: javascript:alert(1)", "[r]&#x3a; javascript:alert(1)"),
        ("[x](https://example.org) [y](D1.md#a) [z](fattn.cu:12)", "[x](https://example.org) [y](D1.md#a) [z](fattn.cu:12)"),
        ("*a*{: onclick=alert(1) }", "*a*&#x7b;: onclick=alert(1) }"),
        ("a < b, 3<5, {1, 2}", "a < b, 3<5, {1, 2}"),
    ],
)
def test_prose_of_a_record_was_executed_by_those_who_read_the_site(prose: str, expected: str) -> None:
    assert harmless(prose) == expected


def test_code_in_a_table_was_read_as_markdown() -> None:
    assert code("a | *b* [c](d) {e}") == "<code>a &#124; &#42;b&#42; [c&#93;(d) {e}</code>"


def test_a_title_was_executed_by_the_theme(tmp_path: Path) -> None:
    page = Page("x.md", "page.md.j2", {"title": "</title><script>alert(1)</script> a < b", "sections": ()})
    assert Renderer.of(Project(tmp_path), Dialect.SITE).render(page).split("\n")[1] == 'title: "&lt;/title>&lt;script>alert(1)&lt;/script> a < b"'


def test_two_pages_with_one_path_are_a_fault_of_the_program() -> None:
    with pytest.raises(ValueError, match=r"two pages are written to a\.md"):
        render_all([DataFile("a.md", b""), DataFile("a.md", b"")], Renderer((default_templates(),), Dialect.SITE))


@pytest.mark.parametrize(
    ("value", "site", "plain"),
    [
        (None, "—", "—"),
        ("", "—", "—"),
        ((), "—", "—"),
        ("a | b * c [d] <e> `f`", "a &#124; b \\* c \\[d\\] &lt;e&gt; \\`f\\`", None),
        ("snake_case and _this_", "snake_case and \\_this\\_", None),
        (Md("one\ntwo"), "one two", None),
        (Md("one\n\n- two\n- three"), "one<br>• two<br>• three", None),
        (Md("`a|b` | c"), "<code>a&#124;b</code> &#124; c", None),
        (Md("```c\nx | y\nz\n```"), "<code>x &#124; y<br>z</code>", None),
        (Code("a|b"), "<code>a&#124;b</code>", None),
        (Code("a b"), "`a b`", None),
        (Link("a_b", "x.md", 'say "no" | `yes`'), '[a_b](x.md "say &quot;no&quot; &#124; yes")', None),
        (Link("nowhere"), "nowhere", None),
        (Badge("on hold", "wait"), '<span class="kv-badge kv-wait">on hold</span>', "on hold"),
        ((Badge("a", "good"), Badge("b", "bad"), "c"), '<span class="kv-badge kv-good">a</span> <span class="kv-badge kv-bad">b</span>, c', "a, b, c"),
        (("a", Link("b", "b.md")), "a, [b](b.md)", None),
    ],
)
def test_cells(value: object, site: str, plain: str | None) -> None:
    assert cell(value, Dialect.SITE) == site  # type: ignore[arg-type]
    assert cell(value, Dialect.PLAIN) == (plain or site)  # type: ignore[arg-type]


def test_what_is_written_is_what_is_read() -> None:
    """Escaped text comes out of Python-Markdown as it went in."""
    from html import unescape
    from re import sub

    from markdown import markdown

    for text in ("a*b*c", "[x](y)", "<b>", "`tick`", "a_b_c _d_", "back\\slash", "&amp; & &#35;", "1 | 2"):
        shown = unescape(sub(r"</?p>", "", markdown(escape(text))))
        assert shown == text
    assert unescape(sub(r"</?code>", "", sub(r"</?p>", "", markdown(code("x`y|z"))))) == "x`y|z"
    assert link(Link("a", "b c(d).md")) == "[a](b%20c%28d%29.md)"
    assert flat("a\n\nb") == "a<br>b"


def test_rendering_twice_gives_the_same_bytes(kvdocs: Callable[..., Any], tmp_path: Path, this_registry: Inspection) -> None:
    """In two processes, so that no order of a set or a hash is hidden."""
    for name, seed in (("one", "1"), ("two", "2")):
        assert kvdocs("render", "--out", str(tmp_path / name), at=this_registry.project.root, env={"PYTHONHASHSEED": seed}).code == 0
    one, two = ({p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.md")} for folder in (tmp_path / "one", tmp_path / "two"))
    assert one == two
    assert set(one) >= {"overview.md", "kv-offload-roadmap.md", "kv-offload-defects.md", "kv-offload-measurements.md", "probes/README.md"}


def test_check_says_which_documents_are_out_of_date(kvdocs: Callable[..., Any], make_project: Callable[[Mapping[str, str]], Project]) -> None:
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: All.\n"})

    def run(*arguments: str) -> tuple[int, str, str]:
        done = kvdocs("render", *arguments, at=project.root)
        return done.code, done.out, done.err

    assert run("--check", "docs") == (1, "missing  docs/record-roadmap.md\nmissing  docs/overview.md\n", "")
    assert run("--out", "docs") == (0, "written  docs/record-roadmap.md\nwritten  docs/overview.md\n", "")
    assert run("--check", "docs") == (0, "2 documents are up to date\n", "")
    (project.root / "docs" / "overview.md").write_text("edited by hand\n")
    assert run("--check", "docs") == (1, "out of date  docs/overview.md\n1 other is up to date\n", "")
    code, out, err = run("--check", "docs", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out) == {
        "schema": "kvdocs/render/v1",
        "folder": "docs",
        "up_to_date": False,
        "documents": [{"path": "record-roadmap.md", "state": "up to date"}, {"path": "overview.md", "state": "out of date"}],
    }
    assert run("--out", "docs") == (0, "written  docs/overview.md\n1 other is up to date\n", "")
    assert run("--out", "docs") == (0, "2 documents are up to date\n", "")
    assert json.loads(run("--out", "docs", "--json")[1])["documents"] == [{"path": "record-roadmap.md", "state": "kept"}, {"path": "overview.md", "state": "kept"}]
    assert run() == (2, "", "error: say where: --out DIR writes, --check DIR compares\n")
    assert run("--out", "docs", "--check", "docs") == (2, "", "error: --out writes and --check compares: choose one\n")
    (project.root / "registry/owners/bob.yaml").write_text("id: bob\nowns: Nothing.\n", encoding="utf-8")
    note = "note: 1 error in the registry; see `kvdocs check`\n"
    assert run("--check", "docs")[::2] == (0, note)
    assert run("--out", "docs") == (0, "2 documents are up to date\n", note)


@pytest.mark.parametrize(("settings", "copies"), [("", ["R1.yaml.txt", "ann.yaml.txt"]), ("source_url: https://x.test/{path}#L{line}\n", [])])
def test_a_site_carried_copies_of_records_whose_host_the_settings_name(settings: str, copies: list[str], kvdocs: Callable[..., Any], make_project: Callable[[Mapping[str, str]], Project]) -> None:
    files = {"registry/project.yaml": f"title: Us\n{settings}", "registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n", "registry/roadmap/R1.yaml": "id: R1\ntitle: First\nstatus: open\nowners: [ann]\n"}
    root = make_project({**files, "mkdocs.yml": "theme: {name: material}\n"}).root
    assert kvdocs("build", "--no-site", at=root).code == 0
    assert sorted(path.name for path in (root / "build/docs").rglob("*.yaml.txt")) == copies


def test_of_many_documents_some_are_named_and_the_others_counted(kvdocs: Callable[..., Any], make_project: Callable[[Mapping[str, str]], Project]) -> None:
    """The line of the one document that had changed stood among hundreds that had not."""
    scripts = {f"registry/scripts/s{number}.yaml": f"id: s{number}\ntitle: Script {number}\npurpose: reproduction\nfile: s{number}.py\nexpect: {{reproduced: [{{exit: 1}}], not_reproduced: [{{exit: 0}}]}}\n" for number in range(10, 40)}
    project = make_project({**scripts, **{name.replace(".yaml", ".py"): "print()\n" for name in scripts}})

    def run(*arguments: str) -> list[str]:
        return kvdocs("render", *arguments, at=project.root).out.splitlines()

    named = ["docs/repro/README.md", "docs/overview.md", *(f"docs/repro/s{number}.py" for number in range(10, 28))]
    assert run("--check", "docs") == [*(f"missing  {name}" for name in named), "and 12 more"]
    assert run("--out", "docs") == [*(f"written  {name}" for name in named), "and 12 more"]
    (project.root / "registry/scripts/s39.py").write_text("print(39)\n", encoding="utf-8")
    assert run("--out", "docs") == ["written  docs/repro/s39.py", "31 others are up to date"]
    assert run("--out", "docs") == ["32 documents are up to date"]
