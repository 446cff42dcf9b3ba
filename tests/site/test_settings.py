"""What the engine is told: the project's own settings, and what the record knows already."""

from __future__ import annotations

from textwrap import dedent

from kvdocs.project import Project
from kvdocs.site.settings import engine_settings
from tests.conftest import MakeProject

PROJECT = """
    title: 'Kernels: a record'
    summary: What `scan` does, and **why**.
    repository: us/ours
"""


def settings_of(project: Project) -> str:
    return engine_settings(project, [])


def test_the_site_has_the_name_of_the_record(make_project: MakeProject) -> None:
    made = settings_of(make_project({"mkdocs.yml": "docs_dir: build/docs\n", "registry/project.yaml": PROJECT}))
    assert made == dedent(
        """\
        # Made by `kvdocs build`; edit ../mkdocs.yml.
        INHERIT: ../mkdocs.yml
        docs_dir: docs
        site_dir: ../site
        site_name: "Kernels: a record"
        site_description: "What scan does, and why."
        nav:
        """
    )


def test_what_the_engines_own_file_says_stays(make_project: MakeProject) -> None:
    made = settings_of(make_project({"mkdocs.yml": "site_name: Ours\nsite_description: Mine\nnav:\n  - index.md\n", "registry/project.yaml": PROJECT}))
    assert made == "# Made by `kvdocs build`; edit ../mkdocs.yml.\nINHERIT: ../mkdocs.yml\ndocs_dir: docs\nsite_dir: ../site\n"


def test_a_character_that_yaml_takes_as_an_escape_only_ended_the_engine(make_project: MakeProject) -> None:
    made = settings_of(make_project({"mkdocs.yml": "docs_dir: build/docs\n", "registry/project.yaml": 'title: "A \\x7f and \\x80 B"\n'}))
    assert 'site_name: "A \\u007f and \\u0080 B"\n' in made
