"""What everything depends on that is made from templates."""

from __future__ import annotations

from pathlib import Path

from kvdocs.disk import files_below
from kvdocs.site.salt import salt_of
from tests.conftest import MakeProject


def test_an_edit_of_a_template_in_a_linked_folder_changed_nothing(make_project: MakeProject, tmp_path: Path) -> None:
    project = make_project({"elsewhere/document.md.j2": "# {{ title }}\n", "templates/record.md.j2": ""})
    (project.templates / "documents").symlink_to(tmp_path / "elsewhere")
    before = salt_of(project, ())
    (tmp_path / "elsewhere/document.md.j2").write_text("# The {{ title }}\n", encoding="utf-8")
    assert salt_of(project, ()) != before


def test_links_that_lead_round_in_a_circle_are_followed_once(make_project: MakeProject) -> None:
    project = make_project({"templates/record.md.j2": "", "templates/documents/document.md.j2": ""})
    for name in ("one", "two", "documents/three"):
        (project.templates / name).symlink_to(project.templates)
    assert [path.relative_to(project.templates).as_posix() for path in files_below(project.templates)] == ["documents/document.md.j2", "record.md.j2"]
