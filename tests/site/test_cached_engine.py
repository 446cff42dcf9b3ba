"""The site that the engine brings up to date is, byte by byte, the one that it builds from nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kvdocs.project import Project
from kvdocs.site.cached_engine import COMPARED_WITH
from kvdocs.site.engine_cache import SITE
from tests.conftest import REPOSITORY, MakeProject, Ran
from tests.site.test_incremental import FILES

SETTINGS = """\
site_name: test
docs_dir: build/docs
theme: {name: material, font: false}
plugins: [search]
markdown_extensions: [admonition, attr_list, def_list, md_in_html, tables, {toc: {permalink: true}}, pymdownx.highlight, pymdownx.superfences, pymdownx.details]
not_in_nav: /records/
validation: {nav: {omitted_files: ignore}, links: {anchors: warn}}
"""

STEPS: tuple[tuple[str, str | None], ...] = (
    ("registry/roadmap/R1.yaml", "id: R1\ntitle: First of all\nstatus: done\nowners: [ann]\n"),
    ("registry/roadmap/R3.yaml", "id: R3\ntitle: Third\nstatus: open\nowners: [ann]\nsummary: New, see D1.\n"),
    ("registry/defects/D1.yaml", None),
    ("site_src/how-to/page.md", "---\ntitle: Another title\n---\n# A page\n\n[gone](nowhere.md)\n"),
    ("site_src/how-to/page.md", None),
    ("site_src/assets/extra.txt", "copied\n"),
    ("mkdocs.yml", SETTINGS.replace("site_name: test", "site_name: Another name")),
    ("site/records/R2/index.html", "changed by hand\n"),
    ("site/stray/page.html", "nobody made this\n"),
    ("site/404.html", "changed by hand\n"),
    ("site/sitemap.xml.gz", None),
    ("site/api/registry.json", "changed by hand\n"),
    ("site/assets/images/favicon.png", None),
    ("site/search/search_index.json", "changed by hand\n"),
    (".kvdocs/cache/engine.lines", "damaged\n"),
    (".kvdocs/cache/engine.lines", None),
    ("site_src/how-to/page.md", "# A page\n\n## A heading\n"),
    ("site_src/how-to/other.md", "# Another\n\n[there](page.md#a-heading), [not yet](third.md)\n"),
    ("site_src/how-to/page.md", "---\nicon: material/home\n---\n# A page\n\n## Its heading\n"),
    ("site_src/how-to/third.md", "# A third\n\n## A heading\n"),
    ("site_src/how-to/third/index.md", "# Another third\n\n## A heading\n"),
    ("site_src/how-to/third.md", "# The third\n"),
    ("site_src/how-to/third/index.md", None),
)
"""Edits, one after the other: a path and its new content, or None where it is deleted."""


def test_the_versions_that_were_compared_are_those_of_a_fresh_set_up() -> None:
    """Else a fresh set-up would go the long way through the engine, and nobody would see it."""
    pinned = dict(re.findall(r"^([a-z0-9-]+)==([^ ]+)", (REPOSITORY / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE))
    assert {name: pinned.get(name) for name in COMPARED_WITH} == COMPARED_WITH


def _site(root: Path) -> dict[str, bytes]:
    """The files of the site; the compressed map of the site carries the time at which it was made."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != "sitemap.xml.gz"}


def _touch(root: Path, name: str, text: str | None) -> None:
    path = root / name
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_after_each_edit_the_site_is_that_of_a_whole_build(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    whole = tmp_path.parent / f"{tmp_path.name}-whole"
    for name, text in (("mkdocs.yml", SETTINGS), *STEPS):
        _touch(root, name, text)
        updated = kvdocs("build", at=root)
        shutil.rmtree(whole, ignore_errors=True)
        shutil.copytree(root, whole, ignore=shutil.ignore_patterns(".kvdocs", "build", "site"))
        fresh = kvdocs("--no-cache", "build", at=whole)
        assert (updated.code, fresh.code) == (0, 0), updated.err + fresh.err
        assert sorted(line for line in updated.err.splitlines() if "WARNING" in line) == sorted(line for line in fresh.err.splitlines() if "WARNING" in line)
        assert {path: (name, data) for path, data in _site(root / "site").items()} == {path: (name, data) for path, data in _site(whole / "site").items()}


def _in_the_way_of_a_file(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("in the way", encoding="utf-8")


def _in_the_way_of_a_folder(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("in the way", encoding="utf-8")


def _linked(path: Path, to: str) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(to)


def _linked_elsewhere(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


BY_HAND: dict[str, Callable[[Path], None]] = {
    "a folder in the place of a page": lambda root: _in_the_way_of_a_file(root / "site/records/R1/index.html"),
    "a file in the place of a folder": lambda root: _in_the_way_of_a_folder(root / "site/records/R1"),
    "a folder in the place of Markdown": lambda root: _in_the_way_of_a_file(root / "build/docs/records/R1.md"),
    "a file in the place of a folder of Markdown": lambda root: _in_the_way_of_a_folder(root / "build/docs/records"),
    "a page that is a link to another": lambda root: _linked(root / "site/records/R1/index.html", "../R2/index.html"),
    "a folder that is a link to another": lambda root: _linked(root / "site/records/R1", "R2"),
    "a folder of Markdown that is a link": lambda root: _linked_elsewhere(root / "build/docs/records"),
    "a pipe in the place of a page": lambda root: _pipe(root / "site/404.html"),
}
"""What somebody may do to the folders that a build writes."""


@pytest.mark.slow
@pytest.mark.parametrize("what", BY_HAND)
def test_what_was_in_the_way_ended_each_build_or_was_written_through(what: str, make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    kvdocs("build", at=root)
    before = _site(root)
    BY_HAND[what](root)
    ran = kvdocs("build", at=root)
    assert (ran.code, _site(root / "site")) == (0, {path.removeprefix("site/"): data for path, data in before.items() if path.startswith("site/")}), ran.err
    assert _site(root / "build") == {path.removeprefix("build/"): data for path, data in before.items() if path.startswith("build/")}


@pytest.mark.slow
def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file_ended_each_build(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS, "site_src/one": "a file\n", "site_src/two/inside": "in a folder\n"}).root
    kvdocs("build", at=root)
    (root / "site_src/one").unlink()
    shutil.rmtree(root / "site_src/two")
    _touch(root, "site_src/one/inside", "in a folder\n")
    _touch(root, "site_src/two", "a file\n")
    assert kvdocs("build", at=root).code == 0
    assert [path for path in _site(root / "site") if path.startswith(("one", "two"))] == ["two", "one/inside"]


OVERRIDDEN = SETTINGS.replace("{name: material,", "{name: material, custom_dir: ../overrides, icon: {logo: our/logo},")
"""Settings with changes to the theme."""


@pytest.mark.slow
def test_a_picture_in_a_hidden_folder_of_the_theme_was_left_as_it_was(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    _change_the_logo(make_project({**FILES, "mkdocs.yml": OVERRIDDEN, "overrides/.icons/our/logo.svg": "<svg><path d='M1'/></svg>\n"}).root, "overrides/.icons/our/logo.svg", kvdocs)


@pytest.mark.slow
def test_a_picture_in_a_linked_folder_of_the_theme_was_left_as_it_was(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": OVERRIDDEN, "pictures/logo.svg": "<svg><path d='M1'/></svg>\n", "overrides/.icons/read.me": ""}).root
    (root / "overrides/.icons/our").symlink_to(root / "pictures")
    _change_the_logo(root, "pictures/logo.svg", kvdocs)


def _change_the_logo(root: Path, path: str, kvdocs: Callable[..., Ran]) -> None:
    """Build, change the logo of the theme, build again: no page shows the old one."""
    kvdocs("build", at=root)
    assert any(b"<path d='M1'/>" in data for data in _site(root / "site").values())
    _touch(root, path, "<svg><path d='M2'/></svg>\n")
    kvdocs("build", at=root)
    assert [path for path, data in _site(root / "site").items() if b"<path d='M1'/>" in data] == []


@pytest.mark.slow
def test_what_templates_of_the_project_say_of_pages_was_that_of_another_page_or_of_the_build_before(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    templates = {
        "overrides/main.html": '{% extends "base.html" %}{% block announce %}{% for file in pages %}{{ file.page.title }}; {% endfor %}{% endblock %}',
        "overrides/partials/copyright.html": "{% if page %}This is {{ page.file.src_uri }}.{% endif %}",
        "overrides/.icons/our/logo.svg": "<svg></svg>",
    }
    root = make_project({**FILES, **templates, "mkdocs.yml": OVERRIDDEN}).root
    kvdocs("build", at=root)
    _touch(root, *STEPS[0])
    kvdocs("build", at=root)
    for name in ("R1", "R2"):
        page = (root / f"site/records/{name}/index.html").read_text(encoding="utf-8")
        assert f"This is records/{name}.md." in page
        assert "First of all; " in page


UNSAID = SETTINGS.replace("links: {anchors: warn}", "links: {anchors: warn, not_found: ignore}")
"""Settings by which nothing is said of a link to nowhere."""


@pytest.mark.slow
def test_a_link_to_a_page_that_was_not_there_yet_stayed_as_it_was_when_nothing_had_been_said_of_it(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": UNSAID, "site_src/how-to/page.md": "# A page\n\n[later](later.md)\n"}).root
    kvdocs("build", at=root)
    _touch(root, "site_src/how-to/later.md", "# Later\n")
    kvdocs("build", at=root)
    assert '<a href="../later/">later</a>' in (root / "site/how-to/page/index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_nothing_changed_is_not_written_again(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    kvdocs("build", at=root)
    before = {path: path.stat().st_mtime_ns for path in (root / "site").rglob("*.html")}
    (root / "registry/roadmap/R4.yaml").write_text("id: R4\ntitle: Apart\nstatus: open\nowners: [ann]\nsize: L\nsummary: More is known now.\n", encoding="utf-8")
    kvdocs("build", at=root)
    written = {path.relative_to(root / "site").as_posix() for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert written == {"records/R4/index.html"}


STOOD = "as they were"
"""What a build says that found everything as the last one left it."""


@pytest.mark.slow
def test_a_build_with_nothing_changed_ends_before_the_engine_starts_and_one_with_anything_changed_does_not(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    kvdocs("build", at=root)
    whole = _site(root / "site")
    again = kvdocs("build", at=root)
    assert (again.code, STOOD in again.out, again.err) == (0, True, "")
    for name, text in (
        ("registry/roadmap/R4.yaml", FILES["registry/roadmap/R4.yaml"].replace("Apart", "Aside")),
        ("registry/roadmap/R4.yaml", FILES["registry/roadmap/R4.yaml"]),
        ("site_src/how-to/page.md", "# Another page\n"),
        ("site_src/how-to/page.md", FILES["site_src/how-to/page.md"]),
        ("templates/record.md.j2", '{% extends "kvdocs/record.md.j2" %}\n{% block meta %}{{ super() }}extra: 1\n{% endblock %}\n'),
        ("templates/record.md.j2", None),
        ("mkdocs.yml", f"{SETTINGS}site_author: somebody\n"),
        ("mkdocs.yml", SETTINGS),
        ("build/mkdocs.yml", "INHERIT: ../mkdocs.yml\n"),
        ("build/docs/records/R2.md", "changed\n"),
        ("build/docs/records/R2.md", None),
        ("build/docs/stray.md", "stray\n"),
        ("site/records/R2/index.html", "changed\n"),
        ("site/records/R2/index.html", None),
        ("site/stray.html", "stray\n"),
        (".kvdocs/cache/standing.json", "damaged\n"),
    ):
        _touch(root, name, text)
        assert (STOOD in kvdocs("build", at=root).out, name) == (False, name)
    assert STOOD not in kvdocs("build", "--site-url", "https://example.org/", at=root).out
    assert STOOD not in kvdocs("build", at=root).out
    assert STOOD not in kvdocs("build", at=root, env={"SOURCE_DATE_EPOCH": "1"}).out
    assert STOOD not in kvdocs("build", at=root).out
    assert _site(root / "site") == whole


@pytest.mark.slow
def test_what_is_wrong_with_a_site_is_said_by_each_build(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS, "site_src/how-to/page.md": "# A page\n\n[gone](nowhere.md)\n"}).root
    first, second = kvdocs("build", at=root), kvdocs("build", at=root)
    assert "nowhere.md" in first.err
    assert [line for line in first.err.splitlines() if "WARNING" in line] == [line for line in second.err.splitlines() if "WARNING" in line]


@pytest.mark.slow
def test_the_page_of_a_record_that_was_gone_stayed_in_a_site_that_a_strict_build_refused(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    assert kvdocs("build", "--strict", at=root).code == 0
    _touch(root, "registry/roadmap/R4.yaml", None)
    _touch(root, "site_src/how-to/page.md", "# A page\n\n[gone](nowhere.md)\n")
    whole = tmp_path.parent / f"{tmp_path.name}-whole"
    shutil.copytree(root, whole, ignore=shutil.ignore_patterns(".kvdocs", "build", "site"))
    refused, fresh = kvdocs("build", "--strict", at=root), kvdocs("--no-cache", "build", "--strict", at=whole)
    assert (refused.code, refused.err.splitlines()[-3:]) == (1, ["Aborted with 1 warnings in strict mode!", "error: mkdocs ended with 1", "  hint: mend what it says above (pages that no record makes are in site_src/), or build without --strict"])
    assert (fresh.code, fresh.err.splitlines()[-3:]) == (1, refused.err.splitlines()[-3:])
    assert not (root / "site/records/R4").exists()
    assert _site(root / "site") == _site(whole / "site")
    assert kvdocs("build", "--strict", at=root).code == 1
    _touch(root, "site_src/how-to/page.md", "# A page\n")
    assert kvdocs("build", "--strict", at=root).code == 0


@pytest.mark.slow
def test_a_tag_makes_another_history_although_no_file_changed(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS, ".gitignore": ".kvdocs/\nbuild/\nsite/\n"}).root

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "First")
    kvdocs("build", at=root)
    assert STOOD in kvdocs("build", at=root).out
    git("tag", "v1")
    assert STOOD not in kvdocs("build", at=root).out
    assert "v1" in (root / "site" / "changes" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_site_that_was_copied_from_another_machine_was_written_again(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    """As a cache of a runner is: the same bytes, with other times and inodes."""
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    kvdocs("build", at=root)
    before = _site(root / "site")
    shutil.copytree(root / "site", root / "restored", copy_function=shutil.copyfile)
    shutil.rmtree(root / "site")
    (root / "restored").rename(root / "site")
    pages = {path: path.stat().st_mtime_ns for path in (root / "site/records").rglob("*.html")}
    (root / "site/records/R2/index.html").write_text("changed by hand\n", encoding="utf-8")
    kvdocs("build", at=root)
    assert {path.relative_to(root / "site").as_posix() for path, time in pages.items() if path.stat().st_mtime_ns != time} == {"records/R2/index.html"}
    assert _site(root / "site") == before


@pytest.mark.slow
def test_an_icon_that_the_theme_does_not_have_ended_with_a_traceback_of_the_engine(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS, "site_src/how-to/page.md": "---\nicon: material/nonesuch\n---\n# A page\n"}).root
    ran = kvdocs("build", at=root)
    assert (ran.code, ran.err.splitlines()[-2:]) == (1, ["the theme has no icon material/nonesuch, which how-to/page.md asks for", "error: mkdocs ended with 1"])


@pytest.mark.slow
def test_what_lies_in_the_folder_of_the_project_was_taken_for_a_module(make_project: MakeProject) -> None:
    """Another copy of kvdocs beside the registry was the engine, and every page was made anew; a `random.py` ended the build."""
    aside = 'raise SystemExit("taken for a module")\n'
    root = make_project({**FILES, "mkdocs.yml": SETTINGS, "random.py": aside, "kvdocs/__init__.py": aside, "mkdocs/__init__.py": aside}).root
    built = subprocess.run([sys.executable, "-P", "-m", "kvdocs", "build"], cwd=root, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "mkdocs builds site/ …\n")
    assert Project(root).open_cache().read(SITE) is not None


@pytest.mark.slow
def test_a_site_is_whole_again_after_a_build_that_broke_off(make_project: MakeProject, kvdocs: Callable[..., Ran], tmp_path: Path) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS}).root
    kvdocs("build", at=root)
    _touch(root, "registry/roadmap/R4.yaml", None)
    _touch(root, "site_src/how-to/page.md", "---\nicon: material/nonesuch\n---\n# A page\n")
    assert kvdocs("build", at=root).code == 1
    _touch(root, "site_src/how-to/page.md", "# A page\n")
    whole = tmp_path.parent / f"{tmp_path.name}-whole"
    shutil.copytree(root, whole, ignore=shutil.ignore_patterns(".kvdocs", "build", "site"))
    assert (kvdocs("build", at=root).code, kvdocs("--no-cache", "build", at=whole).code) == (0, 0)
    assert _site(root / "site") == _site(whole / "site")


def test_a_site_that_cannot_be_written_ended_with_a_traceback_of_the_engine(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    project = make_project({"registry/owners/ann.yaml": "id: ann\ntitle: Ann\nowns: Everything.\n"})
    (project.root / "site").write_text("in the way", encoding="utf-8")
    ran = kvdocs("build", at=project.root)
    assert (ran.code, ran.err.splitlines()[-2:]) == (1, [f"Not a directory: '{project.root}/site'", "error: mkdocs ended with 1"])
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_a_page_with_an_extension_that_reads_files_was_left_alone_when_such_a_file_had_changed(make_project: MakeProject, kvdocs: Callable[..., Ran]) -> None:
    root = make_project({**FILES, "mkdocs.yml": SETTINGS.replace("[admonition,", "[admonition, pymdownx.snippets,")}).root
    (root / "part.txt").write_text("as it was\n", encoding="utf-8")
    (root / "site_src/how-to/page.md").write_text('# A page\n\n--8<-- "part.txt"\n', encoding="utf-8")
    kvdocs("build", at=root)
    (root / "part.txt").write_text("as it is now\n", encoding="utf-8")
    kvdocs("build", at=root)
    assert "as it is now" in (root / "site/how-to/page/index.html").read_text(encoding="utf-8")
